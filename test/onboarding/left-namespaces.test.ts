// A cluster that is registered for fewer namespaces than before: Jobs that are left there, and pods that outlive theirs.
import { describe, expect, test } from '@jest/globals';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { narrowedBy, remainsLeft } from '../../lib/onboarding/left-namespaces.ts';
import { runningOn } from '../../lib/onboarding/owners-on-cluster.ts';
import { remainsOn } from '../../lib/onboarding/removal.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { ENSEMBLE } from '../kinds/made-up-kind.ts';
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
  expect(await remainsLeft(cluster, { manages: ['jobs'], namespaces: before }, { manages: ['jobs'], namespaces: after })).toMatchObject({
    unfinished: { kinds: ['Job'], found: left.map((name) => ({ kind: 'Job', name })) },
  });
});

test('of all Jobs, those that name nobody too', async () => {
  const { unfinished, tracked } = await remainsLeft(
    cluster,
    { manages: ['all-jobs'], namespaces: ['batch', 'etl'] },
    { manages: ['all-jobs'], namespaces: ['batch'] },
  );
  expect(unfinished.found).toContainEqual({ kind: 'Job', name: 'etl/theirs' });
  expect(namesOf(tracked)).toEqual(['etl/of-ended', 'etl/of-none', 'etl/of-theirs']);
});

test('without an unfinished Job, pods that nobody would count any more: of one that has ended, and of one that is gone', async () => {
  const after = clusterOf([ended, theirs], PODS);
  const { unfinished, tracked } = await remainsLeft(
    after,
    { manages: ['jobs'], namespaces: [] },
    { manages: ['jobs'], namespaces: ['batch'] },
  );
  expect(unfinished.found).toEqual([]);
  expect(namesOf(tracked)).toEqual(['etl/of-ended', 'etl/of-none']);
});

test.each([
  ['as many', ['etl'], ['etl']],
  ['more', ['etl'], ['batch', 'etl']],
  ['all', ['etl'], []],
])('%s: none is left, and the cluster is not asked', async (_name, before, after) => {
  const silent = { list: () => Promise.reject(new Error('asked')) };
  expect(await remainsLeft(silent, { manages: ['jobs'], namespaces: before }, { manages: ['jobs'], namespaces: after })).toEqual({
    unfinished: { kinds: [], found: [] },
    tracked: [],
  });
});

describe('kinds, one of which is not managed any more', () => {
  const ensembles: KindFacts = { ...ENSEMBLE, settings: [{ word: 'ensembles', takes: 'Ensembles' }] };
  const kinds = [...ALL_FACTS, ensembles];
  const ensemble = (namespace: string, name: string, phase?: string) => ({
    metadata: { namespace, name, uid: `uid-${name}` },
    spec: { players: 1 },
    ...(phase !== undefined && { status: { phase } }),
  });
  const owners: Record<string, object[]> = {
    Job: JOBS,
    Ensemble: [ensemble('etl', 'choir', 'Playing'), ensemble('batch', 'quartet', 'Over'), ensemble('batch', 'waits')],
    Pod: PODS,
  };
  const both = {
    list: async <Item extends KubernetesObject>({ kind }: Resource) => (owners[kind] ?? []) as unknown as Item[],
  };
  const before = { manages: ['jobs', 'ensembles'], namespaces: [] };

  test('its unfinished workloads are left, and nothing of the kind that stays', async () => {
    const { unfinished, tracked } = await remainsLeft(both, before, { manages: ['jobs'], namespaces: [] }, kinds);
    expect(unfinished.found.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Ensemble batch/waits', 'Ensemble etl/choir']);
    expect(tracked).toEqual([]);
  });

  test('where Jobs are not managed, the finalizer of their pods is nobody of ours to take off', async () => {
    const { unfinished, tracked } = await remainsOn(both, { manages: ['ensembles'], namespaces: [] }, { kinds });
    expect(unfinished.kinds).toEqual(['Ensemble']);
    expect(tracked).toEqual([]);
  });

  test('another word of a kind that stays managed leaves nothing out, nor does a word that no kind has', () => {
    const of = (...manages: string[]) => ({ manages, namespaces: [] });
    expect(narrowedBy(of('all-jobs', 'unheard-of'), of('jobs'), kinds)).toEqual([]);
    expect(narrowedBy(of('jobs'), of('ensembles'), kinds)).toEqual(['--manage']);
  });

  test('running are those of every managed kind that have begun and not ended', async () => {
    expect(await runningOn(both, before, kinds)).toEqual({
      kinds: ['Job', 'Ensemble'],
      found: [{ kind: 'Ensemble', name: 'etl/choir' }],
    });
  });

  test('of a kind whose definition is not installed there is none', async () => {
    const list = async <Item extends KubernetesObject>(resource: Resource) => {
      if (resource.kind === 'Ensemble') throw new TerminalError('the server could not find the requested resource', { code: 404 });
      return await both.list<Item>(resource);
    };
    expect((await runningOn({ list }, before, kinds)).found).toEqual([]);
  });
});
