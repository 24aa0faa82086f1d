// A local instance put together: the same handlers as on AWS, behind event sources on embedded queues, with relay, API and sweep around them.
import { virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import { featuresFor } from '../terminal/kind-options.ts';
import { handler as ingest } from '../../../functions/ingest.ts';
import { handler as reconcile } from '../../../functions/reconcile.ts';
import { handler as sweep } from '../../../functions/sweep.ts';
import { handler as timers } from '../../../functions/timers.ts';
import { answerRoute } from '../../api/routes/route-table.ts';
import { startEventSource } from '../../adapters/embedded/event-source.ts';
import { openStateFolder } from '../../adapters/embedded/state-folder.ts';
import { LineTelemetry } from '../../adapters/telemetry/line-telemetry.ts';
import type { Level } from '../../adapters/telemetry/log-lines.ts';
import { SystemClock } from '../../adapters/clock/system-clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { FUNCTION_SECONDS, SWEEP_EVERY_MS, VISIBILITY_SECONDS } from '../../reconciler/head/timeouts.ts';
import type { RelayOptions, RelaySetup } from '../../relay/relay-setup.ts';
import type { Relay } from '../../relay/relay.ts';
import { startRelay } from '../../relay/relay.ts';
import type { LocalRuntime, ProcessSettings } from '../../runtime.ts';
import { localRuntime, useRuntime } from '../../runtime.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { removeInstance, writeInstance } from '../instance/instance-file.ts';
import { tokenOf } from './kept-token.ts';
import { serveApi } from './local-api.ts';
import type { LocalCluster } from './local-cluster.ts';
import { clusterOfKubeconfig, startLocalSandbox } from './local-cluster.ts';
import type { NodeSize } from './node-size.ts';
import type { TokenFiles } from '../terminal/virtual-nodes.ts';
import type { NodeApiChoice } from './node-api-choice.ts';
import { providersBehind } from './provider-choice.ts';
import { localRunHost } from './run-host.ts';
import type { KubeconfigOfCluster } from './cluster-choice.ts';
import type { Registration } from './register-cluster.ts';
import { registerAll, takeUpLater } from './away-clusters.ts';

export interface LocalInstanceOptions extends Omit<Registration, 'name' | 'senders'> {
  /** Absolute. */
  folder: string;
  /** None: a sandbox. */
  kubeconfigs: readonly KubeconfigOfCluster[];
  /** Of the sandbox's node. */
  nodeSize?: NodeSize;
  /** Of console and API; 0: any free one. */
  port: number;
  logLevel: Level;
  /** Trouble of a workload that lasts longer needs a person. */
  troubleMinutes?: number;
  /** For providers of virtual nodes that are reached by HTTP. */
  providerTokenFiles?: TokenFiles;
  nodeApi?: NodeApiChoice;
  /** Of nodes whose pods run as processes of this machine. */
  processes?: ProcessSettings;
  /** Told in one sentence each: of several clusters, which is left out for now and why, and that it is worked on after all. */
  onNotice?: (sentence: string) => void;
  /** Other times and sizes than the relay's own: for tests. */
  relay?: Partial<RelayOptions>;
}

export interface LocalInstance {
  /** With the token in its fragment. */
  consoleUrl: string;
  /** In the order given; those that do not answer yet, too. */
  kubeconfigs: { cluster: string; path: string }[];
  ports: Ports;
  /** The first one. */
  cluster: { name: string; access: Cluster };
  /** Those that answered at the start. */
  clusters: { name: string; access: Cluster }[];
  /** Of the first cluster that answered. */
  relayStatus: Relay['status'];
  /** Pods that run as processes: they are ended apart, while passes still write how they end. */
  processes: LocalRuntime['processes'];
  /** Resolves once the first list is through. */
  ready: Promise<void>;
  /** Never rejects; everything is on disk before it is called. */
  stop(): Promise<void>;
}

const SENDER = 'local';
/** Passes begin only while so much of a function's time is left: one lasts 20 s at most (R17). */
const DEADLINE_RESERVE_MS = 22_000;
/** After a start the relay must have had time to be heard of. */
const FIRST_SWEEP_AFTER_MS = 10_000;
const DRAIN_MS = 800;

/** @throws an error whose message is one sentence: what is wrong, where, what to do */
export async function startLocalInstance(options: LocalInstanceOptions): Promise<LocalInstance> {
  const { folder, port, logLevel } = options;
  const endings: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await Promise.resolve(end()).catch(() => {});
  };
  try {
    const clock = new SystemClock();
    const telemetry = new LineTelemetry({ level: logLevel });
    const lock = openStateFolder(folder);
    endings.push(() => lock.close());

    const local = Promise.withResolvers<LocalRuntime>();
    local.promise.catch(() => {});
    const api = await serveApi({
      port,
      token: tokenOf(folder),
      answer: async (request) => await answerRoute((await local.promise).ports, request),
    });
    endings.push(() => api.close());

    const opened = await openClusters(options, (problem) => telemetry.debug('simulated node', { problem }));
    endings.push(...opened.map((cluster) => async () => await cluster.stop()));
    const [first] = opened;
    const hasVirtualNodes = virtualNodesIn(options.options).length > 0;
    const away = new Map<string, Error>();
    const runtime = await localRuntime({
      folder,
      senderId: SENDER,
      clusters: opened.map(({ name, access }) => ({ name, access, awayFor: () => away.get(name) })),
      clock,
      telemetry,
      deadlineReserveMs: DEADLINE_RESERVE_MS,
      loop: { parallelism: first.callsAtOnce },
      ...(options.actions && { actions: true }),
      ...(options.troubleMinutes !== undefined && { troubleLastsMs: options.troubleMinutes * 60_000 }),
      ...(hasVirtualNodes && { providerBehind: providersBehind(options.providerTokenFiles) }),
      ...(options.processes && { processes: options.processes }),
    });
    endings.push(() => runtime.close());
    // A pass that still runs finds the files closed and fails. Its wake comes again at the next start, so nobody need read of it.
    endings.push(() => telemetry.close());
    for (const reason of runtime.rebuilt) telemetry.warn('state begun anew', { reason });
    const registrations = opened.map(({ name }) => ({ ...options, name, senders: [SENDER] }));
    const records = await registerAll(runtime, registrations, away);
    const [record] = records;
    const runs = localRunHost({
      folder,
      clock,
      telemetry,
      clusters: runtime.ports.clusters,
      ...(options.providerTokenFiles && { tokenFiles: options.providerTokenFiles }),
    });
    endings.push(() => runs.close());
    runtime.ports.runs = runs;
    useRuntime(runtime);
    local.resolve(runtime);
    // Their receivers died with the process before this one (R17).
    runtime.queue.makeAllVisible();

    const nodeApi = hasVirtualNodes ? await answerForNodes(runtime, record, options) : {};
    if (nodeApi.close) endings.push(nodeApi.close);
    endings.push(startFunctions(runtime));
    if (hasVirtualNodes) {
      const { followTasks, makeNodes } = await import('./virtual-nodes.ts');
      followTasks(runtime, record);
      for (const problem of await makeNodes(runtime.sourceOf(record.name), { clock }, record)) telemetry.warn('virtual node', { problem });
    }
    const startRelayOf = (of: ClusterRecord): Relay => {
      const relay = startRelay({
        source: runtime.sourceOf(of.name),
        queue: runtime.queue,
        clock,
        telemetry,
        cluster: of.name,
        manages: of.manages,
        kindOptions: of.options,
        namespaces: of.namespaces,
        era: of.era,
        leases: runtime.sourceOf(of.name),
        ...(nodeApi.servesNodes && { servesNodes: nodeApi.servesNodes }),
        ...(of.access === 'relayed' && { executor: runtime.sourceOf(of.name), commander: SENDER }),
        ...(options.relay && { options: options.relay }),
      });
      endings.push(() => relay.stop());
      return relay;
    };
    const relays = records.map(startRelayOf);
    endings.push(
      takeUpLater({
        runtime,
        registrations: registrations.filter(({ name }) => away.has(name)),
        away,
        onNotice: options.onNotice,
        start: startRelayOf,
      }),
    );
    const kubeconfigs = opened.map(({ name, kubeconfigPath }) => ({ cluster: name, path: kubeconfigPath }));
    const context = options.kubeconfigs[0]?.context;
    const access = { kubeconfig: first.kubeconfigPath, ...(context !== undefined && { context }) };
    writeInstance(folder, { url: api.url, token: api.token, pid: process.pid, ...access });
    endings.push(() => removeInstance(folder));
    // They find the cluster of their node by what was just written.
    await runs.resume();
    const ready = Promise.all([...relays.map((relay) => relay.ready), ...opened.map((cluster) => cluster.ready)]).then(() => {});
    ready.catch(() => {});
    const clusters = records.map(({ name }) => ({ name, access: runtime.sourceOf(name) }));
    return {
      consoleUrl: api.consoleUrl,
      kubeconfigs,
      ports: runtime.ports,
      cluster: { name: first.name, access: runtime.sourceOf(first.name) },
      clusters,
      relayStatus: () => (relays[0] as Relay).status(),
      processes: runtime.processes,
      ready,
      stop,
    };
  } catch (error) {
    await stop();
    throw sentenceOf(error, folder);
  }
}

