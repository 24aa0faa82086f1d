// Owners that stand alone: without a namespace, without pods. A real relay reports them; their own list floors and sweeps them.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BEACONS, type Beacon } from '../../world/kinds/beacon/beacon.ts';
import { answerRoute } from '../../../lib/api/routes/route-table.ts';
import { pathOfKey } from '../../../lib/cli/queries/place-text.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { TEST_ROWS } from '../../world/kinds/table.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { aJob, CLUSTER, World, type WorldOptions } from '../../world/world.ts';

let world: World;
afterEach(() => world.close());

const MERGE = 'application/merge-patch+json';
const EVENTS = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };

function open(options: WorldOptions = {}): void {
  world = new World({ manages: ['beacons'], rows: TEST_ROWS, ...options });
}

const beacon = async (name = 'north'): Promise<Beacon> => await world.as<Beacon>('GET', BEACONS, { name });

async function build(name = 'north', spec: Beacon['spec'] = { isLit: true }): Promise<WorkloadKey> {
  const body = { apiVersion: BEACONS.apiVersion, kind: BEACONS.kind, metadata: { name }, spec };
  const { metadata } = await world.as<Beacon>('POST', BEACONS, { body });
  return { cluster: CLUSTER, kind: 'Beacon', namespace: '', name, uid: metadata.uid ?? '' };
}

const light = async (isLit: boolean): Promise<unknown> =>
  await world.as('PATCH', BEACONS, { name: 'north', body: { spec: { isLit } }, type: MERGE });

const elapse = async (seconds: number): Promise<void> => await world.elapse(seconds, { play: false });

describe.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])('$name access', ({ name: _name, ...options }) => {
  test('a pass follows each change of its spec; its events lie where those of nodes do; after its end nothing is known of it', async () => {
    open(options);
    await world.startRelay();
    const key = await build();
    await elapse(3);
    expect((await beacon()).status).toEqual({ phase: 'Lit', changes: 1 });
    await light(false);
    await elapse(3);
    expect((await beacon()).status).toEqual({ phase: 'Dark', changes: 2 });
    const events = await world.as<{ items: (KubernetesObject & { reason: string; involvedObject: object })[] }>('GET', EVENTS, {
      namespace: 'default',
    });
    expect(events.items.map(({ reason }) => reason).toSorted()).toEqual(['Dark', 'Lit']);
    expect(events.items[0]).toMatchObject({
      involvedObject: { kind: 'Beacon', name: 'north' },
      source: { component: 'beacon-controller' },
    });
    await world.as('DELETE', BEACONS, { name: 'north' });
    await elapse(3);
    expect(await world.store.readHead(key)).toBeUndefined();
  });
});

test('owners that were there before the relay are reported by their list, beside Jobs and their pods', async () => {
  open({ manages: ['beacons', 'all-jobs'] });
  const key = await build();
  await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
  await world.startRelay();
  await elapse(5);
  expect((await beacon()).status).toMatchObject({ phase: 'Lit' });
  expect(await world.pods()).toHaveLength(1);
  const { metadata } = await world.as<{ metadata: { resourceVersion: string } }>('GET', BEACONS, {});
  expect(BigInt((await world.store.readHead(key))?.floor ?? '0')).toBeGreaterThan(0n);
  expect(BigInt((await world.store.readHead(key))?.floor ?? '0')).toBeLessThanOrEqual(BigInt(metadata.resourceVersion));
});

// Versions of two resources are never compared: of either, they may be far ahead of the other's.
test.each([
  { ahead: 'the owners', resource: BEACONS, name: 'south' },
  { ahead: 'pods', resource: PODS, namespace: 'default', name: 'other' },
])(
  'R3, R19: an owner that went while nobody watched is looked up after the next full list, one that stays is not; $ahead are ahead',
  async (given) => {
    open({ manages: ['beacons', 'all-jobs'] });
    await world.startRelay();
    const [north, south] = [await build('north'), await build('south')];
    const spec = { containers: [{ name: 'main', image: 'x' }] };
    await world.as('POST', PODS, { namespace: 'default', body: { metadata: { name: 'other' }, spec } });
    for (let at = 0; at < 50; at++)
      await world.as('PATCH', given.resource, { ...given, body: { metadata: { labels: { at: String(at) } } }, type: MERGE });
    await elapse(5);
    await world.relay?.stop();
    await world.as('DELETE', BEACONS, { name: 'north' });
    await elapse(5);
    expect(await world.store.readHead(north)).toBeDefined();
    await world.startRelay();
    await elapse(5);
    const passes = world.passes.length;
    await world.sweep();
    await elapse(5);
    expect(await world.store.readHead(north)).toBeUndefined();
    expect(await world.store.readHead(south)).toBeDefined();
    expect(world.passes.slice(passes).map(({ key }) => key.name)).not.toContain('south');
  },
);

test('R1: after the table was lost it is known again, and its status is not written again', async () => {
  open();
  await world.startRelay();
  const key = await build();
  await elapse(5);
  const before = await beacon();
  world.store.wipe();
  await elapse(90);
  expect(await world.store.readHead(key)).toBeDefined();
  expect(await beacon()).toEqual(before);
});

test('R1: no pass could still be making anything, so a change after the loss of the table is followed at once', async () => {
  open();
  await world.startRelay();
  await build();
  await elapse(5);
  world.store.wipe();
  await light(false);
  await elapse(3);
  expect((await beacon()).status).toEqual({ phase: 'Dark', changes: 2 });
});

test('R1: an end whose message the queue lost is told again with a heartbeat', async () => {
  open();
  await world.startRelay();
  const key = await build();
  await elapse(5);
  const { queue } = world;
  const send = queue.send.bind(queue);
  queue.send = async (name, messages) => await (name === 'events' ? undefined : send(name, messages));
  await world.as('DELETE', BEACONS, { name: 'north' });
  await elapse(3);
  queue.send = send;
  expect(await world.store.readHead(key)).toBeDefined();
  await elapse(130);
  expect(await world.store.readHead(key)).toBeUndefined();
});

test('R16: at rest it costs no write and no pass', async () => {
  open();
  await world.startRelay();
  await build();
  await elapse(130);
  const before = { writes: world.cluster.writes.length, passes: world.passes.length };
  await elapse(300);
  expect({ writes: world.cluster.writes.length, passes: world.passes.length }).toEqual(before);
});

test('the API tells of it under a dash, which no namespace can be called', async () => {
  open();
  await world.startRelay();
  await build();
  await elapse(5);
  const ask = async (path: string): Promise<unknown> => {
    const answer = await answerRoute(world.ports, {
      method: 'GET',
      path: path.split('/').slice(1),
      query: new URLSearchParams(),
      body: undefined,
    });
    return 'json' in answer ? answer.json : answer;
  };
  expect(await ask('/v1/workloads')).toMatchObject({ items: [{ kind: 'Beacon', namespace: '', name: 'north', state: 'Running' }] });
  const path = `/v1/workloads/${pathOfKey({ cluster: CLUSTER, kind: 'Beacon', namespace: '', name: 'north' })}`;
  expect(path).toBe('/v1/workloads/west/Beacon/-/north');
  expect(await ask(path)).toMatchObject({ items: [{ name: 'north', pods: [], figures: [{ name: 'changes', value: 1 }] }] });
});
