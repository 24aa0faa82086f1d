// How many pods failed in a row is known to passes alone. Where that knowledge is out of date it starts at none: the next pod waits shorter than
// it might, never longer.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { isActive, podFactsOf } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { heartbeat, relist } from '../world/reporter.ts';
import { aJob, World } from '../world/world.ts';

let world: World;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farloop-failures-'));
  world = new World({ apiFolder: join(root, 'api') });
});
afterEach(() => {
  world.close();
  rmSync(root, { recursive: true, force: true });
});

const active = async (): Promise<Pod | undefined> => (await world.pods()).find((pod) => isActive(podFactsOf(pod)));

async function theNextPod(): Promise<Pod> {
  await world.until(async () => (await active()) !== undefined, { play: false, seconds: 700 });
  const pod = await active();
  if (!pod) throw new Error('no pod');
  return pod;
}

/** Seconds from the end of the pod that runs to the next one. */
async function waitAfter(exitCode: number): Promise<number> {
  await world.end(await theNextPod(), exitCode);
  const endedAtMs = world.clock.nowMs();
  await theNextPod();
  return (world.clock.nowMs() - endedAtMs) / 1_000;
}

async function failedInARow(count: number): Promise<void> {
  await world.watch();
  await world.apply(aJob('demo', { parallelism: 1, completions: 5, backoffLimit: 20 }));
  await theNextPod();
  await world.elapse(2, { play: false });
  const copyApi = (folder: string): void => cpSync(folder, join(root, 'copy'), { recursive: true });
  await world.whileApiIsDown(copyApi);
  const waits = [];
  for (let failure = 0; failure < count; failure++) waits.push(await waitAfter(1));
  expect(waits).toEqual([10, 20, 40, 80, 160].slice(0, count));
}

test('R3: those that a restored API server has forgotten count no more', async () => {
  await failedInARow(4);
  await relist(world);
  await world.whileApiIsDown((folder) => {
    rmSync(folder, { recursive: true });
    cpSync(join(root, 'copy'), folder, { recursive: true });
  });
  world.loseHeard();
  for (let minute = 0; minute < 3 && world.record.era === 0; minute++) {
    await heartbeat(world);
    await world.elapse(60, { play: false });
  }
  expect(world.record.era).toBe(1);
  await relist(world);
  expect((await world.job('demo')).status?.failed ?? 0).toBe(0);
  expect(await waitAfter(1)).toBe(10);
});

test('R1, R18: those of an old copy of the table count no more once a pod has succeeded since', async () => {
  await failedInARow(4);
  const copy = world.copyStore();
  await waitAfter(0);
  // The queue has forgotten the wakes that followed the old fence.
  await world.elapse(310, { play: false });
  world.restoreStore(copy);
  expect(await waitAfter(1)).toBe(10);
});

test('those before a pod that the built-in controller counted as succeeded count no more', async () => {
  await failedInARow(4);
  world.record = { ...world.record, manages: ['jobs'] };
  const pod = await theNextPod();
  await world.end(pod, 0);
  await world.elapse(2, { play: false });
  const type = 'application/merge-patch+json';
  const at = { namespace: 'default', name: 'demo', subresource: 'status', type };
  await world.as('PATCH', JOBS, { ...at, body: { status: { active: 0, ready: 0, succeeded: 1 } } });
  const letGo = { namespace: 'default', name: pod.metadata.name ?? '', type, body: { metadata: { finalizers: null } } };
  await world.as('PATCH', PODS, letGo);
  await world.elapse(2, { play: false });
  world.record = { ...world.record, manages: ['all-jobs'] };
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', type, body: { metadata: { labels: { moved: 'back' } } } });
  expect(await waitAfter(1)).toBe(10);
  expect((await world.job('demo')).status).toMatchObject({ succeeded: 1, failed: 5 });
});

test('R6: those of which a status tells whose answer was lost count on', async () => {
  await failedInARow(2);
  let isLost = false;
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || method !== 'patch' || args[0] === PODS || phase !== 'after' || isLost) return;
    isLost = true;
    throw new UnknownOutcomeError('no answer');
  };
  await waitAfter(1);
  expect(isLost).toBe(true);
  // Of the one whose answer was lost nobody knows whether it had been counted.
  expect(await waitAfter(1)).toBe(40);
});
