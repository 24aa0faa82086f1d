// R14: what a relay tells of its API server puts the cluster's work off, and sends it again at once. R16: no word of it costs nothing.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { clusterStatesOf } from '../../../lib/reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../../../lib/reconciler/cluster/known-cluster.ts';
import { Reachability } from '../../../lib/reconciler/cluster/reachability.ts';
import { resendPutOff } from '../../../lib/reconciler/cluster/resend.ts';
import type { Heartbeat } from '../../../lib/wire/words/observations.ts';
import { heartbeat } from '../../world/reporter.ts';
import { expectCompleted, runToEnd } from '../../world/right.ts';
import { aJob, CLUSTER, World } from '../../world/world.ts';

const SILENT: Heartbeat['apiServer'] = { state: 'silent', forMs: 8_000, reason: 'no answer within 3 s' };

let world: World;
let calls: number;
let frozen: boolean;
beforeEach(async () => {
  world = new World();
  calls = 0;
  frozen = false;
  await world.watch();
  world.interposer = ({ port, phase }) => {
    if (port !== 'cluster' || phase !== 'before') return;
    calls += 1;
    if (frozen) throw new UnknownOutcomeError('no answer within 10 s');
  };
  await heartbeat(world);
});
afterEach(() => world.close());

const states = async (): Promise<string[]> => {
  const { facts } = await readKnownCluster(world.ports, world.record);
  return clusterStatesOf(facts, world.clock.nowMs()).map(({ state }) => state);
};
/** What a relay would say, without what else it knows: the lists of this world are not to be asked while they stand still. */
const tell = async (apiServer: Heartbeat['apiServer'], message: object = {}): Promise<void> => {
  const watches = [{ resource: 'jobs', ageMs: 0, resourceVersion: '1' }];
  await world.send([], { heartbeat: { watches, clockOffsetMs: 0, digests: [], ...(apiServer && { apiServer }) }, ...message });
  await world.ingest();
};

