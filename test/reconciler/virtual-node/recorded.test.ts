// The flight recorder's snapshots of virtual nodes and their pods: each is decided again as it was, and none holds what is another pod's.
import { expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import { replay, snapshotKindOf } from '../../../lib/reconciler/report/recorded-plan.ts';
import { unpackSnapshot } from '../../../lib/wire/snapshot.ts';
import { NodesWorld } from '../../world/virtual-node.ts';

const PODS = 6;

test('passes from the first pod to the last one are decided again as they were; those that rest on a live list have no snapshot', async () => {
  const world = await NodesWorld.open({ options: { [NODE_OPTIONS.node]: 'edge=simulated', [NODE_OPTIONS.cpu]: 'edge=2' } });
  world.keepsSnapshots = true;
  const first = world.passes.length;
  const resources = { requests: { cpu: '500m' } };
  const pods = await Promise.all(
    Array.from({ length: PODS }, async (_, at) =>
      world.bind(`p${at}`, {
        node: 'edge',
        script: { 'run-seconds': at === 0 ? '1000000' : '5' },
        containers: [{ name: 'main', image: 'x', resources }],
      }),
    ),
  );
  await world.waitUntil(
    async () => (await world.pods()).filter(({ status }) => /^(Succeeded|Failed)$/.test(status?.phase ?? '')).length === PODS - 1,
  );
  for (const { name } of pods) await world.remove(name);
  await world.waitUntil(async () => (await world.pods()).length === 0);

  const recorded = world.passes.slice(first).flatMap(({ key }, at) => {
    const snapshot = world.snapshots[at];
    return snapshot ? [{ key, snapshot }] : [];
  });
  const replayed = recorded.map(({ key, snapshot }) => replay(key.kind, snapshot));
  expect(replayed.flatMap(({ differences }) => differences)).toEqual([]);
  const actions = replayed.flatMap(({ recorded: { actions: all } }) => all.map(({ verb }) => verb));
  expect(actions).toEqual(expect.arrayContaining(['status', 'delete']));
  expect(recorded.filter(({ key }) => key.kind === 'VirtualNode')).toEqual([]);
  for (const { key, snapshot } of recorded) {
    const text = JSON.stringify(unpackSnapshot(snapshot, snapshotKindOf(key.kind)));
    expect(pods.filter(({ uid }) => uid !== key.uid && text.includes(uid))).toEqual([]);
  }
  world.close();
});
