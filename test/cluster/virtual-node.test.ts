// A virtual node on a real API server beside its controller manager: a Deployment runs there, scales, rolls and goes; and Farloop is away so long that the node
// counts as lost and its pods are replaced.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubernetesObject, Node, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import type { FarloopProcess } from '../cli/farloop-process.ts';
import { InterLinkEdge } from '../interlink-edge.ts';
import { startExampleProvider, type ExampleProvider } from '../example-provider.ts';
import { startJobsCluster, type JobsCluster } from './jobs-cluster.ts';

const DEPLOYMENTS: Resource = { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const WEB = { namespace: 'default', name: 'web' };
const SOON_MS = 60_000;

interface Deployment extends KubernetesObject {
  status?: { observedGeneration?: number; replicas?: number; updatedReplicas?: number; availableReplicas?: number };
}

let cluster: JobsCluster;
beforeAll(async () => {
  // A node is lost after three renewals that did not come, so that the test need not wait longer.
  cluster = await startJobsCluster({ controllers: '*', flags: ['--node-monitor-grace-period=30s'] });
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

const pods = async (): Promise<Pod[]> =>
  (await cluster.api.list<Pod>(PODS, { namespace: 'default', labelSelector: 'app=web' }, cluster.soon())).items;

async function change(spec: object): Promise<void> {
  const { uid = '' } = (await cluster.api.get<Deployment>(DEPLOYMENTS, WEB, cluster.soon())).object.metadata;
  await cluster.api.patch(DEPLOYMENTS, { ...WEB, uid }, { type: 'merge', body: { spec } }, cluster.soon());
}

/** `True`, or `Unknown` once the controller manager takes it for lost. */
async function readiness(): Promise<string | undefined> {
  const { status } = (await cluster.api.get<Node>(NODES, { namespace: '', name: 'edge' }, cluster.soon())).object;
  return ((status?.['conditions'] ?? []) as { type: string; status: string }[]).find(({ type }) => type === 'Ready')?.status;
}

/** As many run as are wanted, of the latest template, and no pod beside them. */
async function areAvailable(replicas: number): Promise<boolean> {
  const { metadata, status = {} } = (await cluster.api.get<Deployment>(DEPLOYMENTS, WEB, cluster.soon())).object;
  const isSettled = status.observedGeneration === metadata['generation'] && status.replicas === replicas;
  return isSettled && status.updatedReplicas === replicas && status.availableReplicas === replicas && (await pods()).length === replicas;
}

test('a Deployment runs on the node, scales, rolls and goes, each of its pods started once', async () => {
  const farloop = cluster.up('state', '--virtual-node', 'edge=simulated', '--apply', 'examples/virtual-node/deployment.yaml');
  await farloop.says('deployment/web created', SOON_MS);
  await until('two replicas are available', () => areAvailable(2), SOON_MS);
  for (const { spec, status } of await pods()) {
    expect(spec?.nodeName).toBe('edge');
    expect(status).toMatchObject({ phase: 'Running', podIP: expect.any(String) });
  }

  await change({ replicas: 4 });
  await until('four replicas are available', () => areAvailable(4), SOON_MS);
  const before = new Set((await pods()).map(({ metadata }) => metadata.uid));
  const tolerations = [
    { key: 'virtual-kubelet.io/provider', operator: 'Exists' },
    ...['unreachable', 'not-ready'].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 15,
    })),
  ];
  await change({ template: { metadata: { labels: { round: 'two' } }, spec: { tolerations } } });
  const areNew = async (): Promise<boolean> => (await areAvailable(4)) && (await pods()).every(({ metadata }) => !before.has(metadata.uid));
  await until('all four are new', areNew, SOON_MS);

  for (const { metadata } of await pods()) before.add(metadata.uid);
  await farloop.end('SIGKILL');
  await until('the node is lost', async () => (await readiness()) === 'Unknown', 90_000);
  await until('all four are replaced', async () => (await pods()).filter(({ metadata }) => !before.has(metadata.uid)).length >= 4, 90_000);
  const again = cluster.up('state', '--virtual-node', 'edge=simulated');
  await again.says('farloop ready', SOON_MS);
  await until('the node is back', async () => (await readiness()) === 'True', SOON_MS);
  await until('all four are new again', areNew, 120_000);

  const { uid = '' } = (await cluster.api.get<Deployment>(DEPLOYMENTS, WEB, cluster.soon())).object.metadata;
  await cluster.api.delete(DEPLOYMENTS, { ...WEB, uid, propagationPolicy: 'Background' }, cluster.soon());
  await until('no pod of it is left', async () => (await pods()).length === 0, SOON_MS);
  const { items } = await cluster.api.list<KubernetesObject & { reason?: string; count?: number; involvedObject?: { uid?: string } }>(
    EVENTS,
    { namespace: 'default' },
    cluster.soon(),
  );
  const starts = items.filter(({ reason }) => reason === 'ProviderCreateSuccess');
  // Of those that replaced one another while nobody ran them, some were never started.
  expect(starts.length).toBeGreaterThanOrEqual(12);
  expect(new Set(starts.map(({ involvedObject }) => involvedObject?.uid)).size).toBe(starts.length);
  expect((await again.end('SIGTERM')).exitCode).toBe(0);
  // Where many write one head at once, a report comes back and is kept the next time.
  expect(again.stderr.split('\n').filter((line) => line !== '' && !line.includes(' news not kept '))).toEqual([]);
}, 600_000);

interface Told extends KubernetesObject {
  reason?: string;
  message?: string;
  involvedObject?: { uid?: string };
}

