// Elastic Indexed Jobs: completions that change with parallelism (sections 15.8, 23.4).
import { describe, expect, test } from '@jest/globals';
import { anIndexedJob, podsOf } from './builders.ts';
import { actionsOf, claimed, outcomeOf, planOf, type Case } from './outcome.ts';

const ENDED = ['SuccessCriteriaMet', 'Complete'];

const cases: Case[] = [
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
    name: 'case 81: a prior text that is partly out of range',
    job: anIndexedJob({ parallelism: 7, completions: 7 }, { status: { completedIndexes: '0-2,4,6,7', succeeded: 6 } }),
    pods: 'S3',
    status: '1/0/6/0/0',
    completed: '0-4,6',
  },
];

describe('elastic', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('up: the new indexes are started', () => {
    const job = anIndexedJob({ parallelism: 5, completions: 5 }, { status: { completedIndexes: '0,1', succeeded: 2 } });
    expect(outcomeOf(planOf({ job, pods: 'R2' }))).toMatchObject({ creates: [3, 4], status: '3/1/2/0/0', completed: '0,1' });
  });

  test('down: pods beyond the completions go uncounted, and failed indexes there are forgotten', () => {
    const status = { completedIndexes: '0', failedIndexes: '1,3', succeeded: 1, failed: 2 };
    const job = anIndexedJob({ completions: 3, parallelism: 3, backoffLimitPerIndex: 0 }, { status });
    const pods = podsOf('R2 R4 F5[0]');
    const plan = planOf({ job, pods });
    expect(actionsOf(plan, 'delete').map(({ uid }) => uid)).toEqual([pods[1]?.uid]);
    expect(outcomeOf(plan)).toMatchObject({ strips: 2, status: '1/1/1/2/1', completed: '0', failedIndexes: '1', conditions: [] });
  });
});
