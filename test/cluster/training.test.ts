// Training jobs of all kinds on a real API server: the examples end as they say, and suspended, resumed and scaled jobs keep their ranks.
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
  await farloop.says(new RegExp(`^${kind.toLowerCase()}/${metadata.name} (?:Succeeded|Failed): `, 'm'), 90_000);
  expect(farloop.stdout).toMatch(new RegExp(`^${kind.toLowerCase()}/${metadata.name} Succeeded: `, 'm'));
});

interface Held {
  field: string;
  container: string;
  replicas: Record<string, number>;
  /** Whether its definition has `scale`. */
  isScaled?: true;
  /** A variable that holds the rank, by pod. */
  rank?: { variable: string; ranks: Record<string, string> };
}

const HELD: Record<string, Held> = {
  TFJob: { field: 'tfReplicaSpecs', container: 'tensorflow', replicas: { Chief: 1, PS: 1, Worker: 2 } },
  PyTorchJob: {
    field: 'pytorchReplicaSpecs',
    container: 'pytorch',
    replicas: { Master: 1, Worker: 2 },
    isScaled: true,
    rank: { variable: 'RANK', ranks: { 'master-0': '0', 'worker-0': '1', 'worker-1': '2' } },
  },
  MPIJob: { field: 'mpiReplicaSpecs', container: 'mpi', replicas: { Launcher: 1, Worker: 2 } },
  XGBoostJob: {
    field: 'xgbReplicaSpecs',
    container: 'xgboost',
    replicas: { Master: 1, Worker: 2 },
    rank: { variable: 'RANK', ranks: { 'master-0': '0', 'worker-0': '1', 'worker-1': '2' } },
  },
  PaddleJob: { field: 'paddleReplicaSpecs', container: 'paddle', replicas: { Worker: 2 }, isScaled: true },
  MXJob: { field: 'mxReplicaSpecs', container: 'mxnet', replicas: { Scheduler: 1, Server: 1, Worker: 2 } },
  JAXJob: {
    field: 'jaxReplicaSpecs',
    container: 'jax',
    replicas: { Worker: 2 },
    isScaled: true,
    rank: { variable: 'PROCESS_ID', ranks: { 'worker-0': '0', 'worker-1': '1' } },
  },
};

type Environments = Record<string, { name: string; value?: string }[]>;

test.each(Object.entries(HELD))(
  '%s that is suspended, resumed and scaled keeps its ranks and names',
  async (kind, held) => {
    const name = `${kind.toLowerCase()}-held`;
    const template = {
      metadata: { annotations: { 'sim.farloop.dev/run-seconds': '600' } },
      spec: { containers: [{ name: held.container, image: 'example.com/train' }] },
    };
    const specs = Object.fromEntries(Object.entries(held.replicas).map(([type, replicas]) => [type, { replicas, template }]));
    const job = {
      apiVersion: 'kubeflow.org/v1',
      kind,
      metadata: { name, namespace: 'default' },
      spec: { ...(kind === 'MXJob' && { jobMode: 'MXTrain' }), [held.field]: specs },
    };
    const podsNow = async (): Promise<Pod[]> => {
      const selection = { namespace: 'default', labelSelector: `training.kubeflow.org/job-name=${name}` };
      const { items } = await cluster.api.list<Pod>(PODS, selection, cluster.soon());
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    };
    const runs = (count: number) => async (): Promise<boolean> => {
      const pods = await podsNow();
      return pods.length === count && pods.every(({ status }) => status?.phase === 'Running');
    };
    /** Of the first container of each pod, by what follows the job in its name. */
    const environments = async (): Promise<Environments> =>
      Object.fromEntries(
        (await podsNow()).map(({ metadata, spec }) => [
          metadata.name?.slice(name.length + 1),
          (spec.containers[0]?.env ?? []) as Environments[string],
        ]),
      );
    const { object } = await cluster.api.create<KubernetesObject>(resourceOf(kind), job, cluster.soon());
    const change = async (spec: object): Promise<void> => {
      const target = { namespace: 'default', name, uid: object.metadata.uid ?? '' };
      await cluster.api.patch(resourceOf(kind), target, { type: 'merge', body: { spec } }, cluster.soon());
    };
    const total = Object.values(held.replicas).reduce((sum, count) => sum + count, 0);
    await until('it runs', runs(total), 60_000);
    const first = await environments();
    const { variable, ranks = {} } = held.rank ?? {};
    const rankOf = (pod: string): string | undefined => first[pod]?.find((each) => each.name === variable)?.value;
    expect(Object.fromEntries(Object.keys(ranks).map((pod) => [pod, rankOf(pod)]))).toEqual(ranks);
    await change({ runPolicy: { suspend: true } });
    await until('it is suspended', runs(0), 60_000);
    await change({ runPolicy: { suspend: false } });
    await until('it runs again', runs(total), 60_000);
    expect(await environments()).toEqual(first);
    if (!held.isScaled) return;
    await change({ [held.field]: { Worker: { replicas: 3 } } });
    await until('it is scaled up', runs(total + 1), 60_000);
    expect(Object.keys(await environments()).toSorted()).toEqual([...Object.keys(first), 'worker-2'].toSorted());
    expect(await environments()).toMatchObject(first);
    await change({ [held.field]: { Worker: { replicas: 1 } } });
    await until('it is scaled down', runs(total - 1), 60_000);
    expect(Object.keys(await environments()).toSorted()).toEqual(
      Object.keys(first)
        .filter((pod) => pod !== 'worker-1')
        .toSorted(),
    );
  },
  300_000,
);
