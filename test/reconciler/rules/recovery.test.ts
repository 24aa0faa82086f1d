// What was lost is brought back within bounds (docs/recovery.md): by timers between two sweeps, by a doubt that a heartbeat raised, by a
// second look at a cluster. R9, R1, R2, R14.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { reconcileBatch } from '../../../lib/reconciler/batch.ts';
import { readMarker } from '../../../lib/reconciler/cluster/heartbeats.ts';
import { sweep } from '../../../lib/reconciler/sweep.ts';
import { DIGEST_MISMATCH_SECONDS, STALE_MS, VISIBILITY_SECONDS } from '../../../lib/reconciler/head/timeouts.ts';
import { heartbeat } from '../../world/reporter.ts';
import { decodeAsk } from '../../../lib/wire/messages.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const depth = (name: 'wakes' | 'timers') => world.queue.depth(name);

describe('R9: lost wakes', () => {
  test('R9: a wake lost right after a sweep is found before the next one: timers look between them', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    world.wipeQueue();
    await world.sweep();
    await world.elapse(58);
    expect(world.podsEver.size).toBe(1);
  });

  test('R9: one wake that comes back again and again does not make the whole queue look late', async () => {
    for (const name of ['lost', 'poisoned']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    await world.report();
    const messages = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
    const { uid } = await world.keyOf('lost');
    const lost = messages.filter(({ body }) => body.includes(uid));
    await world.queue.delete(
      'wakes',
      lost.map(({ receiptHandle }) => receiptHandle),
    );
    await world.clock.advance(STALE_MS + 1_000);
    // The other one is visible again, received once, and as old.
    expect(await depth('wakes')).toMatchObject({ visible: 1 });
    await world.sweep();
    await world.run();
    expect([...(await world.pods())].map(({ metadata }) => metadata.labels?.['job-name'])).toContain('lost');
  });

  test('R9: a queue that cannot tell: wakes of several workloads received late keep sweep from sending them all again', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await world.apply(aJob(name));
    await world.report();
    const mute = Object.assign(Object.create(world.ports.queue) as typeof world.ports.queue, {
      depth: async () => ({ visible: 100, inFlight: 3, delayed: 0, dead: 0 }),
    });
    await world.clock.advance(STALE_MS + 1_000);
    const late = await world.queue.receive('wakes', { max: 3, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
    await reconcileBatch(late, { reconciler: world.reconciler, ports: world.ports, hasTime: () => true });
    const before = await depth('wakes');
    expect((await sweep({ ...world.ports, queue: mute })).woken).toBe(0);
    // But for the look at the cluster.
    expect(await depth('wakes')).toEqual({ ...before, visible: before.visible + 1 });
    // A minute later nobody says so any more.
    await world.clock.advance(61_000);
    expect((await sweep({ ...world.ports, queue: mute })).woken).toBeGreaterThan(0);
  });
});

describe('R2: lost news', () => {
  const metricsOf = (name: string) => world.metrics.filter(({ metric }) => metric === name).length;

  test('R2: a digest that differs is looked at again seconds later, not at the next heartbeat', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(10, { play: false });
    world.keepBack('Pod');
    for (const pod of await world.pods()) await world.end(pod, 0);
    await world.elapse(10, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBeUndefined();
    await heartbeat(world);
    await world.elapse(DIGEST_MISMATCH_SECONDS + 2, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(1);
    expect(metricsOf('ViewMismatches')).toBe(1);
  });

  test('R2: news that was merely on its way lists nothing', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(10, { play: false });
    for (const pod of await world.pods()) await world.end(pod, 0);
    await heartbeat(world);
    await world.elapse(10, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(1);
    expect(metricsOf('ViewMismatches')).toBe(0);
    // It has moved since: the relay tells of it again.
    const asks = await world.queue.receive(`relay-${CLUSTER}`, { max: 10, waitSeconds: 0, visibilitySeconds: 60 });
    expect(asks.map(({ body }) => decodeAsk(body))).toContainEqual(expect.objectContaining({ ask: 'workload' }));
  });
});

describe('R12: a full list', () => {
  test('R12: began as long ago as the relay says, whatever its clock shows', async () => {
    const hourAheadMs = world.clock.nowMs() + 3_600_000;
    await heartbeat(world, { fullList: { resourceVersion: '5', startedAtMs: hourAheadMs - 2_000 } }, { sentAtMs: hourAheadMs });
    expect((await readMarker(world.ports, CLUSTER))?.marker.fullList?.startedAtMs).toBe(world.clock.nowMs() - 2_000);
  });
});
