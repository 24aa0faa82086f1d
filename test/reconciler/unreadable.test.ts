// A pod that cannot be read is there all the same: its workload is parked with the reason, and no other. None is created in its place and none
// is counted, until it can be read or is gone.
import { afterEach, describe, expect, test } from '@jest/globals';
import { isJobFinished, jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { UnreadableObjectError } from '../../lib/ports/errors.ts';
import { decodeState } from '../../lib/reconciler/head/pass-state.ts';
import { Reachability } from '../../lib/reconciler/cluster/reachability.ts';
import { relist } from '../world/reporter.ts';
import { aJob, CLUSTER, conditionsOf, World } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

const setStatus = async ({ metadata }: Pod, status: object): Promise<void> =>
  void (await world.as('PATCH', PODS, {
    namespace: 'default',
    name: metadata.name ?? '',
    subresource: 'status',
    body: { status },
    type: 'application/merge-patch+json',
  }));

const waiting = { image: 'a', imageID: '', ready: false, restartCount: 0, state: { waiting: {} } };
/** More than is kept of a pod. */
const TOO_MANY = Array.from({ length: 1_000 }, (_, at) => ({ name: `${'container-of-a-long-name'.repeat(2)}-${at}`, ...waiting }));
const WHY = /^Pod default\/\S+ cannot be read: its status\.containerStatuses take \d+ characters; 48000 are kept of a pod$/;

async function parkOf(name: string): Promise<{ reason: string } | undefined> {
  const head = await world.store.readHead(await world.keyOf(name));
  return head && decodeState(head.state)?.park;
}

const podOf = async (job: string): Promise<Pod> => {
  const pod = (await world.pods()).find(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === job));
  if (!pod) throw new Error(`no pod of ${job}`);
  return pod;
};
const creates = (): number => world.cluster.writes.filter(({ plural, verb }) => plural === 'pods' && verb === 'create').length;
const parkings = (): number => world.metrics.filter(({ metric }) => metric === 'UnreadableObjects').length;

/** A Job with one pod that cannot be read. */
async function withUnreadablePod(): Promise<Pod> {
  world = new World();
  await world.watch();
  await world.apply(aJob('odd', { parallelism: 1, completions: 1 }));
  await world.until(() => creates() === 1, { play: false });
  const pod = await podOf('odd');
  await world.startPod(pod);
  await setStatus(pod, { phase: 'Succeeded', containerStatuses: TOO_MANY });
  await world.until(async () => (await parkOf('odd')) !== undefined, { play: false });
  return pod;
}

describe('a pod that cannot be read', () => {
  test('R13: parks its workload with what it is and why, once; others go on', async () => {
    await withUnreadablePod();
    expect((await parkOf('odd'))?.reason).toMatch(WHY);
    await world.apply(aJob('other', { completions: 3 }));
    await world.until(async () => conditionsOf(await world.job('other')).includes('Complete'), { seconds: 60 });
    expect(parkings()).toBe(1);
    // Whatever else is heard of it: it is looked at, and nothing new is said.
    const passes = world.passes.length;
    await setStatus(await podOf('odd'), { message: 'changed' });
    await world.until(() => world.passes.length > passes, { play: false });
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked', actions: [] });
    expect([parkings(), creates()]).toEqual([1, 4]);
  });

  test('R14: its pass that looks for all others tells that the cluster answers', async () => {
    await withUnreadablePod();
    const reachability = new Reachability(world.ports);
    await reachability.relaySawSilence(CLUSTER, { sinceMs: world.clock.nowMs(), reason: 'no answer within 3 s' });
    const passes = world.passes.length;
    await setStatus(await podOf('odd'), { message: 'changed' });
    await world.until(() => world.passes.length > passes, { play: false });
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked' });
    expect(await reachability.isDown(CLUSTER)).toBe(false);
  });

  test('R1, R19: is there: none is created in its place, not even from a live list, and it is not counted', async () => {
    const pod = await withUnreadablePod();
    // The table is lost: the pass lists live, and meets the same pod.
    world.store.wipe();
    await relist(world);
    await world.elapse(120, { play: false });
    expect(creates()).toBe(1);
    const job = await world.job('odd');
    expect([job.status?.succeeded, job.status?.uncountedTerminatedPods, isJobFinished(job)]).toEqual([undefined, expect.anything(), false]);
    expect((await podOf('odd')).metadata).toMatchObject({ uid: pod.metadata.uid, finalizers: [TRACKING_FINALIZER] });
    expect((await parkOf('odd'))?.reason).toMatch(WHY);
  });

  test('is parked no longer once it can be read', async () => {
    const pod = await withUnreadablePod();
    await setStatus(pod, { phase: 'Running', containerStatuses: null });
    await world.until(async () => (await parkOf('odd')) === undefined, { play: false, seconds: 5 });
    await world.until(async () => conditionsOf(await world.job('odd')).includes('Complete'), { seconds: 20 });
    expect([(await world.job('odd')).status?.succeeded, creates()]).toEqual([1, 1]);
  });

  test('holds up neither the end of its Job nor its own', async () => {
    await withUnreadablePod();
    await world.as('DELETE', JOBS, { namespace: 'default', name: 'odd', body: { propagationPolicy: 'Background' } });
    const isFree = async (): Promise<boolean> => (await world.pods()).every(({ metadata }) => (metadata.finalizers ?? []).length === 0);
    await world.until(isFree, { seconds: 60 });
    expect(await isFree()).toBe(true);
  });
});

describe('a Job that the relay cannot read', () => {
  const tellUnreadable = async (job: Job): Promise<void> => {
    const { name = '', namespace = '', uid = '', resourceVersion: heardAt = '' } = job.metadata;
    const object = jobFactsOf({ ...job, unreadable: 'its status.conditions is longer than 2 MiB, or nested too deep' });
    await world.send([{ owner: { kind: 'Job', namespace, name, uid }, observed: { heardAt, deleted: false, object }, children: [] }]);
  };

  test('is read live by each pass, and runs', async () => {
    world = new World();
    await tellUnreadable(await world.apply(aJob('odd', { completions: 1 })));
    await world.until(() => creates() > 0, { play: false });
    expect(creates()).toBe(1);
  });

  test('R13: is parked with the reason where passes cannot read it either, and goes on when they can', async () => {
    world = new World();
    const job = await world.apply(aJob('odd', { completions: 1 }));
    world.cluster.interference = {
      before: ({ verb, plural }) => {
        if (verb === 'get' && plural === 'jobs') throw new UnreadableObjectError('Job default/odd', 'it is longer than 16 MiB as JSON');
      },
    };
    await tellUnreadable(job);
    await world.until(async () => (await parkOf('odd')) !== undefined, { play: false });
    expect((await parkOf('odd'))?.reason).toBe('Job default/odd cannot be read: it is longer than 16 MiB as JSON');
    await world.elapse(30, { play: false });
    expect([creates(), parkings()]).toEqual([0, 1]);
    world.cluster.interference = {};
    await world.watch();
    await world.as('PATCH', JOBS, {
      namespace: 'default',
      name: 'odd',
      body: { metadata: { labels: { a: 'b' } } },
      type: 'application/merge-patch+json',
    });
    await world.until(() => creates() === 1, { play: false, seconds: 10 });
    expect(await parkOf('odd')).toBeUndefined();
  });
});
