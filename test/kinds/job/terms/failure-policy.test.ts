// The pod failure policy (sections 16.1, 23.7).
import { describe, expect, test } from '@jest/globals';
import type { JobSpec, PodFailurePolicyRule } from '../../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { aCondition, aJob, aPod, ended, NOW, podsOf } from '../builders.ts';
import { claimed, planOf, type Case } from '../outcome.ts';

const FAILED = ['FailureTarget', 'Failed'];
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

const messageOf = (rules: PodFailurePolicyRule[], pod: PodFacts) =>
  planOf({ job: withRules(rules), pods: [pod] }).status.conditions?.[0]?.message;

describe('pod failure policy', () => {
  test.each(cases)('$name', (row) => {
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
});
