// A virtual node on a real API server beside its controller manager: a Deployment runs there, scales, rolls and goes; and Farloop is away so long that the node
// counts as lost and its pods are replaced.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubernetesObject, Node, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
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
  expect(again.stderr).toBe('');
}, 600_000);
