// What a run shows and does at the API server of its node's cluster. It is shown, never asked: without it the run goes on.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Pod, PodStatus } from '../../../lib/objects/kubernetes.ts';
import { NODES, PODS } from '../../../lib/objects/resources.ts';
import { RunCluster } from '../../../lib/reconciler/runs/run-cluster.ts';
import { aPod, asking, exitedWith, RUNNING } from '../../kinds/run-once/run-world.ts';
import { World } from '../../world/world.ts';

let world: World;
let reports: string[];
const deadline = { atMs: Number.MAX_SAFE_INTEGER } as never;

beforeEach(async () => {
  world = new World();
  reports = [];
  await world.cluster.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'edge' } }, deadline);
});
afterEach(() => world.close());

const opened = (): RunCluster =>
  new RunCluster({ cluster: world.cluster, node: 'edge', clock: world.clock, report: (problem) => reports.push(problem) });
const aRunPod = (uid = 'run-1'): Pod => aPod('a', { namespace: 'default', uid, nodeName: 'edge', restartPolicy: 'Never' });
const taskOf = (status: PodStatus, hasEnded = false) => ({ uid: 'run-1', attempt: 1, namespace: 'default', name: 'a', hasEnded, status });
const pods = async (): Promise<Pod[]> => (await world.cluster.list<Pod>(PODS, {}, deadline)).items;
const phases = async (): Promise<unknown[]> => (await pods()).map(({ metadata, status }) => [metadata.name, status?.phase]);

describe('a mirror pod', () => {
  test('bears the uid of the pod that it shows, the name of its node, and is the Node’s', async () => {
    const cluster = opened();
    await cluster.createMirror(aRunPod());
    await cluster.createMirror(aRunPod());
    const [mirror, ...more] = await pods();
    expect(more).toEqual([]);
    expect(mirror).toMatchObject({
      metadata: {
        name: 'a-edge',
        annotations: {
          'kubernetes.io/config.hash': 'run-1',
          'kubernetes.io/config.mirror': 'run-1',
          'kubernetes.io/config.source': 'file',
        },
        ownerReferences: [{ kind: 'Node', name: 'edge', controller: true }],
      },
      spec: { nodeName: 'edge', tolerations: expect.arrayContaining([{ operator: 'Exists', effect: 'NoExecute' }]) },
    });
    expect(reports).toEqual([]);
  });

  test('shows what the provider shows, and keeps its end', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    expect(await phases()).toEqual([['a-edge', 'Running']]);
    await cluster.show(aRunPod(), taskOf(exitedWith(0), true));
    await cluster.show(aRunPod(), taskOf(RUNNING));
    expect(await phases()).toEqual([['a-edge', 'Succeeded']]);
  });

  test('does not end while something of the task runs', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    await cluster.show(aRunPod(), taskOf(exitedWith(0), false));
    expect(await phases()).toEqual([['a-edge', 'Running']]);
  });

  test('is written only when something has changed', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    const { length } = world.cluster.writes;
    await cluster.show(aRunPod(), taskOf(RUNNING));
    expect(world.cluster.writes.length).toBe(length);
  });

  test('that somebody deletes comes again, for its pod runs on', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    const [{ metadata } = { metadata: {} as Pod['metadata'] }] = await pods();
    await world.cluster.delete(PODS, { namespace: 'default', name: 'a-edge', uid: metadata.uid ?? '' }, deadline);
    await cluster.show(aRunPod(), taskOf(RUNNING));
    const [again] = await pods();
    expect([again?.metadata.uid === metadata.uid, again?.metadata.deletionTimestamp, again?.status?.phase]).toEqual([
      false,
      undefined,
      'Running',
    ]);
  });

  test('takes the place of one of an earlier run that has ended, and of no other pod', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    await cluster.createMirror(aRunPod('run-2'));
    expect(reports).toEqual([expect.stringContaining('default/a-edge mirrors the pod of another run, which goes on')]);
    await cluster.show(aRunPod(), taskOf(exitedWith(0), true));
    await cluster.createMirror(aRunPod('run-2'));
    expect((await pods()).map(({ metadata }) => metadata.annotations?.['kubernetes.io/config.mirror'])).toEqual(['run-2']);
  });

  test('of a task that was deleted ends as lost', async () => {
    const cluster = opened();
    await cluster.show(aRunPod(), taskOf(RUNNING));
    await cluster.show(aRunPod(), undefined);
    expect(await phases()).toEqual([['a-edge', 'Failed']]);
  });
});

test('RO24: an API server that refuses everything is reported once, and throws nothing', async () => {
  world.cluster.interference = {
    before: () => {
      throw new Error('down');
    },
  };
  const cluster = opened();
  for (let count = 0; count < 3; count += 1) await cluster.show(aRunPod(), taskOf(RUNNING));
  expect(await cluster.pods()).toBeUndefined();
  expect(reports).toHaveLength(2);
});

test('an eviction names its reason, and deletes that very pod', async () => {
  const cluster = opened();
  const victim = aPod('v', { namespace: 'default', nodeName: 'edge', ...asking('1') });
  const { object } = await world.cluster.create<Pod>(PODS, { ...victim, metadata: { name: 'v', namespace: 'default' } }, deadline);
  const { uid = '' } = object.metadata;
  await cluster.evict({ namespace: 'default', name: 'v', uid: 'another' });
  // Not even its condition is written.
  expect((await cluster.pods())?.[0]?.metadata).toMatchObject({ resourceVersion: object.metadata.resourceVersion });
  await cluster.evict({ namespace: 'default', name: 'v', uid });
  await cluster.evict({ namespace: 'default', name: 'v', uid });
  const [gone] = (await cluster.pods()) ?? [];
  expect(gone?.metadata.deletionTimestamp).toBeDefined();
  expect(gone?.status?.conditions).toMatchObject([{ type: 'DisruptionTarget', status: 'True' }]);
  expect(reports).toEqual([]);
});
