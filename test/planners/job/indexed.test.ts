// Worked cases of Indexed Jobs, of failures counted per index and of elastic Jobs.
import { describe, expect, test } from '@jest/globals';
import type { JobSpec } from '../../../lib/objects/kubernetes.ts';
import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../../lib/objects/pod-facts.ts';
import { anIndexedJob, aPod, ended, NOW, podsOf } from './builders.ts';
import { actionsOf, claimed, outcomeOf, planOf, type Case } from './outcome.ts';

const ENDED = ['SuccessCriteriaMet', 'Complete'];

const cases: Case[] = [
  { name: 'case 66: start', job: anIndexedJob({ completions: 5 }), creates: [0, 1], status: '2/0/0/0/0' },
  {
    name: 'case 67: replacing failed alone, a terminating pod without an index holds a place',
    job: anIndexedJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: 'T?',
    creates: [0],
    status: '1/0/0/0/1',
  },
  {
    name: 'case 68: a terminating pod without an index is not counted',
    job: anIndexedJob({ completions: 5 }),
    pods: 'T?',
    creates: [0, 1],
    strips: 1,
    status: '2/0/0/0/1',
  },
  {
    name: 'case 69: the index of a terminating pod is blocked',
    job: anIndexedJob({ completions: 5, podReplacementPolicy: 'Failed' }),
    pods: 'T0',
    creates: [1],
  },
  {
    name: 'case 70: complete',
    job: anIndexedJob({ completions: 3 }),
    pods: 'S0 F1 S1 S2',
    strips: 4,
    status: '0/0/3/1/0',
    completed: '0-2',
    conditions: ENDED,
  },
  {
    name: 'case 71: limit',
    job: anIndexedJob({ parallelism: 3, completions: 3, backoffLimit: 0 }),
    pods: 'S0 F1 R2',
    deletes: 1,
    strips: 3,
    status: '0/0/1/2/1',
    completed: '0',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 72: an index that succeeded twice',
    job: anIndexedJob({ completions: 3 }),
    pods: 'S0 S1 S1',
    creates: [2],
    strips: 3,
    status: '1/0/2/0/0',
    completed: '0,1',
  },
  {
    name: 'case 73: gaps',
    job: anIndexedJob({ parallelism: 8, completions: 20 }),
    pods: 'R0 S2 P3 S4 S5 S7 S8 S9',
    creates: [1, 6, 10, 11, 12, 13],
    strips: 6,
    status: '8/1/6/0/0',
    completed: '2,4,5,7-9',
  },
  {
    name: 'case 74: failed indexes are tried again',
    job: anIndexedJob({ parallelism: 3, completions: 4 }),
    pods: 'F0 P1 F2',
    creates: [0, 2],
    strips: 2,
    status: '3/0/0/2/0',
  },
  {
    name: 'case 75: pods without an index',
    job: anIndexedJob({ completions: 5 }),
    pods: 'A? S? F? Ax Sx Fx Px S0 R1 R2',
    deletes: 3,
    strips: 8,
    creates: 0,
    status: '2/2/1/0/3',
    completed: '0',
  },
  {
    name: 'case 76: an index held twice',
    job: anIndexedJob({ parallelism: 5, completions: 5 }),
    pods: 'S? F? Ax S0 R1 R2 P2',
    deletes: 2,
    strips: 5,
    creates: 0,
    status: '2/2/1/0/2',
    completed: '0',
  },
  {
    name: 'case 77: out of range',
    job: anIndexedJob({ parallelism: 5, completions: 5 }),
    pods: 'S0 R5 S6 P7 F8',
    deletes: 2,
    strips: 5,
    creates: 0,
    status: '0/0/1/0/2',
    completed: '0',
  },
  {
    name: 'case 78: elastic, down',
    job: anIndexedJob({ completions: 2 }, { status: { completedIndexes: '0,3,4', succeeded: 3 } }),
    pods: 'R1',
    creates: 0,
    status: '1/1/1/0/0',
    completed: '0',
  },
  {
    name: 'case 79: elastic, down to complete',
    job: anIndexedJob({ completions: 2 }, { status: { completedIndexes: '0,1,3', succeeded: 3 } }),
    status: '0/0/2/0/0',
    completed: '0,1',
    conditions: ENDED,
  },
  {
    name: 'case 80: 501 successes',
    job: anIndexedJob({ parallelism: 501, completions: 501 }),
    pods: Array.from({ length: 501 }, (_, index) => aPod({ phase: 'Succeeded', index: String(index), containers: [ended(0)] })),
    strips: 500,
    status: '0/0/501/0/0',
    completed: '0-500',
    conditions: ['SuccessCriteriaMet'],
  },
  {
    name: 'case 81: a prior text that is partly out of range',
    job: anIndexedJob({ parallelism: 7, completions: 7 }, { status: { completedIndexes: '0-2,4,6,7', succeeded: 6 } }),
    pods: 'S3',
    status: '1/0/6/0/0',
    completed: '0-4,6',
  },
  {
    name: 'case 82: one write',
    job: anIndexedJob({ parallelism: 1, completions: 6 }),
    pods: 'S1 S3 S3 A5 S?',
    strips: 4,
    writes: 1,
    completed: '1,3',
  },
];

