// A virtual node on a real API server: the controller manager's Deployment runs there, scales, rolls and goes.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, PODS, type Resource } from '../../lib/objects/resources.ts';
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
  // Nobody keeps the node's lease yet: its controller would take it for lost.
  cluster = await startJobsCluster({ controllers: '*,-node-lifecycle-controller' });
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

const pods = async (): Promise<Pod[]> =>
  (await cluster.api.list<Pod>(PODS, { namespace: 'default', labelSelector: 'app=web' }, cluster.soon())).items;

async function change(spec: object): Promise<void> {
  const { uid = '' } = (await cluster.api.get<Deployment>(DEPLOYMENTS, WEB, cluster.soon())).object.metadata;
  await cluster.api.patch(DEPLOYMENTS, { ...WEB, uid }, { type: 'merge', body: { spec } }, cluster.soon());
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
  await change({ template: { metadata: { labels: { round: 'two' } } } });
  await until(
    'all four are new',
    async () => (await areAvailable(4)) && (await pods()).every(({ metadata }) => !before.has(metadata.uid)),
    SOON_MS,
  );

  const { uid = '' } = (await cluster.api.get<Deployment>(DEPLOYMENTS, WEB, cluster.soon())).object.metadata;
  await cluster.api.delete(DEPLOYMENTS, { ...WEB, uid, propagationPolicy: 'Background' }, cluster.soon());
  await until('no pod of it is left', async () => (await pods()).length === 0, SOON_MS);
  const { items } = await cluster.api.list<KubernetesObject & { reason?: string; count?: number; involvedObject?: { uid?: string } }>(
    EVENTS,
    { namespace: 'default' },
    cluster.soon(),
  );
  const starts = items.filter(({ reason }) => reason === 'ProviderCreateSuccess');
  expect(starts).toHaveLength(8);
  expect(new Set(starts.map(({ involvedObject }) => involvedObject?.uid)).size).toBe(8);
  expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
  expect(farloop.stderr).toBe('');
}, 360_000);
