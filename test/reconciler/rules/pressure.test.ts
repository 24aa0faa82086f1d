// R14: each cluster's write budget is shared by all functions, Retry-After is everybody's, and a silent cluster is probed by one.
import { afterEach, describe, expect, test } from '@jest/globals';
import { isJobFinished } from '../../../lib/kinds/job/terms/owner-facts.ts';
import { JOBS, PODS } from '../../../lib/objects/resources.ts';
import { NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { StaleWriteError } from '../../../lib/ports/store.ts';
import { WriteBudget } from '../../../lib/reconciler/cluster/budget.ts';
import { Reachability, troubleOf } from '../../../lib/reconciler/cluster/reachability.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

const PLACE = { cluster: CLUSTER, namespace: 'default', uid: 'of-one' };

let world: World;
afterEach(() => world.close());

async function begin(options: ConstructorParameters<typeof World>[0] = {}): Promise<void> {
  world = new World(options);
  await world.watch();
}

describe('R14: the budget', () => {
  test('R14: two processes together write no more than the cluster is given, and use most of it', async () => {
    await begin({ writesPerSecond: 20 });
    let other = world.anotherProcess();
    const writesAtMs: number[] = [];
    world.interposer = ({ port, method, phase }) => {
      if (port === 'cluster' && phase === 'before' && method !== 'get' && method !== 'list') writesAtMs.push(world.clock.nowMs());
    };
    for (let at = 0; at < 8; at++) await world.apply(aJob(`job-${at}`, { completions: 20, parallelism: 20, completionMode: 'Indexed' }));
    await world.report();
    const beganAtMs = world.clock.nowMs();
    for (let tenth = 0; tenth < 300 && world.podsEver.size < 160; tenth++) {
      await world.clock.advance(100);
      await world.run();
      // The other one's turn.
      [world.process, other] = [other, world.process];
    }
    const seconds = (world.clock.nowMs() - beganAtMs) / 1000;
    expect(world.podsEver.size).toBe(160);
    // Slices taken may be spent within two seconds: so much may fall into one window beside its own second's share.
    for (const startMs of writesAtMs) {
      const inWindow = writesAtMs.filter((atMs) => atMs >= startMs && atMs < startMs + 5_000).length;
      expect(inWindow).toBeLessThanOrEqual(20 + 5 * 20 + 2 * 20);
    }
    expect(writesAtMs.length).toBeLessThanOrEqual(20 + Math.ceil(seconds) * 20);
    expect(writesAtMs.length / seconds).toBeGreaterThan(10);
  });

  test('R14: of a Job that wants more pods than the budget gives, those that have ended are counted all the while', async () => {
    await begin({ writesPerSecond: 30 });
    await world.apply(aJob('demo', { parallelism: 100, completions: 300 }));
    const beganAtMs = world.clock.nowMs();
    const lags: number[] = [];
    for (let second = 0; second < 90 && !isJobFinished(await world.job('demo')); second += 3) {
      await world.elapse(3);
      const { startTime = '', succeeded = 0, uncountedTerminatedPods: uncounted } = (await world.job('demo')).status ?? {};
      expect(Date.parse(startTime) - beganAtMs).toBeLessThanOrEqual(2_000);
      const ended = (await world.pods()).filter(({ status }) => status?.phase === 'Succeeded').length;
      lags.push(ended - succeeded - (uncounted?.succeeded?.length ?? 0));
    }
    expect(isJobFinished(await world.job('demo'))).toBe(true);
    expect(Math.max(...lags)).toBeLessThan(100);
  });

  test('R14: a Job that wants more pods than the budget gives is resumed at once, and fails when its time is over', async () => {
    await begin({ writesPerSecond: 15 });
    await world.apply(aJob('demo', { parallelism: 350, completions: 350, suspend: true, activeDeadlineSeconds: 20 }));
    await world.elapse(3, { play: false });
    const beganAtMs = world.clock.nowMs();
    const type = 'application/merge-patch+json';
    await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec: { suspend: false } }, type });
    await world.elapse(3, { play: false });
    const { startTime = '', conditions } = (await world.job('demo')).status ?? {};
    expect(Date.parse(startTime) - beganAtMs).toBeLessThanOrEqual(2_000);
    expect(conditions).toMatchObject([{ type: 'Suspended', status: 'False' }]);
    await world.elapse(27, { play: false });
    expect((await world.pods()).some(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
    await world.until(async () => isJobFinished(await world.job('demo')), { seconds: 180 });
    expect((await world.job('demo')).status?.conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'DeadlineExceeded' });
  });

  test('R14: while the budget lets few creates through at a time, the status is not written as often as they are', async () => {
    await begin({ writesPerSecond: 20 });
    let statuses = 0;
    world.interposer = ({ port, method, args, phase }) => {
      if (port === 'cluster' && method === 'patch' && args[0] === JOBS && phase === 'after') statuses += 1;
    };
    await world.apply(aJob('demo', { parallelism: 400, completions: 400, completionMode: 'Indexed' }));
    const isStarted = async (): Promise<boolean> => (await world.pods()).length === 400;
    const beganAtMs = world.clock.nowMs();
    for (let tenth = 0; tenth < 600 && !(await isStarted()); tenth++) {
      await world.clock.advance(100);
      await world.report();
      await world.run();
    }
    expect(await isStarted()).toBe(true);
    expect(statuses).toBeLessThanOrEqual(2 + (world.clock.nowMs() - beganAtMs) / 2_000);
  });

  test('R14: where the API server throttles creates, all else comes first in the next pass', async () => {
    await begin();
    await world.apply(aJob('demo', { parallelism: 4, completions: 40 }));
    let creates = 0;
    world.interposer = ({ port, method, args, phase }) => {
      if (port === 'cluster' && method === 'create' && args[0] === PODS && phase === 'before' && ++creates > 2)
        throw new ThrottledError('too many requests', { retryAfterSeconds: 1 });
    };
    await world.elapse(10, { play: false });
    expect((await world.job('demo')).status).toMatchObject({ active: 2, startTime: expect.any(String) as unknown });
    for (const pod of await world.pods()) await world.end(pod, 0);
    await world.elapse(10, { play: false });
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2, uncountedTerminatedPods: {} });
  });

  test('R14: Retry-After is honoured by all', async () => {
    await begin();
    const other = world.anotherProcess();
    await world.apply(aJob('a', { completions: 3, parallelism: 3 }));
    await world.apply(aJob('b', { completions: 3, parallelism: 3 }));
    await world.report();
    let throttled = false;
    world.interposer = ({ port, method, phase }) => {
      if (throttled || port !== 'cluster' || method !== 'create' || phase !== 'before') return;
      throttled = true;
      throw new ThrottledError('too many requests', { retryAfterSeconds: 30 });
    };
    await world.reconciler.reconcile(await world.keyOf('a'));
    expect(throttled).toBe(true);
    const writes = world.cluster.writes.length;
    await other.reconciler.reconcile(await world.keyOf('b'));
    await world.elapse(28, { play: false });
    expect(world.cluster.writes).toHaveLength(writes);
    await world.elapse(5, { play: false });
    expect(world.podsEver.size).toBe(6);
  });

  test('R14: tokens come back with time, up to the burst; a slice lapses', async () => {
    await begin();
    const record = { ...world.record, budget: { writesPerSecond: 10, burst: 30 } };
    const budget = new WriteBudget(world.ports);
    const other = new WriteBudget(world.ports);
    expect((await budget.take(record, 25)).granted).toBe(25);
    expect((await other.take(record, 25)).granted).toBe(5);
    expect(await other.take(record, 1)).toEqual({ granted: 0, retryAfterMs: 100 });
    await world.clock.advance(500);
    expect((await budget.take(record, 25)).granted).toBe(5);
    await world.clock.advance(60_000);
    expect((await budget.take(record, 1)).granted).toBe(1);
    expect((await other.take(record, 100)).granted).toBe(27);
    // The two that the first still holds are gone with its slice.
    await world.clock.advance(2_000);
    expect((await other.take(record, 100)).granted).toBe(20);
    expect((await budget.take(record, 100)).granted).toBe(0);
  });

  test('R14: the last one to be told to wait does not shorten the wait of all', async () => {
    await begin();
    const budget = new WriteBudget(world.ports);
    await budget.close(world.record, 60);
    await budget.close(world.record, 2);
    expect(await budget.take(world.record, 1)).toEqual({ granted: 0, retryAfterMs: 60_000 });
    await world.clock.advance(60_000);
    expect((await budget.take(world.record, 1)).granted).toBe(1);
  });

  test('R14: closed while others take: they go on taking until then, and not after', async () => {
    await begin();
    const budget = new WriteBudget(world.ports);
    const other = new WriteBudget(world.ports);
    let met = 0;
    world.interposer = async ({ port, method, phase }) => {
      if (port !== 'store' || method !== 'putNote' || phase !== 'before' || ++met !== 1) return;
      await other.take(world.record, 5);
    };
    await budget.close(world.record, 30);
    expect((await budget.take(world.record, 1)).granted).toBe(0);
  });
});

