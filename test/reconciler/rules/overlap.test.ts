// R8: passes overlap, freeze and thaw, and people edit in the middle of a pass; correctness never rests on a lock.
import { describe, expect, jest, test } from '@jest/globals';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { sendWake } from '../../../lib/reconciler/head/wake.ts';
import type { Enumeration } from '../../world/enumerate.ts';
import { enumerateFaults } from '../../world/enumerate.ts';
import { expectCompleted, expectQuiet, idle, runToEnd } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

jest.setTimeout(240_000);

const patchJob = (world: World, patch: object): Promise<unknown> =>
  world
    .as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: patch, type: 'application/merge-patch+json' })
    // A Job that is over takes no edit.
    .catch(() => {});
const deleteJob = (world: World): Promise<unknown> =>
  world.as('DELETE', JOBS, {
    namespace: 'default',
    name: 'demo',
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
  });

const inAPass: Enumeration['fits'] = ({ phase, port, method }) =>
  phase === 'before' && port !== 'clusters' && port !== 'recorder' && !(port === 'queue' && method === 'depth') && method !== 'readNote';

const freezeFor =
  (seconds: number): Enumeration['fault'] =>
  async (world, process) => {
    void world.clock.wait(seconds * 1000).then(() => process.thaw());
    await process.freeze();
  };

describe.each([
  { name: 'NonIndexed', spec: { completions: 3, parallelism: 2 } },
  { name: 'Indexed', spec: { completions: 3, parallelism: 2, completionMode: 'Indexed' as const } },
])('R8: a $name Job', ({ spec }) => {
  const run = async (world: World): Promise<void> => {
    await world.apply(aJob('demo', spec));
    await runToEnd(world, 'demo');
  };
  const check = async (world: World): Promise<void> => {
    for (const seconds of [2, 3, 10, 30, 15, 10]) await idle(world, seconds);
    await expectCompleted(world, 'demo', { succeeded: 3, mostActive: 2 });
    await expectQuiet(world, 1);
  };

  test('R8: a pass frozen before any call thaws 3 s later, and another has overtaken it', async () => {
    await enumerateFaults({ fits: inAPass, fault: freezeFor(3), run, check, least: 30 });
  });

  test('R8, R17: a pass frozen before any call thaws a minute later: it sends nothing any more', async () => {
    await enumerateFaults({ fits: inAPass, fault: freezeFor(60), run, check, least: 30 });
  });
});

