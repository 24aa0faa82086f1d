// What passes over training jobs write, and when, with the whole loop: side by side, told only if done, and debounced where only counts differ.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Framework } from '../../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { CONFIG_MAPS, EVENTS, PODS, SERVICES } from '../../../lib/objects/resources.ts';
import { ConflictError, TerminalError } from '../../../lib/ports/errors.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { definedRows } from '../../sandbox/defined-rows.ts';
import { World } from '../../world/world.ts';
import { aTraining } from './builders.ts';

let world: World;
beforeEach(async () => {
  world = new World({ manages: ['training-jobs'], rows: FRAMEWORKS.flatMap(({ kind }) => definedRows(kind)) });
  await world.watch();
});
afterEach(() => world.close());

/** A job `j`, as a person applies it. */
async function applied(framework: Framework, replicas: Record<string, number>): Promise<void> {
  const { metadata: _metadata, ...job } = aTraining({ framework, replicas });
  await world.apply({ ...job, metadata: { name: 'j', namespace: 'default' } });
}

async function startAll(isStarting: (name: string) => boolean = () => true): Promise<void> {
  for (const pod of await world.pods())
    if (pod.status?.phase === 'Pending' && isStarting(pod.metadata.name ?? '')) await world.startPod(pod);
}

const writesOf = (what: string): number =>
  world.cluster.writes.filter(({ verb, plural, subresource }) => `${verb} ${subresource ?? plural}` === what).length;
const toldOf = async (reason: string): Promise<(string | undefined)[]> =>
  (await world.all<KubernetesObject & { reason?: string; message?: string }>(EVENTS))
    .filter((event) => event.reason === reason)
    .map(({ message }) => message);

test('B-45: pods and services of a job are made side by side, few at first', async () => {
  const rounds: number[] = [];
  let isOpen = false;
  world.cluster.interference.before = async ({ verb, plural }) => {
    if (verb !== 'create' || plural === 'events') return;
    if (isOpen) rounds[rounds.length - 1] = (rounds.at(-1) ?? 0) + 1;
    else rounds.push(1);
    isOpen = true;
    // All that are under way together have come by then.
    await new Promise((go) => setImmediate(go));
    isOpen = false;
  };
  await applied(pytorch, { Master: 1, Worker: 15 });
  await world.until(() => writesOf('create services') === 16, { play: false });
  expect(rounds).toEqual([1, 2, 4, 8, 16, 1]);
});

test('section 20: a service that is refused is not told of as made, the pod of that name is', async () => {
  world.cluster.interference.before = ({ verb, plural, body }) => {
    if (verb === 'create' && plural === 'services' && (body as KubernetesObject).metadata.name === 'j-worker-0')
      throw new TerminalError('exceeded quota', { code: 403 });
  };
  await applied(pytorch, { Master: 1, Worker: 1 });
  await world.until(async () => (await world.all(SERVICES)).length === 1, { play: false });
  await world.elapse(2, { play: false });
  expect(await toldOf('SuccessfulCreatePod')).toEqual(['Created pod: j-master-0', 'Created pod: j-worker-0']);
  expect(await toldOf('SuccessfulCreateService')).toEqual(['Created service: j-master-0']);
  expect(await toldOf('FailedCreateService')).not.toEqual([]);
});

test('section 19: counts of running replicas alone are debounced, and so is the config map of an MPIJob', async () => {
  await applied(mpi, { Launcher: 1, Worker: 8 });
  await world.until(() => writesOf('create pods') === 9, { play: false });
  await startAll((name) => name.endsWith('launcher'));
  // The job runs from here on.
  await world.elapse(7, { play: false });
  const before = { status: writesOf('patch status'), maps: writesOf('patch configmaps') };
  // The first of a type makes a pass soon; it has nothing to write yet but counts and hosts.
  for (const index of [3, 0]) {
    await startAll((name) => name.endsWith(`-${index}`));
    await world.elapse(1, { play: false });
  }
  await startAll();
  await world.elapse(8, { play: false });
  expect({ status: writesOf('patch status') - before.status, maps: writesOf('patch configmaps') - before.maps }).toEqual({
    status: 2,
    maps: 2,
  });
  const [map] = await world.all<KubernetesObject & { data?: Record<string, string> }>(CONFIG_MAPS);
  expect(map?.data?.['discover_hosts.sh']).toContain('j-worker-7');
});

test('R5: what a pass sees again after a crash is not durable before it acts: three writes of the head for a replica that succeeds', async () => {
  await applied(pytorch, { Master: 1, Worker: 3 });
  await world.until(() => writesOf('create services') === 4, { play: false });
  await startAll();
  await world.elapse(7, { play: false });
  const passes = world.passes.length;
  const headWrites = (): number => world.store.meter.byOperation['updateHead']?.requests ?? 0;
  const before = headWrites();
  for (const pod of await world.pods()) if (pod.metadata.name?.endsWith('worker-1')) await world.end(pod, 0);
  await world.elapse(1, { play: false });
  // News, the opening of the pass, its close: what it has seen of the replica is seen again if the pass dies.
  expect({ passes: world.passes.length - passes, writes: headWrites() - before }).toEqual({ passes: 1, writes: 3 });
});

test('B-16: a pod that a stale view would delete keeps its service', async () => {
  const { metadata: _metadata, ...job } = aTraining({ framework: pytorch, replicas: { Master: 1, Worker: 1 } });
  const spec = { ...job.spec, runPolicy: { cleanPodPolicy: 'Running' } };
  await world.apply({ ...job, spec, metadata: { name: 'j', namespace: 'default' } });
  await world.elapse(3, { play: false });
  await startAll();
  const deletes: string[] = [];
  world.cluster.interference.before = ({ verb, plural }) => {
    if (verb !== 'delete') return;
    deletes.push(plural);
    if (deletes.length === 1) throw new ConflictError('the pod has changed');
  };
  const terminated = { exitCode: 0, finishedAt: '2026-01-01T00:00:00Z' };
  const ended = { name: 'pytorch', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } };
  const status = { phase: 'Succeeded', containerStatuses: [ended] };
  const type = 'application/merge-patch+json';
  await world.as('PATCH', PODS, { namespace: 'default', name: 'j-master-0', subresource: 'status', body: { status }, type });
  await world.until(async () => (await world.all(SERVICES)).length === 1, { play: false });
  expect(deletes).toEqual(['pods', 'pods', 'services']);
});
