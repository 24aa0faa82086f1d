// Two virtual nodes of two Farloops on one real API server beside its controller manager: a DaemonSet, Jobs and a training job run there; one node is drained, and the
// other Farloop is killed and begins anew. Neither touches what is the other's.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import type { FarloopProcess } from '../cli/farloop-process.ts';
import { trainingDefinitions } from '../kinds/training/definition/definitions.ts';
import { controlPlanePaths } from './build-control-plane.ts';
import { startJobsCluster, type JobsCluster } from './jobs-cluster.ts';

const SOON_MS = 60_000;
const DAEMON_SETS: Resource = { apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true };
const PYTORCH_JOBS: Resource = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', plural: 'pytorchjobs', namespaced: true };
const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const EVERYTHING = [{ operator: 'Exists' }];

let cluster: JobsCluster;
let scheduler: ChildProcess | undefined;
beforeAll(async () => {
  cluster = await startJobsCluster({ controllers: '*' });
  for (const definition of trainingDefinitions() as KubernetesObject[]) await cluster.api.create(DEFINITIONS, definition, cluster.soon());
  scheduler = await startScheduler();
}, 180_000);
afterAll(async () => {
  scheduler?.kill();
  await cluster?.stop();
}, 60_000);

const pods = async (): Promise<Pod[]> => (await cluster.api.list<Pod>(PODS, { namespace: 'default' }, cluster.soon())).items;
const podsOn = async (node: string): Promise<Pod[]> => (await pods()).filter(({ spec }) => spec.nodeName === node);
const areRunning = (some: readonly Pod[]): boolean => some.every(({ status }) => status?.phase === 'Running');

/** As it comes; its node is chosen by labels, taints and room. */
async function startScheduler(): Promise<ChildProcess> {
  const binary = (await controlPlanePaths(['kube-scheduler'])).get('kube-scheduler') ?? 'kube-scheduler';
  const flags = ['--kubeconfig', cluster.controlPlane.kubeconfigPath, '--leader-elect=false', '--secure-port=0'];
  return spawn(binary, flags, { stdio: 'ignore' });
}

const kubectl = async (...args: string[]): Promise<string> =>
  (
    await promisify(execFile)((await controlPlanePaths(['kubectl'])).get('kubectl') ?? 'kubectl', [
      '--kubeconfig',
      cluster.controlPlane.kubeconfigPath,
      ...args,
    ])
  ).stdout;

const on = (node: string): object => ({ nodeSelector: { 'kubernetes.io/hostname': node } });
const template = (node: string, more: object = {}): object => ({
  metadata: { labels: { app: 'all' }, annotations: { 'sim.farloop.dev/run-seconds': '1' } },
  spec: { ...on(node), tolerations: EVERYTHING, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'x' }], ...more },
});

