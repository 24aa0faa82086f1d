// `backoffLimit`: how many failures, or restarts with OnFailure, end the Job (sections 10 d, 23.2).
import { describe, expect, test } from '@jest/globals';
import { aCondition, aJob, aPod, at, ended, NOW } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];
const failing = (restarts: number, others: number[] = []) => [
  aPod({
    containers: [
      { name: 'main', role: 'container', restarts },
      ...others.map((count, place) => ({ name: `setup${place}`, role: 'init', restarts: count }) as const),
    ],
  }),
];
const inProgress = { create: ['demo-x'], delete: [], strip: [] };

const cases: Case[] = [
  {
    name: 'case 42: limit reached exactly',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 1 }),
    pods: '1F',
    creates: 1,
    status: '1/0/0/1/0',
    conditions: [],
  },
  {
    name: 'case 43: limit passed',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 1 }),
    pods: '2F',
    strips: 2,
    status: '0/0/0/2/0',
    conditions: FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    name: 'case 44: limit passed with running pods',
    job: aJob({ completions: 5, backoffLimit: 0 }),
    pods: '2R 1F',
    deletes: 2,
    strips: 3,
    status: '0/0/0/3/2',
    conditions: ['FailureTarget'],
    events: [],
  },
  {
    name: 'case 45: the pass after that, pods gone',
    job: aJob(
      { completions: 5, backoffLimit: 0 },
      {
        status: {
          failed: 3,
          terminating: 2,
          ready: 0,
          conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')],
        },
      },
    ),
    status: '0/0/0/3/0',
    conditions: FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    name: 'case 46: limit passed, the Job is being deleted',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 0 }, { metadata: { deletionTimestamp: at(-1) } }),
    pods: '1F',
    strips: 1,
    status: '0/0/0/1/0',
    conditions: FAILED,
  },
  {
    name: 'case 47: limit passed, creates whose outcome is not seen',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 0 }),
    pods: '1F',
    head: { expectations: inProgress },
    strips: 1,
    status: '0/0/0/1/0',
    conditions: [],
  },
  {
    name: 'case 48: OnFailure, restarts below the limit',
    job: onFailure({ parallelism: 1, completions: 1, backoffLimit: 1 }),
    pods: failing(0),
    deletes: 0,
    status: '1/0/0/0/0',
    conditions: [],
  },
  {
    name: 'case 49: OnFailure, no restart allowed',
    job: onFailure({ parallelism: 1, completions: 1, backoffLimit: 0 }),
    pods: failing(1),
    deletes: 1,
    strips: 1,
    status: '0/0/0/1/1',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 50: OnFailure, the sum over containers and init containers',
    job: onFailure({ completions: 5, backoffLimit: 10 }),
    pods: [...failing(5, [0]), ...failing(2, [3])],
    deletes: 2,
    strips: 2,
    status: '0/0/0/2/2',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 51: OnFailure, a failed pod’s restarts do not count',
    job: onFailure({ parallelism: 1, completions: 1, backoffLimit: 1 }),
    pods: [aPod({ phase: 'Failed', createdAt: NOW - 3700, containers: [{ ...ended(1), restarts: 5 }] })],
    creates: 1,
    status: '1/0/0/1/0',
    conditions: [],
  },
  {
    name: 'case 52: Never ignores restarts',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 1 }),
    pods: failing(5),
    deletes: 0,
    status: '1/0/0/0/0',
    conditions: [],
  },
];

function onFailure(spec: Parameters<typeof aJob>[0]): ReturnType<typeof aJob> {
  const job = aJob(spec);
  const { template } = job.spec;
  return {
    ...job,
    spec: { ...job.spec, ...(template && { template: { ...template, spec: { ...template.spec, restartPolicy: 'OnFailure' } } }) },
  };
}

describe('backoff limit', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 45: Failed takes over reason and message', () => {
    const plan = planOf({
      job: aJob({}, { status: { conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'over')] } }),
    });
    expect(plan.status.conditions?.[1]).toMatchObject({ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'over' });
  });
});
