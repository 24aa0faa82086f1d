// R19: only a list proves absence; what a digest, a lost event or a relay's memory says is looked up live. R16: looking costs no write.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { jobFactsOf } from '../../../lib/kinds/job/terms/owner-facts.ts';
import { podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { readMarker } from '../../../lib/reconciler/cluster/heartbeats.ts';
import { sweep } from '../../../lib/reconciler/sweep.ts';
import { heartbeat, relist } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';
import { podsAt, toldPods } from '../../wire/told-children.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

/** Three pods run, all of it told. */
async function threeRun(): Promise<void> {
  await world.apply(aJob('demo', { completions: 6, parallelism: 3 }));
  await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 3, { seconds: 5 });
  await world.elapse(8, { play: false });
}

test('R19: a full list that comes in ranges is as good as one: nothing is listed live after it, and what it does not name is gone', async () => {
  await world.apply(aJob('demo', { completions: 60, parallelism: 60, completionMode: 'Indexed' }));
  await world.until(async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 60, { seconds: 20 });
  await world.elapse(8, { play: false });
  const [lost] = await world.pods();
  const { name = '', uid = '' } = lost?.metadata ?? {};
  const finalizers = { metadata: { finalizers: null } };
  await world.as('PATCH', PODS, { namespace: 'default', name, body: finalizers, type: 'application/merge-patch+json' });
  await world.as('DELETE', PODS, { namespace: 'default', name, body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 } });
  const before = world.cluster.calls.length;
  await relist(world, { wholePods: 25 });
  expect(await sweep(world.ports)).toMatchObject({ lookedUp: 0 });
  await world.elapse(70, { play: false });
  const calls = world.cluster.calls.slice(before);
  expect(calls.filter(({ verb }) => verb === 'list')).toEqual([]);
  // That it is gone has been seen: another one has its index.
  expect(calls.filter(({ verb, plural }) => verb === 'create' && plural === 'pods')).toHaveLength(1);
  expect((await world.pods()).map(({ metadata }) => metadata.uid)).not.toContain(uid);
  expect(await world.pods()).toHaveLength(60);
});

describe('R19: a watch that skips events', () => {
  test('R19: a digest that differs at two heartbeats has the workload listed live', async () => {
    await threeRun();
    await world.play();
    await world.settle();
    world.loseHeard();
    await heartbeat(world);
    await world.run();
    expect((await world.job('demo')).status?.succeeded).toBeUndefined();
    await world.clock.advance(60_000);
    await heartbeat(world);
    await world.run();
    expect((await world.job('demo')).status?.succeeded).toBe(3);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 6, mostActive: 3 });
  });

  test('R19: one that is settled by the events on their way has not', async () => {
    await threeRun();
    await world.play();
    await heartbeat(world);
    const lists = (): number => world.cluster.calls.filter(({ verb }) => verb === 'list').length;
    const before = lists();
    await world.report();
    await world.clock.advance(2_000);
    await world.run();
    await world.clock.advance(58_000);
    await heartbeat(world);
    await world.run();
    expect(lists()).toBe(before);
  });

  test('R19: a deletion that nobody told shows in the digest', async () => {
    await threeRun();
    for (const { metadata } of await world.pods()) {
      await world.as('PATCH', PODS, {
        namespace: 'default',
        name: metadata.name ?? '',
        body: { metadata: { finalizers: null } },
        type: 'application/merge-patch+json',
      });
      await world.as('DELETE', PODS, { namespace: 'default', name: metadata.name ?? '', body: { gracePeriodSeconds: 0 } });
    }
    await world.settle();
    world.loseHeard();
    await heartbeat(world);
    await world.clock.advance(60_000);
    await heartbeat(world);
    await world.run();
    expect((await world.pods()).length).toBe(3);
    await runToEnd(world, 'demo');
  });

  test('R19: a workload that the relay knows and the table does not is looked up', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.settle();
    world.loseHeard();
    await heartbeat(world);
    await world.run();
    expect(world.podsEver.size).toBe(1);
  });
});

