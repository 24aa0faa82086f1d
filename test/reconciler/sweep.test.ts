// Once a minute what was lost is mended; one bad item never ends it (R13). What heartbeats leave in the marker.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { newHead } from '../../lib/reconciler/head/heads.ts';
import { LARGEST_OFFSET_MS, readMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { heartbeat } from '../world/reporter.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

describe('sweep', () => {
  test('R13: a workload that cannot be mended does not keep it from the others, nor from ending', async () => {
    for (const name of ['a', 'bad', 'z']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    await world.report();
    world.wipeQueue();
    const { uid } = await world.keyOf('bad');
    await world.clock.advance(60_000);
    world.interposer = ({ port, method, args, phase }) => {
      if (port === 'store' && method === 'updateHead' && phase === 'before' && (args[0] as { uid: string }).uid === uid)
        throw new Error('throttled');
    };
    const swept = await sweep(world.ports);
    expect(swept.woken).toBe(2);
    expect(world.metrics.some(({ metric }) => metric === 'SweepsFinished')).toBe(true);
    world.interposer = undefined;
    expect((await sweep(world.ports)).woken).toBe(1);
    await world.run();
    expect(world.podsEver.size).toBe(3);
  });

  test('R13: after a full list, a workload that cannot be read does not keep it from the pages behind', async () => {
    for (const name of ['a', 'bad', 'c', 'd', 'e']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    await world.elapse(10);
    const bad = await world.keyOf('bad');
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'store' || phase !== 'before' || (method !== 'readHead' && method !== 'readHeads')) return;
      if ((args.flat() as { uid: string }[]).some(({ uid }) => uid === bad.uid)) throw new Error('not a head');
    };
    const version = String(Number((await world.store.readHead(await world.keyOf('a')))?.floor) + 1_000);
    await heartbeat(world, { fullList: { resourceVersion: version, startedAtMs: world.clock.nowMs() } });
    expect((await readMarker(world.ports, CLUSTER))?.marker.fullList).toBeDefined();
    const pages = { pageSize: 2, mostAtOnce: 500 };
    expect((await sweep(world.ports, pages)).lookedUp).toBe(4);
    // It is not forgotten, for it may have been the table.
    world.interposer = undefined;
    await sweep(world.ports, pages);
    expect(await world.store.readHead(bad)).toMatchObject({ era: -1 });
    expect((await readMarker(world.ports, CLUSTER))?.marker.fullList).toBeUndefined();
  });

  test('after a full list, the workloads of a large cluster are read together', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(10);
    const key = await world.keyOf('demo');
    const { floor = '0' } = (await world.store.readHead(key)) ?? {};
    const workloads = 1_000;
    for (let at = 0; at < workloads; at++)
      await world.store.createHead({ ...newHead(world.ports, { ...key, uid: `uid-${at}` }, world.record), era: world.record.era, floor });
    await world.clock.advance(1_000);
    await heartbeat(world, { fullList: { resourceVersion: floor, startedAtMs: world.clock.nowMs() } });
    const { requests } = world.store.meter;
    expect((await sweep(world.ports)).lookedUp).toBe(0);
    expect((await readMarker(world.ports, CLUSTER))?.marker.fullList).toBeUndefined();
    expect(world.store.meter.requests - requests).toBeLessThan(workloads / 10);
  });

  test('R1, R13: a full list without a namespace that nobody is let into ends and counts nothing there, and its Jobs go on once they may', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
    await world.elapse(10, { play: false });
    expect(world.podsEver.size).toBe(1);
    const key = await world.keyOf('demo');
    const version = String(Number((await world.store.readHead(key))?.floor) + 1_000);
    world.interposer = ({ port, phase }) => {
      if (port === 'cluster' && phase === 'before') throw new TerminalError('jobs.batch is forbidden', { code: 403 });
    };
    await heartbeat(world, { fullList: { resourceVersion: version, startedAtMs: world.clock.nowMs() } });
    expect((await sweep(world.ports)).lookedUp).toBe(1);
    await world.elapse(90, { play: false });
    expect(world.passes.some(({ outcome }) => outcome === 'parked' || outcome === 'forbidden')).toBe(true);
    expect(await world.store.readHead(key)).toBeDefined();
    world.interposer = undefined;
    await world.until(async () => (await world.job('demo')).status?.succeeded === 2, { seconds: 200 });
    expect(world.podsEver.size).toBe(2);
  });

  test('R9: it acts on the head, not on the index: one that has been looked at since is left alone', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await world.run();
    world.wipeQueue();
    const key = await world.keyOf('demo');
    // What a late index would still say.
    world.interposer = undefined;
    const lateIndex = Object.assign(Object.create(world.ports.store) as typeof world.ports.store, { pendingBefore: async () => [key] });
    const fence = (await world.store.readHead(key))?.fence;
    await world.clock.advance(60_000);
    expect((await sweep({ ...world.ports, store: lateIndex })).woken).toBe(0);
    expect((await world.store.readHead(key))?.fence).toBe(fence);
  });

  test('a cluster of which nothing was heard yet, or nothing since the table was lost, is told of until its first heartbeat', async () => {
    const told = (name: string): number => world.metrics.filter(({ metric }) => metric === name).length;
    await sweep(world.ports);
    expect([told('UnheardClusters'), told('WatchAge')]).toEqual([1, 0]);
    await heartbeat(world);
    await sweep(world.ports);
    expect([told('UnheardClusters'), told('WatchAge')]).toEqual([1, 1]);
  });

  test("dead letters of a relay's queue are told of once in ten minutes, however long sweeps take", async () => {
    const queue = `relay-${CLUSTER}` as const;
    await world.queue.send(queue, [{ body: 'no ask' }]);
    for (let time = 0; time < 6; time += 1) {
      await world.queue.receive(queue, { max: 10, waitSeconds: 0, visibilitySeconds: 1 });
      await world.clock.advance(2_000);
    }
    const told = (): number => world.metrics.filter(({ metric }) => metric === 'RelayDeadLetters').length;
    const toldAfterTens: number[] = [];
    await world.clock.advance(60_000 - (world.clock.nowMs() % 60_000) + 30_000);
    for (let minute = 1; minute <= 60; minute += 1) {
      const takesMs = minute % 2 === 0 ? 50_000 : 1_000;
      const renewCredential = async (): Promise<boolean> => {
        await world.clock.advance(takesMs);
        return false;
      };
      await sweep({ ...world.ports, renewCredential });
      await world.clock.advance(60_000 - takesMs);
      if (minute % 10 === 0) toldAfterTens.push(told());
    }
    expect(toldAfterTens).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("dead letters of a relay's queue are told of every ten minutes as long as they lie there; one queue that cannot be asked hides no other's", async () => {
    const record = await world.ports.clusters.get(CLUSTER);
    if (!record) throw new Error('not registered');
    const clusters = Object.assign(Object.create(world.ports.clusters) as typeof world.ports.clusters, {
      list: async () => [{ ...record, name: 'another' }, record],
    });
    const told = (): unknown[] =>
      world.metrics.filter(({ metric }) => metric === 'RelayDeadLetters').map(({ value, dimensions }) => ({ value, dimensions }));
    const sweepFor = async (minutes: number): Promise<void> => {
      for (let minute = 0; minute < minutes; minute += 1) {
        await world.clock.advance(60_000);
        await sweep({ ...world.ports, clusters });
      }
    };
    await sweepFor(10);
    expect(told()).toEqual([]);
    const queue = `relay-${CLUSTER}` as const;
    await world.queue.send(queue, [{ body: 'no ask' }, { body: 'none either' }]);
    for (let time = 0; time < 5; time += 1) {
      await world.queue.receive(queue, { max: 10, waitSeconds: 0, visibilitySeconds: 1 });
      await world.clock.advance(2_000);
    }
    await world.queue.receive(queue, { max: 10, waitSeconds: 0, visibilitySeconds: 1 });
    world.interposer = ({ port, method, args, phase }) => {
      if (port === 'queue' && method === 'depth' && args[0] === 'relay-another' && phase === 'before') throw new Error('no such queue');
    };
    await sweepFor(20);
    const found = { value: 2, dimensions: { cluster: CLUSTER } };
    expect(told()).toEqual([found, found]);
    expect(world.log).toContainEqual(expect.objectContaining({ level: 'warn', message: "dead letters of a relay's queue not counted" }));
    world.interposer = undefined;
    expect(await world.queue.redrive(queue)).toBe(2);
    await sweepFor(10);
    expect(told()).toHaveLength(2);
  });

  test('two sweeps at once wake a stale workload once', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    world.wipeQueue();
    await world.clock.advance(60_000);
    const [one, other] = await Promise.all([sweep(world.ports), sweep(world.anotherProcess().ports)]);
    expect((one?.woken ?? 0) + (other?.woken ?? 0)).toBe(1);
    // And one asks for a look at the cluster.
    expect((await world.queue.depth('wakes')).visible).toBe(2);
  });

  test('R11: more wakes that come due in one minute than a page of the index holds are all woken by one sweep', async () => {
    const { store, clock } = world;
    const count = 1_200;
    const bornAtMs = clock.nowMs();
    for (let at = 0; at < count; at += 1) {
      const key: WorkloadKey = { cluster: CLUSTER, kind: 'Job', namespace: 'default', name: `j-${at}`, uid: `uid-${at}` };
      const head = { key, era: 0, bornAtMs, items: [], floor: '0', fence: `f-${at}`, openedAtMs: bornAtMs, state: '{}', viewVersion: 0 };
      await store.createHead({ ...head, wake: { dueAtMs: bornAtMs + 3_600_000, attempt: 0 } });
    }
    world.wipeQueue();
    await clock.advance(3_600_000);
    expect((await sweep(world.ports)).due).toBe(count);
    // And one asks for a look at the cluster.
    expect((await world.queue.depth('wakes')).visible).toBe(count + 1);
  });

  test('a relay that has been silent for three minutes is an alarm', async () => {
    await heartbeat(world);
    await world.clock.advance(179_000);
    expect((await sweep(world.ports)).silentClusters).toEqual([]);
    await world.clock.advance(2_000);
    expect((await sweep(world.ports)).silentClusters).toEqual([CLUSTER]);
    expect(world.log).toContainEqual(expect.objectContaining({ level: 'error', message: 'relay is silent' }));
    await heartbeat(world);
    expect((await sweep(world.ports)).silentClusters).toEqual([]);
  });
});

