// A verdict that a pass could not carry out whole stands: pods that Farloop itself deletes for it are no failures, nor a reason for another one.
import { afterEach, expect, test } from '@jest/globals';
import type { JobSpec, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { TerminalError, ThrottledError } from '../../lib/ports/errors.ts';
import { runningPods } from '../world/right.ts';
import { World, type WorldOptions } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

const LEADER_SUFFICES: Partial<JobSpec> = { completionMode: 'Indexed', successPolicy: { rules: [{ succeededIndexes: '0' }] } };

async function running(pods: number, spec: Partial<JobSpec>, options: WorldOptions = {}): Promise<Pod[]> {
  world = new World(options);
  return await runningPods(world, pods, spec);
}

function atIndex(pods: readonly Pod[], index: number): Pod {
  const found = pods.find(({ metadata }) => metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === String(index));
  if (!found) throw new Error(`no pod of index ${index}`);
  return found;
}

/** Where the write budget has not enough at once to let all other pods go. */
async function leaderSucceeds(count: number, spec: Partial<JobSpec> = {}): Promise<void> {
  const pods = await running(count, { ...LEADER_SUFFICES, ...spec }, { writesPerSecond: 20 });
  await world.elapse(20, { play: false });
  await world.end(atIndex(pods, 0), 0);
}

/** Somebody changes the pod just before the first delete of any: one of them is judged as it no longer is (R8). */
function changeBeforeDeletes(pod: Pod): () => boolean {
  let isChanged = false;
  const body = { metadata: { annotations: { touched: 'yes' } } };
  const type = 'application/merge-patch+json';
  world.interposer = async ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before' || isChanged) return;
    isChanged = true;
    await world.as('PATCH', PODS, { namespace: 'default', name: pod.metadata.name ?? '', body, type });
  };
  return () => isChanged;
}

async function ended(): Promise<{ conditions: string[]; failed: number; failedIndexes: string }> {
  const { conditions = [], failed = 0, failedIndexes = '' } = (await world.job('demo')).status ?? {};
  return { conditions: conditions.map(({ type, reason = '' }) => `${type} ${reason}`), failed, failedIndexes };
}

const SUCCESS = { conditions: ['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy'], failed: 0, failedIndexes: '' };

test('R8: a pod that changes while those that are needed no more are deleted makes no failure of a success', async () => {
  const pods = await running(12, LEADER_SUFFICES);
  const isChanged = changeBeforeDeletes(atIndex(pods, 11));
  await world.end(atIndex(pods, 0), 0);
  await world.elapse(120);
  expect(isChanged()).toBe(true);
  expect(await ended()).toEqual(SUCCESS);
});

test('R14: deletes that wait for the write budget make no failure of a success', async () => {
  await leaderSucceeds(60);
  await world.elapse(180);
  expect(world.passes.some(({ outcome }) => outcome === 'throttled')).toBe(true);
  expect(await ended()).toEqual(SUCCESS);
});

test('R14: finalizers that wait for the write budget count no pod that a success did not need', async () => {
  await leaderSucceeds(14);
  await world.elapse(120);
  expect(world.passes.some(({ outcome }) => outcome === 'throttled')).toBe(true);
  expect(await ended()).toEqual(SUCCESS);
});

