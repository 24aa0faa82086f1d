// R14: a wrong credential is told of within a minute, on that cluster only, and also where no workload is at work; so is its end. R16: a look
// at a cluster that lets us in writes nothing.
import { afterEach, describe, expect, test } from '@jest/globals';
import { NotDoneError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { reconcileBatch } from '../../../lib/reconciler/batch.ts';
import { Reachability, troubleOf } from '../../../lib/reconciler/cluster/reachability.ts';
import { Reconciler } from '../../../lib/reconciler/reconcile.ts';
import { sweep } from '../../../lib/reconciler/sweep.ts';
import { VISIBILITY_SECONDS } from '../../../lib/reconciler/head/timeouts.ts';
import { expectCompleted, runToEnd } from '../../world/right.ts';
import { definedRows } from '../../sandbox/defined-rows.ts';
import { heartbeat } from '../../world/reporter.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

const UNAUTHORIZED = new TerminalError('GET https://west.example.com: Unauthorized', { code: 401, reason: 'Unauthorized' });
const FORBIDDEN = new TerminalError('jobs.batch "farloop-look" is forbidden: User "other" cannot get resource "jobs"', { code: 403 });

let world: World;
afterEach(() => world.close());

/** @param answer what every call on the cluster throws, while it gives something */
async function begin(answer: () => Error | undefined = () => undefined): Promise<void> {
  world = new World();
  await world.watch();
  world.interposer = ({ port, phase }) => {
    const error = port === 'cluster' && phase === 'before' ? answer() : undefined;
    if (error) throw error;
  };
}

const trouble = async (): ReturnType<typeof troubleOf> => await troubleOf(world.ports, CLUSTER);
const counted = (metric: string): number => world.metrics.filter((each) => each.metric === metric && each.dimensions['cluster']).length;

async function minute(): Promise<void> {
  await world.clock.advance(60_000);
  await world.sweep();
  await world.run();
}

/** What the functions do in a minute with those ports. */
async function minuteOf(ports: Ports): Promise<void> {
  await world.clock.advance(60_000);
  await sweep(ports);
  const received = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
  const reconciler = new Reconciler(ports);
  expect(await reconcileBatch(received, { reconciler, ports, hasTime: () => true })).toEqual([]);
  await world.queue.delete(
    'wakes',
    received.map(({ receiptHandle }) => receiptHandle),
  );
}

describe('R14: an idle cluster', () => {
  test.each([
    ['does not let us in', UNAUTHORIZED, 'SilentClusters'],
    ['has no credential', new NotDoneError('https://west.example.com: no credentials'), 'SilentClusters'],
    ['does not answer', new UnknownOutcomeError('no answer within 10 s'), 'SilentClusters'],
    ['lets us in and forbids what every pass needs', FORBIDDEN, 'ForbiddenClusters'],
  ])('R14: one that %s: told within a minute, counted as long as it lasts, over within a minute', async (_, error, metric) => {
    let isWrong = false;
    await begin(() => (isWrong ? error : undefined));
    await minute();
    expect(await trouble()).toBeUndefined();
    isWrong = true;
    await minute();
    expect(await trouble()).toMatchObject({ reason: error.message });
    expect(counted(metric)).toBe(1);
    for (let more = 0; more < 3; more++) await minute();
    expect(counted(metric)).toBe(4);
    expect(world.log.filter(({ level }) => level === 'error')).toHaveLength(1);
    isWrong = false;
    await minute();
    expect(await trouble()).toBeUndefined();
    await minute();
    expect(counted('SilentClusters') + counted('ForbiddenClusters')).toBe(5);
    expect(world.cluster.writes).toEqual([]);
    expect(world.passes).toEqual([]);
  });

  test('R14: one that nothing leads to is told of within a minute once its relay was heard, and is being registered before', async () => {
    await begin();
    world.noWay = new TerminalError('there is no access for the cluster west: register it');
    await minute();
    expect(await trouble()).toBeUndefined();
    await heartbeat(world);
    await minute();
    expect(await trouble()).toMatchObject({ reason: world.noWay.message });
    for (let more = 0; more < 2; more++) await minute();
    expect(counted('SilentClusters')).toBe(3);
    world.noWay = undefined;
    await minute();
    expect(await trouble()).toBeUndefined();
  });

  test('R14: a wrong credential is the trouble of its own cluster only', async () => {
    await begin();
    const east = { ...world.record, name: 'east' };
    const refuses = async (): Promise<never> => {
      throw UNAUTHORIZED;
    };
    const ports: Ports = {
      ...world.ports,
      clusters: {
        ...world.ports.clusters,
        list: async () => [east, world.record],
        get: async (name) => (name === 'east' ? east : await world.ports.clusters.get(name)),
      },
      connect: (record) => (record.name === 'east' ? Object.assign(Object.create(world.cluster), { get: refuses }) : world.cluster),
    };
    await minuteOf(ports);
    expect(await troubleOf(ports, 'east')).toMatchObject({ reason: UNAUTHORIZED.message });
    expect(await troubleOf(ports, CLUSTER)).toBeUndefined();
    expect(world.metrics.filter(({ metric }) => metric === 'SilentClusters')).toMatchObject([{ dimensions: { cluster: 'east' } }]);
  });

  test('R14: the look reads the credential anew, and so does whoever is refused', async () => {
    await begin();
    let stored = 'right';
    let kept = 'right';
    world.interposer = ({ port, phase }) => {
      if (port === 'cluster' && phase === 'before' && kept !== 'right') throw UNAUTHORIZED;
    };
    const ports: Ports = { ...world.ports, forgetCredential: () => void (kept = stored) };
    stored = 'wrong';
    await minuteOf(ports);
    expect(await trouble()).toMatchObject({ reason: UNAUTHORIZED.message });
    stored = 'right';
    await minuteOf(ports);
    expect(await trouble()).toBeUndefined();
    // A pass in a process that has kept another one since.
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    kept = 'wrong';
    await new Reconciler(ports).reconcile(await world.keyOf('demo'));
    expect(kept).toBe('right');
    expect(await trouble()).toBeUndefined();
  });

  test('R14: one answer that does not come, or one that asks for patience, is no trouble', async () => {
    const answers: Error[] = [];
    await begin(() => answers.shift());
    for (const first of [new NotDoneError('connection reset'), new ThrottledError('too many requests', { retryAfterSeconds: 1 })]) {
      answers.push(first);
      await minute();
      expect(answers).toEqual([]);
      expect(await trouble()).toBeUndefined();
    }
  });

  test('R14: a cluster that keeps silent through both of its requests, ten seconds each, is told of', async () => {
    await begin();
    world.interposer = async ({ port, phase }) => {
      if (port !== 'cluster' || phase !== 'before') return;
      await world.clock.wait(10_000);
      throw new NotDoneError('not connected');
    };
    const look = world.reconciler.look(CLUSTER);
    await world.clock.advance(25_000);
    await look;
    expect(await trouble()).toMatchObject({ reason: 'not connected' });
  });

  test('R17: a look that stood still for longer than a pass may take asks nothing any more, and the next one does', async () => {
    await begin();
    world.interposer = async ({ port, method, phase }) => {
      if (port !== 'store' || method !== 'readNote' || phase !== 'before') return;
      world.interposer = undefined;
      await world.clock.wait(25_000);
    };
    const look = world.reconciler.look(CLUSTER);
    await world.clock.advance(26_000);
    await look;
    expect(world.cluster.calls).toEqual([]);
    expect(await trouble()).toBeUndefined();
    await minute();
    expect(world.cluster.calls).toHaveLength(1);
  });

  test('R14: work that waited for the cluster runs as soon as a look is let in', async () => {
    let isWrong = true;
    await begin(() => (isWrong ? UNAUTHORIZED : undefined));
    await minute();
    await world.apply(aJob('demo', { completions: 2, parallelism: 2 }));
    await world.elapse(5, { play: false });
    expect(world.podsEver.size).toBe(0);
    isWrong = false;
    await runToEnd(world, 'demo', 90);
    await expectCompleted(world, 'demo', { succeeded: 2, mostActive: 2 });
    expect(await trouble()).toBeUndefined();
  });

  test('R14: what workloads are forbidden is not over because a look, which asks for less, is let in', async () => {
    await begin();
    const reachability = new Reachability(world.ports);
    for (const uid of ['one', 'other'])
      await reachability.sawForbidden({ cluster: CLUSTER, kind: 'Job', namespace: 'default', name: uid, uid }, 'pods is forbidden');
    await minute();
    await minute();
    expect(await trouble()).toMatchObject({ reason: 'pods is forbidden' });
    await reachability.sawAnswer({ cluster: CLUSTER, namespace: 'default' }, world.clock.nowMs());
    expect(await trouble()).toBeUndefined();
  });

  test('R14: a look takes no probe from a workload that is about to look', async () => {
    let calls = 0;
    await begin(() => {
      calls += 1;
      return UNAUTHORIZED;
    });
    const reachability = new Reachability(world.ports);
    await reachability.sawSilence({ cluster: CLUSTER, uid: 'one' }, new Error('no answer'));
    await world.reconciler.look(CLUSTER);
    expect(calls).toBe(0);
    await world.clock.advance(5_000);
    expect(await reachability.hold({ cluster: CLUSTER, namespace: 'default', uid: 'one' })).toMatchObject({ waitMs: 0, probe: 'answer' });
  });
});

test('R14: a managed kind that is not installed is no silence, and an idle cluster with some of the kinds is looked at all the same', async () => {
  world = new World({ manages: ['training-jobs'], rows: definedRows('PyTorchJob') });
  const asked: string[] = [];
  world.interposer = ({ port, method, args, phase }) => {
    if (port === 'cluster' && method === 'get' && phase === 'before') asked.push((args[0] as { kind: string }).kind);
  };
  await minute();
  await minute();
  expect([asked.at(-1), counted('SilentClusters'), await trouble()]).toEqual(['Pod', 0, undefined]);
});

describe('R14: who looks', () => {
  test('R14: the sweep itself calls no cluster, so none holds it up; two sweeps at a time ask for one look', async () => {
    await begin();
    world.interposer = async ({ port }) => {
      if (port === 'cluster') await new Promise(() => {});
    };
    await Promise.all([sweep(world.ports), sweep(world.anotherProcess().ports)]);
    expect(world.cluster.calls).toEqual([]);
    expect(await world.queue.depth('wakes')).toMatchObject({ visible: 1 });
  });

  test('R14: a relayed cluster is looked at once its relay was heard of, and not before', async () => {
    await begin(() => UNAUTHORIZED);
    world.record = { ...world.record, access: 'relayed' };
    await minute();
    expect(world.cluster.calls).toEqual([]);
    expect(await trouble()).toBeUndefined();
    await heartbeat(world);
    await minute();
    expect(await trouble()).toMatchObject({ reason: UNAUTHORIZED.message });
    expect(counted('SilentClusters')).toBe(1);
  });

  test('R14: a cluster that is being registered or removed is not looked at', async () => {
    await begin();
    const connect = (): never => {
      throw new TerminalError('there is no access for the cluster west: register it');
    };
    await minuteOf({ ...world.ports, connect });
    expect(await trouble()).toBeUndefined();
  });

  test('R13: a look that meets the store away comes back with the next sweep, never as a dead letter', async () => {
    await begin();
    world.interposer = ({ port, method }) => {
      if (port === 'store' && method === 'readNote') throw new Error('throttled');
    };
    for (let at = 0; at < 6; at++) await minute();
    expect(await world.queue.depth('wakes')).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
  });

  test('R13: a cluster that answers nothing keeps no wake of others in its batch', async () => {
    await begin();
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await sweep(world.ports);
    let proceed = (): void => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    world.interposer = async ({ port, phase, args }) => {
      if (port === 'cluster' && phase === 'before' && (args[1] as { name?: string }).name === 'farloop-look') await held;
    };
    const batch = await world.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: VISIBILITY_SECONDS });
    expect(batch).toHaveLength(2);
    const { reconciler, ports } = world;
    const answer = reconcileBatch(batch, { reconciler, ports, hasTime: () => true });
    await world.clock.advance(300);
    expect(world.podsEver.size).toBe(1);
    expect(await world.queue.depth('wakes')).toMatchObject({ inFlight: 1 });
    proceed();
    expect(await answer).toEqual([]);
  });

  test('R16: an hour of looks: one small read of the cluster each, and not a unit written', async () => {
    await begin();
    await minute();
    const before = { units: world.store.meter.writeUnits + world.store.meter.indexUnits, calls: world.cluster.calls.length };
    for (let at = 0; at < 60; at++) await minute();
    expect(world.store.meter.writeUnits + world.store.meter.indexUnits).toBe(before.units);
    expect(world.cluster.calls.length - before.calls).toBe(60);
    expect(new Set(world.cluster.calls.map(({ verb, plural }) => `${verb} ${plural}`))).toEqual(new Set(['get jobs']));
  });
});
