// The cluster of a local instance: the one that a kubeconfig names, or a sandbox with a simulated node in this very process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterAccess } from '../../adapters/kubernetes/kubernetes-cluster.ts';
import type { DefinitionManifest } from '../../kinds/rows/kind-definition.ts';
import { fieldsOf, listOf, textOf } from '../../objects/values/untyped-fields.ts';
import { writePrivately } from '../../files/private-files.ts';
import { FailedError } from '../terminal/exit.ts';
import type { KubeconfigOfCluster } from './cluster-choice.ts';
import { withoutGrowth } from './local-heap.ts';
import type { NodeClient } from '../../simulated-node/node-client.ts';
import { SIMULATED_NODE } from '../../simulated-node/node-name.ts';
import type { NodeSize } from './node-size.ts';

export interface LocalCluster {
  /** As the cluster is registered; fit for keys and queue names. */
  name: string;
  access: ClusterAccess;
  /** Requests of one pass that are in flight at once. */
  callsAtOnce: number;
  /** For kubectl. */
  kubeconfigPath: string;
  /** Resolves once pods can run; at once where the nodes are not ours. */
  ready: Promise<void>;
  stop(): Promise<void>;
}

const SANDBOX_NAME = 'local';

const PORT_FILE = 'port';

/**
 * An API server in this process answers one request after the other. More of a pass at once would come no sooner, and each turn of the
 * event loop would take longer for all others.
 */
const SANDBOX_CALLS_AT_ONCE = 8;
/**
 * One elsewhere answers several at once, and each after some milliseconds on the way. A small server falls behind with more, and the calls of all other
 * workloads wait in the same line: on two cores 16 at once bring a third more pods a second than 48, and a Job beside 300 failing workers takes 1.8 s, not 4.5.
 */
const CALLS_AT_ONCE = 16;
/** Of the simulated node. More than one turn of the event loop can take would only keep what else is in this process waiting. */
const STEPS_AT_ONCE = 8;

/**
 * Starts a sandbox and its node. A new one has the definitions of the kinds that bring their own. Folder, certificate authority, token and port stay the same over restarts, so that a kubeconfig does.
 * @param options.port 0: as the last time, else any free one
 * @param options.report called with the node's failed tries
 * @throws SandboxError with one sentence
 */
export async function startLocalSandbox(options: {
  folder: string;
  kubeconfigPath: string;
  port?: number;
  /** The simulated one. */
  withNode: boolean;
  hasScheduler: boolean;
  nodeSize?: NodeSize;
  /** Alpha features of the API server that are on. */
  features?: readonly string[];
  report: (problem: string) => void;
}): Promise<LocalCluster> {
  const { folder, kubeconfigPath, port = 0, withNode, hasScheduler, nodeSize, features = [], report } = options;
  const { isFeature, switchOn } = await import('../../sandbox/objects/features.ts');
  // Before the tables of resources are read.
  for (const feature of features) if (isFeature(feature)) switchOn(feature);
  const [{ startSandbox }, definitions, { startSimulatedNode }, { embeddedClient }] = await Promise.all([
    import('../../sandbox/sandbox.ts'),
    // One that has been started before has its own: a start should not load what makes them.
    lastPort(folder) === 0 ? firstDefinitions() : undefined,
    import('../../simulated-node/simulated-node.ts'),
    import('../../sandbox/embedded-client.ts'),
  ]);
  const startPort = port > 0 ? port : await freePortLike(lastPort(folder));
  const sandbox = await withoutGrowth(() =>
    startSandbox({
      folder,
      port: startPort,
      ...(definitions && { definitions }),
      ...(hasScheduler && { hasScheduler: true }),
    }),
  );
  const access: ClusterAccess = { server: sandbox.url, caPem: sandbox.caPem, auth: { kind: 'token', token: sandbox.token } };
  try {
    writePrivately(join(folder, PORT_FILE), `${sandbox.port}\n`);
    writePrivately(kubeconfigPath, sandbox.kubeconfig);
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  const local = { name: SANDBOX_NAME, access, callsAtOnce: SANDBOX_CALLS_AT_ONCE, kubeconfigPath };
  if (!withNode) {
    if (hasScheduler) await removeSimulatedNode(embeddedClient(sandbox.handle));
    return { ...local, ready: Promise.resolve(), stop: sandbox.stop };
  }
  const node = startSimulatedNode({
    client: embeddedClient(sandbox.handle),
    hasScheduler: true,
    concurrency: STEPS_AT_ONCE,
    onProblem: report,
    ...nodeSize,
  });
  return {
    ...local,
    ready: node.ready,
    stop: async () => {
      await node.stop();
      await sandbox.stop();
    },
  };
}

/** Of an earlier start: nobody plays its pods any more, so they are lost with it, as with a machine that is gone. */
async function removeSimulatedNode({ request }: Pick<NodeClient, 'request'>): Promise<void> {
  const { status } = await request({ method: 'DELETE', path: `/api/v1/nodes/${SIMULATED_NODE}` });
  if (status === 404) return;
  const path = `/api/v1/pods?fieldSelector=${encodeURIComponent(`spec.nodeName=${SIMULATED_NODE}`)}`;
  for (const pod of listOf(fieldsOf((await request({ method: 'GET', path })).body)['items'])) {
    const { namespace, name } = fieldsOf(pod['metadata']);
    const { phase } = fieldsOf(pod['status']);
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    await request({ method: 'DELETE', path: `/api/v1/namespaces/${textOf(namespace)}/pods/${textOf(name)}`, body });
  }
}

async function firstDefinitions(): Promise<() => DefinitionManifest[]> {
  const [{ kindDefinitions }, { definitionSchemaOf }] = await Promise.all([
    import('../../kinds/definitions.ts'),
    import('../../sandbox/schema/definition-schema.ts'),
  ]);
  return () => kindDefinitions(definitionSchemaOf);
}

function lastPort(folder: string): number {
  try {
    const port = Number(readFileSync(join(folder, PORT_FILE), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}

/** That port if nobody has taken it meanwhile, else 0: any. */
async function freePortLike(port: number): Promise<number> {
  if (port === 0) return 0;
  const { createServer } = await import('node:net');
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(port)));
  });
}

/**
 * The cluster that a kubeconfig names.
 * @throws one sentence when the file cannot be read or names no such context
 */
export async function clusterOfKubeconfig({ file, context, name }: KubeconfigOfCluster): Promise<LocalCluster> {
  const { accessFromKubeconfig } = await import('../../adapters/kubernetes/kubeconfig.ts');
  const access = await accessFromKubeconfig({ file, context });
  return {
    name: name ?? clusterNameOf(context ?? (await currentContextOf(file))),
    access,
    callsAtOnce: CALLS_AT_ONCE,
    kubeconfigPath: file,
    ready: Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

/** The file is known to be readable and to have one. */
async function currentContextOf(file: string): Promise<string> {
  const { load } = await import('js-yaml');
  return textOf(fieldsOf(load(readFileSync(file, 'utf8')))['current-context']);
}

/** A context's name may hold anything; ours goes into keys, queue names and metrics. @throws FailedError when nothing is left of it */
export function clusterNameOf(context: string): string {
  const name = context
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
  if (name === '') throw new FailedError(`the context ${JSON.stringify(context)} has no letter or digit to name the cluster by: rename it`);
  return name;
}
