// Training jobs of all kinds on a real API server: the examples end as they say, and a suspended, resumed and scaled job keeps its ranks.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import { root, type FarloopProcess } from '../cli/farloop-process.ts';
import type { JobsCluster } from './jobs-cluster.ts';
import { resourceOf, startTrainingCluster } from './training-cluster.ts';

const files = globSync('examples/training/*.yaml', { cwd: root }).toSorted();

let cluster: JobsCluster;
let farloop: FarloopProcess;
beforeAll(async () => {
  cluster = await startTrainingCluster();
  farloop = cluster.up('state', '--manage', 'training-jobs', ...files.flatMap((file) => ['--apply', file]));
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

test.each(files)('%s', async (file) => {
  const { kind, metadata } = load(readFileSync(join(root, file), 'utf8')) as { kind: string; metadata: { name: string } };
  await farloop.says(new RegExp(`^${kind.toLowerCase()}/${metadata.name} (?:Complete|Failed): `, 'm'), 90_000);
  expect(farloop.stdout).toMatch(new RegExp(`^${kind.toLowerCase()}/${metadata.name} Complete: `, 'm'));
});

test('a job that is suspended, resumed and scaled keeps its ranks and names', async () => {
  const running = { 'sim.farloop.dev/run-seconds': '600' };
  const replicas = (count: number): object => ({
    replicas: count,
    template: { metadata: { annotations: running }, spec: { containers: [{ name: 'pytorch', image: 'example.com/train' }] } },
  });
  const job = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'ranks', namespace: 'default' },
    spec: { pytorchReplicaSpecs: { Master: replicas(1), Worker: replicas(2) } },
  };
  const podsNow = async (): Promise<Pod[]> => {
    const selection = { namespace: 'default', labelSelector: 'training.kubeflow.org/job-name=ranks' };
    const { items } = await cluster.api.list<Pod>(PODS, selection, cluster.soon());
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };
  const runs = (count: number) => async (): Promise<boolean> => {
    const pods = await podsNow();
    return pods.length === count && pods.every(({ status }) => status?.phase === 'Running');
  };
  const ranks = async (): Promise<Record<string, string | undefined>> => {
    const pods = await podsNow();
    const rankOf = ({ spec }: Pod): string | undefined => spec.containers[0]?.env?.find(({ name }) => name === 'RANK')?.value;
    return Object.fromEntries(pods.map((pod) => [pod.metadata.name, rankOf(pod)]));
  };
  const { object } = await cluster.api.create<KubernetesObject>(resourceOf('PyTorchJob'), job, cluster.soon());
  const change = async (spec: object): Promise<void> => {
    const target = { namespace: 'default', name: 'ranks', uid: object.metadata.uid ?? '' };
    await cluster.api.patch(resourceOf('PyTorchJob'), target, { type: 'merge', body: { spec } }, cluster.soon());
  };
  await until('it runs', runs(3), 60_000);
  const first = { 'ranks-master-0': '0', 'ranks-worker-0': '1', 'ranks-worker-1': '2' };
  expect(await ranks()).toEqual(first);
  await change({ runPolicy: { suspend: true } });
  await until('it is suspended', runs(0), 60_000);
  await change({ runPolicy: { suspend: false } });
  await until('it runs again', runs(3), 60_000);
  expect(await ranks()).toEqual(first);
  await change({ pytorchReplicaSpecs: { Worker: { replicas: 3 } } });
  await until('it is scaled up', runs(4), 60_000);
  expect(await ranks()).toMatchObject({ 'ranks-worker-2': '3' });
  await change({ pytorchReplicaSpecs: { Worker: { replicas: 1 } } });
  await until('it is scaled down', runs(2), 60_000);
  expect(Object.keys(await ranks()).toSorted()).toEqual(['ranks-master-0', 'ranks-worker-0']);
}, 300_000);