/** How API servers reach the virtual nodes: as where nothing can dial the cluster, a relay asks the functions; else this process answers itself. */
async function answerForNodes(
  runtime: LocalRuntime,
  record: ClusterRecord,
  { kubeconfigs, nodeApi: { address: given, isOpen } = { isOpen: false } }: LocalInstanceOptions,
): Promise<Pick<RelaySetup, 'servesNodes'> & { close?: () => Promise<void> }> {
  const { addressOfThisMachine, serveNodesOf } = await import('./served-nodes.ts');
  const address = given ?? (kubeconfigs.length === 0 ? '127.0.0.1' : addressOfThisMachine());
  if (address === undefined) {
    // A node runs its pods all the same.
    runtime.ports.telemetry.warn('API servers cannot ask virtual nodes for logs', { reason: 'this machine has no address of a network' });
    return {};
  }
  if (record.access === 'relayed') return { servesNodes: { address, firstPort: 0, isOpen, cluster: runtime.sourceOf(record.name) } };
  const { place, close } = await serveNodesOf(runtime, record, { address, isOpen });
  // Known before the first pass, so that a Node is written once.
  runtime.ports.nodeEndpointOf = (node) => {
    const port = place.ports[node];
    return port === undefined ? undefined : { address: place.address, port };
  };
  return { close };
}

