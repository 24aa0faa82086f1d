// A plan as readable text.
import { describe, expect, test } from '@jest/globals';
import { jobShown } from '../../../lib/kinds/job/shown.ts';
import { explainPlan } from '../../../lib/kinds/planning/plan-text.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { aJob, aPod, aSnapshot, ended, now, podsOf } from '../job/builders.ts';

describe('a plan as text', () => {
  test('says what, why and when again', () => {
    const pods = [aPod({ uid: 'a', phase: 'Failed', containers: [ended(1, 4)] }), aPod({ uid: 'b' })];
    expect(explainPlan('Job/default/demo', jobPlanner.plan(aSnapshot(aJob({ completions: 5 }), pods), now), { shown: jobShown }))
      .toMatchInlineSnapshot(`
     "Job/default/demo acts
       because: 1 of 2 wanted pods run; a failure, so the next pod waits
       write status: startTime 2026-02-02T02:39:00Z, active 1, terminating 0, ready 0
           what finished is recorded before the finalizers come off
       take the tracking finalizer off Pod: demo-a
           the status counts it, or it need not be counted
       write status: startTime 2026-02-02T02:39:00Z, active 1, failed 1, terminating 0, ready 0
           the finalizers are off, so the uids move into the counters
       after it: 0 of 5 succeeded, 1 failed, 1 active (0 ready), 0 terminating
       looks again in 6 s if nothing happens before"
    `);
  });

  test('joins pods that are treated alike', () => {
    const text = explainPlan('Job/default/demo', jobPlanner.plan(aSnapshot(aJob({ parallelism: 40, completions: 50 })), now), {
      shown: jobShown,
    });
    expect(text).toContain('and 35 more (40 in all)');
    expect(text.split('\n')).toHaveLength(8);
  });

  test.each([
    [aJob({ managedBy: 'example.com/x' }), 'Job/default/demo is not ours'],
    [aJob({ completionMode: 'Other' }), 'Job/default/demo is parked'],
    [aJob({ completions: 5 }, { status: { active: 2, ready: 0, terminating: 0 } }), 'Job/default/demo has nothing to do'],
  ])('names the outcome first: %#', (job, line) => {
    expect(explainPlan('Job/default/demo', jobPlanner.plan(aSnapshot(job, podsOf('2A')), now), { shown: jobShown }).split('\n')[0]).toBe(
      line,
    );
  });
});
