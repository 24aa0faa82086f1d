// A cluster that is registered for fewer namespaces than before, with known workloads in one that it leaves.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TerminalError } from '../../lib/ports/errors.ts';
import { Reachability, troubleOf } from '../../lib/reconciler/cluster/reachability.ts';
import { runToEnd } from '../world/right.ts';
import { heartbeat } from '../world/reporter.ts';
import { aJob, CLUSTER, World } from '../world/world.ts';

const FORBIDDEN = new TerminalError('jobs.batch is forbidden: no rights in the namespace', { code: 403 });

let world: World;
/** Of every call on the cluster. */
let called: (string | undefined)[] = [];
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

/** As `farloop cluster add --namespaces` leaves it: rights there are taken back, and the relay tells no more of it. */
function leaveDefault(): void {
  world.record = { ...world.record, namespaces: ['elsewhere'] };
  called = [];
  world.interposer = ({ port, phase, args }) => {
    if (port !== 'cluster' || phase !== 'before') return;
    const { namespace } = args[1] as { namespace?: string };
    called.push(namespace);
    if (namespace === 'default') throw FORBIDDEN;
  };
}

test('R14: what is known there is forgotten without a call on the cluster, which is not in trouble for it', async () => {
  for (const name of ['one', 'two']) {
    await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
    await runToEnd(world, name);
  }
  await world.apply(aJob('running', { completions: 1, parallelism: 1 }));
  await world.report();
  await world.run();
  leaveDefault();
  await world.clock.advance(2_000);
  // Its relay began anew, and lists what it watches now.
  await heartbeat(world, { digests: [], fullList: { resourceVersion: '1000000', startedAtMs: world.clock.nowMs() } });
  await world.elapse(300, { play: false });
  expect(await world.store.workloads(CLUSTER, { limit: 10 })).toMatchObject({ keys: [] });
  expect(new Set(called)).toEqual(new Set(['elsewhere']));
  expect(await troubleOf(world.ports, CLUSTER)).toBeUndefined();
  expect(world.metrics.filter(({ metric }) => /Forbidden|Stale|Parked|Failed/.test(metric))).toEqual([]);
});

test('R14: what was forbidden there, for which the namespace may have been left, is over with the next look', async () => {
  const reachability = new Reachability(world.ports);
  for (const namespace of ['default', 'elsewhere'])
    for (const uid of ['one', 'other'])
      await reachability.sawForbidden({ cluster: CLUSTER, kind: 'Job', namespace, name: uid, uid: `${namespace}-${uid}` }, namespace);
  leaveDefault();
  await world.reconciler.look(CLUSTER);
  expect(await troubleOf(world.ports, CLUSTER, (place) => place === 'default')).toBeUndefined();
  expect(await troubleOf(world.ports, CLUSTER)).toMatchObject({ isForbidden: true });
  world.record = { ...world.record, namespaces: ['third'] };
  await world.reconciler.look(CLUSTER);
  expect(await troubleOf(world.ports, CLUSTER)).toBeUndefined();
});

test('R14: a workload that has just begun there is left for those who know that the namespace has come back', async () => {
  const { namespaces } = world.record;
  await world.apply(aJob('back', { completions: 1, parallelism: 1 }));
  await world.report();
  // A function that read the record seconds before it named this namespace.
  leaveDefault();
  await world.run();
  expect(called).toEqual([]);
  world.record = { ...world.record, namespaces };
  world.interposer = undefined;
  await runToEnd(world, 'back');
});
