// R18: a pod is counted on evidence no older than the status it is added to, also where the children were listed before the owner was read.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { wake } from '../../../lib/reconciler/head/wake.ts';
import type { Point } from '../../world/process.ts';
import { relist } from '../../world/reporter.ts';
import { aJob, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

/** Another hand adds the ended pod to the counters and lets it go. */
async function countElsewhere({ metadata: { name = '' } }: Pod): Promise<void> {
  const type = 'application/merge-patch+json';
  await world.as('PATCH', PODS, { namespace: 'default', name, body: { metadata: { finalizers: null } }, type });
  const before = (await world.job('demo')).status;
  const startTime = before?.startTime ?? new Date(world.clock.nowMs()).toISOString().replace('.000Z', 'Z');
  const active = (await world.pods()).filter(({ status }) => status?.phase === 'Running').length;
  const status = { startTime, active, ready: before?.ready === undefined ? undefined : active, succeeded: 1 };
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', subresource: 'status', body: { status }, type });
}

test('R18: counted by somebody else between the list of the children and the look at the owner: not once more', async () => {
  await world.apply(aJob('demo', { completions: 12, parallelism: 8 }));
  let creates = 0;
  world.interposer = ({ port, method, phase }, process) => {
    if (port === 'cluster' && method === 'create' && phase === 'after' && ++creates === 8) process.kill();
  };
  await world.report();
  await world.run().catch(() => {});
  world.interposer = undefined;
  world.restart();
  await world.play(() => undefined);
  const [ended] = (await world.pods()) as [Pod];
  await world.end(ended, 0);
  let isCounted = false;
  world.interposer = async ({ port, method, phase }) => {
    if (isCounted || port !== 'cluster' || method !== 'list' || phase !== 'after') return;
    isCounted = true;
    await countElsewhere(ended);
  };
  await world.run();
  expect(isCounted).toBe(true);
  const { succeeded = 0, uncountedTerminatedPods } = (await world.job('demo')).status ?? {};
  expect(succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0)).toBe(1);
});

async function runFour(): Promise<void> {
  await world.apply(aJob('demo', { completions: 12, parallelism: 4 }));
  const isRunning = async (): Promise<boolean> => {
    await world.play(() => undefined);
    return (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 4;
  };
  await world.until(isRunning, { play: false });
  await world.elapse(10, { play: false });
}

test('R18: a status that was found, not written by us, and has changed since: the pods are looked up before they are counted', async () => {
  await runFour();
  world.store.wipe();
  await relist(world);
  await world.elapse(45, { play: false });
  expect(world.passes.at(-1)?.outcome).toBe('converged');
  const [ended] = (await world.pods()) as [Pod];
  await world.end(ended, 0);
  await world.report();
  await countElsewhere(ended);
  await world.settle();
  world.loseHeard();
  await world.clock.advance(2_000);
  await world.run();
  const { succeeded = 0, uncountedTerminatedPods } = (await world.job('demo')).status ?? {};
  expect(succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0)).toBe(1);
});

test('R18, R19: read by a pass, then gone from the list of the same pass: gone for the next one too, and not counted once more', async () => {
  await runFour();
  // The pass dies once it has written that it strips the ended pod: the next one looks what became of that.
  const [ended] = (await world.pods()) as [Pod];
  const isPodPatch = ({ port, method, args }: Point): boolean => port === 'cluster' && method === 'patch' && args[0] === PODS;
  world.interposer = (point, process) => {
    if (isPodPatch(point) && point.phase === 'before') process.kill();
  };
  await world.end(ended, 0);
  await world.report();
  await world.clock.advance(2_000);
  await world.run().catch(() => {});
  world.restart();
  // From now on nobody tells of pods.
  world.keepBack('Pod');
  const type = 'application/merge-patch+json';
  const status = { active: 3, ready: 3, succeeded: 1, uncountedTerminatedPods: null };
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', subresource: 'status', body: { status }, type });
  const { name = '' } = ended.metadata;
  const looks: string[] = [];
  world.interposer = async ({ port, method, args, phase }) => {
    if (port !== 'cluster' || phase !== 'after' || args[0] !== PODS) return;
    if (method === 'list') looks.push('list');
    if (looks.length > 0 || method !== 'get' || (args[1] as { name: string }).name !== name) return;
    looks.push('get');
    await world.as('PATCH', PODS, { namespace: 'default', name, body: { metadata: { finalizers: null } }, type });
    await world.as('DELETE', PODS, { namespace: 'default', name, body: { gracePeriodSeconds: 0 } });
  };
  await world.report();
  await world.run();
  expect(looks).toEqual(['get', 'list']);
  await wake(world.ports, await world.keyOf('demo'));
  await world.run();
  const { succeeded = 0, uncountedTerminatedPods } = (await world.job('demo')).status ?? {};
  expect(succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0)).toBe(1);
});
