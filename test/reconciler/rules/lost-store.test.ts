// R1: the cluster is the only truth. Store and queue may be lost, torn or replaced by an old copy at any moment.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { JOBS, PODS, type Resource } from '../../../lib/objects/resources.ts';
import { decodeAsk } from '../../../lib/wire/messages.ts';
import { heartbeat, relist } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

let world: World;
afterEach(() => world.close());

const COMPLETIONS = 24;

const change = async (resource: Resource, name: string, body: object): Promise<unknown> =>
  await world.as('PATCH', resource, { namespace: 'default', name, body, type: 'application/merge-patch+json' });

const named = async ({ metadata: { name = '' } }: Pod): Promise<Pod> => await world.as<Pod>('GET', PODS, { namespace: 'default', name });

/** An Indexed Job of which some pods have ended, some run and some are yet to come; large enough for view items beside the head. */
async function inTheMiddle(): Promise<void> {
  world = new World();
  await world.watch();
  await world.apply(aJob('demo', { completions: COMPLETIONS, parallelism: 22, completionMode: 'Indexed' }));
  await world.until(async () => ((await world.job('demo')).status?.succeeded ?? 0) === 0 && world.podsEver.size === 22, { play: false });
  for (const pod of (await world.pods()).slice(0, 6)) await world.startPod(pod);
  for (const pod of (await world.pods()).slice(0, 3)) await world.end(pod, 0);
}

async function right(): Promise<void> {
  await runToEnd(world, 'demo');
  await expectCompleted(world, 'demo', { succeeded: COMPLETIONS, mostActive: 22 });
  await expectQuiet(world, 2);
}

describe('R1: lost', () => {
  test('R1: store and queue dropped in the middle: nothing is done for 30 s after the next word, then the Job ends with exact counts', async () => {
    await inTheMiddle();
    world.store.wipe();
    world.wipeQueue();
    await relist(world);
    const [wipedAtMs, writes] = [world.clock.nowMs(), world.cluster.writes.length];
    await world.elapse(28, { play: false });
    expect(world.cluster.writes).toHaveLength(writes);
    await world.until(() => world.cluster.writes.length > writes, { play: false, seconds: 10 });
    expect(world.clock.nowMs() - wipedAtMs).toBeGreaterThanOrEqual(30_000);
    expect(world.clock.nowMs() - wipedAtMs).toBeLessThanOrEqual(33_000);
    await right();
  });

  test('R1: no list follows: the next event of any pod is enough', async () => {
    await inTheMiddle();
    await world.report();
    world.store.wipe();
    world.wipeQueue();
    await right();
  });

  test('R1: the relay is asked for all of it as soon as its heartbeat is not known', async () => {
    await inTheMiddle();
    await heartbeat(world);
    const asks = async (): Promise<unknown[]> =>
      (await world.queue.receive(`relay-${CLUSTER}`, { max: 10, waitSeconds: 0, visibilitySeconds: 600 })).map(({ body }) =>
        decodeAsk(body),
      );
    await asks();
    await heartbeat(world);
    expect(await asks()).toEqual([]);
    world.store.wipe();
    await heartbeat(world);
    expect(await asks()).toMatchObject([{ ask: 'everything', era: 0 }]);
  });

  test('R1: a wipe right before the finalizers come off loses no count and counts nothing twice', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    let wiped = false;
    world.interposer = ({ port, method, args, phase }) => {
      if (wiped || port !== 'cluster' || method !== 'patch' || phase !== 'before') return;
      if ((args[1] as { subresource?: string }).subresource === 'status') return;
      wiped = true;
      world.store.wipe();
    };
    await runToEnd(world, 'demo');
    expect(wiped).toBe(true);
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
  });

  test('R1: numbers lost with the head go on above the highest that the live list shows', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 6, parallelism: 2 }));
    await world.until(async () => ((await world.job('demo')).status?.succeeded ?? 0) >= 2);
    world.store.wipe();
    await relist(world);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 6, mostActive: 2 });
    const names = [...world.podsEver.values()].map(({ metadata }) => metadata.name);
    expect(new Set(names).size).toBe(6);
  });

  test('R1: a suspended Job has a history too: resumed after the loss, it waits until no earlier pass can be at work on it', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.elapse(2, { play: false });
    await change(JOBS, 'demo', { spec: { suspend: true } });
    await world.until(async () => (await world.pods()).length === 0);
    world.store.wipe();
    world.wipeQueue();
    await change(JOBS, 'demo', { spec: { suspend: false } });
    await world.elapse(28, { play: false });
    expect(await world.pods()).toEqual([]);
    await world.elapse(5, { play: false });
    expect(await world.pods()).toHaveLength(2);
  });

  test.each([1, 2, 3])('R1, R19: of %i pods the label was edited, nobody tells of them after the loss: they are found', async (edited) => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    await world.until(async () => (await world.pods()).length === 3, { play: false });
    const labels = { 'batch.kubernetes.io/controller-uid': 'another' };
    const pods = (await world.pods()).slice(0, edited);
    for (const { metadata } of pods) await change(PODS, metadata.name ?? '', { metadata: { labels } });
    world.loseHeard();
    world.store.wipe();
    world.wipeQueue();
    await change(JOBS, 'demo', { metadata: { labels: { edited: 'yes' } } });
    await world.until(async () => (await world.pods()).filter(({ metadata }) => metadata.ownerReferences === undefined).length === edited, {
      play: false,
    });
    for (const pod of pods) expect((await named(pod)).metadata.finalizers ?? []).toEqual([]);
    expect(await world.pods()).toHaveLength(3 + edited);
  });

  test('R1: a delayed wake that finds no table left brings its workload back, though nobody tells of it any more', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(10, { play: false });
    for (const pod of await world.pods()) await world.startPod(pod);
    await world.elapse(10, { play: false });
    await change(JOBS, 'demo', { metadata: { labels: { edited: 'yes' } } });
    await world.report();
    await world.run();
    for (const pod of await world.pods()) await world.end(pod, 0);
    await world.report();
    expect((await world.queue.depth('timers')).delayed).toBe(1);
    world.store.wipe();
    await world.elapse(35, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(1);
  });

  test('R1: a Job without a history does not wait', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    const appliedAtMs = world.clock.nowMs();
    await world.report();
    await world.run();
    expect(await world.pods()).toHaveLength(2);
    expect(world.clock.nowMs()).toBe(appliedAtMs);
  });
});