test('a success stands though pods that are still to be deleted fail meanwhile', async () => {
  await leaderSucceeds(60, { backoffLimit: 0 });
  const isBegun = async (): Promise<boolean> => (await world.pods()).some(({ metadata }) => metadata.deletionTimestamp !== undefined);
  for (let second = 0; second < 60 && !(await isBegun()); second++) await world.elapse(1, { play: false });
  const left = (await world.pods()).find(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
  if (!left) throw new Error('no pod is left to fail');
  await world.end(left, 1);
  await world.elapse(180);
  expect((await ended()).conditions).toEqual(SUCCESS.conditions);
});

const DEADLINE_MISSED = { conditions: ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded'], failed: 12, failedIndexes: '' };

test('R8: a pod that changes while those of a Job past its deadline are deleted leaves it past its deadline', async () => {
  const pods = await running(12, { activeDeadlineSeconds: 60 });
  const isChanged = changeBeforeDeletes(pods[11] as Pod);
  await world.elapse(60, { play: false });
  await world.elapse(60);
  expect(isChanged()).toBe(true);
  expect(await ended()).toEqual(DEADLINE_MISSED);
});

test('R14: deletes that wait for the write budget leave a Job past its deadline', async () => {
  await running(60, { activeDeadlineSeconds: 60 }, { writesPerSecond: 20 });
  await world.elapse(60, { play: false });
  await world.elapse(180);
  expect(world.passes.some(({ outcome }) => outcome === 'throttled')).toBe(true);
  expect(await ended()).toEqual({ ...DEADLINE_MISSED, failed: 60 });
});

test('R5: a function that dies while it deletes the pods of a Job past its deadline leaves it past its deadline', async () => {
  await running(12, { activeDeadlineSeconds: 60 });
  let deletes = 0;
  world.interposer = ({ port, method, args, phase }, process) => {
    if (port === 'cluster' && method === 'delete' && args[0] === PODS && phase === 'after' && ++deletes === 6) process.kill();
  };
  await world.elapse(60, { play: false });
  await world.elapse(180);
  expect(await ended()).toEqual(DEADLINE_MISSED);
});

test('R8: an index fails for good by its own pod, not by one that is deleted because the Job fails', async () => {
  const spec = { completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 0 } as const;
  const pods = await running(12, spec);
  const isChanged = changeBeforeDeletes(atIndex(pods, 11));
  await world.end(atIndex(pods, 3), 1);
  await world.elapse(120);
  expect(isChanged()).toBe(true);
  const conditions = ['FailureTarget MaxFailedIndexesExceeded', 'Failed MaxFailedIndexesExceeded'];
  expect(await ended()).toEqual({ conditions, failed: 12, failedIndexes: '3' });
});

test('R8: an index whose pod somebody deleted, so that the Job fails, is one that failed', async () => {
  const spec = { completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 0 } as const;
  const pods = await running(12, spec);
  const isChanged = changeBeforeDeletes(atIndex(pods, 11));
  await world.as('DELETE', PODS, { namespace: 'default', name: atIndex(pods, 3).metadata.name ?? '' });
  await world.elapse(120);
  expect(isChanged()).toBe(true);
  const conditions = ['FailureTarget MaxFailedIndexesExceeded', 'Failed MaxFailedIndexesExceeded'];
  expect(await ended()).toEqual({ conditions, failed: 12, failedIndexes: '3' });
});

const RESTARTS_TWICE: Partial<JobSpec> = {
  backoffLimit: 2,
  template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'example.com/none' }] } },
};

/** Each pod's container starts again in place. */
async function restartOnce(pods: readonly Pod[]): Promise<void> {
  const restarted = { name: 'main', image: 'example.com/none', imageID: '', ready: true, restartCount: 1, state: { running: {} } };
  const body = { status: { containerStatuses: [restarted] } };
  const type = 'application/merge-patch+json';
  for (const { metadata } of pods)
    await world.as('PATCH', PODS, { namespace: 'default', name: metadata.name ?? '', subresource: 'status', body, type });
}

test('R5: a function that dies between the deletes of pods with too many restarts and the status leaves the Job failed', async () => {
  const pods = await running(2, RESTARTS_TWICE);
  let deaths = 0;
  world.interposer = ({ port, method, args, phase }, process) => {
    if (port !== 'cluster' || method !== 'patch' || args[0] !== JOBS || phase !== 'before' || ++deaths > 1) return;
    process.kill();
  };
  await restartOnce(pods);
  await world.elapse(180);
  expect(deaths).toBeGreaterThan(1);
  expect((await ended()).conditions).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
  const created = world.cluster.writes.filter(({ verb, plural }) => verb === 'create' && plural === 'pods');
  expect(created).toHaveLength(2);
});

test('a Job whose pods may not be deleted, and which had too many restarts, still completes when its pods do', async () => {
  const pods = await running(2, RESTARTS_TWICE);
  let refusals = 0;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before') return;
    refusals += 1;
    throw new TerminalError('pods may not be deleted', { code: 403, reason: 'Forbidden', causes: [] });
  };
  await restartOnce(pods);
  await world.elapse(5, { play: false });
  expect(refusals).toBeGreaterThan(0);
  for (const pod of pods) await world.end(pod, 0);
  await world.elapse(120, { play: false });
  expect((await ended()).conditions).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
});

