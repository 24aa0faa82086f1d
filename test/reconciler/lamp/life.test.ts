// Owners that are pods of chosen nodes: each node has a watch of its own, and what is a Job's child stays the Job's.
import { afterEach, describe, expect, test } from '@jest/globals';
import { LAMP_NODES, lampFacts, lampManifests, lampRow, lampShown } from '../../world/kinds/lamp/lamp.ts';
import { addKind, TEST_ROWS } from '../../world/kinds/table.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { TRACKING_FINALIZER } from '../../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { aJob, CLUSTER, World, type WorldOptions } from '../../world/world.ts';

// Only here: to the simulator a pod is no owner.
addKind({ facts: lampFacts, planner: lampRow, shown: lampShown, manifests: lampManifests });

let world: World;
afterEach(() => world.close());

const IMAGE = { containers: [{ name: 'main', image: 'x' }] };

async function open(options: WorldOptions = {}): Promise<void> {
  world = new World({ manages: ['lamps', 'all-jobs'], rows: TEST_ROWS, options: { [LAMP_NODES]: 'north,south' }, ...options });
  await world.startRelay();
}

const pod = async (name: string): Promise<Pod> => await world.as<Pod>('GET', PODS, { namespace: 'default', name });
const messageOf = async (name: string): Promise<unknown> => (await pod(name)).status?.['message'];

async function hang(name: string, nodeName: string): Promise<WorkloadKey> {
  const body = { metadata: { name }, spec: { ...IMAGE, nodeName } };
  const { metadata } = await world.as<Pod>('POST', PODS, { namespace: 'default', body });
  return { cluster: CLUSTER, kind: 'Lamp', namespace: 'default', name, uid: metadata.uid ?? '' };
}

const remove = async (name: string): Promise<unknown> =>
  await world.as('DELETE', PODS, { namespace: 'default', name, body: { gracePeriodSeconds: 0 } });
const elapse = async (seconds: number): Promise<void> => await world.elapse(seconds, { play: false });

describe.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])('$name access', ({ name: _name, ...options }) => {
  test('the pods of its nodes are its owners, those of others are not', async () => {
    await open(options);
    const keys = [await hang('a', 'north'), await hang('b', 'south'), await hang('c', 'west')];
    await elapse(3);
    expect([await messageOf('a'), await messageOf('b'), await messageOf('c')]).toEqual(['lit', 'lit', undefined]);
    await remove('a');
    await elapse(3);
    expect(await Promise.all(keys.map(async (key) => (await world.store.readHead(key)) !== undefined))).toEqual([false, true, false]);
  });
});

test('a pod of a Job is the Job’s child and an owner: each is told of it, once', async () => {
  await open();
  await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
  await elapse(3);
  const [made] = await world.pods();
  const { name = '', uid = '' } = made?.metadata ?? {};
  await world.as('POST', PODS, {
    namespace: 'default',
    name,
    subresource: 'binding',
    body: { metadata: { name, uid }, target: { kind: 'Node', name: 'north' } },
  });
  await elapse(3);
  expect(await messageOf(name)).toBe('lit');
  expect((await world.job('demo')).status).toMatchObject({ active: 1 });
  await world.end(await pod(name), 0);
  await elapse(5);
  expect((await world.job('demo')).status).toMatchObject({ succeeded: 1 });
  expect(await world.store.readHead({ cluster: CLUSTER, kind: 'Lamp', namespace: 'default', name, uid })).toBeDefined();
  await remove(name);
  await elapse(5);
  expect(await world.store.readHead({ cluster: CLUSTER, kind: 'Lamp', namespace: 'default', name, uid })).toBeUndefined();
});

test('R19: the list of one node says nothing of the pods of another; what went unseen on either is looked up', async () => {
  await open();
  const [a, b, c] = [await hang('a', 'north'), await hang('b', 'south'), await hang('c', 'south')];
  await elapse(5);
  await world.relay?.stop();
  await remove('b');
  await world.startRelay();
  await elapse(5);
  const passes = world.passes.length;
  await world.sweep();
  await elapse(5);
  expect(world.passes.slice(passes).map(({ key }) => key.name)).toEqual(['b']);
  const isKnown = async (key: WorkloadKey): Promise<boolean> => (await world.store.readHead(key)) !== undefined;
  expect([await isKnown(a), await isKnown(b), await isKnown(c)]).toEqual([true, false, true]);
});

test('a pod that is an orphan of Jobs too is two workloads of one uid', async () => {
  await open();
  const body = { metadata: { name: 'a', finalizers: [TRACKING_FINALIZER] }, spec: { ...IMAGE, nodeName: 'north' } };
  await world.as('POST', PODS, { namespace: 'default', body });
  await elapse(5);
  expect(await messageOf('a')).toBe('lit');
  expect((await pod('a')).metadata.finalizers ?? []).toEqual([]);
});

test('without a node there is nothing to watch', async () => {
  await open({ options: {} });
  await hang('a', 'north');
  await elapse(5);
  expect(await messageOf('a')).toBeUndefined();
});
