// Troubles that users of virtual nodes report of other virtual kubelets, each as a story: docs/virtual-node.md tells them with these names.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import { NODES, PODS } from '../../../lib/objects/resources.ts';
import { NotDoneError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { NodesWorld, type NodesOptions } from '../../world/virtual-node.ts';

const FOR_EVER = { 'run-seconds': '1000000' };
const ONE_NODE = { [NODE_OPTIONS.node]: 'edge=simulated' };

let world: NodesWorld;
afterEach(() => world.close());

async function open(options: Partial<NodesOptions> = {}): Promise<void> {
  world = await NodesWorld.open({ options: ONE_NODE, ...options });
}
const statusOf = async (name: string): Promise<Record<string, unknown>> =>
  (((await world.podNamed(name)) ?? {}) as { status?: Record<string, unknown> }).status ?? {};
const isIn = async (name: string, phase: string, seconds?: number): Promise<void> =>
  await world.waitUntil(async () => (await statusOf(name))['phase'] === phase, seconds);
const starts = (): number[] => [...world.provider.starts.values()];
const elapse = async (seconds: number): Promise<void> => await world.elapse(seconds, { play: false });

const STORIES: Readonly<Record<string, () => Promise<void>>> = {
  'A status is lost in a crash, and the pod is started a second time': async () => {
    let lost = 0;
    await open({
      between: (provider) => ({
        ...provider,
        start: async (task, pod, deadline) => {
          await provider.start(task, pod, deadline);
          if (lost++ < 3) throw new UnknownOutcomeError('the connection was cut');
        },
      }),
    });
    await world.bind('a', { node: 'edge', script: FOR_EVER });
    await isIn('a', 'Running', 60);
    expect([starts(), lost > 0]).toEqual([[1], true]);
  },

  'A final status that could not be written once is never written': async () => {
    await open();
    await world.bind('a', { node: 'edge', script: { 'run-seconds': '5' } });
    await isIn('a', 'Running');
    let refused = 0;
    world.cluster.interference = {
      before: ({ verb, plural }) => {
        if (verb !== 'patch' || plural !== 'pods' || refused >= 5) return;
        refused += 1;
        throw new NotDoneError('the API server is away');
      },
    };
    await isIn('a', 'Succeeded', 120);
    expect(refused).toBe(5);
  },

  'A pod that the controller manager marked as not ready stays so': async () => {
    await open();
    await world.bind('a', { node: 'edge', script: FOR_EVER });
    await isIn('a', 'Running');
    const conditions = (await statusOf('a'))['conditions'] as { type: string; status: string }[];
    const readiness = async (): Promise<unknown> =>
      ((await statusOf('a'))['conditions'] as { type: string; status: string }[]).find(({ type }) => type === 'Ready')?.status;
    await world.as('PATCH', PODS, {
      namespace: 'default',
      name: 'a',
      subresource: 'status',
      type: 'application/merge-patch+json',
      body: { status: { conditions: conditions.map((each) => (each.type === 'Ready' ? { ...each, status: 'False' } : each)) } },
    });
    expect(await readiness()).toBe('False');
    await world.waitUntil(async () => (await readiness()) === 'True', 30);
  },

  'The list of pods is empty for a while, and all that runs is stopped': async () => {
    await open();
    await world.bind('a', { node: 'edge', script: FOR_EVER });
    await isIn('a', 'Running');
    let empty = 0;
    world.cluster.rewrite = ({ verb, plural }, answer) => {
      if (verb !== 'list' || plural !== 'pods') return answer;
      empty += 1;
      return { ...(answer as object), items: [] };
    };
    await elapse(900);
    world.cluster.rewrite = undefined;
    await elapse(60);
    expect(empty).toBeGreaterThan(2);
    expect([starts(), (await statusOf('a'))['phase'], world.provider.tasksOn('edge').map(({ hasEnded }) => hasEnded)]).toEqual([
      [1],
      'Running',
      [false],
    ]);
  },

  'A pod that could not be started stays Pending for ever': async () => {
    await open();
    await world.bind('a', { node: 'edge', restartPolicy: 'Always', script: { ...FOR_EVER, 'fail-create': '7: no capacity' } });
    await isIn('a', 'Running', 600);
    expect((await statusOf('a'))['reason'] ?? '').toBe('');
  },

  'A node comes back, and the pods of another one are deleted': async () => {
    await open({ options: { [NODE_OPTIONS.node]: 'edge=simulated far=simulated' } });
    await world.bind('a', { node: 'edge', script: FOR_EVER });
    await world.bind('b', { node: 'far', script: FOR_EVER });
    await isIn('a', 'Running');
    await isIn('b', 'Running');
    await world.as('DELETE', NODES, { name: 'edge' });
    await elapse(900);
    expect([(await statusOf('a'))['phase'], (await statusOf('b'))['phase'], starts()]).toEqual(['Running', 'Running', [1, 1]]);
  },

  'The provider drops a pod by itself, and it stays Running in the cluster': async () => {
    await open();
    await world.bind('a', { node: 'edge', script: { ...FOR_EVER, lose: '30' } });
    await isIn('a', 'Running');
    await isIn('a', 'Failed', 400);
    expect(await statusOf('a')).toMatchObject({ reason: 'NotFound' });
    await world.remove('a');
    await world.waitUntil(async () => (await world.podNamed('a')) === undefined, 30);
  },
};

describe('users report', () => {
  test.each(Object.entries(STORIES))('%s: not here', async (_name, story) => {
    await story();
    // Whatever happened, no two tasks ran for one pod.
    expect(starts().every((count) => count === 1)).toBe(true);
    expect(world.passes.filter(({ outcome }) => outcome === 'parked').map(({ key, why }) => [key.name, why])).toEqual([]);
  });

  test('docs/virtual-node.md tells each of them, and no other', () => {
    const page = readFileSync('docs/virtual-node.md', 'utf8');
    const [, table = ''] = /## What users of virtual nodes report([\s\S]*?)\n## /.exec(page) ?? [];
    const told = [...table.matchAll(/^\| (?!what|---)([^|]+?) +\|/gm)].map(([, name]) => name);
    expect(told).toEqual(Object.keys(STORIES));
    world = { close: () => {} } as NodesWorld;
  });
});
