// A cluster that is registered for fewer namespaces than before: Jobs that are left there.
import { expect, test } from '@jest/globals';
import type { Job, KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { jobsLeft } from '../../lib/onboarding/left-namespaces.ts';
import { aJob } from '../world/world.ts';

const job = (namespace: string, name: string, change: Partial<Job> = {}): Job => {
  const made = aJob(name, { managedBy: 'farloop.dev/job' });
  return { ...made, ...change, metadata: { ...made.metadata, namespace } };
};
const theirs = job('etl', 'theirs', { spec: aJob('theirs').spec });
const ended = job('etl', 'ended', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
const THERE = [job('etl', 'late'), job('batch', 'kept'), job('etl', 'early'), theirs, ended, job('other', 'far')];
const cluster = { list: async <Item extends KubernetesObject>() => THERE as KubernetesObject[] as Item[] };

test.each([
  ['all of them to one', [], ['batch'], ['etl/early', 'etl/late', 'other/far']],
  ['two to one', ['batch', 'etl'], ['batch'], ['etl/early', 'etl/late']],
  ['one to another one', ['etl'], ['batch'], ['etl/early', 'etl/late']],
])('from %s: unfinished Jobs of ours in those that are left', async (_name, before, after, left) => {
  expect(await jobsLeft(cluster, { manage: 'own', namespaces: before }, { namespaces: after })).toEqual(left);
});

test('of all Jobs, those that name nobody too', async () => {
  expect(await jobsLeft(cluster, { manage: 'all', namespaces: ['batch', 'etl'] }, { namespaces: ['batch'] })).toContain('etl/theirs');
});

test.each([
  ['as many', ['etl'], ['etl']],
  ['more', ['etl'], ['batch', 'etl']],
  ['all', ['etl'], []],
])('%s: none is left, and the cluster is not asked', async (_name, before, after) => {
  const silent = { list: () => Promise.reject(new Error('asked')) };
  expect(await jobsLeft(silent, { manage: 'own', namespaces: before }, { namespaces: after })).toEqual([]);
});
