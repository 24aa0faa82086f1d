// R9, R12, R13, R14: the trouble of one pass, one workload or one clock stays its own.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { JOBS } from '../../../lib/objects/resources.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { WriteBudget } from '../../../lib/reconciler/cluster/budget.ts';
import { encodeState, initialState } from '../../../lib/reconciler/head/pass-state.ts';
import { troubleOf } from '../../../lib/reconciler/cluster/reachability.ts';
import { sweep } from '../../../lib/reconciler/sweep.ts';
import { SOON_MS, wake } from '../../../lib/reconciler/head/wake.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

const HOUR_MS = 3_600_000;

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

const silence = (): Promise<unknown> => troubleOf(world.ports, CLUSTER);

describe('R14: a silent cluster is one that does not answer', () => {
  test('R14: not one whose pass was held up until its own deadline', async () => {
    await world.apply(aJob('slow', { completions: 1, parallelism: 1 }));
    await world.report();
    let isHeldUp = false;
    world.interposer = async ({ port, method, phase }) => {
      if (isHeldUp || port !== 'cluster' || method !== 'get' || phase !== 'before') return;
      isHeldUp = true;
      await world.clock.advance(25_000);
    };
    await world.reconciler.reconcile(await world.keyOf('slow'));
    expect(isHeldUp).toBe(true);
    expect(world.podsEver.size).toBe(0);
    expect(await silence()).toBeUndefined();
    await world.elapse(3, { play: false });
    expect(world.podsEver.size).toBe(1);
  });

  test('R13: not one that keeps us from a single workload: that is parked, and no other is put off', async () => {
    await world.apply(aJob('bad', { completions: 1, parallelism: 1 }));
    world.interposer = ({ port, args, phase }) => {
      const named = args.some((arg) => typeof arg === 'object' && arg !== null && Reflect.get(arg, 'name') === 'bad');
      if (port === 'cluster' && phase === 'before' && named)
        throw new TerminalError('jobs "bad" is forbidden', { code: 403, reason: 'Forbidden' });
    };
    await world.elapse(2, { play: false });
    for (const name of ['a', 'b', 'c']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    await world.elapse(1, { play: false });
    expect(await silence()).toBeUndefined();
    expect(world.passes.filter(({ outcome }) => outcome === 'putOff')).toEqual([]);
    expect(world.podsEver.size).toBe(3);
    world.interposer = undefined;
    await world.until(() => world.podsEver.size === 4, { play: false, seconds: 130 });
  });
});

describe('R13: a parked workload', () => {
  test('R13: goes on within five minutes of its cause being mended elsewhere, however long it was parked', async () => {
    await world.apply(aJob('bad', { completions: 1, parallelism: 1 }));
    let isRefused = false;
    world.interposer = ({ port, method, args, phase }) => {
      const isStatus = args.some((arg) => typeof arg === 'object' && arg !== null && Reflect.get(arg, 'subresource') === 'status');
      if (port !== 'cluster' || method !== 'patch' || phase !== 'before' || !isStatus) return;
      isRefused = true;
      throw new TerminalError('the status is refused', { code: 422, reason: 'Invalid' });
    };
    await world.until(() => world.passes.some(({ outcome }) => outcome === 'parked'), { play: false, seconds: 60 });
    await world.elapse(4_000, { play: false });
    expect(isRefused).toBe(true);
    world.interposer = undefined;
    await world.until(async () => (await world.job('bad')).status?.startTime !== undefined, { play: false, seconds: 300 });
  });
});

describe('R13: a namespace that is being deleted', () => {
  test('R13: takes no pods, and is not asked for one each second', async () => {
    await world.apply(aJob('demo', { completions: 3, parallelism: 3 }));
    let creates = 0;
    world.interposer = ({ port, method, phase }) => {
      if (port !== 'cluster' || method !== 'create' || phase !== 'before') return;
      creates += 1;
      throw new TerminalError('namespace is being terminated', { code: 403, causes: [{ reason: 'NamespaceTerminating' }] });
    };
    await world.elapse(120, { play: false });
    expect(creates).toBeLessThanOrEqual(3 * 8);
    expect(world.passes.filter(({ outcome }) => outcome === 'parked')).toEqual([]);
  });
});

describe('R14: a small budget', () => {
  test('R14: one write a second is enough for what takes two writes to a pod', async () => {
    world.close();
    world = new World({ writesPerSecond: 1 });
    await world.watch();
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    const isRunning = async (): Promise<boolean> => {
      await world.play(() => undefined);
      return (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 2;
    };
    await world.until(isRunning, { play: false });
    const body = { spec: { suspend: true } };
    await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body, type: 'application/merge-patch+json' });
    const isOver = async (): Promise<boolean> => {
      await world.play(() => undefined);
      return (await world.pods()).length === 0;
    };
    await world.until(isOver, { play: false, seconds: 60 });
    await world.elapse(3, { play: false });
    expect((await world.job('demo')).status?.active ?? 0).toBe(0);
  });
});

describe('R9: what waits for a pass to end', () => {
  test('R9: a wake that came while a pass was at work, and was lost, is mended although that pass waits for long', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 800 }));
    await world.report();
    const key = await world.keyOf('demo');
    const other = world.anotherProcess();
    let isWoken = false;
    world.interposer = async ({ port, method, phase }, process) => {
      if (process === other || isWoken || port !== 'cluster' || method !== 'create' || phase !== 'after') return;
      isWoken = true;
      await wake(other.ports, key);
    };
    await world.reconciler.reconcile(key);
    const head = await world.store.readHead(key);
    expect(head?.queued).toBe(head?.fence);
    expect(head?.wake?.dueAtMs).toBeGreaterThan(world.clock.nowMs() + 700_000);
    world.wipeQueue();
    await world.clock.advance(60_000);
    expect((await sweep(world.ports)).woken).toBe(1);
  });
});

describe('R12: a clock that was set back by an hour', () => {
  test('R12: a debounced change waits no longer than ever', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await world.run();
    const key = await world.keyOf('demo');
    await world.store.updateHead(key, {}, { openedAtMs: world.clock.nowMs() + HOUR_MS });
    await wake(world.ports, key, 'soon');
    const passes = world.passes.length;
    await world.clock.advance(SOON_MS);
    await world.run();
    expect(world.passes.length).toBe(passes + 1);
  });

  test('R12: neither budget nor probes wait for the hour to come again', async () => {
    const laterMs = world.clock.nowMs() + HOUR_MS;
    await world.store.putNote(CLUSTER, 'budget', JSON.stringify({ tokens: 0, atMs: laterMs, closedUntilMs: laterMs }), 0);
    await world.store.putNote(CLUSTER, 'reach', JSON.stringify({ downSinceMs: laterMs, probeAtMs: laterMs, reason: 'no answer' }), 0);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(15, { play: false });
    expect(world.podsEver.size).toBe(1);
    expect((await new WriteBudget(world.ports).take(world.record, 1)).granted).toBe(1);
  });

  test.each([
    ['parked', (untilMs: number) => ({ park: { failures: 1, untilMs, reason: 'no plan', generation: 1 } })],
    ['held', (untilMs: number) => ({ hold: { failures: 1, untilMs, generation: 1 } })],
  ])('R12: what is %s does not wait for the hour to come again', async (_, stateOf) => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    const key = await world.keyOf('demo');
    const state = { ...initialState(), ...stateOf(world.clock.nowMs() + 3 * HOUR_MS) };
    await world.store.updateHead(key, {}, { state: encodeState(state) });
    await world.elapse(2, { play: false });
    expect(world.podsEver.size).toBe(1);
  });
});
