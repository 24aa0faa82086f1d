// Jobs and pods that somebody has made inconsistent by hand: never a crash, never a lost count; what cannot go on is parked, with an
// event and a reason.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Job, JobSpec, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { relist } from '../world/reporter.ts';
import { aJob, conditionsOf, World } from '../world/world.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const MERGE = 'application/merge-patch+json';
let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => {
  // Our own mistakes carry these names, whatever a test looks at.
  const crashes = world.passes.filter(({ error = '' }) => /TypeError|RangeError|ReferenceError|undefined \(reading/.test(error));
  world.close();
  if (crashes.length > 0) throw new Error(`a pass crashed: ${JSON.stringify(crashes[0])}`);
});

const target = (name: string, subresource?: string) => ({ namespace: 'default', name, ...(subresource !== undefined && { subresource }) });
const editStatus = async (status: object): Promise<unknown> =>
  await world.as('PATCH', JOBS, { ...target('demo', 'status'), body: { status }, type: MERGE });
const editPod = async (pod: Pod, metadata: object): Promise<unknown> =>
  await world.as('PATCH', PODS, { ...target(pod.metadata.name ?? ''), body: { metadata }, type: MERGE });
const is = (type: string) => async (): Promise<boolean> => conditionsOf(await world.job('demo')).includes(type);
const warnings = async (): Promise<string[]> =>
  (await world.as<{ items: { type: string; reason: string; message: string }[] }>('GET', EVENTS, { namespace: 'default' })).items
    .filter(({ type }) => type === 'Warning')
    .map(({ reason }) => reason);

async function running(pods: number, spec: Partial<JobSpec> = {}): Promise<Pod[]> {
  await world.apply(aJob('demo', { parallelism: pods, completions: pods, ...spec }));
  await world.until(async () => (await world.pods()).length === pods, { play: false });
  for (const pod of await world.pods()) await world.startPod(pod);
  await world.elapse(7, { play: false });
  return await world.pods();
}
/** Ends all but the first one well. */
async function endOthers([, ...others]: readonly Pod[]): Promise<void> {
  for (const pod of others) await world.end(pod, 0);
}

