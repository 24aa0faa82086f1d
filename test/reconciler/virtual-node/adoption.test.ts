// A Node of another virtual kubelet is taken over, with the pods on it, and handed back.
import { afterEach, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import type { Node, Pod } from '../../../lib/objects/kubernetes.ts';
import { LEASES, microTimeOf, NODE_LEASES } from '../../../lib/objects/placement/lease.ts';
import { NODES, PODS } from '../../../lib/objects/resources.ts';
import { CLUSTER } from '../../world/world.ts';
import { NodesWorld, type NodesOptions } from '../../world/virtual-node.ts';

const FOR_EVER = { 'run-seconds': '1000000' };
const OPTIONS = { [NODE_OPTIONS.node]: 'edge=simulated', [NODE_OPTIONS.adopt]: 'edge' };
const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };

let world: NodesWorld;
afterEach(() => world.close());

/** As another virtual kubelet has left it a moment ago: a Node with its lease, and a pod whose task runs. */
async function openBesideAnother(options: NodesOptions['options'] = OPTIONS, more: Partial<NodesOptions> = {}): Promise<Pod> {
  world = await NodesWorld.open({ options, withoutNodes: ['edge'], ...more });
  const taints = [{ key: 'virtual-kubelet.io/provider', value: 'mock', effect: 'NoSchedule' }];
  await world.as('POST', NODES, {
    body: { metadata: { name: 'edge', labels: { type: 'virtual-kubelet', of: 'theirs' } }, spec: { taints } },
  });
  const renewTime = microTimeOf(world.clock.nowMs());
  await world.as('POST', LEASES, {
    namespace: NODE_LEASES,
    body: { metadata: { name: 'edge' }, spec: { holderIdentity: 'edge', renewTime } },
  });
  await world.bind('theirs', { node: 'edge', script: FOR_EVER });
  const pod = (await world.podNamed('theirs')) as Pod;
  await world.provider.of('edge').start({ uid: pod.metadata.uid ?? '', attempt: 1 }, pod, FAR);
  const status = {
    phase: 'Running',
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: [
      { name: 'main', image: 'x', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
    ],
  };
  await world.as('PATCH', PODS, {
    type: 'application/merge-patch+json',
    namespace: 'default',
    name: 'theirs',
    subresource: 'status',
    body: { status },
  });
  return pod;
}
/** Until a sweep has sent the next look at it. */
const look = async (): Promise<void> => await world.elapse(61, { play: false });
const node = async (): Promise<Node> => await world.as<Node>('GET', NODES, { name: 'edge' });
const isReady = async (): Promise<boolean> =>
  (((await node()).status?.['conditions'] ?? []) as { type: string; status: string }[]).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
const tasks = (): string[] =>
  world.provider
    .tasksOn('edge')
    .filter(({ hasEnded }) => !hasEnded)
    .map(({ name }) => name);

test('R1: it is left alone while somebody serves it', async () => {
  await openBesideAnother();
  await world.reconciler.lookAtNodes({ cluster: CLUSTER, nodes: ['edge'] });
  expect((await node()).metadata.annotations).toBeUndefined();
});

test.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])(
  'R1: $name: once nobody does, it is taken over; its pod runs on, and is never started again',
  async ({ name: _name, ...more }) => {
    await openBesideAnother(OPTIONS, more);
    await look();
    await world.waitUntil(isReady);
    const { metadata, spec } = await node();
    expect(metadata).toMatchObject({ annotations: { 'farloop.dev/virtual-node': 'simulated' }, labels: { of: 'theirs' } });
    expect(spec?.taints).toMatchObject([{ value: 'mock' }]);
    await world.bind('ours', { node: 'edge', script: FOR_EVER });
    await world.waitUntil(async () => (await world.podNamed('ours'))?.status?.phase === 'Running');
    expect((await world.podNamed('theirs'))?.status?.phase).toBe('Running');
    expect([...world.provider.starts.values()]).toEqual([1, 1]);
    await world.remove('theirs');
    await world.waitUntil(async () => (await world.podNamed('theirs')) === undefined, 60);
    expect(tasks()).toEqual(['ours']);
  },
);

test('R1: without the flag it stays as it is, and says how it is taken over', async () => {
  await openBesideAnother({ [NODE_OPTIONS.node]: 'edge=simulated' });
  await world.elapse(120, { play: false });
  await look();
  await world.elapse(30, { play: false });
  expect((await node()).metadata.annotations).toBeUndefined();
  expect(world.passes.findLast(({ key }) => key.name === 'edge')?.why).toEqual([
    'the Node edge was not made by Farloop, so somebody else serves it: give the virtual node another name, delete that Node, or take it over with --adopt-node edge',
  ]);
});

test('R1: handed back by its annotation, nothing of it is touched any more', async () => {
  await openBesideAnother();
  await world.elapse(45, { play: false });
  await look();
  await world.waitUntil(isReady);
  world.record = { ...world.record, options: { [NODE_OPTIONS.node]: 'edge=simulated' } };
  await world.as('PATCH', NODES, {
    type: 'application/merge-patch+json',
    name: 'edge',
    body: { metadata: { annotations: { 'farloop.dev/virtual-node': null } } },
  });
  await world.remove('theirs');
  await world.elapse(600, { play: false });
  expect((await world.podNamed('theirs'))?.metadata.deletionTimestamp).toBeDefined();
  expect(tasks()).toEqual(['theirs']);
});
