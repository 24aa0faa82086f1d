// A cluster that is registered for fewer namespaces than before: Jobs that are left there, and pods that outlive theirs.
import { expect, test } from '@jest/globals';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pod-facts.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { remainsLeft } from '../../lib/onboarding/left-namespaces.ts';
import { aJob } from '../world/world.ts';

const job = (namespace: string, name: string, change: Partial<Job> = {}): Job => {
  const made = aJob(name, { managedBy: 'farloop.dev/job' });
  return { ...made, ...change, metadata: { ...made.metadata, namespace, uid: `uid-${name}` } };
};
/** Of the Job with that uid, by the label that its pods carry. */
const pod = (namespace: string, name: string, jobUid: string, finalizers = [TRACKING_FINALIZER]): Pod => ({
  metadata: { namespace, name, labels: { 'batch.kubernetes.io/controller-uid': jobUid }, finalizers },
  spec: { containers: [] },
});
const theirs = job('etl', 'theirs', { spec: aJob('theirs').spec });
const ended = job('etl', 'ended', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
const JOBS = [job('etl', 'late'), job('batch', 'kept'), job('etl', 'early'), theirs, ended, job('other', 'far')];
const PODS = [
  pod('etl', 'of-ended', 'uid-ended'),
  pod('etl', 'of-none', 'uid-deleted'),
  pod('etl', 'of-theirs', 'uid-theirs'),
  pod('etl', 'counted', 'uid-ended', []),
  pod('batch', 'kept', 'uid-deleted'),
];

const clusterOf = (jobs: Job[], pods: Pod[]) => ({
  list: async <Item extends KubernetesObject>({ kind }: Resource) =>
    (kind === 'Job' ? jobs : kind === 'Pod' ? pods : []) as KubernetesObject[] as Item[],
});
const cluster = clusterOf(JOBS, PODS);
const namesOf = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

test.each([
  ['all of them to one', [], ['batch'], ['etl/early', 'etl/late', 'other/far']],
  ['two to one', ['batch', 'etl'], ['batch'], ['etl/early', 'etl/late']],
  ['one to another one', ['etl'], ['batch'], ['etl/early', 'etl/late']],
])('from %s: unfinished Jobs of ours in those that are left', async (_name, before, after, left) => {
  expect(await remainsLeft(cluster, { manages: ['jobs'], namespaces: before }, { namespaces: after })).toMatchObject({ unfinished: left });
});

test('of all Jobs, those that name nobody too', async () => {
  const { unfinished, tracked } = await remainsLeft(
    cluster,
    { manages: ['all-jobs'], namespaces: ['batch', 'etl'] },
    { namespaces: ['batch'] },
  );
  expect(unfinished).toContain('etl/theirs');
  expect(namesOf(tracked)).toEqual(['etl/of-ended', 'etl/of-none', 'etl/of-theirs']);
});

test('without an unfinished Job, pods that nobody would count any more: of one that has ended, and of one that is gone', async () => {
  const after = clusterOf([ended, theirs], PODS);
  const { unfinished, tracked } = await remainsLeft(after, { manages: ['jobs'], namespaces: [] }, { namespaces: ['batch'] });
  expect(unfinished).toEqual([]);
  expect(namesOf(tracked)).toEqual(['etl/of-ended', 'etl/of-none']);
});

test.each([
  ['as many', ['etl'], ['etl']],
  ['more', ['etl'], ['batch', 'etl']],
  ['all', ['etl'], []],
])('%s: none is left, and the cluster is not asked', async (_name, before, after) => {
  const silent = { list: () => Promise.reject(new Error('asked')) };
  expect(await remainsLeft(silent, { manages: ['jobs'], namespaces: before }, { namespaces: after })).toEqual({
    unfinished: [],
    tracked: [],
  });
});
