// Completion indexes: which are done, which come next, and what their pods look like (sections 13, 15, 23.4, 23.10).
import { describe, expect, test } from '@jest/globals';
import { indexSetOf, parseIndexes } from '../../../../lib/objects/values/index-text.ts';
import { completionIndexOf } from '../../../../lib/objects/pods/pod-facts.ts';
import { nextIndexes } from '../../../../lib/kinds/job/terms/indexes.ts';
import { anIndexedJob, aPod, ended, podsOf } from '../builders.ts';
import { actionsOf, claimed, planOf, type Case } from '../outcome.ts';

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
    name: 'case 80: 501 successes',
    job: anIndexedJob({ parallelism: 501, completions: 501 }),
    pods: Array.from({ length: 501 }, (_, index) => aPod({ phase: 'Succeeded', index: String(index), containers: [ended(0)] })),
    strips: 500,
    status: '0/0/501/0/0',
    completed: '0-500',
    conditions: ['SuccessCriteriaMet'],
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

describe('Indexed Jobs', () => {
  test.each(cases)('$name', (row) => {
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
});

describe('choosing indexes', () => {
  test.each([
    [5, 3, [], '', '', [0, 1, 2]],
    [5, 3, [1], '0', '', [2, 3, 4]],
    [3, 5, [], '', '', [0, 1, 2]],
    [5, 0, [], '', '', []],
    [20, 6, [3, 5, 9, 10], '0-2,6,8', '', [4, 7, 11, 12, 13, 14]],
    [4, 4, [], '0', '2', [1, 3]],
    [1_000_000_000, 2, [], '0-499999999,500000001-999999998', '', [500_000_000, 999_999_999]],
  ])('of %d completions %d more, active %j, completed %j, failed %j: %j', (completions, count, active, completed, failed, wanted) => {
    const held = indexSetOf(active);
    const sets = { completed: parseIndexes(completed, completions), failed: parseIndexes(failed, completions) };
    expect(nextIndexes({ ...sets, held, count, completions })).toEqual(wanted);
  });

  test.each([
    ['0', 0],
    ['007', 7],
    ['+1', 1],
    ['123456789', 123_456_789],
    ['12345678901', 12_345_678_901],
    ['', undefined],
    ['abc', undefined],
    ['-1', undefined],
    ['1.0', undefined],
    [' 1', undefined],
    ['1e0', undefined],
    ['0x1', undefined],
    ['99999999999999999999', undefined],
    [undefined, undefined],
  ])('the annotation %j is index %j', (index, wanted) => {
    expect(completionIndexOf(aPod(index === undefined ? {} : { index }))).toBe(wanted);
  });
});

test('sets of indexes are never expanded', () => expect(indexSetOf([3, 1, 2])).toEqual([{ first: 1, last: 3 }]));