describe('R8: an edit in the middle of a pass', () => {
  const spec = { completions: 4, parallelism: 2 };
  const run = async (world: World): Promise<void> => {
    await world.apply(aJob('demo', spec));
    await world.elapse(8);
  };
  const onTheCluster: Enumeration['fits'] = ({ phase, port, method }) =>
    phase === 'before' && (port === 'cluster' || method === 'updateHead');

  test('R8: suspended before any call: no pod runs any more; resumed, it ends with exact counts', async () => {
    await enumerateFaults({
      fits: onTheCluster,
      fault: async (world) => void (await patchJob(world, { spec: { suspend: true } })),
      run,
      check: async (world) => {
        await world.elapse(5);
        const { spec: stands, status } = await world.job('demo');
        if (stands.suspend === true && !conditionsOf({ ...(await world.job('demo')) }).includes('Complete')) {
          expect(conditionsOf(await world.job('demo'))).toContain('Suspended');
          expect(status?.active ?? 0).toBe(0);
          expect((await world.pods()).filter(({ status: { phase } = {} }) => phase === 'Running' || phase === 'Pending')).toEqual([]);
        }
        await patchJob(world, { spec: { suspend: false } });
        await runToEnd(world, 'demo');
        expect((await world.job('demo')).status?.succeeded).toBe(4);
        expect(world.mostActive.get('demo')).toBeLessThanOrEqual(2);
        await expectQuiet(world, 1);
      },
      least: 15,
    });
  });

  test('R8: parallelism lowered before any call: one pod runs at a time from then on, and the counts are exact', async () => {
    await enumerateFaults({
      fits: onTheCluster,
      fault: async (world) => void (await patchJob(world, { spec: { parallelism: 1 } })),
      run,
      check: async (world) => {
        await runToEnd(world, 'demo');
        expect((await world.job('demo')).status?.succeeded).toBe(4);
        expect(world.mostActive.get('demo')).toBeLessThanOrEqual(2);
        await expectQuiet(world, 1);
      },
      least: 15,
    });
  });

  test('R8: deleted before any call: no pod and no head stays behind', async () => {
    await enumerateFaults({
      fits: onTheCluster,
      fault: async (world) => void (await deleteJob(world)),
      run,
      check: async (world) => {
        if (world.podsEver.size > 0 || (await world.store.workloads('west', { limit: 10 })).keys.length > 0) {
          await deleteJob(world).catch(() => {});
        }
        await world.elapse(10);
        for (const seconds of [30, 60, 5, 20]) await idle(world, seconds);
        expect(await world.pods()).toEqual([]);
        expect((await world.store.workloads('west', { limit: 10 })).keys).toEqual([]);
        await expectQuiet(world, 1);
      },
      least: 15,
    });
  });

  test('R8: deleted and made again under the same name before any call: the new one runs by itself', async () => {
    await enumerateFaults({
      fits: onTheCluster,
      fault: async (world) => {
        await deleteJob(world);
        await world.apply(aJob('demo', spec));
      },
      run,
      check: async (world) => {
        await runToEnd(world, 'demo');
        for (const seconds of [10, 50, 10]) await idle(world, seconds);
        const { status, metadata } = await world.job('demo');
        expect(status?.succeeded).toBe(4);
        const pods = await world.pods();
        expect(pods.map(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid)).toEqual(Array(4).fill(metadata.uid));
        expect((await world.store.workloads('west', { limit: 10 })).keys).toHaveLength(1);
        await expectQuiet(world, 1);
      },
      least: 15,
    });
  });

  test('R8: a pod deleted by somebody before any call is replaced once', async () => {
    await enumerateFaults({
      fits: onTheCluster,
      fault: async (world) => {
        const [pod] = (await world.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        if (pod) await world.as('DELETE', PODS, { namespace: 'default', name: pod.metadata.name ?? '' });
      },
      run,
      check: async (world) => {
        await runToEnd(world, 'demo');
        expect((await world.job('demo')).status?.succeeded).toBe(4);
        expect(world.mostActive.get('demo')).toBeLessThanOrEqual(2);
        const names = [...world.podsEver.values()].map(({ metadata }) => metadata.name);
        expect(new Set(names).size).toBe(names.length);
        await expectQuiet(world, 1);
      },
      least: 15,
    });
  });
});

describe('R8: the fence', () => {
  /** A pass stands still before a call that `at` picks, another one runs from beginning to end, then the first goes on. */
  async function overtakenAt(at: (method: string, change: { state?: string; fence?: string }) => boolean): Promise<World> {
    const world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    await world.report();
    const key = await world.keyOf('demo');
    const other = world.anotherProcess();
    let stood = false;
    world.interposer = async ({ port, method, args, phase }) => {
      if (stood || port !== 'store' || phase !== 'before' || !at(method, args[2] ?? {})) return;
      stood = true;
      await other.reconciler.reconcile(key);
      world.cluster.calls.splice(0);
    };
    expect(await world.reconciler.reconcile(key)).toBe('failed');
    expect(stood).toBe(true);
    world.interposer = undefined;
    return world;
  }

  test('R8: a pass overtaken before its intent is written does nothing, and wakes the key', async () => {
    const world = await overtakenAt((method, { state, fence }) => method === 'updateHead' && state !== undefined && fence === undefined);
    expect(world.cluster.writes).toEqual([]);
    expect(world.passes.at(-1)?.outcome).toBe('overtaken');
    const head = await world.store.readHead(await world.keyOf('demo'));
    expect(head?.queued).toBe(head?.fence);
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
    world.close();
  });

  test('R8: a pass overtaken before it closes leaves the head to the later one', async () => {
    let writes = 0;
    const world = await overtakenAt(
      (method, { state, fence }) => method === 'updateHead' && state !== undefined && fence === undefined && ++writes === 2,
    );
    const head = await world.store.readHead(await world.keyOf('demo'));
    const [later] = world.passes;
    expect(head?.fence).toBe(later?.passId);
    expect(world.passes.map(({ outcome }) => outcome).at(-1)).toBe('overtaken');
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
    world.close();
  });
});

test('R9: the wake of an overtaken pass is back in a second, and with it the wake that it keeps waiting', async () => {
  const world = new World();
  try {
    await world.watch();
    await world.apply(aJob('demo', { completions: 4, parallelism: 2 }));
    await world.report();
    const key = await world.keyOf('demo');
    world.interposer = async ({ port, method, phase }) => {
      if (port !== 'cluster' || method !== 'get' || phase !== 'before') return;
      world.interposer = undefined;
      // As a sweep does with a head that it takes for stale.
      await world.store.updateHead(key, {}, { fence: 'another', queued: 'another' });
      await sendWake({ queue: world.queue }, key, 'another');
    };
    await world.run();
    expect(world.passes.map(({ outcome }) => outcome)).toEqual(['overtaken']);
    expect(await world.pods()).toEqual([]);
    await world.clock.advance(2_000);
    await world.run();
    expect(await world.pods()).toHaveLength(2);
    expect(await world.queue.depth('wakes')).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 4, mostActive: 2 });
  } finally {
    world.close();
  }
});

test('R8: every write carries its own precondition', async () => {
  const world = new World();
  try {
    await world.watch();
    await world.apply(aJob('demo', { completions: 6, parallelism: 3, backoffLimit: 2 }));
    await world.elapse(3, { play: false });
    await patchJob(world, { spec: { parallelism: 1 } });
    await world.elapse(3, { play: false });
    await patchJob(world, { spec: { parallelism: 4 } });
    await runToEnd(world, 'demo');
    const { writes } = world.cluster;
    expect(new Set(writes.map(({ verb, subresource }) => `${verb} ${subresource ?? ''}`.trim()))).toEqual(
      new Set(['create', 'delete', 'patch', 'patch status']),
    );
    for (const { verb, subresource, name, body } of writes) {
      const { metadata, preconditions } = body as {
        metadata?: { uid?: string; resourceVersion?: string };
        preconditions?: { uid?: string; resourceVersion?: string };
      };
      if (verb === 'create') expect(name).not.toBe('');
      // Every pod deleted here was active: its version is part of what was judged.
      else if (verb === 'delete') expect(preconditions).toEqual({ uid: expect.any(String), resourceVersion: expect.any(String) });
      else if (subresource === 'status') expect(metadata).toEqual({ uid: expect.any(String), resourceVersion: expect.any(String) });
      else expect(metadata?.uid).toEqual(expect.any(String));
    }
  } finally {
    world.close();
  }
});