/** Parts that say their own sentence keep it; a file system that refuses in passing says a code only. */
function sentenceOf(error: unknown, folder: string): unknown {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new FailedError(`no space left where ${folder} lies: free some space there, and start again`, { cause: error });
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new FailedError(`${folder} cannot be written: give yourself the right to, or choose another folder with --state`, {
      cause: error,
    });
  return error;
}

type OneOrMore<Item> = [Item, ...Item[]];

async function openClusters(
  { folder, kubeconfigs: [firstChoice, ...otherChoices], nodeSize = {}, options = {}, processes }: LocalInstanceOptions,
  report: (problem: string) => void,
): Promise<OneOrMore<LocalCluster>> {
  if (firstChoice) {
    const clusters: OneOrMore<LocalCluster> = [await clusterOfKubeconfig(firstChoice)];
    for (const choice of otherChoices) {
      const cluster = await clusterOfKubeconfig(choice);
      const namesake = clusters.find(({ name }) => name === cluster.name);
      if (namesake)
        throw new UsageError(
          `the clusters of ${namesake.kubeconfigPath} and ${cluster.kubeconfigPath} would both be called ${cluster.name}: name them, as in --kubeconfig west=${cluster.kubeconfigPath}`,
        );
      clusters.push(cluster);
    }
    return clusters;
  }
  const files = { folder: `${folder}/sandbox`, kubeconfigPath: `${folder}/kubeconfig` };
  // Beside pods that run, one that only pretends to would be believed.
  return [
    await startLocalSandbox({
      ...files,
      withNode: processes === undefined,
      hasScheduler: true,
      nodeSize,
      features: featuresFor(options),
      report,
    }),
  ];
}

/** The event sources as they are deployed, and the sweep's clockwork. @returns how to end them */
function startFunctions({ queue, ports: { clock, telemetry } }: LocalRuntime): () => Promise<void> {
  const every = { queue, clock, telemetry, visibilitySeconds: VISIBILITY_SECONDS, timeoutSeconds: FUNCTION_SECONDS };
  const sources = [
    startEventSource({ ...every, name: 'events', functionName: 'ingest', handler: ingest, batchSize: 10, maxConcurrency: 4 }),
    startEventSource({ ...every, name: 'wakes', functionName: 'reconcile', handler: reconcile, batchSize: 10, maxConcurrency: 8 }),
    startEventSource({ ...every, name: 'timers', functionName: 'timers', handler: timers, batchSize: 10, maxConcurrency: 2 }),
  ];
  const ending = new AbortController();
  const sweeping = (async () => {
    await clock.wait(FIRST_SWEEP_AFTER_MS, ending.signal);
    while (!ending.signal.aborted) {
      await sweep().catch((error: unknown) => telemetry.error('sweep failed', { error }));
      await clock.wait(SWEEP_EVERY_MS, ending.signal);
    }
  })();
  return async () => {
    ending.abort();
    await Promise.all([sweeping, ...sources.map((source) => source.stop({ drainMs: DRAIN_MS }))]);
  };
}
