// The flight recorder of a kind that is not Job: its children, what it keeps in the head, names of somebody else.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { replay, snapshotKindOf } from '../../../lib/reconciler/report/recorded-plan.ts';
import { unpackSnapshot, type RecordedPlan } from '../../../lib/wire/snapshot.ts';
import { openEnsembleWorld, playing, podNamed } from '../../world/kinds/ensemble/world.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { SERVICES } from '../../world/kinds/ensemble/ensemble.ts';
import type { World } from '../../world/world.ts';

let world: World;
beforeEach(async () => {
  world = await openEnsembleWorld();
  world.keepsSnapshots = true;
});
afterEach(() => world.close());

/** Passes with a snapshot: whether they listed the children, and what they saw. */
const passesOf = (kind: string): { listed: boolean; saw: RecordedPlan }[] =>
  world.passes.flatMap(({ key, saw }, at) => {
    const snapshot = world.snapshots[at];
    return key.kind === kind && snapshot ? [{ listed: saw['listed'] === true, saw: unpackSnapshot(snapshot, snapshotKindOf(kind)) }] : [];
  });
const snapshots = (): Uint8Array[] => world.snapshots.flatMap((snapshot) => snapshot ?? []);
const recorded = (): RecordedPlan[] => snapshots().map((snapshot) => unpackSnapshot(snapshot, snapshotKindOf('Ensemble')));
const differences = (): string[] => snapshots().flatMap((snapshot) => replay('Ensemble', snapshot).differences);

test('every pass from the first pod to the end, a failure between, is decided again as it was', async () => {
  await playing(world);
  await world.end(await podNamed(world, 'demo-winds-0'), 1);
  await world.elapse(6, { play: false });
  for (const pod of await world.pods()) if (pod.status?.phase === 'Pending') await world.startPod(pod);
  await world.elapse(6, { play: false });
  for (const name of ['demo-strings-0', 'demo-strings-1']) await world.end(await podNamed(world, name), 0);
  await world.elapse(6, { play: false });

  expect(differences()).toEqual([]);
  const decided = recorded();
  expect(decided.flatMap(({ decided: { actions } }) => actions).filter(({ verb }) => verb === 'create').length).toBeGreaterThan(7);
  expect(new Set(decided.flatMap(({ children = [] }) => children.map(({ resource }) => resource)))).toEqual(
    new Set(['services', 'configmaps']),
  );
  expect(decided.some(({ kept }) => JSON.stringify(kept)?.includes('"failures":{"'))).toBe(true);
});

test('facts that the kind asks for come from reports and from live reads', async () => {
  await playing(world);
  await world.end(await podNamed(world, 'demo-winds-0'), 1);
  await world.elapse(6);
  const boundIn = (isListed: boolean): PodFacts[] =>
    passesOf('Ensemble').flatMap(({ listed, saw }) => (listed === isListed ? saw.pods.filter(({ assigned }) => assigned) : []));
  const unnamed = (): PodFacts[] => [true, false].flatMap(boundIn).filter(({ node }) => node === undefined);
  const pods = passesOf('Ensemble').flatMap(({ saw }) => saw.pods);
  expect([boundIn(false).length > 0, unnamed()]).toEqual([true, []]);
  expect(pods.flatMap(({ containerWords = [] }) => containerWords.map(({ state }) => state))).toContain('terminated');

  // A pass that finds no view lists the pods live.
  world.store.wipe();
  await world.end(await podNamed(world, 'demo-strings-1'), 1);
  await world.elapse(6);
  expect([boundIn(true).length > 0, unnamed()]).toEqual([true, []]);
});

test('a name that somebody else has is recorded with the plan that leaves its place alone', async () => {
  await world.as('POST', SERVICES, {
    namespace: 'default',
    body: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'demo-strings-0', namespace: 'default' },
      spec: { ports: [{ port: 80 }] },
    },
  });
  await playing(world);
  expect(recorded().flatMap(({ held = {} }) => Object.keys(held))).toContain('services/demo-strings-0');
  expect(differences()).toEqual([]);
});
