// Event objects are limited as the reference limits them: 25 at once for each workload, then one per 5 minutes; and best effort.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { TerminalError, ThrottledError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { runToEnd } from '../world/right.ts';
import { aJob, World } from '../world/world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

interface Told {
  count: number;
  reason: string;
  message: string;
  source: { component: string };
  involvedObject: { name: string; uid: string; resourceVersion?: string };
}
const told = async (name: string): Promise<Told[]> =>
  (await world.as<{ items: Told[] }>('GET', EVENTS, { namespace: 'default' })).items.filter(
    ({ involvedObject }) => involvedObject.name === name,
  );
const change = (spec: { parallelism?: number; suspend?: boolean }): Promise<unknown> =>
  world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });
const scale = (parallelism: number): Promise<unknown> => change({ parallelism });
const pause = async (suspend: boolean): Promise<void> => void (await change({ suspend }));
/** How often it was told that the Job paused, and that it went on. */
const pausesTold = async (): Promise<{ Suspended: number; Resumed: number }> => {
  const reasons = (await told('demo')).map(({ reason }) => reason);
  const times = (one: string): number => reasons.filter((reason) => reason === one).length;
  return { Suspended: times('Suspended'), Resumed: times('Resumed') };
};

/** From now on the API server takes no Event; all else it takes. @returns its end */
function takeNoEvents(): () => void {
  world.interposer = ({ port, method, args, phase }) => {
    if (port === 'cluster' && method === 'create' && args[0] === EVENTS && phase === 'before')
      throw new ThrottledError('too many requests', { retryAfterSeconds: 0 });
  };
  return () => (world.interposer = undefined);
}

/** As people count them: a combined one stands for as many as it says. */
const toldInAll = async (name: string): Promise<number> => (await told(name)).reduce((sum, { count }) => sum + count, 0);

test('what ends or suspends a workload is told whatever came before', async () => {
  await world.apply(aJob('demo', { completions: 1_000, parallelism: 40 }));
  await world.report();
  await world.run();
  expect(await toldInAll('demo')).toBe(25);
  await pause(true);
  await world.report();
  await world.run();
  expect(await pausesTold()).toEqual({ Suspended: 1, Resumed: 0 });
});

test('25 at once, one more for each 5 minutes, never above 25 again; another workload has its own', async () => {
  await world.apply(aJob('demo', { completions: 1_000, parallelism: 40 }));
  await world.report();
  await world.run();
  expect(await toldInAll('demo')).toBe(25);
  await scale(45);
  await world.report();
  await world.run();
  expect(await toldInAll('demo')).toBe(25);
  await world.clock.advance(601_000);
  await scale(55);
  await world.report();
  await world.run();
  expect(await toldInAll('demo')).toBe(27);
  await world.apply(aJob('other', { completions: 3, parallelism: 3 }));
  await world.report();
  await world.run();
  expect(await told('other')).toHaveLength(3);
});

test('ten and more of one kind are nine and a combined one, as the reference tells them', async () => {
  await world.apply(aJob('demo', { completions: 1_000, parallelism: 40 }));
  await world.report();
  await world.run();
  const all = await told('demo');
  expect(all.filter(({ count, message }) => count === 1 && /^Created pod: demo-\w{5}$/.test(message))).toHaveLength(9);
  const [one, ...others] = all.filter(({ message }) => message.startsWith('(combined'));
  expect([one?.count, others]).toEqual([16, []]);
  expect(one?.message).toMatch(/^\(combined from similar events\): Created pod: demo-\w{5}$/);
  expect(one?.reason).toBe('SuccessfulCreate');
});

test('a pod that is gone by the time it is to be deleted was deleted by nobody here: no event tells so', async () => {
  await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
  await world.until(async () => (await world.pods()).length === 2, { play: false });
  await world.elapse(3, { play: false });
  const [first, second] = await world.pods();
  world.keepBack('Pod');
  const name = first?.metadata.name ?? '';
  const body = { metadata: { finalizers: null } };
  await world.as('PATCH', PODS, { namespace: 'default', name, body, type: 'application/merge-patch+json' });
  const now = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
  await world.as('DELETE', PODS, { namespace: 'default', name, body: now });
  await scale(0);
  await world.until(async () => (await told('demo')).some(({ reason }) => reason === 'SuccessfulDelete'), { play: false });
  await world.elapse(3, { play: false });
  const deleted = (await told('demo')).filter(({ reason }) => reason === 'SuccessfulDelete');
  expect(deleted.map(({ message }) => message)).toEqual([`Deleted pod: ${second?.metadata.name}`]);
});

test('how a workload ends is told before how its pods began', async () => {
  await world.apply(aJob('demo', { completions: 25, parallelism: 25, completionMode: 'Indexed' }));
  await world.report();
  await world.run();
  await world.clock.advance(310_000);
  await runToEnd(world, 'demo');
  expect((await told('demo')).map(({ reason }) => reason)).toContain('Completed');
});