test('a Job that is given more time before its first pod could be deleted goes on', async () => {
  const pods = await running(12, { activeDeadlineSeconds: 60 });
  let isThrottled = false;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before') return;
    isThrottled = true;
    throw new ThrottledError('too many requests', { retryAfterSeconds: 5 });
  };
  await world.until(() => isThrottled, { play: false });
  world.interposer = undefined;
  const type = 'application/merge-patch+json';
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec: { activeDeadlineSeconds: 6000 } }, type });
  await world.elapse(60, { play: false });
  expect(await ended()).toEqual({ conditions: [], failed: 0, failedIndexes: '' });
  expect((await world.pods()).map(({ metadata }) => metadata.uid)).toEqual(pods.map(({ metadata }) => metadata.uid));
});

test('of a Job that fails and whose pods may not be deleted the status says the same all the time', async () => {
  await running(3, { activeDeadlineSeconds: 60 });
  world.interposer = ({ port, method, args, phase }) => {
    if (port === 'cluster' && method === 'delete' && args[0] === PODS && phase === 'before')
      throw new TerminalError('pods may not be deleted', { code: 403, reason: 'Forbidden', causes: [] });
  };
  await world.elapse(90, { play: false });
  const before = await world.job('demo');
  expect(before.status).toMatchObject({ active: 3, terminating: 0 });
  await world.elapse(300, { play: false });
  expect((await world.job('demo')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test.each([
  ['refused', new TerminalError('not allowed', { code: 403, reason: 'Forbidden', causes: [] })],
  ['put off', new ThrottledError('too many requests', { retryAfterSeconds: 1 })],
])('the end of a Job is told though its last finalizer is %s', async (_, error) => {
  const [pod] = await running(1, {});
  if (!pod) throw new Error('no pod');
  let isStopped = false;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'patch' || args[0] !== PODS || phase !== 'before' || isStopped) return;
    isStopped = true;
    throw error;
  };
  await world.end(pod, 0);
  await world.elapse(60);
  expect(isStopped).toBe(true);
  const { items } = await world.as<{ items: { reason: string }[] }>('GET', EVENTS, { namespace: 'default' });
  expect(items.filter(({ reason }) => reason === 'Completed')).toHaveLength(1);
});

test('R14: the end of a Job that may not be told just now is told soon after, once', async () => {
  const [pod] = await running(1, {});
  if (!pod) throw new Error('no pod');
  let refusals = 2;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'create' || args[0] !== EVENTS || phase !== 'before' || refusals === 0) return;
    refusals -= 1;
    throw new ThrottledError('too many requests', { retryAfterSeconds: 1 });
  };
  await world.end(pod, 0);
  await world.elapse(60);
  expect(refusals).toBe(0);
  const { items } = await world.as<{ items: { reason: string; message: string; involvedObject: object }[] }>('GET', EVENTS, {
    namespace: 'default',
  });
  const { uid = '' } = pod.metadata.ownerReferences?.[0] ?? {};
  expect(items.filter(({ reason }) => reason === 'Completed')).toEqual([
    expect.objectContaining({ message: 'Job completed', involvedObject: expect.objectContaining({ kind: 'Job', name: 'demo', uid }) }),
  ]);
  expect(await world.store.pendingBefore(world.clock.nowMs(), 10)).toEqual([]);
});

test('R14, R16: an end that may never be told is given up, and wakes nobody any more', async () => {
  const [pod] = await running(1, {});
  if (!pod) throw new Error('no pod');
  let refusals = 0;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'create' || args[0] !== EVENTS || phase !== 'before') return;
    refusals += 1;
    throw new ThrottledError('too many requests', { retryAfterSeconds: 1 });
  };
  await world.end(pod, 0);
  await world.elapse(120);
  const [passes, tried] = [world.passes.length, refusals];
  expect(tried).toBeGreaterThan(3);
  await world.elapse(600);
  expect([world.passes.length, refusals]).toEqual([passes, tried]);
});