describe('R19: full lists', () => {
  const unnamed = async (name: string): Promise<void> => {
    await world.as('DELETE', JOBS, { namespace: 'default', name, body: { propagationPolicy: 'Background' } });
    await world.settle();
    world.loseHeard();
  };

  test('R19: a known workload that a full list did not name is looked up live, and forgotten when it is gone', async () => {
    await threeRun();
    await world.apply(aJob('other', { completions: 1, parallelism: 1 }));
    await runToEnd(world, 'other');
    await world.elapse(10);
    const key = await world.keyOf('demo');
    await unnamed('demo');
    await relist(world);
    await world.run();
    expect(await world.store.readHead(key)).toBeDefined();
    const swept = await sweep(world.ports);
    expect(swept.lookedUp).toBe(1);
    await world.run();
    await world.elapse(5);
    expect(await world.store.readHead(key)).toBeUndefined();
    expect((await world.pods()).filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === key.uid)).toEqual([]);
    expect((await readMarker(world.ports, CLUSTER))?.marker.fullList).toBeUndefined();
    expect((await sweep(world.ports)).lookedUp).toBe(0);
  });

  test('R19: one that is still there although the list did not name it lives on', async () => {
    await threeRun();
    const { resourceVersion = '0' } = (await world.job('demo')).metadata;
    const floor = String(BigInt(resourceVersion) + 100n);
    await heartbeat(world, { fullList: { resourceVersion: floor, startedAtMs: world.clock.nowMs() } });
    await sweep(world.ports);
    await world.run();
    expect(await world.store.readHead(await world.keyOf('demo'))).toBeDefined();
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 6, mostActive: 3 });
  });

  test('R19, R2: an old list, told late, removes nothing that was heard after it', async () => {
    await world.apply(aJob('demo', { completions: 6, parallelism: 3 }));
    const job = await world.job('demo');
    const list = await world.as<{ metadata: { resourceVersion: string } }>('GET', PODS, {});
    await world.elapse(8, { play: false });
    const { namespace = '', name = '', uid = '' } = job.metadata;
    await world.send([
      {
        owner: { kind: 'Job', namespace, name, uid },
        observed: { heardAt: list.metadata.resourceVersion, deleted: false, object: jobFactsOf(job) },
        children: [toldPods([], { floor: list.metadata.resourceVersion, slots: 'all' })],
      },
    ]);
    await world.ingest();
    await world.elapse(5, { play: false });
    expect(world.podsEver.size).toBe(3);
  });

  test('R19: a list of some slots removes nothing in the others', async () => {
    await world.apply(aJob('demo', { completions: 60, parallelism: 60, completionMode: 'Indexed' }));
    await world.elapse(8, { play: false });
    const job = await world.job('demo');
    const pods = await world.pods();
    const list = await world.as<{ metadata: { resourceVersion: string } }>('GET', PODS, {});
    const floor = list.metadata.resourceVersion;
    const low = pods.map(podFactsOf).filter(({ index }) => Number(index) < 30);
    const { namespace = '', name = '', uid = '' } = job.metadata;
    await world.send([
      {
        owner: { kind: 'Job', namespace, name, uid },
        children: [{ ...podsAt(low, floor), whole: { floor, slots: { from: 0, to: 30 } } }],
      },
    ]);
    await world.ingest();
    await world.elapse(5, { play: false });
    expect(world.podsEver.size).toBe(60);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 60, mostActive: 60 });
  });
});

describe('R16: a converged workload costs nothing', () => {
  test('R16: heartbeats with digests for two hours, and a relist: no write, one wake at most', async () => {
    await threeRun();
    await world.apply(aJob('done', { completions: 3, parallelism: 3 }));
    await runToEnd(world, 'done');
    const endless = 'demo';
    await world.elapse(10, { play: false });
    const before = {
      writes: world.cluster.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list').length,
      passes: world.passes.length,
    };
    for (let minute = 0; minute < 120; minute++) {
      await world.clock.advance(60_000);
      await heartbeat(world);
      await world.sweep();
      await world.run();
    }
    expect(world.passes.length - before.passes).toBe(0);
    await relist(world);
    await world.run();
    await world.sweep();
    await world.run();
    for (let minute = 0; minute < 20; minute++) {
      await world.clock.advance(60_000);
      await heartbeat(world);
      await world.sweep();
      await world.run();
    }
    expect(world.passes.slice(before.passes).filter(({ key }) => key.name === endless).length).toBeLessThanOrEqual(1);
    expect(world.passes.slice(before.passes).filter(({ key }) => key.name === 'done').length).toBeLessThanOrEqual(1);
    expect(world.cluster.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list')).toHaveLength(before.writes);
    await expectQuiet(world, 1);
  });

  test('R16: a suspended one, one that waits for nobody and one that is not ours', async () => {
    await world.apply(aJob('suspended', { completions: 1, parallelism: 1, suspend: true }));
    await world.apply(aJob('idle', { completions: 1, parallelism: 0 }));
    await world.apply(aJob('foreign', { completions: 1, parallelism: 1, managedBy: 'example.com/other' }));
    await world.elapse(5);
    expect(world.podsEver.size).toBe(0);
    await expectQuiet(world, 60);
  });
});
