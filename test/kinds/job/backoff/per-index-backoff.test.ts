// Failures counted per index (sections 15.4 to 15.7, 23.6, 23.10).
import { describe, expect, test } from '@jest/globals';
import type { JobSpec } from '../../../../lib/objects/kubernetes.ts';
import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../../../lib/objects/pods/pod-facts.ts';
import { failureCountOf } from '../../../../lib/kinds/job/backoff/per-index-backoff.ts';
import { anIndexedJob, aPod, ended, NOW, podsOf } from '../builders.ts';
import { actionsOf, claimed, outcomeOf, planOf, type Case } from '../outcome.ts';

const ENDED = ['SuccessCriteriaMet', 'Complete'];

const perIndex = (spec: JobSpec) => anIndexedJob({ completions: 2, backoffLimitPerIndex: 1, ...spec });
const failedAgo = (index: number, secondsAgo: number, failureCount: string) =>
  aPod({ phase: 'Failed', index: String(index), failureCount, createdAt: NOW - 4000, containers: [ended(1, secondsAgo)] });

const cases: Case[] = [
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

describe('failures per index', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
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
    expect(plan.why[0]).toBe('0 of 2 wanted pods run; an index has failed and waits');
  });
});

test.each([
  [undefined, 0],
  ['', 0],
  ['a', 0],
  ['-1', 0],
  ['2147483648', 0],
  ['1.5', 0],
  ['5', 5],
  ['+2', 2],
  ['007', 7],
])('the failure count %j reads as %d', (text, wanted) => expect(failureCountOf(text)).toBe(wanted));

test.each([
  ['finished before the Job’s own', 3_000, '1'],
  ['finished after the Job’s own', 1_000, '3'],
])('a pod that is adopted, with more failures, and %s: what its replacement inherits', (_, secondsAgo, inherited) => {
  const own = failedAgo(0, 2_000, '0');
  const { controller: _none, ...orphan } = failedAgo(0, secondsAgo, '2');
  const job = perIndex({ completions: 1, backoffLimitPerIndex: 9 });
  for (const pods of [
    [own, orphan],
    [orphan, own],
  ])
    expect(actionsOf(planOf({ job, pods }), 'create')).toMatchObject([
      { object: { metadata: { annotations: { [INDEX_FAILURE_COUNT]: inherited } } } },
    ]);
});
