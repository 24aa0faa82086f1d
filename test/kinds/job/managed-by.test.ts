// `spec.managedBy` (sections 16.6, 23.1).
import { describe, expect, test } from '@jest/globals';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { aJob, aSnapshot, now } from './builders.ts';
import { claimed, planOf, type Case } from './outcome.ts';

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
    ['own', undefined, 'notOurs'],
    ['own', 'kubernetes.io/job-controller', 'notOurs'],
    ['own', 'farloop.dev/job', 'acted'],
    ['all', undefined, 'acted'],
    ['all', 'kubernetes.io/job-controller', 'acted'],
    ['all', 'farloop.dev/job', 'acted'],
    ['all', 'example.com/x', 'notOurs'],
  ] as const)('with --manage %s a Job of %s is %s', (manage, managedBy, outcome) => {
    const job = aJob({ completions: 1, ...(managedBy && { managedBy }) });
    expect(jobPlanner.plan({ ...aSnapshot(job), manage }, now).outcome).toBe(outcome);
  });
});
