// The ranks of each example find each other: a script that stands for the framework runs as a process for each pod, with exactly the
// environment of the stored pod. Each pod has an address of the loopback. Names are those of the stored services.
import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dump, load } from 'js-yaml';
import { openJsonClient, type JsonClient } from '../../lib/adapters/kubernetes/json-client.ts';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { FRAMEWORKS } from '../../lib/kinds/training/frameworks/all.ts';
import type { Framework } from '../../lib/kinds/training/terms/framework.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { until } from '../claims.ts';
import { FarloopProcess, root, temporaryFolder } from '../cli/farloop-process.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'rank.ts');
const JOB_NAME = 'training.kubeflow.org/job-name';
const files = globSync('examples/training/*.yaml', { cwd: root }).toSorted();

interface Replicas {
  replicas?: number;
  template: { metadata: { annotations: Record<string, string> } };
}
interface Example extends KubernetesObject {
  spec: Record<string, Record<string, Replicas>>;
}
interface Service extends KubernetesObject {
  spec: { selector: Record<string, string>; ports?: { port: number }[] };
}

const state = temporaryFolder();
let farloop: FarloopProcess;
let client: JsonClient;
beforeAll(async () => {
  const long = files.map((file) => {
    const example = load(readFileSync(join(root, file), 'utf8')) as Example;
    for (const { template } of Object.values(replicasOf(example))) template.metadata.annotations['sim.farloop.dev/run-seconds'] = '600';
    const path = join(state.path, basename(file));
    writeFileSync(path, dump(example));
    return path;
  });
  farloop = new FarloopProcess(['up', '--state', join(state.path, 'up'), '--port', '0', ...long.flatMap((file) => ['--apply', file])]);
  await farloop.says('farloop ready');
  client = openJsonClient(await accessFromKubeconfig({ file: join(state.path, 'up', 'kubeconfig') }));
}, 60_000);
afterAll(async () => {
  client?.close();
  await farloop.destroy();
  state.remove();
});

const frameworkOf = ({ kind }: KubernetesObject): Framework => {
  const framework = FRAMEWORKS.find((one) => one.kind === kind);
  if (!framework) throw new Error(`no framework has the kind ${kind}`);
  return framework;
};
const replicasOf = (example: Example): Record<string, Replicas> => example.spec[frameworkOf(example).replicasField] ?? {};

async function listed<Item>(path: string): Promise<Item[]> {
  const { status, body } = await client.request({ method: 'GET', path });
  if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
  return (body as { items: Item[] }).items;
}

/** All pods run. */
async function podsOf(example: Example): Promise<Pod[]> {
  const wanted = Object.values(replicasOf(example)).reduce((sum, { replicas = 1 }) => sum + replicas, 0);
  let pods: Pod[] = [];
  await until(
    `${wanted} pods of ${example.metadata.name}`,
    async () => {
      pods = await listed<Pod>(`/api/v1/namespaces/default/pods?labelSelector=${JOB_NAME}%3D${example.metadata.name}`);
      return pods.length === wanted && pods.every(({ status }) => status?.phase === 'Running');
    },
    60_000,
  );
  return pods;
}

/** As a kubelet gives it to the first container: `$(NAME)` is a variable before it. */
function environmentOf(pod: Pod): Record<string, string> {
  const environment: Record<string, string> = {};
  const variables = (pod.spec.containers[0]?.env ?? []) as {
    name: string;
    value?: string;
    valueFrom?: { fieldRef?: { fieldPath: string } };
  }[];
  for (const { name, value = '', valueFrom } of variables) {
    if (valueFrom && valueFrom.fieldRef?.fieldPath !== 'status.podIP') throw new Error(`${name} comes from ${JSON.stringify(valueFrom)}`);
    environment[name] = valueFrom
      ? ((pod.status as { podIP?: string }).podIP ?? '')
      : value.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, (reference, of: string) => environment[of] ?? reference);
  }
  return environment;
}

const addressOf = (file: string, at: number): string => `127.0.${1 + files.indexOf(file)}.${1 + at}`;