test("an Event names the workload, and the reference's component as its source", async () => {
  await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
  await runToEnd(world, 'demo');
  const { uid } = (await world.job('demo')).metadata;
  const all = await told('demo');
  expect(all.map(({ reason }) => reason).toSorted()).toEqual(['Completed', 'SuccessfulCreate']);
  for (const { source, involvedObject } of all)
    expect([source.component, involvedObject]).toMatchObject(['job-controller', { uid, resourceVersion: expect.stringMatching(/^\d+$/) }]);
});

describe('R6: a suspension is told though its status got no answer, as the reference tells it before it writes', () => {
  test.each([
    { name: 'the status was taken', phase: 'after', expected: 1 },
    { name: 'it was not, and is written once more', phase: 'before', expected: 2 },
  ])('$name', async ({ phase: lostIn, expected }) => {
    await world.apply(aJob('demo', { completions: 1_000, parallelism: 1 }));
    await world.elapse(3, { play: false });
    for (const suspend of [true, false]) {
      let isLost = false;
      world.interposer = ({ port, method, args, phase }) => {
        if (port !== 'cluster' || method !== 'patch' || args[0] === PODS || phase !== lostIn || isLost) return;
        isLost = true;
        throw new UnknownOutcomeError('no answer');
      };
      await pause(suspend);
      await world.elapse(20, { play: false });
      expect(isLost).toBe(true);
    }
    expect(await pausesTold()).toEqual({ Suspended: expected, Resumed: expected });
  });

  test('not where a delete before it got none: that status was never sent', async () => {
    await world.apply(aJob('demo', { completions: 1_000, parallelism: 1 }));
    await world.elapse(3, { play: false });
    let isLost = false;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'delete' || args[0] !== PODS || phase !== 'before' || isLost) return;
      isLost = true;
      throw new UnknownOutcomeError('no answer');
    };
    await pause(true);
    await world.elapse(20, { play: false });
    expect(isLost).toBe(true);
    expect(await pausesTold()).toEqual({ Suspended: 1, Resumed: 0 });
  });
});

test("what is refused is told in the API server's words alone, as the reference tells it", async () => {
  const said = 'pods "demo-x" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0';
  world.cluster.interference.before = ({ verb, plural }) => {
    if (verb === 'create' && plural === 'pods')
      throw new TerminalError(`create pods default/demo-x at https://127.0.0.1:6443: ${said}`, { code: 403, reason: 'Forbidden', said });
  };
  await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
  await world.report();
  await world.run();
  expect((await told('demo')).map(({ reason, message }) => [reason, message])).toEqual([['FailedCreate', `Error creating: ${said}`]]);
});

test('an Event that cannot be written stops nothing', async () => {
  await world.apply(aJob('demo', { completions: 2, parallelism: 1 }));
  world.cluster.interference.before = ({ plural }) => {
    if (plural === 'events') throw new Error('events are forbidden');
  };
  await runToEnd(world, 'demo');
  expect((await world.job('demo')).status?.succeeded).toBe(2);
  expect(await told('demo')).toEqual([]);
});

describe('R14: what is told but once and may not be told just now', () => {
  beforeEach(async () => {
    await world.apply(aJob('demo', { completions: 1_000, parallelism: 1 }));
    await world.elapse(3, { play: false });
  });

  test('waits, however many passes have other things to tell meanwhile', async () => {
    const takeEvents = takeNoEvents();
    await pause(true);
    await world.elapse(3, { play: false });
    await pause(false);
    for (let pods = 2; pods < 12; pods++) {
      await scale(pods);
      await world.elapse(2, { play: false });
    }
    takeEvents();
    await world.elapse(40, { play: false });
    expect(await pausesTold()).toEqual({ Suspended: 1, Resumed: 1 });
  });

  test('is given up after a minute, and not with it what has happened since', async () => {
    const takeEvents = takeNoEvents();
    await pause(true);
    await world.elapse(62, { play: false });
    await pause(false);
    await world.elapse(3, { play: false });
    takeEvents();
    await world.elapse(40, { play: false });
    expect(await pausesTold()).toEqual({ Suspended: 0, Resumed: 1 });
  });

  test('is told as often as it happened', async () => {
    for (const suspend of [true, false, true, false]) {
      const takeEvents = takeNoEvents();
      await pause(suspend);
      await world.elapse(2, { play: false });
      takeEvents();
      await world.elapse(20, { play: false });
    }
    expect(await pausesTold()).toEqual({ Suspended: 2, Resumed: 2 });
  });

  test('is told once, though the pass that told it died before it noted that', async () => {
    const takeEvents = takeNoEvents();
    await pause(true);
    await world.elapse(2, { play: false });
    takeEvents();
    let isDead = false;
    world.interposer = ({ port, method, args, phase }) => {
      if (port !== 'cluster' || method !== 'create' || args[0] !== EVENTS || phase !== 'after' || isDead) return;
      isDead = true;
      world.process.kill();
    };
    await world.elapse(60, { play: false });
    expect(isDead).toBe(true);
    expect(await pausesTold()).toEqual({ Suspended: 1, Resumed: 0 });
  });
});