describe('R1: an old copy in its place', () => {
  test.each([0, 5, 40])('R1, R18: put back %i s later, the Job ends with exact counts', async (seconds) => {
    await inTheMiddle();
    await world.report();
    const copy = world.copyStore();
    await world.elapse(seconds, { play: seconds > 5 });
    const before = (await world.job('demo')).status?.succeeded ?? 0;
    expect(before).toBe({ 0: 0, 5: 3 }[seconds] ?? COMPLETIONS);
    world.restoreStore(copy);
    await right();
  });

  test.each([1, 2, 3, 4, 5, 6])('R1, R18: of a Job without indexes, put back %i turns later', async (turns) => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 6, parallelism: 2 }));
    await world.until(async () => ((await world.job('demo')).status?.active ?? 0) === 2, { play: false });
    const copy = world.copyStore();
    for (let turn = 0; turn < turns; turn++) {
      await world.play();
      await world.clock.advance(1_000);
      await world.report();
      await world.run();
    }
    world.restoreStore(copy);
    await relist(world);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 6, mostActive: 2 });
  });
});

describe('R1: a missing item', () => {
  test.each([
    ['is missing', "delete from items where name = 'pods/40/0'"],
    ['cannot be read', "update items set bytes = x'00ff' where name = 'pods/40/0'"],
  ])('R1: an item that the head names %s: its pods are not taken for gone', async (_, sql) => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 60, parallelism: 60 }));
    await world.elapse(12, { play: false });
    const [pod] = (await world.pods()).filter(({ metadata }) => metadata.annotations?.['farloop.dev/number'] === '50');
    if (!pod) throw new Error('no pod of that number');
    await world.startPod(pod);
    await world.elapse(8, { play: false });
    const { changes } = world.store.database.prepare(sql).run();
    expect(changes).toBe(1);
    // News of a pod in another item: nothing touches the missing one.
    await world.end(pod, 0);
    await world.elapse(30, { play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(1);
    expect(world.podsEver.size).toBe(60);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 60, mostActive: 60 });
  });
});

describe('R1: torn', () => {
  const damage = (sql: string): void => world.store.database.exec(sql);

  test.each([
    ['a view item is missing', "delete from items where name = (select name from items where name like 'pods/%' limit 1)"],
    ['a view item cannot be read', "update items set bytes = x'00ff'"],
    ['the head cannot be read', "update heads set state = 'not a state'"],
    ['the view in the head cannot be read', "update heads set view = x'01' where view is not null"],
  ])('R1: %s: the children are listed live first', async (_, sql) => {
    await inTheMiddle();
    await world.report();
    damage(sql);
    await right();
  });
});
