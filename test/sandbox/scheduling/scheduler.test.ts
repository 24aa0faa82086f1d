// Where the sandbox's scheduler puts pods, and what it says of those that it cannot place: kube-scheduler's words.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { embed, type Embedded } from '../embedded.ts';

const nodes = '/api/v1/nodes';
const pods = '/api/v1/namespaces/default/pods';
const merge = 'application/merge-patch+json';

interface NodeGiven {
  labels?: Record<string, string>;
  spec?: object;
  allocatable?: Record<string, string>;
  isReady?: boolean;
}

async function addNode({ send }: Embedded, name: string, { labels, spec, allocatable, isReady = true }: NodeGiven = {}): Promise<void> {
  await send('POST', nodes, { metadata: { name, labels }, ...(spec && { spec }) });
  const status = {
    allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable },
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  };
  await send('PATCH', `${nodes}/${name}/status`, { status }, merge);
}

interface PodGiven {
  requests?: Record<string, string>;
  spec?: object;
}

const containersAsking = (requests: object = {}): object[] => [{ name: 'main', image: 'x', resources: { requests } }];

async function addPod(embedded: Embedded, name: string, { requests, spec }: PodGiven = {}): Promise<string> {
  const { status, body } = await embedded.send('POST', pods, {
    metadata: { name },
    spec: { containers: containersAsking(requests), ...spec },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return await placeOf(embedded, name);
}

/** Its node, or why it has none. */
async function placeOf({ send, pass }: Embedded, name: string): Promise<string> {
  await pass(0);
  const { body } = await send('GET', `${pods}/${name}`);
  const { spec, status } = body as { spec: { nodeName?: string }; status: { conditions?: { type: string; message?: string }[] } };
  return spec.nodeName ?? status.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? 'nothing is said';
}

const end = async ({ send }: Embedded, name: string): Promise<unknown> =>
  await send('PATCH', `${pods}/${name}/status`, { status: { phase: 'Succeeded' } }, merge);

const affinityTo = (key: string, value: string): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }],
      },
    },
  },
});
const taint = (key: string, effect: string): object => ({ taints: [{ key, effect }] });
const tolerating = (key: string): object => ({ tolerations: [{ key, operator: 'Exists' }] });

