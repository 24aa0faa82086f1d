// Suspending and resuming (sections 16.4, 23.3).
import { describe, expect, test } from '@jest/globals';
import { aCondition, aJob, at } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const inProgress = { create: ['demo-x'], delete: [], strip: [] };

const suspended = (spec: Parameters<typeof aJob>[0] = {}, rest: Parameters<typeof aJob>[1] = {}) =>
  aJob({ suspend: true, completions: 5, ...spec }, rest);

function resumed(): ReturnType<typeof aJob> {
  const conditions = [aCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')];
  return { ...aJob({ completions: 5 }), status: { ready: 0, terminating: 0, conditions } };
}

const cases: Case[] = [
  {
    name: 'case 59: created suspended',
    job: { ...suspended(), status: {} },
    creates: 0,
    status: '0/0/0/0/0',
    conditions: ['Suspended'],
    events: ['Suspended'],
  },
  {
    name: 'case 60: suspend a running Job',
    job: suspended(),
    pods: '2A',
    deletes: 2,
    strips: 2,
    status: '0/0/0/0/2',
    conditions: ['Suspended'],
  },
  {
    name: 'case 61: suspend, with creates whose outcome is not seen',
    job: suspended(),
    pods: '3A',
    head: { expectations: inProgress },
    deletes: 0,
    status: '3/0/0/0/0',
    conditions: [],
  },
  {
    name: 'case 62: resume',
    job: resumed(),
    creates: 2,
    status: '2/0/0/0/0',
    conditions: [],
    events: ['Resumed'],
  },
  {
    name: 'case 63: suspended and being deleted',
    job: suspended({}, { metadata: { deletionTimestamp: at(-1) } }),
    pods: '2A',
    deletes: 0,
    strips: 2,
    status: '2/0/0/0/0',
    conditions: [],
  },
  { name: 'case 64: never suspended', job: aJob({ completions: 5 }), pods: '2A', conditions: [], events: [] },
  {
    name: 'case 65: suspended already',
    job: {
      ...suspended(),
      status: { ready: 0, terminating: 0, conditions: [aCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')] },
    },
    writes: 0,
    events: [],
  },
];

describe('suspend and resume', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('cases 59, 60: the start time goes', () => {
    expect(planOf({ job: { ...suspended(), status: {} } }).status.startTime).toBeUndefined();
    expect(planOf({ job: suspended(), pods: '2A' }).status.startTime).toBeUndefined();
  });

  test('case 62: the condition turns, and the Job starts anew', () => {
    const { status } = planOf({ job: resumed() });
    expect(status.conditions).toMatchObject([{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }]);
    expect(status.startTime).toBe(at(0));
  });
});