describe('R14: a silent cluster', () => {
  test.each([
    ['does not take connections', new NotDoneError('connection refused')],
    ['answers nothing in time', new UnknownOutcomeError('no answer in time')],
    ['lets nobody in', new TerminalError('Unauthorized', { code: 401, reason: 'Unauthorized' })],
  ])('R14: it %s: one probe every few seconds, the rest without a call; all of it runs as soon as it answers', async (_, error) => {
    await begin();
    const names = Array.from({ length: 12 }, (__, at) => `job-${at}`);
    for (const name of names) await world.apply(aJob(name, { completions: 2, parallelism: 1 }));
    let isSilent = true;
    let calls = 0;
    world.interposer = ({ port, phase }) => {
      if (!isSilent || port !== 'cluster' || phase !== 'before') return;
      calls += 1;
      throw error;
    };
    await world.elapse(10, { play: false });
    const before = calls;
    await world.elapse(120, { play: false });
    expect(calls - before).toBeGreaterThanOrEqual(10);
    expect(calls - before).toBeLessThanOrEqual(30);
    expect(await world.queue.depth('wakes')).toMatchObject({ dead: 0 });
    expect(world.passes.filter(({ outcome }) => outcome === 'parked')).toEqual([]);
    isSilent = false;
    const answersAtMs = world.clock.nowMs();
    await world.until(() => world.podsEver.size >= names.length, { play: false, seconds: 60 });
    expect(world.clock.nowMs() - answersAtMs).toBeLessThanOrEqual(12_000);
    await world.until(async () => (await Promise.all(names.map((name) => world.job(name)))).every(isJobFinished));
    for (const name of names) await expectCompleted(world, name, { succeeded: 2, mostActive: 1 });
    await expectQuiet(world, 2);
  });

  test('R14: one that there is no access to is put off as a silent one, and no wake of its workloads is a dead letter', async () => {
    await begin();
    for (const name of ['a', 'b', 'c']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    world.noWay = new TerminalError('there is no access for the cluster west: register it');
    await world.elapse(600, { play: false });
    expect(await world.queue.depth('wakes')).toMatchObject({ dead: 0 });
    expect(world.metrics.filter(({ metric }) => metric === 'FailedPasses')).toEqual([]);
    expect(await troubleOf(world.ports, CLUSTER)).toMatchObject({ reason: expect.stringContaining('register it') });
    world.noWay = undefined;
    await world.until(() => world.podsEver.size === 3, { play: false, seconds: 20 });
  });

  test('R14: what was put off is not woken while it stays silent, and a silence is told once, and counted as long as it lasts', async () => {
    await begin();
    await world.apply(aJob('demo'));
    world.interposer = ({ port, phase }) => {
      if (port === 'cluster' && phase === 'before') throw new NotDoneError('connection refused');
    };
    await world.elapse(59, { play: false });
    expect(world.metrics.filter(({ metric }) => metric === 'SilentClusters')).toHaveLength(1);
    await world.elapse(122, { play: false });
    expect(world.log.filter(({ message }) => message === 'cluster does not answer')).toHaveLength(1);
    expect(world.metrics.filter(({ metric }) => metric === 'SilentClusters')).toHaveLength(3);
    expect(await troubleOf(world.ports, CLUSTER)).toMatchObject({ reason: 'connection refused' });
    world.interposer = undefined;
    await runToEnd(world, 'demo');
    expect(await troubleOf(world.ports, CLUSTER)).toBeUndefined();
  });

  test('R13, R14: when it answers again, a table that cannot say what was put off fails no pass', async () => {
    await begin();
    for (const name of ['a', 'b']) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    let isSilent = true;
    world.interposer = ({ port, method, phase }) => {
      if (phase !== 'before') return;
      if (isSilent && port === 'cluster') throw new NotDoneError('connection refused');
      if (!isSilent && port === 'store' && method === 'workloads') throw new NotDoneError('cut off');
    };
    await world.elapse(30, { play: false });
    isSilent = false;
    await world.until(() => world.podsEver.size === 2, { play: false, seconds: 100 });
    expect(world.metrics.filter(({ metric }) => metric === 'FailedPasses')).toEqual([]);
    expect(world.passes.filter(({ outcome }) => outcome === 'unknown' || outcome === 'notDone')).toEqual([]);
  });

  test('R14, R16: what waited for something else than the cluster is left to wait when it answers', async () => {
    await begin();
    await world.apply(aJob('waits', { completions: 1, parallelism: 1, activeDeadlineSeconds: 600 }));
    await world.elapse(10, { play: false });
    const before = world.passes.filter(({ key }) => key.name === 'waits').length;
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    let isSilent = true;
    world.interposer = ({ port, phase }) => {
      if (isSilent && port === 'cluster' && phase === 'before') throw new NotDoneError('connection refused');
    };
    await world.elapse(30, { play: false });
    isSilent = false;
    await world.elapse(30, { play: false });
    expect((await world.job('demo')).status?.active).toBe(1);
    expect(world.passes.filter(({ key }) => key.name === 'waits')).toHaveLength(before);
  });

  test('R14: of those who find the probe due one is the probe', async () => {
    await begin();
    const all = Array.from({ length: 5 }, () => new Reachability(world.ports));
    expect(await all[0]?.hold(PLACE)).toMatchObject({ waitMs: 0 });
    await all[0]?.sawSilence(PLACE, new Error('no answer'));
    await world.clock.advance(1_001);
    for (const one of all) expect((await one.hold(PLACE)).waitMs).toBeGreaterThan(0);
    await world.clock.advance(5_000);
    const holds = await Promise.all(all.map(async (one) => (await one.hold(PLACE)).waitMs));
    expect(holds.filter((ms) => ms === 0)).toHaveLength(1);
    expect(await all[1]?.sawAnswer(PLACE, world.clock.nowMs())).toBe(true);
    expect(await all[2]?.sawAnswer(PLACE, world.clock.nowMs())).toBe(false);
    await world.clock.advance(1_001);
    for (const one of all) expect(await one.hold(PLACE)).toMatchObject({ waitMs: 0 });
  });

  test('R8, R14: whose write is repeated below it, the first answer being lost, is the probe, and tells that the cluster answers', async () => {
    await begin();
    const reachability = new Reachability(world.ports);
    await reachability.sawSilence(PLACE, new Error('no answer'));
    await world.clock.advance(6_000);
    world.interposer = async ({ port, method, phase }) => {
      if (port === 'store' && method === 'putNote' && phase === 'after')
        throw new StaleWriteError('another version', await world.store.readNote(CLUSTER, 'reach'));
    };
    expect(await reachability.hold(PLACE)).toEqual({ waitMs: 0, probe: 'answer' });
    expect(await reachability.sawAnswer(PLACE, world.clock.nowMs())).toBe(true);
  });

  test('R14: the workload that is to look next comes in time for it, whatever wakes it meanwhile; the others come later', async () => {
    await begin();
    const reachability = new Reachability(world.ports);
    await reachability.sawSilence(PLACE, new Error('no answer'));
    await world.clock.advance(4_000);
    expect(await reachability.hold(PLACE)).toEqual({ waitMs: 1_000, probe: 'none' });
    const others = await Promise.all(['a', 'b', 'c', 'd'].map(async (uid) => (await reachability.hold({ ...PLACE, uid })).waitMs));
    expect(Math.min(...others)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...others)).toBeGreaterThan(1_000);
  });

  test('R14: one answer that does not come silences no cluster: a second look does not wait', async () => {
    await begin();
    let failures = 0;
    world.interposer = ({ port, phase }) => {
      if (port !== 'cluster' || phase !== 'before' || failures > 0) return;
      failures += 1;
      throw new UnknownOutcomeError('connection reset');
    };
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.elapse(2, { play: false });
    expect(failures).toBe(1);
    expect(world.podsEver.size).toBe(1);
    expect(world.metrics.filter(({ metric }) => metric === 'SilentClusters')).toEqual([]);
  });

  test('R14: credentials without rights are the trouble of the cluster: told once, put off, healed within a minute', async () => {
    await begin();
    const names = Array.from({ length: 12 }, (_, at) => `job-${at}`);
    for (const name of names) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    let isForbidden = true;
    let calls = 0;
    world.interposer = ({ port, phase }) => {
      if (!isForbidden || port !== 'cluster' || phase !== 'before') return;
      calls += 1;
      throw new TerminalError('jobs.batch is forbidden: User "farloop" cannot get resource "jobs"', { code: 403, reason: 'Forbidden' });
    };
    await world.elapse(60, { play: false });
    const before = calls;
    await world.elapse(600, { play: false });
    expect(calls - before).toBeLessThanOrEqual(100);
    expect(world.log.filter(({ message }) => message.startsWith('cluster forbids what Farloop needs'))).toHaveLength(1);
    expect(world.metrics.filter(({ metric }) => metric === 'ForbiddenClusters').length).toBeLessThanOrEqual(12);
    expect(await troubleOf(world.ports, CLUSTER)).toMatchObject({ reason: expect.stringContaining('forbidden') });
    isForbidden = false;
    await world.elapse(60, { play: false });
    expect(world.podsEver.size).toBe(names.length);
    expect(await troubleOf(world.ports, CLUSTER)).toBeUndefined();
  });
});