describe('R14: the relay tells that its API server is silent', () => {
  test('R14: it shows at once, since its last answer; nine of ten workloads are put off without a call, and all go on at once', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `demo-${at}`);
    for (const name of names) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    frozen = true;
    await tell(SILENT);
    expect(await states()).toEqual(['Unreachable']);
    const { facts } = await readKnownCluster(world.ports, world.record);
    expect(facts.trouble).toMatchObject({ sinceMs: world.clock.nowMs() - 8_000, reason: 'no answer within 3 s' });
    expect(world.metrics.filter(({ metric }) => metric === 'SilentClusters')).toHaveLength(1);
    calls = 0;
    await world.report();
    await world.run();
    // The probe of R14 reads its owner.
    expect(calls).toBeLessThanOrEqual(2);
    expect(world.passes.filter(({ outcome }) => outcome === 'putOff')).toHaveLength(9);
    frozen = false;
    const thawedAtMs = world.clock.nowMs();
    await tell(undefined);
    await world.run();
    expect(await states()).toEqual(['Watching']);
    expect(world.podsEver.size).toBe(10);
    expect(world.clock.nowMs() - thawedAtMs).toBeLessThan(1_000);
  });

  test('R14: an answer that comes between the question of a pass and its wake does not wait for that wake', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    const asker = new Reachability(world.ports);
    await asker.relaySawSilence(CLUSTER, { sinceMs: world.clock.nowMs(), reason: 'no answer within 3 s' });
    await asker.takeLook(world.record);
    let hasAsked = false;
    world.interposer = async ({ method, args, phase }) => {
      if (method === 'readNote' && args.includes('reach') && phase === 'after') hasAsked = true;
      if (!hasAsked || method !== 'updateHead' || phase !== 'before') return;
      if (!(await asker.lookAnswered({ cluster: CLUSTER, namespace: 'work' }, world.clock.nowMs()))) return;
      await resendPutOff(world.ports, CLUSTER);
    };
    const silentAtMs = world.clock.nowMs();
    await world.report();
    await world.run();
    expect(world.passes.map(({ outcome }) => outcome)).toContain('putOff');
    expect(world.podsEver.size).toBe(1);
    expect(world.clock.nowMs() - silentAtMs).toBeLessThan(1_000);
  });

  test('R14: a silence that a look saw is probed by the first workload that is put off, and not after a random delay', async () => {
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    const look = new Reachability(world.ports);
    await look.sawSilence({ cluster: CLUSTER }, new UnknownOutcomeError('no answer within 10 s'));
    world.clock.random = () => 1;
    await world.clock.advance(4_000);
    await world.report();
    await world.run();
    expect(world.passes.map(({ outcome }) => outcome)).toContain('putOff');
    await world.elapse(2);
    expect(world.podsEver.size).toBe(1);
  });

  test('R14: an idle cluster is looked at as soon as its relay has an answer, and shows as well', async () => {
    frozen = true;
    await tell(SILENT);
    await world.clock.advance(30_000);
    await world.run();
    expect(await states()).toEqual(['Unreachable']);
    frozen = false;
    await tell(undefined);
    expect(await states()).toEqual(['Unreachable']);
    await world.run();
    expect(await states()).toEqual(['Watching']);
  });

  test('R14: passes that have an answer go on; that the relay has none shows, and is not told to them again each minute', async () => {
    await tell(SILENT);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await world.run();
    expect(await states()).toEqual(['RelayCutOff']);
    const { length } = world.passes;
    await world.clock.advance(60_000);
    await tell({ ...SILENT, forMs: 68_000 });
    expect(await states()).toEqual(['RelayCutOff']);
    expect(world.passes.slice(length).map(({ outcome }) => outcome)).not.toContain('putOff');
    await runToEnd(world, 'demo');
    await expectCompleted(world, 'demo', { succeeded: 1, mostActive: 1 });
  });

  test('R14: an answer that somebody had before the silence was noted is none, however late it is told', async () => {
    const reachability = new Reachability(world.ports);
    const place = { cluster: CLUSTER, namespace: 'default' };
    const askedAtMs = world.clock.nowMs();
    await world.clock.advance(8_000);
    await tell(SILENT);
    expect(await reachability.isDown(CLUSTER)).toBe(true);
    expect(await reachability.sawAnswer(place, askedAtMs)).toBe(false);
    expect(await reachability.lookAnswered(place, askedAtMs)).toBe(false);
    expect(await states()).toEqual(['Unreachable']);
    // A clock that was set back makes no answer of now an earlier one.
    world.clock.jumpWall(-120_000);
    expect(await reachability.sawAnswer(place, world.clock.nowMs())).toBe(true);
    expect(await states()).not.toContain('Unreachable');
  });

  test('a relay that the API server refuses keeps passes from nothing', async () => {
    await tell({ state: 'refused', forMs: 8_000, reason: 'the token is refused' });
    expect(await states()).toEqual(['RelayCutOff']);
    await world.apply(aJob('demo', { completions: 1, parallelism: 1 }));
    await world.report();
    await world.run();
    expect(world.podsEver.size).toBe(1);
  });

  test('R2: of two heartbeats the one that was sent last counts, whichever comes last', async () => {
    await tell(SILENT, { sequence: 51 });
    await tell(undefined, { sequence: 50 });
    expect(await states()).toEqual(['Unreachable']);
    await tell(undefined, { sequence: 52 });
    await world.run();
    expect(await states()).toEqual(['Watching']);
    await tell(SILENT, { sequence: 51 });
    expect(await states()).toEqual(['Watching']);
    // Another session counts anew.
    await tell(SILENT, { sequence: 1, session: 'session-2' });
    expect(await states()).toEqual(['Unreachable']);
  });

  test('what is told again sends one look', async () => {
    await tell(SILENT, { sequence: 60 });
    for (let again = 0; again < 3; again++) await tell(undefined, { sequence: 61 });
    expect((await world.queue.depth('wakes')).visible).toBe(1);
  });
});

test('R16: a heartbeat of a cluster that is well writes its marker and nothing else, and wakes nobody', async () => {
  await tell(undefined);
  const { writeUnits } = world.store.meter;
  await tell(undefined);
  expect(world.store.meter.writeUnits - writeUnits).toBeLessThanOrEqual(1);
  expect((await world.queue.depth('wakes')).visible).toBe(0);
});

test('an alarm counts a silent API server each minute as long as it lasts, and not a minute longer', async () => {
  frozen = true;
  await tell(SILENT);
  const counted = (): number =>
    world.metrics.filter(({ metric, dimensions }) => metric === 'SilentClusters' && dimensions['cluster'] === CLUSTER).length;
  for (let minute = 0; minute < 3; minute++) {
    await world.clock.advance(60_000);
    await world.sweep();
    await world.run();
  }
  expect(counted()).toBe(4);
  frozen = false;
  await tell(undefined);
  await world.run();
  await world.clock.advance(60_000);
  await world.sweep();
  expect(counted()).toBe(4);
});