test.each(files.filter((file) => !file.endsWith('mpi.yaml')))(
  '%s: the ranks meet',
  async (file) => {
    const example = load(readFileSync(join(root, file), 'utf8')) as Example;
    const pods = await podsOf(example);
    const services = await listed<Service>(`/api/v1/namespaces/default/services?labelSelector=${JOB_NAME}%3D${example.metadata.name}`);
    const hosts: Record<string, string> = {};
    for (const [at, pod] of pods.entries()) hosts[(pod.status as { podIP?: string }).podIP ?? ''] = addressOf(file, at);
    for (const { metadata, spec } of services) {
      const chosen = pods.filter((pod) => Object.entries(spec.selector).every(([key, value]) => pod.metadata.labels?.[key] === value));
      expect(chosen.map((pod) => pod.metadata.name)).toEqual([metadata.name]);
      const [pod] = chosen;
      if (!pod) continue;
      for (const host of [metadata.name ?? '', `${metadata.name}.default.svc`]) hosts[host] = addressOf(file, pods.indexOf(pod));
    }
    const args = ['--disable-warning=ExperimentalWarning', script, JSON.stringify(hosts)];
    const ended = await Promise.all(pods.map(async (pod) => await run(process.execPath, args, { env: environmentOf(pod) })));
    const said = ended.map(({ stdout }) => JSON.parse(stdout) as { self: string; met: string[] });
    expect(new Set(said.map(({ self }) => self)).size).toBe(pods.length);
    // Whoever is called meets all others; the others meet at least the one they called.
    expect(Math.max(...said.map(({ met }) => met.length))).toBe(pods.length - 1);
    expect(Math.min(...said.map(({ met }) => met.length))).toBeGreaterThan(0);
  },
  90_000,
);

test('examples/training/mpi.yaml: the launcher finds its workers by its host file, and may run commands in them alone', async () => {
  const example = load(readFileSync(join(root, 'examples/training/mpi.yaml'), 'utf8')) as Example;
  const name = example.metadata.name ?? '';
  const pods = await podsOf(example);
  const names = pods.map(({ metadata }) => metadata.name ?? '').toSorted();
  const workers = names.filter((pod) => pod !== `${name}-launcher`);
  const get = async <Item>(path: string): Promise<Item> => (await client.request({ method: 'GET', path })).body as Item;
  const launcher = pods.find(({ metadata }) => metadata.name === `${name}-launcher`);
  if (!launcher) throw new Error('there is no launcher');
  const environment = environmentOf(launcher);
  expect(environment).toMatchObject({ OMPI_MCA_plm_rsh_agent: '/etc/mpi/kubexec.sh', OMPI_MCA_orte_default_hostfile: '/etc/mpi/hostfile' });
  const { containers, volumes } = launcher.spec as unknown as {
    containers: { volumeMounts: { name: string; mountPath: string }[] }[];
    volumes: { name: string; configMap?: { name: string; items: { key: string; path: string }[] } }[];
  };
  const mount = containers[0]?.volumeMounts.find(({ mountPath }) => mountPath === '/etc/mpi');
  const source = volumes.find((volume) => volume.name === mount?.name)?.configMap;
  expect(source?.items.map(({ path }) => path).toSorted()).toEqual(['discover_hosts.sh', 'hostfile', 'kubexec.sh']);
  const { data } = await get<{ data: Record<string, string> }>(`/api/v1/namespaces/default/configmaps/${source?.name}`);
  const hosts = (data['hostfile'] ?? '').trimEnd().split('\n');
  expect(hosts.map((line) => line.split(' ')[0])).toEqual(workers);
  expect(hosts.every((line) => line.endsWith(' slots=2'))).toBe(true);
  await until('all workers among the hosts that run', async () => {
    const map = await get<{ data: Record<string, string> }>(`/api/v1/namespaces/default/configmaps/${source?.name}`);
    const { stdout } = await run('sh', ['-c', map.data['discover_hosts.sh'] ?? '']);
    return stdout.trimEnd() === workers.map((worker) => `${worker}:2`).join('\n');
  });
  const { rules } = await get<{ rules: { resources: string[]; resourceNames?: string[] }[] }>(
    `/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/${name}-launcher`,
  );
  expect(rules.find(({ resources }) => resources.includes('pods/exec'))?.resourceNames).toEqual(workers);
}, 90_000);