describe('the scheduler', () => {
  test.each<{ name: string; given: Record<string, NodeGiven>; pod: PodGiven; goes: string }>([
    { name: 'no node', given: {}, pod: {}, goes: 'no nodes available to schedule pods' },
    { name: 'any node', given: { a: {} }, pod: {}, goes: 'a' },
    {
      name: 'one that is not ready',
      given: { a: { isReady: false } },
      pod: {},
      goes: '0/1 nodes are available: 1 node(s) had untolerated taint(s).',
    },
    {
      name: 'the one with the labels',
      given: { a: {}, b: { labels: { zone: 'b' } } },
      pod: { spec: { nodeSelector: { zone: 'b' } } },
      goes: 'b',
    },
    { name: 'the one of its affinity', given: { a: {}, b: { labels: { zone: 'b' } } }, pod: { spec: affinityTo('zone', 'b') }, goes: 'b' },
    {
      name: 'labels that none has',
      given: { a: {}, b: {} },
      pod: { spec: { nodeSelector: { zone: 'c' } } },
      goes: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    },
    { name: 'the one without a taint', given: { a: { spec: taint('gpu', 'NoSchedule') }, b: {} }, pod: {}, goes: 'b' },
    { name: 'a taint that it tolerates', given: { a: { spec: taint('gpu', 'NoExecute') } }, pod: { spec: tolerating('gpu') }, goes: 'a' },
    { name: 'a taint that only asks, last', given: { a: { spec: taint('spot', 'PreferNoSchedule') }, b: {} }, pod: {}, goes: 'b' },
    { name: 'a taint that only asks, on the only node', given: { a: { spec: taint('spot', 'PreferNoSchedule') } }, pod: {}, goes: 'a' },
    {
      name: 'a cordoned node',
      given: { a: { spec: { unschedulable: true } } },
      pod: {},
      goes: '0/1 nodes are available: 1 node(s) were unschedulable.',
    },
    {
      name: 'a cordoned node that it tolerates, as a DaemonSet does',
      given: { a: { spec: { unschedulable: true } } },
      pod: { spec: tolerating('node.kubernetes.io/unschedulable') },
      goes: 'a',
    },
    {
      name: 'several reasons, counted',
      given: { a: { spec: taint('gpu', 'NoSchedule') }, b: { spec: { unschedulable: true } }, c: {} },
      pod: { requests: { cpu: '5', memory: '9Gi' } },
      goes: '0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    },
    {
      name: 'too many pods',
      given: { a: { allocatable: { pods: '0' } } },
      pod: {},
      goes: '0/1 nodes are available: 1 Too many pods.',
    },
    { name: 'another scheduler', given: { a: {} }, pod: { spec: { schedulerName: 'volcano' } }, goes: 'nothing is said' },
    {
      name: 'a gate',
      given: { a: {} },
      pod: { spec: { schedulingGates: [{ name: 'wait' }] } },
      goes: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ])('a pod that meets $name', async ({ given, pod, goes }) => {
    const embedded = embed({ hasScheduler: true });
    for (const [name, node] of Object.entries(given)) await addNode(embedded, name, node);
    await embedded.pass(0);
    expect(await addPod(embedded, 'p', pod)).toBe(goes);
  });

  test('pods spread over the nodes, and fill what is left', async () => {
    const embedded = embed({ hasScheduler: true });
    for (const name of ['a', 'b']) await addNode(embedded, name, { allocatable: { cpu: '2' } });
    await embedded.pass(0);
    const placed: string[] = [];
    for (const name of ['1', '2', '3', '4']) placed.push(await addPod(embedded, name, { requests: { cpu: '1' } }));
    expect(placed.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect(await addPod(embedded, '5', { requests: { cpu: '1' } })).toBe('0/2 nodes are available: 2 Insufficient cpu.');
  });

  test('a pod that ends makes room for those that waited, in their order, each on one node', async () => {
    const embedded = embed({ hasScheduler: true });
    for (const name of ['a', 'b']) await addNode(embedded, name, { allocatable: { cpu: '2' } });
    await embedded.pass(0);
    for (const name of ['1', '2']) await addPod(embedded, name, { requests: { cpu: '2' } });
    const first = await placeOf(embedded, '1');
    for (const name of ['3', '4']) await addPod(embedded, name, { requests: { cpu: '2' } });
    await end(embedded, '1');
    expect(await placeOf(embedded, '3')).toBe(first);
    expect(await placeOf(embedded, '4')).toBe('0/2 nodes are available: 2 Insufficient cpu.');
    await embedded.send('DELETE', `${pods}/2`, { gracePeriodSeconds: 0 });
    expect(await placeOf(embedded, '4')).toBe(first === 'a' ? 'b' : 'a');
    // What 3 and 4 gave back elsewhere is free for others.
    await end(embedded, '3');
    await end(embedded, '4');
    await addPod(embedded, '5', { requests: { cpu: '2' } });
    await addPod(embedded, '6', { requests: { cpu: '2' } });
    expect([await placeOf(embedded, '5'), await placeOf(embedded, '6')].toSorted()).toEqual(['a', 'b']);
  });

  test('pods that somebody bound take their room', async () => {
    const embedded = embed({ hasScheduler: true });
    await addPod(embedded, 'early', { requests: { cpu: '3' }, spec: { nodeName: 'a' } });
    await addNode(embedded, 'a');
    await embedded.pass(0);
    await addPod(embedded, 'late', { requests: { cpu: '1' }, spec: { nodeName: 'a' } });
    expect(await addPod(embedded, 'p', { requests: { cpu: '1' } })).toBe('0/1 nodes are available: 1 Insufficient cpu.');
  });

  test('a node that comes, grows, is uncordoned or loses its taint takes the pods that waited; one that is gone takes none', async () => {
    const embedded = embed({ hasScheduler: true });
    await addPod(embedded, 'p', { requests: { cpu: '6' } });
    await addNode(embedded, 'a', { spec: { unschedulable: true, ...taint('gpu', 'NoSchedule') } });
    expect(await placeOf(embedded, 'p')).toBe('0/1 nodes are available: 1 node(s) were unschedulable.');
    await embedded.send('PATCH', `${nodes}/a`, { spec: { unschedulable: null } }, merge);
    expect(await placeOf(embedded, 'p')).toBe('0/1 nodes are available: 1 node(s) had untolerated taint(s).');
    await embedded.send('PATCH', `${nodes}/a`, { spec: { taints: null } }, merge);
    expect(await placeOf(embedded, 'p')).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    await embedded.send('PATCH', `${nodes}/a/status`, { status: { allocatable: { cpu: '8', memory: '8Gi', pods: '10' } } }, merge);
    expect(await placeOf(embedded, 'p')).toBe('a');
    await embedded.send('DELETE', `${nodes}/a`);
    await embedded.pass(0);
    expect(await addPod(embedded, 'q')).toBe('no nodes available to schedule pods');
  });

  test('a pod waits for its claim', async () => {
    const embedded = embed({ hasScheduler: true });
    await addNode(embedded, 'a');
    await embedded.pass(0);
    const spec = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] };
    expect(await addPod(embedded, 'p', { spec })).toBe('0/1 nodes are available: persistentvolumeclaim "disk" not found.');
    await embedded.send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'disk' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(await placeOf(embedded, 'p')).toBe('a');
  });

  test('a pod without a node has an event that says why', async () => {
    const embedded = embed({ hasScheduler: true });
    await addNode(embedded, 'a');
    await addPod(embedded, 'p', { requests: { cpu: '5' } });
    const { body } = await embedded.send('GET', '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=p');
    expect(body['items']).toMatchObject([
      {
        type: 'Warning',
        reason: 'FailedScheduling',
        message: '0/1 nodes are available: 1 Insufficient cpu.',
        involvedObject: { kind: 'Pod' },
      },
    ]);
  });

  test('a reason that stands there is not written again', async () => {
    const embedded = embed({ hasScheduler: true });
    await addNode(embedded, 'a');
    await addPod(embedded, 'p', { requests: { cpu: '5' } });
    const versionOf = async (): Promise<unknown> => Object((await embedded.send('GET', `${pods}/p`)).body['metadata']).resourceVersion;
    const before = await versionOf();
    await embedded.send('PATCH', `${nodes}/a`, { metadata: { labels: { zone: 'a' } } }, merge);
    await embedded.pass(0);
    expect(await versionOf()).toBe(before);
  });

  test('after a restart it goes on with the pods and nodes that are there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-scheduler-'));
    try {
      const before = embed({ hasScheduler: true, folder });
      await addNode(before, 'a', { allocatable: { cpu: '2' } });
      await before.pass(0);
      await addPod(before, '1', { requests: { cpu: '2' } });
      await addPod(before, '2', { requests: { cpu: '1' } });
      before.cluster.close();
      const after = embed({ hasScheduler: true, folder });
      expect(await placeOf(after, '2')).toBe('0/1 nodes are available: 1 Insufficient cpu.');
      await end(after, '1');
      expect(await placeOf(after, '2')).toBe('a');
      after.cluster.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