const perIndex = (spec: JobSpec) => anIndexedJob({ completions: 2, backoffLimitPerIndex: 1, ...spec });
const failedAgo = (index: number, secondsAgo: number, failureCount: string) =>
  aPod({ phase: 'Failed', index: String(index), failureCount, createdAt: NOW - 4000, containers: [ended(1, secondsAgo)] });

const perIndexCases: Case[] = [
  {
    name: 'case 102: counted only once a replacement is there',
    job: perIndex({}),
    pods: 'F0[0] R1',
    creates: [0],
    strips: 0,
    status: '2/1/0/0/0',
    failedIndexes: '',
  },
  {
    name: 'case 103: an index in backoff',
    job: perIndex({}),
    pods: [failedAgo(0, 4, '0'), ...podsOf('R1')],
    creates: 0,
    status: '1/1/0/0/0',
    requeue: 6,
  },
  { name: 'case 104: replaced', job: perIndex({}), pods: 'F0[0] R0[1] R1[0]', creates: 0, strips: 1, status: '2/2/0/1/0' },
  {
    name: 'case 105: succeeded at the second try',
    job: perIndex({}),
    pods: 'F0[0] S0[1] S1[0]',
    strips: 3,
    status: '0/0/2/1/0',
    completed: '0,1',
    failedIndexes: '',
    conditions: ENDED,
  },
  {
    name: 'case 106: an index fails',
    job: perIndex({}),
    pods: 'F0[1] R1',
    creates: 0,
    strips: 1,
    status: '1/1/0/1/0',
    failedIndexes: '0',
    conditions: [],
  },
  {
    name: 'case 107: every index is decided',
    job: perIndex({}),
    pods: 'F0[1] S1',
    strips: 2,
    status: '0/0/1/1/0',
    completed: '1',
    failedIndexes: '0',
    conditions: ['FailureTarget', 'Failed'],
    events: ['FailedIndexes'],
  },
  {
    name: 'case 108: too many failed indexes',
    job: perIndex({ parallelism: 4, completions: 4, maxFailedIndexes: 1 }),
    pods: 'F0[1] S1 F2[1] R3',
    deletes: 1,
    strips: 4,
    status: '0/0/1/3/1',
    failedIndexes: '0,2',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 109: as many failed indexes as are allowed',
    job: perIndex({ parallelism: 4, completions: 4, maxFailedIndexes: 2 }),
    pods: 'F0[1] F2[1] R1 R3',
    conditions: [],
    failedIndexes: '0,2',
  },
  {
    name: 'case 110: FailIndex',
    job: perIndex({
      backoffLimitPerIndex: 6,
      podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [3] } }] },
    }),
    pods: [aPod({ phase: 'Failed', index: '0', failureCount: '0', containers: [ended(3)] }), ...podsOf('R1')],
    status: '1/1/0/1/0',
    failedIndexes: '0',
  },
  {
    name: 'case 112: the limit of the Job first',
    job: perIndex({ backoffLimit: 0, backoffLimitPerIndex: 6 }),
    pods: 'F0[0] R0[1] R1',
    deletes: 2,
    strips: 3,
    status: '0/0/0/3/2',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 113: no failure of an index allowed',
    job: perIndex({ parallelism: 1, backoffLimitPerIndex: 0 }),
    pods: 'F0[0]',
    creates: [1],
    status: '1/0/0/1/0',
    failedIndexes: '0',
  },
];

