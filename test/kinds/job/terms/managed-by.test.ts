// `spec.managedBy` (sections 16.6, 23.1).
import { describe, expect, test } from '@jest/globals';
import { jobPlanner } from '../../../../lib/kinds/job/plan.ts';
import { aJob, aSnapshot, now } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const cases: Case[] = [
  { name: 'case 30: externally managed', job: aJob({ managedBy: 'example.com/x' }), pods: '1S', strips: 0, writes: 0, events: [] },
  {
    name: 'case 31: reserved managedBy',
    job: aJob({ parallelism: 1, completions: 1, managedBy: 'kubernetes.io/job-controller' }),
    creates: 1,
  },
];

describe('managedBy', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test.each([
    ['jobs', undefined, 'notOurs'],
    ['jobs', 'kubernetes.io/job-controller', 'notOurs'],
    ['jobs', 'farloop.dev/job', 'acted'],
    ['all-jobs', undefined, 'acted'],
    ['all-jobs', 'kubernetes.io/job-controller', 'acted'],
    ['all-jobs', 'farloop.dev/job', 'acted'],
    ['all-jobs', 'example.com/x', 'notOurs'],
  ] as const)('with --manage %s a Job of %s is %s', (word, managedBy, outcome) => {
    const job = aJob({ completions: 1, ...(managedBy && { managedBy }) });
    expect(jobPlanner.plan({ ...aSnapshot(job), manages: [word] }, now).outcome).toBe(outcome);
  });
});
