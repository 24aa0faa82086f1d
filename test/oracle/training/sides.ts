// The two controllers that stories are played to, each beside an API server of its own.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainingDefinitions } from '../../../infra/crds/training-definitions.ts';
import { openJsonClient, type JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { until } from '../../claims.ts';
import { FarloopProcess } from '../../cli/farloop-process.ts';
import { startControlPlane } from '../../cluster/control-plane.ts';
import { operatorDefinitions, podGroupDefinitions, startOperator } from './operator.ts';
import type { Gang } from './story.ts';

export interface Side {
  client: JsonClient;
  end: () => Promise<void>;
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Of the controller manager: what becomes of the pods of a deleted job. */
const CONTROLLERS = 'garbage-collector-controller';

/** The operator on a real API server. @param built where build.sh has put it */
export async function theirs(built: string, gang: Gang | undefined): Promise<Side> {
  return await side(async ({ folder, endings }) => {
    const controlPlane = await startControlPlane({ controllers: CONTROLLERS });
    endings.push(controlPlane.stop);
    const { kubeconfigPath } = controlPlane;
    const client = await clientOf(kubeconfigPath);
    await define(client, operatorDefinitions(built));
    endings.push(await startOperator({ built, client, kubeconfigPath, folder, gang }));
    return client;
  });
}

/** Farloop on a real API server or on the sandbox. */
export async function ours(cluster: 'real' | 'sandbox', gang: Gang | undefined): Promise<Side> {
  return await side(async ({ folder, endings }) => {
    const start = (...args: string[]): FarloopProcess => {
      const farloop = new FarloopProcess(args);
      endings.push(async () => await farloop.destroy());
      return farloop;
    };
    let kubeconfigPath: string;
    if (cluster === 'real') {
      const controlPlane = await startControlPlane({ controllers: CONTROLLERS });
      endings.push(controlPlane.stop);
      kubeconfigPath = controlPlane.kubeconfigPath;
    } else {
      const state = join(folder, 'sandbox');
      await start('sandbox', '--no-node', '--state', state).says(/ready/);
      kubeconfigPath = join(state, 'kubeconfig');
    }
    const client = await clientOf(kubeconfigPath);
    await define(client, [...(cluster === 'real' ? trainingDefinitions() : []), ...podGroupDefinitions()]);
    const scheduler = gang === 'scheduler-plugins' ? 'scheduler-plugins-scheduler' : gang;
    const options = ['--manage', 'training-jobs', ...(scheduler === undefined ? [] : ['--gang-scheduler', scheduler])];
    await start('up', '--state', join(folder, 'state'), '--port', '0', '--kubeconfig', kubeconfigPath, ...options).says('farloop ready');
    return client;
  });
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
