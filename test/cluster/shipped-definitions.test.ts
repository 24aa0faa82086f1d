// The definitions that training operators and JobSet ship, on the sandbox and on a real API server: both take them, and make the same
// objects of the same bodies. They come from the Go module proxy, as the control plane does.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiClient } from '../contracts/api-server/client.ts';
import type { Answer, ApiServer, Body } from '../contracts/api-server/client.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { until } from '../claims.ts';
import { openReferenceServer } from './reference-server.ts';

const run = promisify(execFile);
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const mostToServeMs = 5_000;

/** Where a module keeps the definitions that it ships. */
const modules = [
  ['github.com/kubeflow/training-operator@v1.9.3', 'manifests/base/crds'],
  ['sigs.k8s.io/jobset@v0.8.0', 'config/components/crd/bases'],
] as const;

async function shippedIn(module: string, folder: string): Promise<string[]> {
  const workshop = await mkdtemp(join(tmpdir(), 'farloop-module-'));
  try {
    await writeFile(join(workshop, 'go.mod'), 'module definitions\n\ngo 1.24\n');
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: workshop });
    const { Dir }: { Dir: string } = JSON.parse(stdout);
    const names = await readdir(join(Dir, folder));
    const files = names.filter((name) => name.includes('_')).toSorted();
    return await Promise.all(files.map((name) => readFile(join(Dir, folder, name), 'utf8')));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

let servers: ApiServer[] = [];
let clients: ApiClient[] = [];
let texts: string[] = [];
beforeAll(async () => {
  servers = [await openReferenceServer(), await openSandboxServer()];
  clients = servers.map((server) => new ApiClient(server));
  texts = (await Promise.all(modules.map(([module, folder]) => shippedIn(module, folder)))).flat();
}, 300_000);
afterAll(async () => {
  for (const client of clients) client.close();
  for (const server of servers) await server.close();
}, 60_000);

const onBoth = (ask: (client: ApiClient) => Promise<Answer>): Promise<Answer[]> => Promise.all(clients.map(ask));

/** What both servers must agree on: no times, versions and uids. */
function lasting({ status, body }: Answer): unknown {
  const { metadata, ...others } = body;
  const { name, generation, labels } = metadata;
  return { answered: status, metadata: { name, generation, labels }, ...others };
}

/** The same of a real API server. What it says of a scale's replicas that are no number names types of Go, which the sandbox does not. */
const lastingWithoutTypes = ({ body, ...answer }: Answer): unknown =>
  lasting({ ...answer, body: JSON.parse(JSON.stringify(body).replaceAll(TYPES_OF_SCALE, 'must be a whole number')) as Body });

const TYPES_OF_SCALE = /\.[\w.]+ accessor error: \w+ is of the type \w+, expected int64/g;

const container = { name: 'main', image: 'busybox', env: [{ name: 'A', value: 'b' }], resources: { limits: { cpu: 1, memory: '1Gi' } } };
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy: 'Never', containers: [{ ...container, ports: [{ containerPort: 1 }] }] },
};

/** What the replicas of a kind are called. */
const replicaSpecs: Readonly<Record<string, string>> = {
  JAXJob: 'jaxReplicaSpecs',
  MPIJob: 'mpiReplicaSpecs',
  PaddleJob: 'paddleReplicaSpecs',
  PyTorchJob: 'pytorchReplicaSpecs',
  TFJob: 'tfReplicaSpecs',
  XGBoostJob: 'xgbReplicaSpecs',
};

/** Bodies for objects of a kind: one that is whole, and some that are not. */
function bodiesOf(kind: string): object[] {
  if (kind === 'JobSet') {
    const job = { name: 'workers', replicas: 2, template: { spec: { parallelism: 2, completions: 2, template } } };
    return [
      { spec: { replicatedJobs: [job] } },
      { spec: { replicatedJobs: [job, job] } },
      { spec: { replicatedJobs: [{ ...job, replicas: 'two' }], unknown: 1 } },
      { spec: { replicatedJobs: [{ name: 'a' }] } },
    ];
  }
  const specs = replicaSpecs[kind] ?? '';
  const worker = { replicas: 2, restartPolicy: 'OnFailure', template };
  return [
    { spec: { [specs]: { Worker: worker } } },
    { spec: { [specs]: { Worker: { ...worker, replicas: 'two' } } } },
    { spec: { [specs]: { Worker: { ...worker, template: { spec: { containers: [{ image: 'a' }] } } } }, unknown: { a: 1 } } },
    { spec: {} },
    {},
  ];
}

describe('what is shipped', () => {
  test('is taken, served within seconds, and its objects are the same on both', async () => {
    expect(texts).toHaveLength(7);
    for (const text of texts) {
      const definition = load(text) as Body;
      const path = `${definitions}/${definition.metadata.name ?? ''}`;
      const beganAt = performance.now();
      const [, ours] = await onBoth((client) => client.post(definitions, definition));
      expect(ours).toMatchObject({ status: 201 });
      const { names, group, versions } = definition.spec as {
        names: { kind: string; plural: string };
        group: string;
        versions: { name: string }[];
      };
      const apiVersion = `${group}/${versions[0]?.name ?? ''}`;
      const objects = `/apis/${apiVersion}/namespaces/default/${names.plural}`;
      expect(await clients[1]?.get(objects)).toMatchObject({ status: 200 });
      expect(performance.now() - beganAt).toBeLessThan(mostToServeMs);
      await until('the definition is established', async () => (await clients[0]?.get(objects))?.status === 200, 20_000);
      const [theirs, mine] = await onBoth((client) => client.get(path));
      expect(mine && lasting(mine)).toMatchObject({ answered: 200, spec: theirs?.body.spec, metadata: { generation: 1 } });
      for (const [at, body] of bodiesOf(names.kind).entries()) {
        const whole = { apiVersion, kind: names.kind, metadata: { name: `object-${at}` }, ...body };
        const [real, made] = await onBoth((client) => client.post(objects, whole));
        expect({ kind: names.kind, at, made: made && lasting(made) }).toEqual({
          kind: names.kind,
          at,
          made: real && lastingWithoutTypes(real),
        });
      }
    }
  }, 180_000);
});
