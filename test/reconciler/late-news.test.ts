// News of a workload that is over, told while passes forget it: they have looked at the cluster since, and need not be told again.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { aJob, World } from '../world/world.ts';
import { reportsOf } from '../world/reporter.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

test('R9: news whose workload is forgotten as often as it begins anew is given up, and is no dead letter', async () => {
  // More pods than a head takes: the news is written in several steps, between which a pass can forget the head.
  await world.apply(aJob('over', { completions: 30, parallelism: 30 }));
  await world.report();
  await world.run();
  await world.settle();
  const late = reportsOf(
    world.kinds,
    world.takeHeard().filter(({ type, object }) => type !== 'BOOKMARK' && object.kind === 'Pod'),
  );
  const [key] = (await world.store.workloads(world.record.name, { limit: 1 })).keys;
  if (!key || late.length === 0) throw new Error('there must be a workload, and news of it');
  const forget = async (): Promise<void> => await world.store.forget(key, (await world.store.readHead(key))?.fence ?? '');
  await forget();

  let forgotten = 0;
  world.interposer = async ({ method, phase }) => {
    if (method !== 'updateHead' || phase !== 'before' || (await world.store.readHead(key)) === undefined) return;
    forgotten += 1;
    await forget();
  };
  await world.send(late);
  await world.ingest();
  expect(forgotten).toBe(2);
  expect(await world.queue.depth('events')).toMatchObject({ visible: 0, inFlight: 0, delayed: 0, dead: 0 });
  expect(await world.store.readHead(key)).toBeUndefined();
});