test('a DaemonSet, Jobs and a training job run; a drained node keeps the DaemonSet alone; two Farloops leave each other alone', async () => {
  const up = (node: string): FarloopProcess =>
    cluster.up(`state-${node}`, '--virtual-node', `${node}=simulated`, '--manage', node === 'one' ? 'training-jobs' : 'jobs');
  const one = up('one');
  const two = up('two');
  await Promise.all([one, two].map(async (farloop) => await farloop.says('farloop ready', SOON_MS)));

  const daemon = { spec: { tolerations: EVERYTHING, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'x' }] } };
  await cluster.api.create(
    DAEMON_SETS,
    {
      metadata: { namespace: 'default', name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: { ...daemon, metadata: { labels: { app: 'agent' } } } },
    } as KubernetesObject,
    cluster.soon(),
  );
  const agents = async (): Promise<Pod[]> => (await pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'agent');
  const runOnBoth = async (): Promise<boolean> => {
    const found = (await agents()).filter(({ spec }) => spec.nodeName === 'one' || spec.nodeName === 'two');
    return found.length === 2 && areRunning(found);
  };
  await until('the DaemonSet runs on both', runOnBoth, SOON_MS);

  // The controller manager runs this one's pods, and Farloop the other's.
  for (const [name, more] of Object.entries({ builtin: {}, ours: { managedBy: 'farloop.dev/job' } }))
    await cluster.api.create<Job>(
      JOBS,
      {
        metadata: { namespace: 'default', name },
        spec: { completions: 3, parallelism: 3, ...more, template: template('one', { restartPolicy: 'Never' }) },
      } as Job,
      cluster.soon(),
    );
  await cluster.api.create(
    PYTORCH_JOBS,
    {
      metadata: { namespace: 'default', name: 'trains' },
      spec: {
        pytorchReplicaSpecs: Object.fromEntries(
          ['Master', 'Worker'].map((type) => [
            type,
            {
              replicas: 1,
              restartPolicy: 'OnFailure',
              template: {
                ...template('two'),
                spec: { ...on('two'), tolerations: EVERYTHING, containers: [{ name: 'pytorch', image: 'x' }] },
              },
            },
          ]),
        ),
      },
    } as KubernetesObject,
    cluster.soon(),
  );
  for (const name of ['builtin', 'ours'])
    await until(`the Job ${name} is complete`, async () => (await cluster.job(name)).status?.succeeded === 3, SOON_MS);
  const succeeded = async (): Promise<boolean> => {
    const { object } = await cluster.api.get<KubernetesObject & { status?: { conditions?: { type: string; status: string }[] } }>(
      PYTORCH_JOBS,
      { namespace: 'default', name: 'trains' },
      cluster.soon(),
    );
    return (object.status?.conditions ?? []).some(({ type, status }) => type === 'Succeeded' && status === 'True');
  };
  await until('the training job has succeeded', succeeded, 90_000);

  const others = new Map((await podsOn('two')).map(({ metadata }) => [metadata.uid, metadata.name]));
  expect(await kubectl('drain', 'one', '--ignore-daemonsets', '--force', '--timeout=60s')).toContain('drained');
  expect((await podsOn('one')).filter(({ status }) => status?.phase === 'Running').map(({ metadata }) => metadata.labels?.['app'])).toEqual(
    ['agent'],
  );
  await kubectl('uncordon', 'one');

  await two.end('SIGKILL');
  await cluster.api.create<Pod>(
    PODS,
    {
      metadata: { namespace: 'default', name: 'meanwhile' },
      spec: { ...on('two'), tolerations: EVERYTHING, containers: [{ name: 'main', image: 'x' }] },
    },
    cluster.soon(),
  );
  const again = up('two');
  await again.says('farloop ready', SOON_MS);
  await until(
    'what was made meanwhile runs',
    async () => (await podsOn('two')).some(({ metadata, status }) => metadata.name === 'meanwhile' && status?.phase === 'Running'),
    SOON_MS,
  );
  await until('the DaemonSet runs on both still', runOnBoth, SOON_MS);
  for (const [uid, name] of others)
    expect([name, (await podsOn('two')).some(({ metadata }) => metadata.uid === uid)]).toEqual([name, true]);

  await cluster.api.delete(
    DAEMON_SETS,
    {
      namespace: 'default',
      name: 'agent',
      uid: (await cluster.api.get(DAEMON_SETS, { namespace: 'default', name: 'agent' }, cluster.soon())).object.metadata.uid ?? '',
      propagationPolicy: 'Background',
    },
    cluster.soon(),
  );
  await until(
    'the DaemonSet is gone from both',
    async () => (await agents()).every(({ spec }) => spec.nodeName !== 'one' && spec.nodeName !== 'two'),
    SOON_MS,
  );
  const { items } = await cluster.api.list<
    KubernetesObject & { reason?: string; source?: { component?: string }; involvedObject?: { uid?: string } }
  >(EVENTS, { namespace: 'default' }, cluster.soon());
  const starts = items.filter(({ reason }) => reason === 'ProviderCreateSuccess').map(({ involvedObject }) => involvedObject?.uid);
  expect(starts.length).toBeGreaterThanOrEqual(11);
  expect(new Set(starts).size).toBe(starts.length);
  for (const farloop of [one, again]) expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
}, 600_000);