/** Its edge gives pods no address. */
async function startEdge(): Promise<ExampleProvider> {
  const edge = await InterLinkEdge.start();
  return { address: edge.address, pods: () => Promise.resolve(edge.running()), stop: () => Promise.resolve(edge.stop()) };
}

/** Nobody else sees its tasks: what the API server shows of the pods counts. */
const asShown = (node: string): Promise<ExampleProvider> =>
  Promise.resolve({
    address: '',
    pods: async () => (await cluster.api.list<Pod>(PODS, { fieldSelector: `spec.nodeName=${node}` }, cluster.soon())).items,
    stop: () => Promise.resolve(),
  });

const EXAMPLES = 'examples/virtual-node/provider';
describe.each([
  {
    what: 'the example in Node',
    node: 'edge-node',
    protocol: 'http',
    start: () => startExampleProvider('node', `${EXAMPLES}/provider.mjs`),
  },
  {
    what: 'the example in Python',
    node: 'edge-python',
    protocol: 'http',
    start: () => startExampleProvider('python3', `${EXAMPLES}/provider.py`),
  },
  { what: 'a stand-in for an edge of interLink', node: 'hpc', protocol: 'interlink', start: startEdge },
  { what: 'the simulated one', node: 'played', protocol: 'simulated', start: () => asShown('played') },
  { what: 'processes of this machine', node: 'here', protocol: 'local-process', start: () => asShown('here') },
])('with $what for a provider', ({ node, protocol, start }) => {
  let provider: ExampleProvider;
  let farloop: FarloopProcess;
  beforeAll(async () => {
    provider = await start();
    farloop = cluster.up(
      `state-${node}`,
      '--virtual-node',
      `${node}=${[protocol, ...(provider.address === '' ? [] : [provider.address])].join(':')}`,
      ...(protocol === 'local-process' ? ['--allow-namespace', 'default'] : []),
    );
    await farloop.says('farloop ready', SOON_MS);
  }, 120_000);
  afterAll(async () => {
    await farloop?.end('SIGTERM');
    await provider?.stop();
  });

  async function bound(name: string, env: object[] = []): Promise<string> {
    const { object } = await cluster.api.create<Pod>(
      PODS,
      {
        metadata: { namespace: 'default', name: `${name}-${node}`, annotations: { 'sim.farloop.dev/run-seconds': '600' } },
        spec: {
          nodeName: node,
          enableServiceLinks: false,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 5,
          tolerations: [{ operator: 'Exists' }],
          containers: [{ name: 'nginx0', image: 'foo', command: ['sleep', '600'], env } as never],
        },
      },
      cluster.soon(),
    );
    return object.metadata.uid ?? '';
  }
  const podNamed = async (name: string): Promise<Pod | undefined> =>
    (await cluster.api.list<Pod>(PODS, { namespace: 'default', fieldSelector: `metadata.name=${name}-${node}` }, cluster.soon())).items[0];
  const isListed = async (uid: string): Promise<boolean> =>
    (await provider.pods()).some(({ metadata, status }) => metadata.uid === uid && status?.phase === 'Running');
  const isReady = async (name: string): Promise<boolean> => {
    const { status } = (await podNamed(name)) ?? {};
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    return status?.phase === 'Running' && ready && (protocol === 'interlink' || typeof status['podIP'] === 'string');
  };
  const eventsOf = async (uid: string): Promise<(string | undefined)[]> =>
    (await cluster.api.list<Told>(EVENTS, { namespace: 'default' }, cluster.soon())).items
      .filter(({ involvedObject }) => involvedObject?.uid === uid)
      .map(({ reason }) => reason);

  async function remove(name: string, gracePeriodSeconds: number): Promise<void> {
    const uid = (await podNamed(name))?.metadata.uid ?? '';
    await cluster.api.delete(PODS, { namespace: 'default', name: `${name}-${node}`, uid, gracePeriodSeconds }, cluster.soon());
  }

  test.each([
    { name: 'K4: a pod that is deleted with its grace', grace: 5 },
    { name: 'K5: a pod that is deleted by force', grace: 0 },
  ])(
    '$name runs no more, and goes',
    async ({ grace }) => {
      const name = `deleted-${grace}`;
      const uid = await bound(name);
      await until('it is ready', () => isReady(name), SOON_MS);
      expect(await isListed(uid)).toBe(true);
      await remove(name, grace);
      await until('the provider runs it no more', async () => !(await isListed(uid)), 20_000);
      await until('it is gone', async () => (await podNamed(name)) === undefined, 20_000);
    },
    120_000,
  );

  test.each([
    { name: 'K6', kind: 'Secret', from: 'secretKeyRef', optional: true },
    { name: 'K7', kind: 'Secret', from: 'secretKeyRef', optional: false },
    { name: 'K8', kind: 'ConfigMap', from: 'configMapKeyRef', optional: true },
    { name: 'K9', kind: 'ConfigMap', from: 'configMapKeyRef', optional: false },
  ])(
    '$name: an environment from a $kind that is not there, optional: $optional',
    async ({ name: number, kind, from, optional }) => {
      const name = number.toLowerCase();
      const uid = await bound(name, [{ name: 'A', valueFrom: { [from]: { name: 'missing', key: 'k', optional } } }]);
      const reason = `${optional ? 'Optional' : 'Mandatory'}${kind}NotFound`;
      await until(`an event ${reason}`, async () => (await eventsOf(uid)).includes(reason), SOON_MS);
      if (optional) await until('it is ready', () => isReady(name), SOON_MS);
      expect(await isListed(uid)).toBe(optional);
      await remove(name, 0);
      await until('it is gone', async () => (await podNamed(name)) === undefined, 20_000);
    },
    120_000,
  );
});
