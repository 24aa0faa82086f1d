// R12: time is the cluster's. R17: nothing is sent after a pass's deadline, by either clock.
import { afterEach, describe, expect, test } from '@jest/globals';
import { deadlineIn, hasPassed } from '../../../lib/ports/clock.ts';
import { heartbeat } from '../../world/reporter.ts';
import { expectCompleted, expectQuiet, runToEnd } from '../../world/right.ts';
import { aJob, conditionsOf, World } from '../../world/world.ts';

let world: World;
afterEach(() => world.close());

describe.each([-120_000, -2_000, 0, 2_000, 120_000])('R12: the cluster is %i ms ahead', (clusterAheadMs) => {
  test.each([false, true])('R12: a deadline fires neither early nor much late (heartbeats: %p)', async (hasRelay) => {
    world = new World({ clusterAheadMs });
    await world.watch();
    if (hasRelay) await heartbeat(world);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 20 }));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('FailureTarget'), { play: false, seconds: 180 });
    const { status } = await world.job('demo');
    const at = Date.parse(status?.conditions?.[0]?.lastTransitionTime ?? '') - Date.parse(status?.startTime ?? '');
    expect(at).toBeGreaterThanOrEqual(20_000);
    expect(at).toBeLessThanOrEqual(hasRelay ? 24_000 : 150_000);
    expect(Math.abs(Date.parse(status?.startTime ?? '') - world.clusterNowMs())).toBeLessThan(180_000);
    // Every moment in the status is the cluster's.
    expect(Date.parse(status?.conditions?.[0]?.lastTransitionTime ?? '')).toBeLessThanOrEqual(world.clusterNowMs());
  });

  test('R12: a back-off is not cut short', async () => {
    world = new World({ clusterAheadMs });
    await world.watch();
    await heartbeat(world);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1, backoffLimit: 3 }));
    await world.until(async () => (await world.play(() => 1), world.podsEver.size === 2), { play: false, seconds: 180 });
    const [first, second] = [...world.podsEver.values()];
    const endedAt = first?.status?.containerStatuses?.[0]?.state?.terminated?.finishedAt;
    const waitedMs = Date.parse(second?.metadata.creationTimestamp ?? '') - Date.parse(endedAt ?? '');
    expect(waitedMs).toBeGreaterThanOrEqual(10_000);
    expect(waitedMs).toBeLessThanOrEqual(13_000);
  });
});

test('R12: an offset that is wrong only plans: the Date of a live look decides', async () => {
  world = new World();
  await world.watch();
  await heartbeat(world, { clockOffsetMs: 60_000 });
  await world.apply(aJob('demo', { completions: 1, parallelism: 1, activeDeadlineSeconds: 90 }));
  const appliedAtMs = world.clock.nowMs();
  await world.until(async () => conditionsOf(await world.job('demo')).includes('FailureTarget'), { play: false, seconds: 180 });
  expect(world.clock.nowMs() - appliedAtMs).toBeGreaterThanOrEqual(90_000);
  expect(world.clock.nowMs() - appliedAtMs).toBeLessThanOrEqual(95_000);
});

test('R12: what a relay told before our clock jumped tells a process that began after that no time: a Job does not end in the future', async () => {
  world = new World({ clusterAheadMs: -120_000 });
  await world.watch();
  await heartbeat(world, { clockOffsetMs: 0 });
  world.clock.jumpWall(120_000);
  await world.apply(aJob('demo', { completions: 1, parallelism: 1, ttlSecondsAfterFinished: 4 }));
  await world.report();
  await world.run();
  expect(world.podsEver.size).toBe(1);
  // It knows nothing of what the API server answered the one before.
  world.restart();
  await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 30 });
  const { completionTime = '' } = (await world.job('demo')).status ?? {};
  expect(Date.parse(completionTime)).toBeLessThanOrEqual(world.clusterNowMs());
});

test('R12: where a relay is silent the API server is asked for the time once a minute, not by every pass', async () => {
  world = new World();
  await world.watch();
  await heartbeat(world);
  await world.clock.advance(200_000);
  await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
  await world.report();
  await world.run();
  const before = world.cluster.calls.length;
  await runToEnd(world, 'demo', 30);
  const gets = world.cluster.calls.slice(before).filter(({ verb, plural }) => verb === 'get' && plural === 'jobs');
  // That of the second create alone (R10).
  expect(gets).toHaveLength(1);
});

test('R12, R10: so it does where no pod is left to delete', async () => {
  world = new World();
  await world.watch();
  await heartbeat(world, { clockOffsetMs: 20_000 });
  await world.apply(aJob('demo', { completions: 1, parallelism: 1, backoffLimit: 9, activeDeadlineSeconds: 30 }));
  const appliedAtMs = world.clock.nowMs();
  await world.until(
    async () => {
      await world.play(() => 1);
      return conditionsOf(await world.job('demo')).includes('Failed');
    },
    { play: false, seconds: 60 },
  );
  expect((await world.job('demo')).status?.conditions?.map(({ reason }) => reason)).toContain('DeadlineExceeded');
  expect(world.clock.nowMs() - appliedAtMs).toBeGreaterThanOrEqual(30_000);
});

describe('R17: the deadline', () => {
  test('R17: it passes by the wall clock or by the monotonic one, whichever is first', () => {
    world = new World();
    const deadline = deadlineIn(world.clock, 20_000);
    expect(hasPassed(deadline, world.clock)).toBe(false);
    world.clock.jumpWall(20_000);
    expect(hasPassed(deadline, world.clock)).toBe(true);
    world.clock.jumpWall(-60_000);
    expect(hasPassed(deadline, world.clock)).toBe(false);
  });

  test('R17: a clock set back does not give a pass more time', async () => {
    world = new World();
    const deadline = deadlineIn(world.clock, 20_000);
    world.clock.jumpWall(-3_600_000);
    await world.clock.advance(20_000);
    expect(hasPassed(deadline, world.clock)).toBe(true);
  });

  test.each(['get', 'list', 'create', 'patch'])(
    'R17: a pass that stood still for 20 s before a %s sends nothing any more',
    async (method) => {
      world = new World();
      await world.watch();
      await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
      await world.report();
      let stood = false;
      let sentLate = 0;
      const startedAtMs = world.clock.nowMs();
      world.interposer = async (point) => {
        if (stood || point.port !== 'cluster' || point.method !== method || point.phase !== 'before') return;
        stood = true;
        await world.clock.advance(20_000);
        sentLate = world.cluster.calls.length;
      };
      await world.reconciler.reconcile(await world.keyOf('demo'));
      expect(stood).toBe(true);
      expect(world.clock.nowMs() - startedAtMs).toBe(20_000);
      expect(world.cluster.calls).toHaveLength(sentLate);
      world.interposer = undefined;
      await runToEnd(world, 'demo');
      await expectCompleted(world, 'demo', { succeeded: 2, mostActive: 2 });
      await expectQuiet(world, 1);
    },
  );

  test('R17: wakes stay invisible longer than a pass can send', async () => {
    world = new World();
    await world.watch();
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    const [message] = await world.queue.receive('wakes', { max: 1, waitSeconds: 0, visibilitySeconds: 45 });
    expect(message).toBeDefined();
    await world.clock.advance(30_000);
    expect(await world.queue.receive('wakes', { max: 1, waitSeconds: 0, visibilitySeconds: 45 })).toEqual([]);
  });
});
