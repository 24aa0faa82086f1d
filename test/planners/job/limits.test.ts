// Worked cases of backoff, replacement policy, limits and deadlines.
import { describe, expect, test } from '@jest/globals';
import { aCondition, aJob, aPod, at, ended, NOW, podsOf } from './builders.ts';
import { claimed, outcomeOf, planOf, type Case } from './outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];
const failing = (restarts: number, others: number[] = []) => [
  aPod({
    containers: [
      { name: 'main', role: 'container', restarts },
      ...others.map((count, place) => ({ name: `setup${place}`, role: 'init', restarts: count }) as const),
    ],
  }),
];
const fresh = (): ReturnType<typeof podsOf> => [aPod({ phase: 'Failed', containers: [ended(1, 0)] })];
const inProgress = { create: ['demo-x'], delete: [], strip: [] };

const cases: Case[] = [
  {
    name: 'case 33: in backoff',
    job: aJob({ parallelism: 1, completions: 1 }),
    head: { backoff: { failures: 1, lastFailureTime: at(0) } },
    creates: 0,
    status: '0/0/0/0/0',
    requeue: 10,
  },
  {
    name: 'case 34: no failures recorded',
    job: aJob({ parallelism: 1, completions: 1 }),
    head: { backoff: { failures: 0 } },
    creates: 1,
    status: '1/0/0/0/0',
  },
  {
    name: 'case 35: in backoff with running pods',
    job: aJob({ parallelism: 3, completions: 5 }),
    pods: '1R',
    head: { backoff: { failures: 2, lastFailureTime: at(-5) } },
    creates: 0,
    status: '1/1/0/0/0',
    requeue: 15,
  },
  {
    name: 'case 36: a fresh failure',
    job: aJob({ parallelism: 1, completions: 1 }),
    pods: fresh(),
    creates: 0,
    strips: 1,
    status: '0/0/0/1/0',
    requeue: 10,
  },
  {
    name: 'case 37: replace failed pods alone',
    job: aJob({ parallelism: 1, podReplacementPolicy: 'Failed' }),
    pods: '1A 1F 1T',
    creates: 0,
    strips: 1,
    status: '1/0/0/1/1',
  },
  { name: 'case 38: replace terminating ones too', job: aJob({ parallelism: 1 }), pods: '1A 1F 1T', strips: 2, status: '1/0/0/2/1' },
  {
    name: 'case 39: a terminating pod holds its place',
    job: aJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: '1A 1T',
    creates: 0,
    status: '1/0/0/0/1',
  },
  { name: 'case 40: or does not', job: aJob({ completions: 5 }), pods: '1A 1T', creates: 1, strips: 1, status: '2/0/0/1/1' },
  {
    name: 'case 41: too many, replacing failed alone',
    job: aJob({ parallelism: 1, completions: 1, podReplacementPolicy: 'Failed' }),
    pods: '2A 4T',
    deletes: 1,
    strips: 1,
    status: '1/0/0/0/5',
  },
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
  {
    name: 'case 53: deadline passed',
    job: aJob({ parallelism: 1, completions: 2, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    pods: '1A 1S',
    deletes: 1,
    strips: 2,
    status: '0/0/1/1/1',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 54: deadline passed, no pods',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    status: '0/0/0/0/0',
    conditions: FAILED,
    events: ['DeadlineExceeded'],
  },
  {
    name: 'case 55: the limit before the deadline',
    job: aJob({ parallelism: 1, completions: 1, backoffLimit: 0, activeDeadlineSeconds: 1 }, { status: { startTime: at(-15) } }),
    pods: '1F',
    conditions: FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    name: 'case 56: no deadline while suspended',
    job: aJob({ parallelism: 1, suspend: true, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }),
    conditions: ['Suspended'],
    requeue: undefined,
  },
  {
    name: 'case 57: deadline ahead',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 100 }, { status: { startTime: at(-40) } }),
    pods: '1A',
    deletes: 0,
    conditions: [],
    requeue: 60,
  },
  {
    name: 'case 58: deadline exactly reached',
    job: aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-10) } }),
    pods: '1A',
    deletes: 1,
    conditions: ['FailureTarget'],
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

describe('backoff, replacement, limits', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 36: the record after a fresh failure', () => {
    expect(planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: fresh() }).head.backoff).toEqual({
      failures: 1,
      lastFailureTime: at(0),
    });
  });

  test('case 45: Failed takes over reason and message', () => {
    const plan = planOf({
      job: aJob({}, { status: { conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'over')] } }),
    });
    expect(plan.status.conditions?.[1]).toMatchObject({ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'over' });
  });

  test('case 54: the words of a missed deadline', () => {
    const plan = planOf({ job: aJob({ parallelism: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-15) } }) });
    expect(plan.status.conditions?.[0]).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
  });

  test('deletes that a pass intended and does not see keep it from deleting again for scale-down', () => {
    const pods = podsOf('3A');
    const head = { expectations: { create: [], delete: [pods[0]?.uid ?? ''], strip: [] } };
    const outcome = outcomeOf(planOf({ job: aJob({ completions: 5 }), pods, head }));
    expect(outcome).toMatchObject({ deletes: 0, status: '3/0/0/0/0' });
  });

  test('R12: a deadline is not taken as passed while a fraction of a second is left', () => {
    const job = aJob({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10 }, { status: { startTime: at(-10) } });
    const plan = planOf({ job, pods: '1A' }, new Date(NOW * 1000 - 1));
    expect(outcomeOf(plan)).toMatchObject({ deletes: 0, requeue: 0.001 });
  });
});

const suspended = (spec: Parameters<typeof aJob>[0] = {}, rest: Parameters<typeof aJob>[1] = {}) =>
  aJob({ suspend: true, completions: 5, ...spec }, rest);

function resumed(): ReturnType<typeof aJob> {
  const conditions = [aCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')];
  return { ...aJob({ completions: 5 }), status: { ready: 0, terminating: 0, conditions } };
}

describe('suspend and resume', () => {
  const rows: Case[] = [
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

  test.each(rows)('$name', (row) => {
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

  test('a Job resumed with the start of long ago is judged by that', () => {
    const conditions = [aCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')];
    const job = aJob({ completions: 5, activeDeadlineSeconds: 10 }, { status: { conditions, startTime: at(-15) } });
    expect(outcomeOf(planOf({ job })).conditions).toEqual(['Suspended', 'FailureTarget', 'Failed']);
  });
});
