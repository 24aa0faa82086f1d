// Pods on virtual nodes through the whole loop, and what others may give it: Nodes of somebody else, providers that answer nonsense.
import { afterEach, describe, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import type { Node } from '../../../lib/objects/kubernetes.ts';
import { NODES } from '../../../lib/objects/resources.ts';
import type { Task } from '../../../lib/objects/task.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import { NodesWorld, type NodesOptions } from '../../world/virtual-node.ts';

const FOR_EVER = { 'run-seconds': '1000000' };
const ONE_NODE = { [NODE_OPTIONS.node]: 'edge=simulated' };
const TWO_NODES = { [NODE_OPTIONS.node]: 'edge=simulated far=simulated' };

let world: NodesWorld;
afterEach(() => world.close());

async function open(options: Partial<NodesOptions> = {}): Promise<void> {
  world = await NodesWorld.open({ options: ONE_NODE, ...options });
}

const phaseOf = async (name: string): Promise<unknown> => (await world.podNamed(name))?.status?.phase;
const runs = async (name: string): Promise<void> => await world.waitUntil(async () => (await phaseOf(name)) === 'Running');
const lastPassOf = (name: string) => world.passes.findLast(({ key }) => key.name === name);

describe.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])('$name access', ({ name: _name, ...options }) => {
  test('a pod runs, ends, and is let go; another one is stopped with its grace', async () => {
    await open(options);
    await world.bind('ends', { node: 'edge', script: { 'run-seconds': '3' } });
    await world.bind('stays', { node: 'edge', script: { ...FOR_EVER, 'ignore-stop': '20' }, terminationGracePeriodSeconds: 5 });
    await world.waitUntil(async () => (await phaseOf('ends')) === 'Succeeded');
    expect(await phaseOf('stays')).toBe('Running');
    await world.remove('stays');
    await world.elapse(2, { play: false });
    expect(await phaseOf('stays')).toBe('Running');
    await world.waitUntil(async () => (await world.podNamed('stays')) === undefined, 10);
    await world.remove('ends');
    await world.waitUntil(async () => (await world.podNamed('ends')) === undefined, 10);
  });
});

test('R1: a Node that somebody else made stays as it is, and so do its pods; the other node works', async () => {
  await open({ options: TWO_NODES, withoutNodes: ['edge'] });
  await world.as('POST', NODES, { body: { metadata: { name: 'edge' } } });
  await world.bind('theirs', { node: 'edge', script: FOR_EVER });
  await world.bind('ours', { node: 'far', script: FOR_EVER });
  await runs('ours');
  await world.remove('theirs');
  await world.elapse(60, { play: false });
  expect(await world.podNamed('theirs')).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String) },
    status: { phase: 'Pending' },
  });
  const node = await world.as<Node>('GET', NODES, { name: 'edge' });
  expect(node.status?.['conditions']).toBeUndefined();
  const sentence =
    'the Node edge was not made by Farloop, so somebody else serves it: give the virtual node another name, delete that Node, or take it over with --adopt-node edge';
  for (const name of ['edge', 'theirs']) expect(lastPassOf(name)).toMatchObject({ outcome: 'parked', why: [sentence] });
});

test('VN 89: a Node that somebody deletes is made again, and takes over what runs', async () => {
  await open();
  await world.bind('stays', { node: 'edge', script: FOR_EVER });
  await runs('stays');
  const before = await world.as<Node>('GET', NODES, { name: 'edge' });
  await world.as('DELETE', NODES, { name: 'edge' });
  const isReady = async (): Promise<boolean> => {
    const node = await world.as<Node>('GET', NODES, { name: 'edge' }).catch(() => undefined);
    return node !== undefined && node.metadata.uid !== before.metadata.uid && node.status?.['conditions'] !== undefined;
  };
  await world.waitUntil(isReady);
  await world.remove('stays');
  await world.waitUntil(async () => (await world.podNamed('stays')) === undefined, 60);
  expect([...world.provider.starts.values()]).toEqual([1]);
});

