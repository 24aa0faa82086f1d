// The look at virtual nodes that a sweep sends: which nodes' leases the relay is asked to keep, and which pass is woken.
import { afterEach, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import type { Node } from '../../../lib/objects/kubernetes.ts';
import { LEASES, NODE_LEASES, type Lease } from '../../../lib/objects/placement/lease.ts';
import { NODES } from '../../../lib/objects/resources.ts';
import { NotDoneError } from '../../../lib/ports/errors.ts';
import { sendNodeLooks } from '../../../lib/reconciler/cluster/send-node-looks.ts';
import { decodeAsk, decodeWake } from '../../../lib/wire/messages.ts';
import type { NodesOptions } from '../../world/virtual-node.ts';
import { NodesWorld } from '../../world/virtual-node.ts';
import { CLUSTER } from '../../world/world.ts';

let world: NodesWorld;
const asks: unknown[] = [];
afterEach(() => {
  asks.length = 0;
  world.close();
});

async function open(nodes: readonly string[], more: Partial<NodesOptions> = {}): Promise<void> {
  world = await NodesWorld.open({ options: { [NODE_OPTIONS.node]: nodes.map((name) => `${name}=simulated`).join(' ') }, ...more });
  const send = world.ports.queue.send.bind(world.ports.queue);
  world.ports.queue.send = async (name, messages) => {
    if (name === `relay-${CLUSTER}`) asks.push(...messages.map(({ body }) => decodeAsk(body)));
    return await send(name, messages);
  };
}
const isReady = async (name: string): Promise<string | undefined> => {
  const node = await world.as<Node>('GET', NODES, { name });
  return ((node.status?.['conditions'] ?? []) as { type: string; status: string }[]).find(({ type }) => type === 'Ready')?.status;
};
const look = async (...nodes: string[]): Promise<void> => await world.reconciler.lookAtNodes({ cluster: CLUSTER, nodes });
const leases = async (): Promise<Lease[]> => (await world.as<{ items: Lease[] }>('GET', LEASES, { namespace: NODE_LEASES })).items;

test('R16: a node that is well costs one ask a minute, and its lease is made once, with its Node as owner', async () => {
  await open(['edge']);
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  await look('edge');
  await look('edge');
  expect(asks).toEqual(Array.from({ length: 2 }, () => ({ ask: 'leases', nodes: ['edge'], seconds: 300 })));
  const { metadata } = await world.as<Node>('GET', NODES, { name: 'edge' });
  const [lease, ...others] = await leases();
  expect(others).toEqual([]);
  expect(lease?.metadata).toMatchObject({ name: 'edge', ownerReferences: [{ kind: 'Node', name: 'edge', uid: metadata.uid }] });
});

test('VN 95: R13: a node whose provider is not well is asked nothing for and says so; the other one is kept', async () => {
  let isWell = true;
  await open(['edge', 'far'], {
    between: (provider, node) => ({
      ...provider,
      health: async () => (node === 'edge' && !isWell ? { problem: 'its account is empty' } : {}),
    }),
  });
  await world.waitUntil(async () => (await isReady('edge')) === 'True' && (await isReady('far')) === 'True');
  isWell = false;
  await look('edge', 'far');
  expect(asks).toEqual([{ ask: 'leases', nodes: ['far'], seconds: 300 }]);
  await world.waitUntil(async () => (await isReady('edge')) === 'False');
  isWell = true;
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  await look('edge', 'far');
  expect(asks.at(-1)).toEqual({ ask: 'leases', nodes: ['edge', 'far'], seconds: 300 });
});

test('a node that the controller manager gave up is Ready again once its provider is seen', async () => {
  await open(['edge']);
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  const node = await world.as<Node>('GET', NODES, { name: 'edge' });
  const conditions = ((node.status?.['conditions'] ?? []) as { type: string }[]).map((each) =>
    each.type === 'Ready' ? { ...each, status: 'Unknown', reason: 'NodeStatusUnknown' } : each,
  );
  await world.as('PATCH', NODES, {
    name: 'edge',
    subresource: 'status',
    type: 'application/merge-patch+json',
    body: { status: { conditions } },
  });
  await look('edge');
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  expect(asks).toEqual([{ ask: 'leases', nodes: ['edge'], seconds: 300 }]);
});

test('R15: a Node that somebody else made, or of another name, is never kept', async () => {
  await open(['edge'], { withoutNodes: ['edge'] });
  await world.as('POST', NODES, { body: { metadata: { name: 'edge' } } });
  await world.as('POST', NODES, { body: { metadata: { name: 'kubelet-1' } } });
  await look('edge', 'kubelet-1', 'none');
  expect([asks, await leases()]).toEqual([[], []]);
});

test('a sweep sends one look for ten nodes, and two sweeps of one moment one', async () => {
  const names = Array.from({ length: 23 }, (_, at) => `n${at}`);
  await open(names);
  const sent: string[][] = [];
  const queue = {
    send: async (_name: string, messages: readonly { body: string; deduplicationId?: string }[]) => {
      for (const { body } of messages) {
        const message = decodeWake(body);
        if ('look' in message && message.look === 'nodes') sent.push([...message.nodes]);
      }
    },
  };
  await sendNodeLooks({ queue: queue as never, clock: world.clock }, [world.record]);
  expect(sent.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(sent.flat()).toEqual(names);
});

test('VN 93: R13: a provider that gives no answer from the start: the Node says so, and pods wait for it', async () => {
  let answers = false;
  await open(['edge'], {
    between: (provider) => {
      const unless = async (): Promise<never> => await Promise.reject(new NotDoneError('nothing listens there'));
      return answers ? provider : { ...provider, health: unless, list: unless, look: unless };
    },
  });
  await world.bind('a', { node: 'edge', script: { 'run-seconds': '1000000' } });
  await world.waitUntil(async () => (await isReady('edge')) === 'False');
  const node = await world.as<Node>('GET', NODES, { name: 'edge' });
  expect(node.status?.['conditions']).toContainEqual(
    expect.objectContaining({
      type: 'Ready',
      reason: 'ProviderNotReady',
      message: 'the provider can start nothing now: nothing listens there',
    }),
  );
  answers = true;
  await world.waitUntil(async () => (await world.podNamed('a'))?.status?.phase === 'Running', 120);
  expect(await isReady('edge')).toBe('True');
});

test('R16: a node at rest writes its status every five minutes, with a heartbeat, and nothing else', async () => {
  await open(['edge']);
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  await world.elapse(60, { play: false });
  const before = world.cluster.writes.length;
  await world.elapse(1_500, { play: false });
  expect(world.cluster.writes.slice(before).map(({ verb, plural, subresource }) => `${verb} ${plural}/${subresource}`)).toEqual(
    Array.from({ length: 5 }, () => 'patch nodes/status'),
  );
  const { status } = await world.as<Node>('GET', NODES, { name: 'edge' });
  const ages = ((status?.['conditions'] ?? []) as { lastHeartbeatTime?: string; lastTransitionTime?: string }[]).map(
    ({ lastHeartbeatTime = '', lastTransitionTime = '' }) => Date.parse(lastHeartbeatTime) - Date.parse(lastTransitionTime),
  );
  expect(ages).toHaveLength(5);
  for (const age of ages) expect(age).toBeGreaterThan(1_200_000);
});

test('VN 91: VN 92: conditions and annotations of others stay, and what somebody else made of ours is put right', async () => {
  await open(['edge']);
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  const type = 'application/merge-patch+json';
  await world.as('PATCH', NODES, { name: 'edge', type, body: { metadata: { annotations: { 'example.com/of': 'others' } } } });
  const { status = {} } = await world.as<Node>('GET', NODES, { name: 'edge' });
  const ours = (status['conditions'] ?? []) as { type: string; status: string }[];
  const conditions = [
    ...ours.map((condition) => (condition.type === 'Ready' ? { ...condition, status: 'Unknown' } : condition)),
    { type: 'example.com/Gpu', status: 'True' },
  ];
  await world.as('PATCH', NODES, { name: 'edge', subresource: 'status', type, body: { status: { conditions } } });
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  await world.elapse(700, { play: false });
  const after = await world.as<Node>('GET', NODES, { name: 'edge' });
  expect(after.metadata.annotations).toMatchObject({ 'example.com/of': 'others' });
  expect(after.status?.['conditions']).toContainEqual(expect.objectContaining({ type: 'example.com/Gpu', status: 'True' }));
});

test('R16: a provider that tells nobody is looked at every 10 s while pods are new, every minute once all have run for an hour, and rests without pods', async () => {
  await open(['edge'], { between: (provider) => ({ ...provider, lookAgainSeconds: 10 }) });
  await world.waitUntil(async () => (await isReady('edge')) === 'True');
  const passesIn = async (seconds: number): Promise<number> => {
    const before = world.passes.length;
    await world.elapse(seconds, { play: false });
    return world.passes.slice(before).filter(({ key }) => key.name === 'edge').length;
  };
  expect(await passesIn(600)).toBeLessThanOrEqual(3);
  await world.bind('p', { node: 'edge', script: { 'run-seconds': '1000000' } });
  await world.waitUntil(async () => (await world.podNamed('p'))?.status?.phase === 'Running');
  const whileNew = await passesIn(600);
  expect(whileNew).toBeGreaterThanOrEqual(55);
  expect(whileNew).toBeLessThanOrEqual(65);
  await world.elapse(3_600, { play: false });
  expect(await passesIn(600)).toBeLessThanOrEqual(12);
});
