// The success policy (sections 16.2, 23.8).
import { describe, expect, test } from '@jest/globals';
import type { JobSpec, JobStatus } from '../../../../lib/objects/kubernetes.ts';
import { aCondition, anIndexedJob } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];
const ENDED = ['SuccessCriteriaMet', 'Complete'];

const succeeds = (completions: number, rules: NonNullable<JobSpec['successPolicy']>['rules'], status: JobStatus = {}, spec: JobSpec = {}) =>
  anIndexedJob({ parallelism: completions, completions, successPolicy: { rules }, ...spec }, { status });

const cases: Case[] = [
  {
    name: 'case 131: the indexes of a rule',
    job: succeeds(3, [{ succeededIndexes: '1' }]),
    pods: 'F0 R0 S1 R2',
    deletes: 2,
    strips: 4,
    status: '0/0/1/1/2',
    completed: '1',
    conditions: ['SuccessCriteriaMet'],
  },
  {
    name: 'case 132: the end of it',
    job: succeeds(3, [{ succeededIndexes: '1' }], {
      completedIndexes: '1',
      succeeded: 1,
      conditions: [aCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', 'Matched rules at index 0')],
    }),
    conditions: ENDED,
    events: ['Completed'],
  },
  { name: 'case 133: a count', job: succeeds(5, [{ succeededCount: 2 }]), pods: 'S1 S4 R0', conditions: ['SuccessCriteriaMet'] },
  {
    name: 'case 134: indexes and a count',
    job: succeeds(10, [{ succeededIndexes: '0-3', succeededCount: 2 }], { completedIndexes: '1,3', succeeded: 2 }),
    conditions: ENDED,
  },
  {
    name: 'case 135: a count of other indexes',
    job: succeeds(10, [{ succeededIndexes: '0-3', succeededCount: 2 }], { completedIndexes: '5,6', succeeded: 2 }),
    conditions: [],
  },
  {
    name: 'case 136: the second rule',
    job: succeeds(5, [{ succeededIndexes: '0' }, { succeededCount: 1 }], { completedIndexes: '2', succeeded: 1 }),
    conditions: ENDED,
  },
  { name: 'case 137: none has succeeded', job: succeeds(5, [{ succeededCount: 1 }]), pods: 'R0', conditions: [] },
  {
    name: 'case 138: a rule that names no index of the Job',
    job: succeeds(5, [{ succeededIndexes: '7' }], { completedIndexes: '0-3', succeeded: 4 }),
    conditions: [],
  },
  {
    name: 'case 139: in one pass failure wins',
    job: succeeds(3, [{ succeededIndexes: '1' }], {}, { backoffLimit: 0 }),
    pods: 'F0 S1',
    status: '0/0/1/1/0',
    conditions: FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    name: 'case 140: a Job that succeeds stays so',
    job: succeeds(
      3,
      [{ succeededIndexes: '1' }],
      { conditions: [aCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', 'm')] },
      { backoffLimit: 0 },
    ),
    pods: 'F0 F2',
    conditions: ENDED,
  },
  {
    name: 'case 141: a Job that fails stays so',
    job: succeeds(3, [{ succeededIndexes: '1' }], { conditions: [aCondition('FailureTarget', 'True', 'BackoffLimitExceeded', 'm')] }),
    pods: 'S1',
    conditions: FAILED,
  },
];

const conditionsOf = (row: Pick<Case, 'job' | 'pods'>) =>
  planOf(row).status.conditions?.map(({ reason, message }) => `${reason}: ${message}`);

describe('success policy', () => {
  test.each(cases)('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('cases 131, 136: the rule is named', () => {
    expect(conditionsOf({ job: succeeds(3, [{ succeededIndexes: '1' }]), pods: 'S1 R0' })).toEqual([
      'SuccessPolicy: Matched rules at index 0',
    ]);
    const second = succeeds(5, [{ succeededIndexes: '0' }, { succeededCount: 1 }], { completedIndexes: '2', succeeded: 1 });
    expect(conditionsOf({ job: second })?.at(-1)).toBe('SuccessPolicy: Matched rules at index 1');
  });
});