test('a pod of a DaemonSet is rejected where the node takes none, and runs where it does', async () => {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agents', uid: 'uid-agents', controller: true }];
  await open({ options: { ...ONE_NODE, [NODE_OPTIONS.noDaemonSets]: 'yes' } });
  await world.bind('agent', { node: 'edge', metadata: { ownerReferences }, script: FOR_EVER });
  await world.bind('plain', { node: 'edge', script: FOR_EVER });
  await runs('plain');
  expect((await world.podNamed('agent'))?.status).toMatchObject({
    phase: 'Failed',
    reason: 'UnsupportedByProvider',
    message: 'Pod was rejected: metadata.ownerReferences[0]: the node takes no pods of DaemonSets (--no-node-daemonsets)',
  });
  world.close();
  await open();
  await world.bind('agent', { node: 'edge', metadata: { ownerReferences }, script: FOR_EVER });
  await runs('agent');
});

describe('a provider that answers nonsense holds up its own node alone', () => {
  type Answers = Partial<Provider>;
  const NONSENSE: { name: string; says: string; of: (provider: Provider) => Answers; asked: 'pod' | 'node' }[] = [
    {
      name: 'about another task',
      asked: 'pod',
      says: 'it was asked for task',
      of: (provider) => ({
        look: async (tasks, deadline) => (await provider.look(tasks, deadline)).map((task) => task && { ...task, uid: 'other' }),
      }),
    },
    {
      name: 'a task without a status',
      asked: 'pod',
      says: 'has no status',
      of: (provider) => ({
        look: async (tasks, deadline) =>
          (await provider.look(tasks, deadline)).map((task) => task && ({ ...task, status: 'fine' } as unknown as Task)),
      }),
    },
    {
      name: 'a task of megabytes',
      asked: 'pod',
      says: 'is longer than 65536 characters',
      of: (provider) => ({
        look: async (tasks, deadline) =>
          (await provider.look(tasks, deadline)).map(
            (task) => task && { ...task, status: { ...task.status, message: 'm'.repeat(1_000_000) } },
          ),
      }),
    },
    {
      name: 'a list whose tasks have no status',
      asked: 'node',
      says: 'has no status',
      of: () => ({ list: () => Promise.resolve({ tasks: [{ uid: 'a', attempt: 1 } as unknown as Task] }) }),
    },
    {
      name: 'a list without an end',
      asked: 'node',
      says: 'it lists more than 20000 tasks',
      of: () => ({
        list: ({ limit }) => {
          const task: Task = { uid: 'a', attempt: 1, namespace: 'default', name: 'a', hasEnded: true, status: { phase: 'Failed' } };
          return Promise.resolve({ tasks: Array.from({ length: limit }, () => task), next: 'on' });
        },
      }),
    },
  ];

  test.each(NONSENSE)('$name', async ({ says, of, asked }) => {
    const about = { isSane: true };
    await open({
      options: TWO_NODES,
      between: (provider, node) => (node === 'edge' && !about.isSane ? { ...provider, ...of(provider) } : provider),
    });
    await world.bind('before', { node: 'edge', script: FOR_EVER });
    await runs('before');
    about.isSane = false;
    await world.bind('edge-pod', { node: 'edge', script: FOR_EVER });
    await world.bind('far-pod', { node: 'far', script: FOR_EVER });
    await runs('far-pod');
    await world.elapse(30, { play: false });
    const pass = lastPassOf(asked === 'node' ? 'edge' : 'edge-pod');
    expect(`${pass?.error} ${pass?.why.join(' ')}`).toContain('the provider of edge does not answer: ');
    expect(`${pass?.error} ${pass?.why.join(' ')}`).toContain(says);
    // What ran goes on, and nothing is thought to be lost.
    expect(await phaseOf('before')).toBe('Running');
    about.isSane = true;
    await world.waitUntil(async () => (await phaseOf('edge-pod')) === 'Running', 400);
    expect([...world.provider.starts.values()]).toEqual([1, 1, 1]);
  });

  test('an older state of a task than before', async () => {
    const about: { older?: (Task | undefined)[] } = {};
    await open({
      between: (provider) => ({
        ...provider,
        look: async (tasks, deadline) => about.older ?? (await provider.look(tasks, deadline)),
      }),
    });
    const { uid } = await world.bind('a', { node: 'edge', script: { 'start-delay': '3', 'run-seconds': '10' } });
    await world.elapse(2, { play: false });
    const pending = await world.provider.of('edge').look([{ uid, attempt: 1 }], world.deadline());
    await runs('a');
    about.older = pending;
    await world.elapse(20, { play: false });
    expect(await phaseOf('a')).toBe('Running');
    expect(lastPassOf('a')?.why).toEqual(['the provider shows an older state of its task than before']);
    delete about.older;
    await world.waitUntil(async () => (await phaseOf('a')) === 'Succeeded', 30);
  });
});
