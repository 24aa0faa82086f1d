// A cluster that is being removed, with work on it and a relay that speaks on: nothing is done there, and what is forgotten stays forgotten.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sweep } from '../../lib/reconciler/sweep.ts';
import { aJob, World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

test('no pod is made, nothing is learnt anew, and nobody is alarmed', async () => {
  await world.apply(aJob('begun', { completions: 3, parallelism: 1 }));
  await world.report();
  await world.run();
  const { name } = world.record;
  const { keys } = await world.store.workloads(name, { limit: 10 });
  expect([world.podsEver.size, keys.length]).toEqual([1, 1]);

  world.record = { ...world.record, leaving: true };
  for (const key of keys) await world.store.forget(key, (await world.store.readHead(key))?.fence ?? '');
  await world.apply(aJob('late', { completions: 1, parallelism: 1 }));
  await world.report();
  await world.run();
  for (const key of keys) expect(await world.reconciler.reconcile(key)).toBe('done');
  const [asked, told] = [(await world.queue.depth('wakes')).visible, world.metrics.length];
  await sweep(world.ports);
  expect((await world.queue.depth('wakes')).visible).toBe(asked);
  expect(await world.store.workloads(name, { limit: 10 })).toMatchObject({ keys: [] });
  expect(world.podsEver.size).toBe(1);
  expect((await world.job('late')).status ?? {}).toEqual({});
  expect(world.metrics.slice(told).map(({ metric }) => metric)).toEqual(['SweepsFinished']);
  expect(world.metrics.filter(({ metric }) => metric === 'RefusedMessages')).toEqual([]);
});

test('what is pending there is neither woken nor counted as lost, and keeps nobody from being found; registered again, it is looked at', async () => {
  await world.apply(aJob('begun', { completions: 3, parallelism: 1 }));
  await world.report();
  await world.run();
  const { keys } = await world.store.workloads(world.record.name, { limit: 10 });
  const [key] = keys;
  if (!key) throw new Error('no workload');
  const { fence } = (await world.store.readHead(key)) ?? {};
  await world.store.updateHead(key, {}, { queued: fence ?? null, pendingSinceMs: world.clock.nowMs() });
  const stay = world.record;
  const stale = (): number => world.metrics.filter(({ metric }) => metric === 'StaleWakes').length;
  for (const look of ['a sweep', 'between two sweeps']) {
    world.record = { ...stay, leaving: true };
    await world.clock.advance(40_000);
    if (look === 'a sweep') await sweep(world.ports);
    else await world.run();
    expect([look, stale(), await world.store.pendingBefore(world.clock.nowMs() - 30_000, 10)]).toEqual([look, 0, []]);
  }
  world.record = stay;
  await world.clock.advance(40_000);
  await sweep(world.ports);
  expect(stale()).toBe(1);
});

async function begunAndStale(): Promise<void> {
  await world.apply(aJob('begun', { completions: 3, parallelism: 1 }));
  await world.report();
  await world.run();
  const { keys } = await world.store.workloads(world.record.name, { limit: 10 });
  for (const key of keys) await world.store.updateHead(key, {}, { pendingSinceMs: world.clock.nowMs() });
  await world.clock.advance(40_000);
}

test('where records cannot be read just now, what is stale is woken all the same', async () => {
  await begunAndStale();
  const list = (): Promise<never> => Promise.reject(new Error('the table does not answer'));
  await expect(sweep({ ...world.ports, clusters: { ...world.ports.clusters, list } })).rejects.toThrow('does not answer');
  expect(world.metrics.filter(({ metric }) => metric === 'StaleWakes')).toHaveLength(1);
});

test('records that could not be read once keep the sweep from nothing: they are read again', async () => {
  await begunAndStale();
  let asked = 0;
  const list = (): ReturnType<typeof world.ports.clusters.list> => {
    asked += 1;
    return asked === 1 ? Promise.reject(new Error('the table does not answer')) : world.ports.clusters.list();
  };
  const clusters = { ...world.ports.clusters, list };
  expect((await sweep({ ...world.ports, clusters })).woken).toBe(1);
  expect(world.metrics.filter(({ metric }) => metric === 'SweepsFinished')).toHaveLength(1);
});
