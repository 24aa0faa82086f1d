// `metrics.k8s.io`: the figures of nodes and pods, as their nodes tell them, and what is left out.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accountWith, addNode, addPod, ask, startSandbox, startStandIn } from './node-stand-in.ts';
import type { Sandbox, StandIn } from './node-stand-in.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const TIME = '2026-01-01T00:00:01Z';
const LATER = '2026-01-01T00:00:02Z';

const usage = (cores: unknown, bytes: unknown, time = TIME): object => ({
  cpu: { time, usageNanoCores: cores },
  memory: { time, workingSetBytes: bytes },
});

let sandbox: Sandbox;
const nodes: StandIn[] = [];
const uids = new Map<string, string>();

async function nodeThatSays(name: string, summary: () => unknown): Promise<void> {
  const node = await startStandIn({
    answer: ({ url }, outgoing) => {
      if (url === '/stats/summary') outgoing.end(JSON.stringify(summary()) ?? 'no JSON');
      else outgoing.writeHead(404).end();
    },
  });
  nodes.push(node);
  await addNode(sandbox, name, node.port);
}

beforeAll(async () => {
  sandbox = await startSandbox();
  const pod = (name: string, ...containers: object[]): object => ({
    podRef: { name, namespace: 'default', uid: uids.get(name) },
    containers,
  });
  const container = (name: string, ...figures: Parameters<typeof usage>): object => ({ name, ...usage(...figures) });
  await nodeThatSays('edge', () => ({
    node: { nodeName: 'edge', ...usage(1_500_000_000, 2048 * 1024) },
    pods: [
      pod('p', container('main', 250_000_000, 1_000_001)),
      pod('two', container('a', 1, 1024, LATER), container('b', 0, 0)),
      pod('half', container('a', 1, 1024), { name: 'b', cpu: {} }),
      pod('new'),
      pod('elsewhere', container('main', 1, 1)),
      { podRef: { name: 'older', namespace: 'default', uid: 'another' }, containers: [container('main', 1, 1)] },
    ],
  }));
  await nodeThatSays('dumb', () => undefined);
  await nodeThatSays('odd', () => ({ node: { cpu: { usageNanoCores: '1' }, memory: { workingSetBytes: -1 } }, pods: [null, 3] }));
  await addNode(sandbox, 'down', 1);
  await addNode(sandbox, 'plain', 0);
  for (const [name, on, containers] of [
    ['p', 'edge', undefined],
    ['two', 'edge', ['a', 'b']],
    ['half', 'edge', ['a', 'b']],
    ['new', 'edge', undefined],
    ['older', 'edge', undefined],
    ['elsewhere', 'dumb', undefined],
    ['lost', 'down', undefined],
    ['unplaced', undefined, undefined],
  ] as const)
    uids.set(name, await addPod(sandbox, name, on, containers && [...containers]));
});
afterAll(async () => {
  await sandbox.stop();
  for (const node of nodes) await node.close();
});

const figuresOf = (name: string, containers: object[], timestamp = TIME): object => ({
  metadata: { name, namespace: 'default', labels: { app: name }, creationTimestamp: expect.any(String) },
  timestamp,
  window: '15s',
  containers,
});
const ofP = figuresOf('p', [{ name: 'main', usage: { cpu: '250000000n', memory: '1000001' } }]);
const ofTwo = figuresOf('two', [
  { name: 'a', usage: { cpu: '1n', memory: '1Ki' } },
  { name: 'b', usage: { cpu: '0n', memory: '0Ki' } },
]);

test('pods: those of which all containers have figures, of the pod that is there now, by its own node', async () => {
  const { status, body } = await ask(sandbox, `${METRICS}/pods`);
  expect([status, body['kind'], body['apiVersion'], body['items']]).toEqual([
    200,
    'PodMetricsList',
    'metrics.k8s.io/v1beta1',
    [ofP, ofTwo],
  ]);
});

test.each([
  ['/namespaces/default/pods?labelSelector=app%3Dtwo', [ofTwo]],
  ['/namespaces/default/pods?fieldSelector=spec.nodeName%3Ddumb', []],
  ['/namespaces/kube-system/pods', []],
])('%s', async (path, items) => {
  expect((await ask(sandbox, `${METRICS}${path}`)).body['items']).toEqual(items);
});

test('one pod, and one without figures', async () => {
  expect((await ask(sandbox, `${METRICS}/namespaces/default/pods/p`)).body).toEqual({
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    ...ofP,
  });
  for (const name of ['lost', 'absent', 'new'])
    expect(await ask(sandbox, `${METRICS}/namespaces/default/pods/${name}`)).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', message: `podmetrics.metrics.k8s.io "default/${name}" not found` },
    });
});

test('nodes: those that answer; one that does not, or not sensibly, is left out', async () => {
  const { body } = await ask(sandbox, `${METRICS}/nodes`);
  expect(body['items']).toEqual([
    {
      metadata: { name: 'edge', creationTimestamp: expect.any(String) },
      timestamp: TIME,
      window: '15s',
      usage: { cpu: '1500000000n', memory: '2048Ki' },
    },
  ]);
  expect((await ask(sandbox, `${METRICS}/nodes/edge`)).body['kind']).toBe('NodeMetrics');
  expect((await ask(sandbox, `${METRICS}/nodes/odd`)).body['message']).toBe('nodemetrics.metrics.k8s.io "odd" not found');
});

test('nothing is written or watched there', async () => {
  expect((await ask(sandbox, `${METRICS}/nodes`, { method: 'POST', body: {} })).status).toBe(405);
  expect((await ask(sandbox, `${METRICS}/nodes/edge`, { method: 'DELETE' })).status).toBe(405);
  expect((await ask(sandbox, `${METRICS}/nodes?watch=true`)).status).toBe(405);
});

test('discovery names them, in either form, and OpenAPI describes them', async () => {
  expect((await ask(sandbox, METRICS)).body['resources']).toEqual([
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ]);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { body } = await ask(sandbox, '/apis', { headers: { accept } });
  const groups = body['items'] as { metadata: { name: string }; versions: { resources: { resource: string }[] }[] }[];
  const found = groups.find(({ metadata }) => metadata.name === 'metrics.k8s.io');
  expect(found?.versions[0]?.resources.map(({ resource }) => resource)).toEqual(['nodes', 'pods']);
  const { body: document } = await ask(sandbox, '/openapi/v3/apis/metrics.k8s.io/v1beta1');
  const { schemas } = document['components'] as { schemas: object };
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics']));
});

test('the right is one of its own', async () => {
  const token = await accountWith(sandbox, 'viewer', [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] }]);
  expect((await ask(sandbox, `${METRICS}/pods`, { token })).status).toBe(200);
  expect((await ask(sandbox, `${METRICS}/nodes`, { token })).status).toBe(403);
  expect((await ask(sandbox, '/api/v1/pods', { token })).status).toBe(403);
});