describe('an edited status', () => {
  test('counters raised by hand: nothing is counted twice, and what is counted stays counted', async () => {
    await running(3, { completions: 4 });
    await editStatus({ succeeded: 1, active: 3 });
    await world.until(is('Complete'));
    // The API server never lets a counter fall: the one made up is the one pod fewer that runs.
    expect((await world.job('demo')).status?.succeeded).toBe(4);
    expect([...world.podsEver.values()]).toHaveLength(3);
  });

  test('uids that no pod has are counted as the status says, as the reference does', async () => {
    await running(2, { completions: 4 });
    await editStatus({ uncountedTerminatedPods: { succeeded: ['made-up-1', 'made-up-2'] } });
    await world.until(is('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 4 });
    expect((await world.job('demo')).status?.uncountedTerminatedPods ?? {}).toEqual({});
  });

  test('index texts that cannot be read are left out', async () => {
    await running(2, { completions: 3, completionMode: 'Indexed' });
    const job = await world.job('demo');
    await world
      .as('PUT', JOBS, {
        ...target('demo', 'status'),
        body: { ...job, status: { ...job.status, completedIndexes: '0-1,x', succeeded: 2 } },
      })
      .catch(() => {});
    await editStatus({ active: 0, ready: 0 });
    await world.until(is('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
  });

  test('conditions that are False change nothing', async () => {
    await running(2);
    await editStatus({ conditions: ['Failed', 'Complete', 'FailureTarget'].map((type) => ({ type, status: 'False' })) });
    await world.until(is('Complete'));
    expect((await world.job('demo')).status?.conditions?.filter(({ type }) => type === 'Complete')).toHaveLength(1);
  });

  test('a start time taken away comes back', async () => {
    await running(2);
    await editStatus({ startTime: null }).catch(() => {});
    await world.until(is('Complete'));
    expect((await world.job('demo')).status?.startTime).toBeDefined();
  });

  test('a Job called Complete by hand while pods run: no finalizer stays', async () => {
    await running(2);
    const time = new Date(world.clusterNowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      type,
      status: 'True',
      reason: 'ByHand',
      lastTransitionTime: time,
    }));
    await editStatus({ conditions, completionTime: time, active: 0, ready: 0 });
    await world.until(async () => (await world.pods()).every(({ metadata }) => !metadata.finalizers?.includes(FINALIZER)), { play: false });
    expect(await is('Complete')()).toBe(true);
  });
});

describe('changed pods', () => {
  test('finalizers taken off by hand: the pod counts as counted already, and its place is filled', async () => {
    const pods = await running(2);
    for (const pod of pods) await editPod(pod, { finalizers: null });
    await endOthers([...pods, ...pods].slice(0, 2));
    await world.until(is('Complete'), { seconds: 300 });
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2 });
  });

  test('labels changed: released, never counted, and replaced', async () => {
    const [first, ...others] = await running(2);
    if (!first) throw new Error('no pod runs');
    await editPod(first, { labels: { 'batch.kubernetes.io/controller-uid': 'another' } });
    await world.until(async () => (await world.pods()).length === 3, { play: false, seconds: 20 });
    const released = (await world.pods()).find(({ metadata }) => metadata.uid === first.metadata.uid);
    expect(released?.metadata.ownerReferences ?? []).toEqual([]);
    expect(released?.metadata.finalizers ?? []).toEqual([]);
    for (const pod of others) await world.end(pod, 0);
    await world.until(is('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2 });
  });

  test('labels changed while nobody watched, and the table lost: the finalizer comes off all the same', async () => {
    const [first] = await running(2);
    if (!first) throw new Error('no pod runs');
    world.keepBack('Pod');
    await editPod(first, { labels: { 'batch.kubernetes.io/controller-uid': 'another' } });
    await world.as('DELETE', JOBS, { ...target('demo'), body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' } });
    await world.until(async () => (await world.pods()).every(({ metadata }) => !metadata.finalizers?.includes(FINALIZER)), {
      play: false,
      seconds: 60,
    });
    expect(await world.pods()).toHaveLength(2);
  });

  test('owner references of two controllers: the API server takes one, and the pod is the one’s that it names', async () => {
    const [first] = await running(2);
    if (!first) throw new Error('no pod runs');
    const other = { apiVersion: 'batch/v1', kind: 'Job', name: 'other', uid: 'other', controller: true };
    const both = [...(first.metadata.ownerReferences ?? []), other];
    await expect(editPod(first, { ownerReferences: both })).rejects.toThrow(/422|Invalid|controller/);
    await editPod(first, { ownerReferences: [other] });
    // The relay tells both owners; here a list does.
    await world.report();
    await relist(world);
    await world.until(
      async () => (await world.pods()).filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid !== 'other').length === 2,
      { play: false, seconds: 30 },
    );
    await world.until(is('Complete'), { seconds: 120 });
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2 });
  });

  test('annotations longer than any message: the pod’s end is heard of, and counts', async () => {
    const pods = await running(2, { completionMode: 'Indexed', backoffLimitPerIndex: 1 });
    for (const pod of pods)
      await editPod(pod, { annotations: { 'batch.kubernetes.io/job-index-failure-count': '9'.repeat(2_000), 'example.com/x': 'y' } });
    for (const pod of pods) await world.end(pod, 0);
    await world.until(is('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
    expect(await world.queue.depth('events')).toMatchObject({ dead: 0 });
    expect(world.passes.filter(({ outcome }) => outcome === 'unknown')).toEqual([]);
  });

  test('a grace period for ever: the pod being deleted is heard of, has failed, and is replaced', async () => {
    const [first] = await running(2);
    await world.as('DELETE', PODS, {
      ...target(first?.metadata.name ?? ''),
      body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 2 ** 63 },
    });
    await world.until(
      async () =>
        (await world.job('demo')).status?.failed === 1 &&
        (await world.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length === 2,
      { play: false, seconds: 60 },
    );
    expect(await world.queue.depth('events')).toMatchObject({ dead: 0 });
    expect(world.passes.filter(({ outcome }) => outcome === 'unknown' || outcome === 'parked')).toEqual([]);
    await world.until(is('Complete'), { seconds: 120 });
  });

  test('annotations of indexes changed: duplicates and strangers are removed, each index counts once', async () => {
    const pods = await running(3, { completionMode: 'Indexed' });
    const [first, second] = pods;
    if (!first || !second) throw new Error('no pods run');
    const index = (text: string | null) => ({ annotations: { 'batch.kubernetes.io/job-completion-index': text } });
    await editPod(first, index('1'));
    await editPod(second, index('ninety'));
    await world.until(is('Complete'), { seconds: 30 });
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
  });
});

describe('what cannot go on', () => {
  const breakJob = async (change: (job: Job) => Job): Promise<void> => {
    const job = await world.job('demo');
    // As an older or a newer API server would have stored it: this one refuses such a change.
    world.cluster.rewrite = ({ plural, verb }, answer) => (plural === 'jobs' && verb === 'get' ? change(answer as Job) : answer);
    await world.as('PATCH', JOBS, {
      ...target('demo'),
      body: { metadata: { annotations: { 'batch.kubernetes.io/touched': job.metadata.resourceVersion } }, spec: { parallelism: 3 } },
      type: MERGE,
    });
  };

  test.each<[string, Partial<JobSpec>, string]>([
    ['a completion mode that nobody knows', { completionMode: 'Sorted' }, 'UnknownCompletionMode'],
    ['a selector that cannot be read', { selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } }, 'Parked'],
  ])('%s: parked, with an event and a reason, and it goes on once mended', async (_, spec, reason) => {
    await running(2, { completions: 4 });
    await breakJob((job) => ({ ...job, spec: { ...job.spec, ...spec } }));
    await world.elapse(5, { play: false });
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked' });
    expect(world.passes.at(-1)?.why.join()).not.toBe('');
    expect(await warnings()).toContain(reason);
    world.cluster.rewrite = undefined;
    await world.as('PATCH', JOBS, { ...target('demo'), body: { spec: { parallelism: 2 } }, type: MERGE });
    await world.until(is('Complete'), { seconds: 300 });
    expect((await world.job('demo')).status?.succeeded).toBe(4);
  });
});

test('a deadline that lies beyond all dates: what is known of the Job is not lost by it', async () => {
  const [pod] = await running(1, { activeDeadlineSeconds: 10_000_000_000_000 });
  if (pod) await world.end(pod, 0);
  await world.until(is('Complete'));
  expect(world.passes.filter(({ outcome }) => outcome === 'unknown')).toEqual([]);
});
