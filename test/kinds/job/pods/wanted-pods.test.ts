// What a plan says of how many wanted pods run: those that run, not those that were made.
import { expect, test } from '@jest/globals';
import { staffingOf } from '../../../../lib/kinds/job/pods/manage.ts';
import { progressOf } from '../../../../lib/kinds/job/counting/progress.ts';
import { tallyOf } from '../../../../lib/kinds/job/tally/tally.ts';
import { termsOf } from '../../../../lib/kinds/job/terms/terms.ts';
import { EMPTY_HEAD } from '../../../../lib/kinds/rows/plan.ts';
import { aJob, aPod, NOW, podsOf } from '../builders.ts';

test.each([
  { pods: '', says: '0 of 3 wanted pods run' },
  { pods: '3P', says: '0 of 3 wanted pods run, 3 have not started' },
  { pods: '1P 1A 1R', says: '2 of 3 wanted pods run, 1 has not started' },
  { pods: '3R', says: '3 of 3 wanted pods run' },
  { pods: '2R T', says: '2 of 3 wanted pods run' },
])('$pods: $says', ({ pods, says }) => {
  const job = aJob({ parallelism: 3, completions: 9 });
  const tally = tallyOf(job, termsOf(job), { pods: podsOf(pods), stripping: [] });
  expect(staffingOf(progressOf(job, tally), EMPTY_HEAD.backoff, NOW * 1000).why).toBe(says);
});

test('a pod all of whose containers wait to be started again does not run', () => {
  const job = aJob({ parallelism: 2, completions: 9 });
  const crashing = aPod({
    phase: 'Running',
    containers: [{ name: 'main', role: 'container', restarts: 4 }],
    reasons: [{ reason: 'CrashLoopBackOff', container: 'main' }],
  });
  const tally = tallyOf(job, termsOf(job), { pods: [crashing, ...podsOf('1R')], stripping: [] });
  expect(staffingOf(progressOf(job, tally), EMPTY_HEAD.backoff, NOW * 1000).why).toBe(
    '1 of 2 wanted pods run, 1 waits to be started again',
  );
});
