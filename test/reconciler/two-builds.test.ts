// While a deployment is rolled out, or back, functions of two builds work side by side on one table and the same queues. The later build here
// is this one with ports that add fields to all that it writes, or that seal view items and messages under the next version's number.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Ports } from '../../lib/ports/ports.ts';
import type { OutgoingMessage, QueueName } from '../../lib/ports/queue.ts';
import type { Head, HeadChange } from '../../lib/ports/store.ts';
import { clusterStatesOf } from '../../lib/reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../../lib/reconciler/cluster/known-cluster.ts';
import { open, seal } from '../../lib/wire/packing/envelope.ts';
import { expectCompleted, runToEnd } from '../world/right.ts';
import { Process } from '../world/process.ts';
import { heartbeat } from '../world/reporter.ts';
import { aJob, World } from '../world/world.ts';

const LIMITS = { bytes: 1_000_000, unpackedBytes: 10_000_000 };
const PODS = 24;
const AT_ONCE = 4;
const LATER = { inventedLater: { of: 'some use' } };

const withField = (json: string): string => JSON.stringify({ ...(JSON.parse(json) as object), ...LATER });

/** Of a view item: a field more in its header. */
function withHeaderField(bytes: Uint8Array): Uint8Array {
  const { header, pods } = open(bytes, LIMITS);
  return seal({ header: withField(header), pods });
}

const asNextVersion = (bytes: Uint8Array): Uint8Array => Uint8Array.from([3, ...bytes.subarray(1)]);
const asThisVersion = (bytes: Uint8Array): Uint8Array => (bytes[0] === 3 ? Uint8Array.from([1, ...bytes.subarray(1)]) : bytes);

/** How the later build differs. */
interface Later {
  seals: (bytes: Uint8Array) => Uint8Array;
  opens: (bytes: Uint8Array) => Uint8Array;
  json: (text: string) => string;
}

const addsFields: Later = { seals: withHeaderField, opens: (bytes) => bytes, json: withField };
const isNextVersion: Later = { seals: asNextVersion, opens: asThisVersion, json: (text) => text };

function portsOfLater(ports: Ports, { seals, opens, json }: Later): Ports {
  const changed = (change: HeadChange): HeadChange => ({
    ...change,
    ...(change.state !== undefined && { state: json(change.state) }),
    ...(change.view && { view: seals(change.view) }),
  });
  const opened = <Some extends Head | undefined>(head: Some): Some => (head?.view ? { ...head, view: opens(head.view) } : head);
  const { store, queue } = ports;
  const around: Partial<Ports['store']> = {
    readHead: async (key) => opened(await store.readHead(key)),
    read: async (key) => {
      const { head, items } = await store.read(key);
      return { head: opened(head), items: items.map((item) => ({ ...item, bytes: opens(item.bytes) })) };
    },
    readItems: async (key, names) => (await store.readItems(key, names)).map((item) => ({ ...item, bytes: opens(item.bytes) })),
    createHead: async (head) =>
      opened(await store.createHead({ ...head, ...changed({ state: head.state, ...(head.view && { view: head.view }) }) } as Head)),
    updateHead: async (key, conditions, change) => opened(await store.updateHead(key, conditions, changed(change))),
    putItem: async (key, { name, bytes }, expected) => await store.putItem(key, { name, bytes: seals(bytes) }, expected),
    putNote: async (cluster, name, body, expected) => await store.putNote(cluster, name, json(body), expected),
  };
  const send = async (name: QueueName, messages: readonly OutgoingMessage[]): Promise<void> =>
    await queue.send(
      name,
      messages.map((message) => (name === 'wakes' || name === 'timers' ? { ...message, body: json(message.body) } : message)),
    );
  const other = <Port extends object>(port: Port, own: Partial<Port>): Port =>
    new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(own, property) ?? Reflect.get(target, property);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  return { ...ports, store: other(store, around), queue: other(queue, { send }) };
}

let world: World;
let older: Process;
let later: Process;
/** Batches that each build was given. */
const batches = { older: 0, later: 0 };

beforeEach(() => {
  world = new World();
});
afterEach(() => world.close());

/** From now on every other batch is the later build's. */
function sideBySide(how: Later): void {
  older = world.process;
  later = new Process(portsOfLater(older.ports, how), () => undefined);
  Object.assign(batches, { older: 0, later: 0 });
  const { queue } = world;
  const receive = queue.receive.bind(queue);
  queue.receive = async (name, options) => {
    const isLater = batches.later < batches.older;
    const messages = await receive(name, { ...options, max: 1 });
    if (messages.length > 0) batches[isLater ? 'later' : 'older'] += 1;
    world.process = isLater ? later : older;
    return messages;
  };
}

