// Status writes that the server must not take: a Job's past cannot be changed, its counts must hang together.
import { describe, expect, test } from '@jest/globals';
import { aJob, causeFields, freshNamespace, jobs, withStatus } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const startTime = '2024-01-01T00:00:00Z';
const completionTime = '2024-01-01T00:01:00Z';
const condition = (type: string, status = 'True'): Fields => ({ type, status, lastTransitionTime: startTime });
const complete: Fields = {
  startTime,
  completionTime,
  succeeded: 1,
  conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
};
const failed: Fields = { startTime, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] };
const indexed: Fields = { completionMode: 'Indexed', completions: 5, parallelism: 2 };

interface Case {
  name: string;
  spec?: Fields;
  /** Written first; must be taken. */
  before?: Fields;
  after: Fields;
  /** Fields of the causes, without repetition; none means taken. */
  fields: string[];
}

const cases: Case[] = [
  { name: 'a start', after: { startTime, active: 1, ready: 0 }, fields: [] },
  { name: 'a complete end', before: { startTime, active: 1 }, after: complete, fields: [] },
  { name: 'a failed end', before: { startTime, active: 1 }, after: failed, fields: [] },
  { name: 'negative active', after: { active: -1 }, fields: ['status.active'] },
  { name: 'negative succeeded', after: { succeeded: -1 }, fields: ['status.succeeded'] },
  { name: 'negative failed', after: { failed: -1 }, fields: ['status.failed'] },
  { name: 'negative ready', after: { ready: -1 }, fields: ['status.ready'] },
  { name: 'negative terminating', after: { terminating: -1 }, fields: ['status.terminating'] },
  { name: 'more ready than active', after: { active: 1, ready: 2 }, fields: ['status.ready'] },
  { name: 'fewer failed', before: { failed: 2 }, after: { failed: 1 }, fields: ['status.failed'] },
  { name: 'fewer succeeded', before: { succeeded: 2 }, after: { succeeded: 1 }, fields: ['status.succeeded'] },
  { name: 'another start', before: { startTime }, after: { startTime: completionTime }, fields: ['status.startTime'] },
  { name: 'no start any more', before: { startTime }, after: {}, fields: ['status.startTime'] },
  {
    name: 'another start while suspended',
    spec: { suspend: true },
    before: { startTime },
    after: { startTime: completionTime },
    fields: [],
  },
  { name: 'completed before the start', after: { ...complete, completionTime: '2023-01-01T00:00:00Z' }, fields: ['status.completionTime'] },
  { name: 'completionTime without Complete', after: { startTime, completionTime }, fields: ['status.completionTime'] },
  {
    name: 'Complete without completionTime',
    after: { startTime, conditions: complete['conditions'] },
    fields: ['status.completionTime'],
  },
  { name: 'Complete without a start', after: { completionTime, conditions: complete['conditions'] }, fields: ['status.startTime'] },
  {
    name: 'Complete without SuccessCriteriaMet',
    after: { startTime, completionTime, conditions: [condition('Complete')] },
    fields: ['status.conditions'],
  },
  { name: 'Failed without FailureTarget', after: { startTime, conditions: [condition('Failed')] }, fields: ['status.conditions'] },
  {
    name: 'both success and failure',
    after: { startTime, conditions: [condition('SuccessCriteriaMet'), condition('FailureTarget')] },
    fields: ['status.conditions'],
  },
  { name: 'Complete with active pods', after: { ...complete, active: 1 }, fields: ['status.active'] },
  { name: 'Failed with terminating pods', after: { ...failed, terminating: 1 }, fields: ['status.terminating'] },
  {
    name: 'Complete with uncounted pods',
    after: { ...complete, uncountedTerminatedPods: { succeeded: ['u'] } },
    fields: ['status.uncountedTerminatedPods'],
  },
  {
    name: 'Complete no more',
    before: complete,
    after: { startTime, succeeded: 1 },
    fields: ['status.conditions'],
  },
  {
    name: 'FailureTarget no more',
    before: { startTime, conditions: [condition('FailureTarget')] },
    after: { startTime },
    fields: ['status.conditions'],
  },
  {
    name: 'a pod uncounted twice',
    after: { uncountedTerminatedPods: { succeeded: ['u'], failed: ['u'] } },
    fields: ['status.uncountedTerminatedPods.failed[0]'],
  },
  {
    name: 'an uncounted pod without a uid',
    after: { uncountedTerminatedPods: { succeeded: [''] } },
    fields: ['status.uncountedTerminatedPods.succeeded[0]'],
  },
  { name: 'completedIndexes that cannot be read', spec: indexed, after: { completedIndexes: '1,x' }, fields: ['status.completedIndexes'] },
  {
    name: 'completedIndexes beyond the completions',
    spec: indexed,
    after: { completedIndexes: '0-7' },
    fields: ['status.completedIndexes'],
  },
  { name: 'completedIndexes without Indexed', after: { completedIndexes: '0' }, fields: ['status.completedIndexes'] },
  { name: 'failedIndexes without backoffLimitPerIndex', spec: indexed, after: { failedIndexes: '0' }, fields: ['status.failedIndexes'] },
  {
    name: 'an index both completed and failed',
    spec: { ...indexed, backoffLimitPerIndex: 1 },
    after: { completedIndexes: '0-2', failedIndexes: '2' },
    fields: ['status.failedIndexes'],
  },
  {
    name: 'counted and uncounted as they should be',
    spec: indexed,
    before: { startTime, active: 2, uncountedTerminatedPods: { succeeded: ['u1'], failed: ['u2'] }, completedIndexes: '0' },
    after: { startTime, active: 1, succeeded: 1, failed: 1, uncountedTerminatedPods: {}, completedIndexes: '0', ready: 1, terminating: 0 },
    fields: [],
  },
];

export function jobStatusContract({ api }: Suite): void {
  describe('status of a job', () => {
    test.each(cases)('$name: $fields', async ({ spec = {}, before, after, fields }) => {
      const namespace = await freshNamespace(api());
      const made = await api().create(jobs(namespace), aJob('a', spec));
      const job = before === undefined ? made : await api().replace(jobs(namespace, 'a/status'), withStatus(made, before));
      const { status, body } = await api().put(jobs(namespace, 'a/status'), withStatus(job, after));
      expect({ status, fields: [...new Set(causeFields(body))] }).toEqual({ status: fields.length === 0 ? 200 : 422, fields });
    });
  });
}
