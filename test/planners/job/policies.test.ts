// Worked cases of the pod failure policy and the success policy.
import { describe, expect, test } from '@jest/globals';
import type { JobSpec, JobStatus, PodFailurePolicyRule } from '../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../lib/objects/pod-facts.ts';
import { aCondition, aJob, anIndexedJob, aPod, ended, NOW, podsOf } from './builders.ts';
import { claimed, outcomeOf, planOf, type Case } from './outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];
const ENDED = ['SuccessCriteriaMet', 'Complete'];
const codes = (action: string, operator: string, values: number[], containerName?: string): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values, ...(containerName !== undefined && { containerName }) },
});
const condition = (action: string, type: string): PodFailurePolicyRule => ({ action, onPodConditions: [{ type, status: 'True' }] });
const withRules = (rules: PodFailurePolicyRule[], spec: JobSpec = {}) =>
  aJob({ parallelism: 1, completions: 2, podFailurePolicy: { rules }, ...spec });
const mypod = (facts: Partial<PodFacts> = {}) =>
  aPod({ name: 'mypod', phase: 'Failed', createdAt: NOW - 4000, containers: [ended(5, 3600, 'main-container')], ...facts });
const failJob = codes('FailJob', 'In', [5, 6, 7]);

const cases: Case[] = [
  {
    name: 'case 116: FailJob by exit code',
    job: withRules([condition('Ignore', 'X'), failJob]),
    pods: [mypod()],
    status: '0/0/0/1/0',
    conditions: FAILED,
    events: ['PodFailurePolicy'],
  },
  {
    name: 'case 117: FailJob with another pod running',
    job: withRules([failJob]),
    pods: [mypod(), ...podsOf('1R')],
    deletes: 1,
    strips: 2,
    status: '0/0/0/2/1',
    conditions: ['FailureTarget'],
  },
  {
    name: 'case 118: another container',
    job: withRules([codes('FailJob', 'In', [5], 'other')]),
    pods: [mypod()],
    creates: 1,
    status: '1/0/0/1/0',
  },
  {
    name: 'case 120: exit code 0 never matches',
    job: withRules([codes('FailJob', 'NotIn', [1])]),
    pods: [mypod({ containers: [ended(0, 3600, 'good'), ended(1, 3600, 'bad')] })],
    creates: 1,
    conditions: [],
  },
  {
    name: 'case 121: NotIn',
    job: withRules([codes('FailJob', 'NotIn', [5, 6, 7])]),
    pods: [mypod({ containers: [ended(2)] })],
    conditions: FAILED,
  },
  {
    name: 'case 122: Ignore by condition',
    job: withRules([condition('Ignore', 'DisruptionTarget')], { backoffLimit: 0 }),
    pods: [mypod({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] })],
    creates: 1,
    strips: 1,
    status: '1/0/0/0/0',
    conditions: [],
  },
  {
    name: 'case 123: the condition has another status',
    job: withRules([condition('Ignore', 'DisruptionTarget')]),
    pods: [mypod({ conditions: [{ type: 'DisruptionTarget', status: 'False' }] })],
    status: '1/0/0/1/0',
  },
  {
    name: 'case 125: the first match wins',
    job: withRules([codes('Count', 'In', [5]), codes('FailJob', 'In', [5])]),
    pods: [mypod()],
    status: '1/0/0/1/0',
    conditions: [],
  },
  {
    name: 'case 126: a rule of unknown action is skipped',
    job: withRules([codes('Foo', 'In', [5]), failJob]),
    pods: [mypod()],
    conditions: FAILED,
  },
  {
    name: 'case 127: a terminating pod is not judged',
    job: withRules([failJob]),
    pods: [mypod({ phase: 'Running', deletedAt: NOW - 10 })],
    creates: 0,
    status: '0/0/0/0/1',
    conditions: [],
  },
  { name: 'case 128: then it has failed', job: withRules([failJob]), pods: [mypod({ deletedAt: NOW - 10 })], conditions: FAILED },
  {
    name: 'case 129: a failing Job is taken up again',
    job: aJob({}, { status: { conditions: [aCondition('FailureTarget', 'True', 'PodFailurePolicy', 'because')] } }),
    conditions: FAILED,
    events: ['PodFailurePolicy'],
  },
];

const succeeds = (completions: number, rules: NonNullable<JobSpec['successPolicy']>['rules'], status: JobStatus = {}, spec: JobSpec = {}) =>
  anIndexedJob({ parallelism: completions, completions, successPolicy: { rules }, ...spec }, { status });

const successCases: Case[] = [
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

const messageOf = (rules: PodFailurePolicyRule[], pod: PodFacts) =>
  planOf({ job: withRules(rules), pods: [pod] }).status.conditions?.[0]?.message;

const conditionsOf = (row: Pick<Case, 'job' | 'pods'>) =>
  planOf(row).status.conditions?.map(({ reason, message }) => `${reason}: ${message}`);

describe('policies', () => {
  test.each([...cases, ...successCases])('$name', (row) => {
    const [found, wanted] = claimed(row, planOf(row));
    expect(found).toEqual(wanted);
  });

  test('cases 116, 119, 124: messages', () => {
    expect(messageOf([condition('Ignore', 'X'), failJob], mypod())).toBe(
      'Container main-container for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
    );
    expect(messageOf([codes('FailJob', 'In', [5])], mypod({ containers: [ended(5, 3600, 'setup', 'init')] }))).toBe(
      'Container setup for pod default/mypod failed with exit code 5 matching FailJob rule at index 0',
    );
    expect(messageOf([condition('FailJob', 'ConfigIssue')], mypod({ conditions: [{ type: 'ConfigIssue', status: 'True' }] }))).toBe(
      'Pod default/mypod has condition ConfigIssue matching FailJob rule at index 0',
    );
  });

  test('cases 131, 136: the rule is named', () => {
    expect(conditionsOf({ job: succeeds(3, [{ succeededIndexes: '1' }]), pods: 'S1 R0' })).toEqual([
      'SuccessPolicy: Matched rules at index 0',
    ]);
    const second = succeeds(5, [{ succeededIndexes: '0' }, { succeededCount: 1 }], { completedIndexes: '2', succeeded: 1 });
    expect(conditionsOf({ job: second })?.at(-1)).toBe('SuccessPolicy: Matched rules at index 1');
  });

  test('with a policy a missing replacement policy means Failed', () => {
    const { podReplacementPolicy: _, ...spec } = withRules([failJob]).spec;
    const job = { ...withRules([failJob]), spec };
    expect(outcomeOf(planOf({ job, pods: '1T' }))).toMatchObject({ creates: 0, status: '0/0/0/0/1' });
  });
});