const annotationsOf = (spec: JobSpec, pods: Case['pods']) =>
  actionsOf(planOf({ job: perIndex(spec), pods: pods ?? '' }), 'create').map(({ object: { metadata } }) => [
    metadata.annotations?.[INDEX_FAILURE_COUNT],
    metadata.annotations?.[INDEX_IGNORED_FAILURE_COUNT],
  ]);

describe('Indexed Jobs', () => {
  test.each([...cases, ...perIndexCases])('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('case 66: host names and variable', () => {
    const [first] = actionsOf(planOf({ job: anIndexedJob({ completions: 5 }) }), 'create');
    expect(first?.object).toMatchObject({
      metadata: { generateName: 'demo-0-', labels: { 'batch.kubernetes.io/job-completion-index': '0' } },
      spec: {
        hostname: 'demo-0',
        containers: [
          {
            env: [
              {
                name: 'JOB_COMPLETION_INDEX',
                valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
              },
            ],
          },
        ],
      },
    });
  });

  test('case 76: the pod that is ready stays', () => {
    const pods = podsOf('R2 P2');
    const plan = planOf({ job: anIndexedJob({ parallelism: 5, completions: 5 }), pods });
    expect(actionsOf(plan, 'delete').map(({ uid }) => uid)).toEqual([pods[1]?.uid]);
  });

  test('case 80: the pass after it ends the Job', () => {
    const job = anIndexedJob({ parallelism: 501, completions: 501 });
    const pods = Array.from({ length: 501 }, (_, index) =>
      aPod({ phase: 'Succeeded', index: String(index), tracked: index === 500, containers: [ended(0)] }),
    );
    const { status } = planOf({ job: { ...job, status: { ...job.status, completedIndexes: '0-499', succeeded: 500 } }, pods });
    expect(status.conditions?.map(({ type }) => type)).toEqual(ENDED);
  });

  test('case 83: a long name', () => {
    const [first] = actionsOf(planOf({ job: anIndexedJob({ completions: 5 }, { metadata: { name: 'x'.repeat(63) } }) }), 'create');
    expect(first?.object.metadata.generateName).toBe(`${'x'.repeat(55)}-0-`);
    expect(first?.object.metadata.name).toMatch(/^x{55}-0-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('case 84: a variable of that name is left alone', () => {
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', env: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }] }, { name: 'other' }],
      },
    };
    const [first] = actionsOf(planOf({ job: anIndexedJob({ completions: 5, template }) }), 'create');
    expect(first?.object).toMatchObject({
      spec: {
        containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }] }, { env: [{ name: 'JOB_COMPLETION_INDEX', valueFrom: {} }] }],
      },
    });
  });

  test('case 101: first pods', () =>
    expect(annotationsOf({}, '')).toEqual([
      ['0', undefined],
      ['0', undefined],
    ]));
  test('case 102: the replacement inherits the count', () => expect(annotationsOf({}, 'F0[0] R1')).toEqual([['1', undefined]]));
  test('case 111: an ignored failure is not counted', () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }];
    const pods = [
      aPod({
        phase: 'Failed',
        index: '0',
        failureCount: '0',
        createdAt: NOW - 4000,
        containers: [ended(137)],
        conditions: [{ type: 'DisruptionTarget', status: 'True' }],
      }),
      ...podsOf('R1'),
    ];
    const row = { job: perIndex({ backoffLimitPerIndex: 0, podFailurePolicy: { rules } }), pods };
    expect(annotationsOf({ backoffLimitPerIndex: 0, podFailurePolicy: { rules } }, pods)).toEqual([['0', '1']]);
    expect(outcomeOf(planOf(row))).toMatchObject({ status: '2/1/0/0/0', failedIndexes: '' });
  });
  test('case 114: an annotation that cannot be read counts as 0', () =>
    expect(annotationsOf({ parallelism: 1, completions: 1 }, 'F0[abc]')).toEqual([['1', undefined]]));
  test('case 115: the third failure of an index waits 40 s', () => {
    const job = perIndex({ parallelism: 1, completions: 1, backoffLimitPerIndex: 5 });
    expect(planOf({ job, pods: [failedAgo(0, 0, '2')] }).requeueAfterSeconds).toBe(40);
  });

  test('an index that waits does not hold back one that need not', () => {
    const plan = planOf({ job: perIndex({ completions: 3 }), pods: [failedAgo(0, 4, '0')] });
    expect(outcomeOf(plan)).toMatchObject({ creates: [1], requeue: 6 });
  });
});
