// The two controllers that stories are played to, each beside an API server of its own.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJsonClient, type JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { until } from '../../claims.ts';
import { FarloopProcess } from '../../cli/farloop-process.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { operatorDefinitions, podGroupDefinitions, startOperator } from './operator.ts';
import type { Gang } from './story.ts';
import { trainingDefinitions } from '../../kinds/training/definition/definitions.ts';

export interface Side {
  client: JsonClient;
  end: () => Promise<void>;
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Of the controller manager: what becomes of the pods of a deleted job. */
const CONTROLLERS = 'garbage-collector-controller';

/** An API server without a controller of training jobs. */
async function server(cluster: 'real' | 'sandbox', { folder, endings }: Opening): Promise<string> {
  if (cluster === 'sandbox') {
    const state = join(folder, 'sandbox');
    await farloop(endings, 'sandbox', '--no-node', '--state', state).says(/ready/);
    return join(state, 'kubeconfig');
  }
  const controlPlane = await startControlPlane({ controllers: CONTROLLERS });
  endings.push(controlPlane.stop);
  return controlPlane.kubeconfigPath;
}

function farloop(endings: Opening['endings'], ...args: string[]): FarloopProcess {
  const started = new FarloopProcess(args);
  endings.push(async () => await started.destroy());
  return started;
}

/** Ready when this returns. */
async function startFarloop({ folder, endings }: Opening, kubeconfigPath: string, gang: Gang | undefined): Promise<FarloopProcess> {
  const scheduler = gang === 'scheduler-plugins' ? 'scheduler-plugins-scheduler' : gang;
  const options = ['--manage', 'training-jobs', ...(scheduler === undefined ? [] : ['--gang-scheduler', scheduler])];
  const started = farloop(endings, 'up', '--state', join(folder, 'state'), '--port', '0', '--kubeconfig', kubeconfigPath, ...options);
  await started.says('farloop ready');
  return started;
}

/** The operator on a real API server. @param built where build.sh has put it */
export async function theirs(built: string, gang: Gang | undefined): Promise<Side> {
  return await side(async (opening) => {
    const kubeconfigPath = await server('real', opening);
    const client = await clientOf(kubeconfigPath);
    await define(client, operatorDefinitions(built));
    const { folder } = opening;
    opening.endings.push((await startOperator({ built, client, kubeconfigPath, folder, gang })).end);
    return client;
  });
}

/** Farloop on a real API server or on the sandbox. */
export async function ours(cluster: 'real' | 'sandbox', gang: Gang | undefined): Promise<Side> {
  return await side(async (opening) => {
    const kubeconfigPath = await server(cluster, opening);
    const client = await clientOf(kubeconfigPath);
    await define(client, [...(cluster === 'real' ? trainingDefinitions() : []), ...podGroupDefinitions()]);
    await startFarloop(opening, kubeconfigPath, gang);
    return client;
  });
}

/** The operator and its definitions on a real API server; `change` ends it and starts Farloop in its place, or the other way round. */
export async function changing(built: string, first: 'operator' | 'farloop'): Promise<Side & { change: () => Promise<void> }> {
  let change: (() => Promise<void>) | undefined;
  const opened = await side(async (opening) => {
    const kubeconfigPath = await server('real', opening);
    const client = await clientOf(kubeconfigPath);
    await define(client, operatorDefinitions(built));
    const { folder } = opening;
    const operator = async (): Promise<() => Promise<void>> => {
      const { end, leave } = await startOperator({ built, client, kubeconfigPath, folder, gang: undefined });
      opening.endings.push(end);
      return leave;
    };
    const own = async (): Promise<() => Promise<void>> => {
      const started = await startFarloop(opening, kubeconfigPath, undefined);
      return async () => void (await started.end('SIGTERM'));
    };
    const end = await (first === 'operator' ? operator() : own());
    change = async () => {
      await end();
      await (first === 'operator' ? own() : operator());
    };
    return client;
  });
  if (!change) throw new Error('no controller was started');
  return { ...opened, change };
}

interface Opening {
  /** Goes with the side. */
  folder: string;
  /** Run backwards. */
  endings: (() => Promise<void>)[];
}

async function side(open: (opening: Opening) => Promise<JsonClient>): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'farloop-stories-'));
  const endings = [async (): Promise<void> => await rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const end = async (): Promise<void> => {
    for (const ending of endings.splice(0).toReversed()) await ending();
  };
  try {
    const client = await open({ folder, endings });
    endings.push(async () => client.close());
    return { client, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function clientOf(kubeconfigPath: string): Promise<JsonClient> {
  await until('a kubeconfig', async () =>
    readFile(kubeconfigPath).then(
      () => true,
      () => false,
    ),
  );
  return openJsonClient(await accessFromKubeconfig({ file: kubeconfigPath }));
}

interface Definition {
  metadata: { name: string };
  spec: { group: string; names: { plural: string }; versions: { name: string }[] };
}

/** @throws Error when one is refused, or not served within a minute */
async function define(client: JsonClient, definitions: readonly object[]): Promise<void> {
  for (const definition of definitions) {
    const { status, body } = await client.request({ method: 'POST', path: DEFINITIONS, body: definition });
    if (status !== 201) throw new Error(`${(definition as Definition).metadata.name} is refused: ${JSON.stringify(body)}`);
  }
  for (const { metadata, spec } of definitions as readonly Definition[])
    await until(
      `${metadata.name} served`,
      async () =>
        (await client.request({ method: 'GET', path: `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}` })).status ===
        200,
      60_000,
    );
}