describe('heartbeats', () => {
  test('the marker holds session, watch ages and the offset of the clock, which is bounded (R12)', async () => {
    await heartbeat(world, { clockOffsetMs: 1_500 }, { session: 'one' });
    expect((await readMarker(world.ports, CLUSTER))?.marker).toMatchObject({
      session: 'one',
      clockOffsetMs: 1_500,
      heardAtMs: world.clock.nowMs(),
    });
    await heartbeat(world, { clockOffsetMs: 9_999_999_999 }, { session: 'two' });
    expect((await readMarker(world.ports, CLUSTER))?.marker).toMatchObject({ session: 'two', clockOffsetMs: LARGEST_OFFSET_MS });
    await heartbeat(world, { clockOffsetMs: -9_999_999_999 });
    expect((await readMarker(world.ports, CLUSTER))?.marker.clockOffsetMs).toBe(-LARGEST_OFFSET_MS);
  });

  test('a marker that cannot be read counts as none (R1)', async () => {
    await heartbeat(world);
    world.store.database.exec("update notes set body = '[]' where name = 'relay'");
    expect(await readMarker(world.ports, CLUSTER)).toBeUndefined();
    await heartbeat(world);
    expect(await readMarker(world.ports, CLUSTER)).toBeDefined();
  });

  test('two heartbeats at once leave one of both', async () => {
    await Promise.all([heartbeat(world, {}, { session: 'one' }), heartbeat(world, {}, { session: 'two' })]);
    expect(['one', 'two']).toContain((await readMarker(world.ports, CLUSTER))?.marker.session);
  });

  test('a digest that matches leaves no suspect', async () => {
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.elapse(10, { play: false });
    await heartbeat(world);
    expect((await readMarker(world.ports, CLUSTER))?.marker.suspects).toEqual({});
    await world.play();
    await heartbeat(world);
    expect(Object.keys((await readMarker(world.ports, CLUSTER))?.marker.suspects ?? {})).toHaveLength(1);
    await world.elapse(10, { play: false });
    await heartbeat(world);
    expect((await readMarker(world.ports, CLUSTER))?.marker.suspects).toEqual({});
  });
});