async function runs(name: string): Promise<void> {
  await world.watch();
  await world.apply(aJob(name, { completions: PODS, parallelism: AT_ONCE, completionMode: 'Indexed' }));
  await runToEnd(world, name);
  await expectCompleted(world, name, { succeeded: PODS, mostActive: AT_ONCE });
}

const liveLists = (): number => world.cluster.calls.filter(({ verb }) => verb === 'list').length;
const deadLetters = async (): Promise<number[]> =>
  await Promise.all((['events', 'wakes', 'timers'] as const).map(async (name) => (await world.queue.depth(name)).dead));
const unreadable = (): number => world.metrics.filter(({ metric }) => metric === 'UnreadableMessages').length;

describe('two builds side by side', () => {
  test('fields that the later one added are passed over or carried along: nothing is dead, doubted or listed again', async () => {
    await runs('alone');
    const listsAlone = liveLists();
    sideBySide(addsFields);
    await world.apply(aJob('mixed', { completions: PODS, parallelism: AT_ONCE, completionMode: 'Indexed' }));
    await runToEnd(world, 'mixed');
    await expectCompleted(world, 'mixed', { succeeded: PODS, mostActive: AT_ONCE });
    expect(Math.min(batches.older, batches.later)).toBeGreaterThan(5);
    expect(await deadLetters()).toEqual([0, 0, 0]);
    expect(unreadable()).toBe(0);
    expect(liveLists() - listsAlone).toBeLessThanOrEqual(listsAlone);
  });

  test('what the later one added to the state of passes and to notes is still there after passes of the older one', async () => {
    sideBySide(addsFields);
    const only = (build: 'older' | 'later'): void => void Object.assign(batches, { older: 0, later: 0, [build]: -1e9 });
    only('later');
    await world.watch();
    await world.apply(aJob('demo', { completions: PODS, parallelism: AT_ONCE, completionMode: 'Indexed' }));
    await world.until(() => world.podsEver.size > AT_ONCE);
    only('older');
    const passesBefore = world.passes.length;
    await runToEnd(world, 'demo');
    expect(batches.later).toBe(0);
    expect(world.passes.length).toBeGreaterThan(passesBefore + 3);
    const states = world.store.database.prepare('select state from heads').all();
    expect(states.map(({ state }) => JSON.parse(String(state)) as unknown)).toEqual([expect.objectContaining(LATER)]);
    const budget = await world.store.readNote('west', 'budget');
    expect(JSON.parse(budget?.body ?? '{}')).toMatchObject(LATER);
  });

  test('R1: view items of a later version count as missing for the older one: the Job ends with exact counts all the same', async () => {
    sideBySide(isNextVersion);
    await runs('demo');
    expect(Math.min(batches.older, batches.later)).toBeGreaterThan(5);
    expect(await deadLetters()).toEqual([0, 0, 0]);
  });

  test('messages of a later version wait for the later one, and none is dead', async () => {
    await world.watch();
    const { queue } = world;
    const send = queue.send.bind(queue);
    const asLater = (body: string): string => asNextVersionText(body);
    queue.send = async (name, messages) =>
      await send(name, name === 'events' ? messages.map((message) => ({ ...message, body: asLater(message.body) })) : messages);
    await world.apply(aJob('demo', { completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    // Rolled back with relays of the later build still there: the older functions leave their messages alone.
    await world.elapse(30, { play: false });
    expect(world.podsEver.size).toBe(0);
    expect(unreadable()).toBeGreaterThan(0);
    expect(await deadLetters()).toEqual([0, 0, 0]);
    expect(await states()).toEqual(['RelayTooNew']);
    // Functions of the later build are there again.
    const receive = queue.receive.bind(queue);
    queue.receive = async (name, options) =>
      (await receive(name, options)).map((message) =>
        name === 'events'
          ? { ...message, body: Buffer.from(asThisVersion(Buffer.from(message.body, 'base64'))).toString('base64') }
          : message,
      );
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 3 });
    expect(await deadLetters()).toEqual([0, 0, 0]);
    await heartbeat(world);
    expect(await states()).toEqual(['Watching']);
  });
});

const states = async (): Promise<string[]> =>
  clusterStatesOf((await readKnownCluster(world.ports, world.record)).facts, world.clock.nowMs()).map(({ state }) => state);

const asNextVersionText = (body: string): string => Buffer.from(asNextVersion(Buffer.from(body, 'base64'))).toString('base64');
