// Config → Ports: the one place that picks adapters. Each mode loads its own only, so that a function starts light.
import type { TaskChange } from './adapters/providers/simulated.ts';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Config } from './config.ts';
import { configFrom } from './config.ts';
import type { EmbeddedQueue } from './adapters/embedded/queue.ts';
import type { Credentials } from './adapters/kubernetes/access.ts';
import type { LocalProcessOptions, LocalProcessProvider } from './adapters/providers/local-process/provider.ts';
import type { EngineWord } from './adapters/providers/local-process/machine/engine.ts';
import type { RemoteChoice } from './adapters/providers/remote-providers.ts';
import type { ClusterAccess } from './adapters/kubernetes/kubernetes-cluster.ts';
import type { RenewedCredentials } from './adapters/credentials/renewed-credentials.ts';
import type { SqsQueueOptions } from './adapters/sqs/sqs-queue.ts';
import type { Clock } from './ports/clock.ts';
import type { Cluster, ClusterSource } from './ports/cluster.ts';
import type { ClusterRecord, Clusters } from './ports/clusters.ts';
import type { Costs } from './ports/costs.ts';
import { TerminalError } from './ports/errors.ts';
import type { Ports } from './ports/ports.ts';
import type { Provider } from './ports/provider.ts';
import type { DrivenRuns } from './ports/runs.ts';
import type { Store } from './ports/store.ts';
import type { Telemetry } from './ports/telemetry.ts';

export interface Runtime {
  ports: Ports;
  /** Kept back from a function's deadline to hand work back in good order, milliseconds. */
  deadlineReserveMs: number;
  /** Unique id of the role that sends dead letters again (R15); undefined where the queue keeps their sender. */
  redriver?: string;
  /** Unique id of the role that alone may ask for actions of people (R15); undefined: whoever may send wakes. */
  asker?: string;
  /** Where passes go by other bounds than the usual ones. */
  loop?: LoopBounds;
  /** Called when an invocation of that function begins; its result is called when the invocation ends. */
  begin?: (functionName: string, requestId: string) => () => void;
}

export interface LoopBounds {
  /** Requests to one API server in flight at once, per pass. */
  parallelism?: number;
}

let current: Promise<Runtime> | undefined;

/** The process's runtime, made at the first call: a function's cold start. @throws Error naming every mistake in the environment */
export async function runtime(): Promise<Runtime> {
  current ??= runtimeFrom(process.env);
  return await current;
}

/**
 * One invocation of a function: its work, with everything that was counted in it written out at its end.
 * @param functionName short: `ingest`
 */
export async function invocation<Answer>(
  functionName: string,
  context: { awsRequestId?: string } | undefined,
  work: (runtime: Runtime) => Promise<Answer>,
): Promise<Answer> {
  const made = await runtime();
  const end = made.begin?.(functionName, context?.awsRequestId ?? '');
  try {
    return await work(made);
  } finally {
    end?.();
  }
}

/** In Lambda, makes the runtime while a function loads: then a first event waits for its own work only. Elsewhere nothing. */
export async function warmUp(): Promise<void> {
  if (process.env['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) await runtime();
}

/** From now on the handlers of this process work with that one: local mode and tests. */
export function useRuntime(given: Runtime): void {
  current = Promise.resolve(given);
}

/** On AWS. @throws Error naming every variable that is missing or unusable */
export async function runtimeFrom(environment: Record<string, string | undefined>): Promise<Runtime> {
  const config = configFrom(environment);
  const { DEADLINE_RESERVE_SECONDS: reserveSeconds, REDRIVER_ID: redriver, ASKER_ID: asker } = config;
  return {
    ...(await awsRuntime(config)),
    deadlineReserveMs: reserveSeconds * 1000,
    ...(redriver !== undefined && { redriver }),
    ...(asker !== undefined && { asker }),
  };
}

async function awsRuntime(config: Config): Promise<Required<Pick<Runtime, 'ports' | 'begin'>>> {
  const [{ DynamoDBClient }, { SQSClient }, { DynamoDbStore }, { SqsQueue }, { LogRecorder }] = await Promise.all([
    import('./adapters/aws/dynamodb-client.ts'),
    import('./adapters/aws/sqs-client.ts'),
    import('./adapters/dynamodb/dynamodb-store.ts'),
    import('./adapters/sqs/sqs-queue.ts'),
    import('./adapters/telemetry/log-recorder.ts'),
  ]);
  const [{ KubernetesCluster }, { RelayedCluster }, { EmfTelemetry }, { SpentByWorkload }, { SystemClock }] = await Promise.all([
    import('./adapters/kubernetes/kubernetes-cluster.ts'),
    import('./adapters/sqs/relayed-cluster.ts'),
    import('./adapters/telemetry/emf-telemetry.ts'),
    import('./adapters/telemetry/spent-by-workload.ts'),
    import('./adapters/clock/system-clock.ts'),
  ]);
  const clock = new SystemClock();
  const telemetry = new EmfTelemetry({
    namespace: config.METRICS_NAMESPACE,
    referenceMetrics: config.UPSTREAM_METRICS === 'on',
    level: config.LOG_LEVEL,
    clock,
  });
  const requests = { made: 0 };
  const sent = { made: 0 };
  const dynamodb = new DynamoDBClient({});
  const sqs = new SQSClient({});
  dynamodb.middlewareStack.add(countedIn(requests), INNERMOST);
  sqs.middlewareStack.add(countedIn(requests), INNERMOST);
  sqs.middlewareStack.add(countedIn(sent), { ...INNERMOST, name: 'countQueueRequests' });
  const table = new DynamoDbStore({ client: dynamodb, tableName: config.TABLE_NAME, clock });
  const spentByWorkload = new SpentByWorkload();
  const store = spentByWorkload.payingStore(table);
  const { clusters, accessOf, renewCredential, forgetCredential, providerOf } = await registeredClusters(config, {
    dynamodb,
    requests,
    store,
    clock,
    telemetry,
  });
  const drivenRuns = await runsDrivenBy(config, { dynamodb, requests, clock });
  const queue = new SqsQueue({ client: sqs, ...queueUrls(config), clock });
  const connected = new Map<string, { cluster: Cluster; access: string }>();
  const relayed = new Map<string, Cluster>();
  const connect = ({ name, access: kind, leaving }: ClusterRecord): Cluster => {
    if (leaving) throw new TerminalError(`the cluster ${name} is being removed: nothing is done on it any more`);
    if (kind === 'relayed') {
      const cluster = relayed.get(name) ?? new RelayedCluster({ cluster: name, queue, store, clock });
      relayed.set(name, cluster);
      return cluster;
    }
    const { access, asText } = accessOf(name);
    const known = connected.get(name);
    // Registered anew, elsewhere: what is kept leads to where it was.
    if (known?.access === asText) return known.cluster;
    const cluster = new KubernetesCluster({ access, clock });
    connected.set(name, { cluster, access: asText });
    return cluster;
  };
  const logsClient = async (): Promise<CloudWatchLogsClient> => {
    const logs = new (await import('./adapters/aws/cloudwatch-logs-client.ts')).CloudWatchLogsClient({});
    logs.middlewareStack.add(countedIn(requests), INNERMOST);
    return logs;
  };
  const recorder = new LogRecorder({ logGroup: config.PASSES_LOG_GROUP, client: logsClient, clock, spent: spentByWorkload });
  const costs = await costsIn(config, { client: logsClient, clock });
  const begin = (functionName: string, requestId: string): (() => void) => {
    telemetry.begin(functionName, requestId);
    return () => {
      const { readUnits, writeUnits, indexUnits } = table.meter;
      const spent = { AwsRequests: requests.made, WriteUnits: writeUnits + indexUnits, ReadUnits: readUnits };
      const queueRequests = sent.made;
      requests.made = sent.made = 0;
      table.meter.reset();
      spentByWorkload.clear();
      telemetry.end(spent, queueRequests);
    };
  };
  const registered = {
    ...(renewCredential && { renewCredential }),
    ...(forgetCredential && { forgetCredential }),
    ...(providerOf && { providerOf }),
    ...(drivenRuns && { drivenRuns }),
    ...(costs && { costs }),
    ...(config.ACTIONS === 'on' && { actions: 'on' as const }),
    troubleLastsMs: config.TROUBLE_MINUTES * 60_000,
  };
  return { ports: { clock, clusters, connect, queue, recorder, store, telemetry, ...registered }, begin };
}

/** For the function alone that answers people. */
async function costsIn(
  { COST_LOG_GROUPS: groups, LOG_RETENTION_DAYS: retentionDays }: Config,
  { client, clock }: { client: () => Promise<CloudWatchLogsClient>; clock: Clock },
): Promise<Costs | undefined> {
  if (groups === undefined) return undefined;
  const { LogCosts } = await import('./adapters/telemetry/log-costs.ts');
  return new LogCosts({ logGroups: groups.split(','), retentionDays, client, clock });
}

/** The SDK's repetitions are counted, too. */
const INNERMOST = { step: 'finalizeRequest', priority: 'low', name: 'countRequests' } as const;

interface Requests {
  made: number;
}

const countedIn =
  (requests: Requests) =>
  <Arguments, Answer>(next: (given: Arguments) => Promise<Answer>) =>
  async (given: Arguments): Promise<Answer> => {
    requests.made += 1;
    return await next(given);
  };

async function secretsClient(requests: Requests): Promise<SecretsManagerClient> {
  const { SecretsManagerClient: Client } = await import('./adapters/aws/secrets-manager-client.ts');
  const made = new Client({});
  made.middlewareStack.add(countedIn(requests), INNERMOST);
  return made;
}

async function runsDrivenBy(
  { RUNS_TABLE: tableName, RUN_PROVIDER: provider, RUN_SECRET_PREFIX: prefix = '', ALLOW_LOOPBACK }: Config,
  { dynamodb, requests, clock }: { dynamodb: DynamoDBClient; requests: Requests; clock: Clock },
): Promise<DrivenRuns | undefined> {
  if (tableName === undefined) return undefined;
  const [{ DynamoDbRuns }, { runProvidersOf }] = await Promise.all([
    import('./adapters/dynamodb/dynamodb-runs.ts'),
    import('./adapters/providers/registered-providers.ts'),
  ]);
  const own = provider === '' ? undefined : provider;
  const client = async (): Promise<SecretsManagerClient> => await secretsClient(requests);
  return {
    records: new DynamoDbRuns({ client: dynamodb, tableName, clock }),
    ...(own !== undefined && { provider: own }),
    providerOf: runProvidersOf({ client, prefix, clock, allowLoopback: ALLOW_LOOPBACK === 'yes' }, own),
  };
}

interface RegisteredClusters {
  clusters: Clusters;
  /** The text distinguishes accesses. @throws TerminalError for a cluster without access */
  accessOf: (name: string) => { access: ClusterAccess; asText: string };
  /** Where credentials lie in Secrets Manager. */
  renewCredential?: (record: ClusterRecord) => Promise<boolean>;
  forgetCredential?: (cluster: string) => void;
  providerOf?: Ports['providerOf'];
}

async function registeredClusters(
  { CLUSTERS_FILE: file, CLUSTERS_TABLE: tableName, CLUSTER_SECRET_PREFIX: prefix = '', ALLOW_LOOPBACK }: Config,
  {
    dynamodb,
    requests,
    store,
    clock,
    telemetry,
  }: { dynamodb: DynamoDBClient; requests: Requests; store: Store; clock: Clock; telemetry: Telemetry },
): Promise<RegisteredClusters> {
  if (tableName === undefined) {
    const { FileClusters } = await import('./adapters/registration/file-clusters.ts');
    const clusters = await FileClusters.open(file ?? '', store);
    return { clusters, accessOf: (name) => ({ access: clusters.accessOf(name), asText: '' }) };
  }
  const [{ DynamoDbClusters }, { EksTokens }, { SecretCredentials }, { isForbiddenAddress }, { providersOf }] = await Promise.all([
    import('./adapters/dynamodb/dynamodb-clusters.ts'),
    import('./adapters/eks/eks-token.ts'),
    import('./adapters/credentials/secret-credentials.ts'),
    import('./adapters/cluster-record/registered-access.ts'),
    import('./adapters/providers/registered-providers.ts'),
  ]);
  const allowLoopback = ALLOW_LOOPBACK === 'yes';
  const onFault = (cluster: string, fault: string): void =>
    telemetry.error('record of a cluster is not usable', { cluster, reason: fault });
  const clusters = new DynamoDbClusters({ client: dynamodb, tableName, clock, allowLoopback, onFault });
  const client = async (): Promise<SecretsManagerClient> => await secretsClient(requests);
  const secrets = new SecretCredentials({ client, prefix, clock });
  // Any client knows the function's own credentials.
  const eksTokens = new EksTokens({ key: async () => await dynamodb.config.credentials(), nowMs: () => clock.nowMs() });
  const dialled = (name: string): ReturnType<typeof clusters.accessOf> & Pick<ClusterAccess, 'refuses'> => ({
    ...clusters.accessOf(name),
    refuses: (address) => isForbiddenAddress(address, { allowLoopback }),
  });
  // Only sweep renews.
  let renewed: Promise<RenewedCredentials> | undefined;
  const renewedCredentials = async (): Promise<RenewedCredentials> => {
    const { RenewedCredentials: Renewed } = await import('./adapters/credentials/renewed-credentials.ts');
    return new Renewed({ client, prefix, clock, accessOf: dialled });
  };
  return {
    clusters,
    providerOf: providersOf({ client, prefix, clock, allowLoopback }),
    forgetCredential: (cluster) => secrets.forget(cluster),
    renewCredential: async (record) => {
      // Where a role is shown, there is nothing that ends; nor where a registration has not come to its credential yet.
      const isDialled = record.access !== 'relayed';
      if (isDialled && (!clusters.hasAccess(record.name) || clusters.accessOf(record.name).auth.kind === 'eks')) return false;
      renewed ??= renewedCredentials();
      return await (await renewed).renew(record);
    },
    accessOf: (name) => {
      const { auth, ...server } = dialled(name);
      const credentials = async (): Promise<Credentials> =>
        auth.kind === 'eks' ? { authorization: `Bearer ${await eksTokens.of(auth.cluster)}` } : await secrets.of(name);
      return { access: { ...server, auth: { kind: 'dynamic', credentials } }, asText: JSON.stringify([server, auth]) };
    },
  };
}

function queueUrls(config: Config): Pick<SqsQueueOptions, 'urls' | 'relayUrls' | 'redriver'> {
  return {
    ...(config.REDRIVER_ID !== undefined && { redriver: config.REDRIVER_ID }),
    urls: {
      events: { url: config.EVENTS_QUEUE_URL, deadLetterUrl: config.EVENTS_DEAD_QUEUE_URL },
      wakes: { url: config.WAKES_QUEUE_URL, deadLetterUrl: config.WAKES_DEAD_QUEUE_URL },
      timers: { url: config.TIMERS_QUEUE_URL, deadLetterUrl: config.TIMERS_DEAD_QUEUE_URL },
    },
    relayUrls: { url: config.RELAY_QUEUE_URL, deadLetterUrl: config.RELAY_DEAD_QUEUE_URL },
  };
}

/** Who runs the pods of a virtual node. */
export type ProviderChoice = 'simulated' | 'local-process' | EngineWord | RemoteChoice;

/** How pods run as processes of this machine. */
export type ProcessSettings = Pick<LocalProcessOptions, 'images' | 'share' | 'allowedNamespaces' | 'ways'>;

export interface LocalRuntimeCluster {
  name: string;
  access: ClusterAccess;
  /** Why nothing may be sent there yet, as asked before each pass; undefined or absent: all may. */
  awayFor?: () => Error | undefined;
}

export interface LocalRuntimeOptions {
  /** The state folder, locked by the caller. */
  folder: string;
  /** The sender that messages of this process carry (R15). */
  senderId: string;
  clusters: readonly LocalRuntimeCluster[];
  clock: Clock;
  telemetry: Telemetry;
  deadlineReserveMs: number;
  loop?: LoopBounds;
  /** People may act on workloads. */
  actions?: boolean;
  /** Trouble that lasts longer needs a person. */
  troubleLastsMs?: number;
  /** Which provider is behind a virtual node; absent: there are no such nodes. */
  providerBehind?: (record: ClusterRecord, node: string) => ProviderChoice | undefined;
  /** Where a node of `local-process` or of an engine is among them. */
  processes?: ProcessSettings;
}

export interface LocalRuntime extends Runtime {
  queue: EmbeddedQueue;
  /** The relay's side of a cluster. */
  sourceOf(cluster: string): ClusterSource & Cluster;
  /** Providers in this process tell here that a task has changed. */
  onTaskChange?: (listener: (change: TaskChange) => void) => void;
  /** Pods that run as processes of this machine. Closed without `end`, they run on for a while. */
  processes?: Pick<LocalProcessProvider, 'describe' | 'running' | 'end'>;
  /** Why parts of the state began anew, in words; empty when none did. */
  rebuilt: string[];
  close(): void;
}

/** Everything on files. @throws one sentence when a file cannot be used; FullDiskError */
export async function localRuntime({
  folder,
  senderId,
  clusters: given,
  clock,
  telemetry,
  deadlineReserveMs,
  loop = {},
  actions = false,
  troubleLastsMs,
  providerBehind,
  processes: processSettings,
}: LocalRuntimeOptions): Promise<LocalRuntime> {
  const [
    { EmbeddedClusters },
    { EmbeddedQueue },
    { EmbeddedRecorder },
    { CostLedger },
    { EmbeddedStore },
    { yielding },
    { KubernetesCluster },
    { RelayedCluster },
    { awayCluster },
  ] = await Promise.all([
    import('./adapters/embedded/clusters.ts'),
    import('./adapters/embedded/queue.ts'),
    import('./adapters/embedded/recorder.ts'),
    import('./adapters/embedded/cost-ledger.ts'),
    import('./adapters/embedded/store.ts'),
    import('./adapters/embedded/yielding.ts'),
    import('./adapters/kubernetes/kubernetes-cluster.ts'),
    import('./adapters/sqs/relayed-cluster.ts'),
    import('./adapters/kubernetes/away-cluster.ts'),
  ]);
  const open: { close(): void }[] = [];
  const opened = <Part extends { close(): void }>(part: Part): Part => {
    open.push(part);
    return part;
  };
  const close = (): void => {
    for (const part of open.splice(0).toReversed()) part.close();
  };
  try {
    const queue = opened(EmbeddedQueue.open({ folder, clock, senderId }));
    const store = opened(EmbeddedStore.open({ folder, clock }));
    const recorder = opened(EmbeddedRecorder.open({ folder, clock }));
    const costs = opened(CostLedger.open({ folder, clock }));
    costs.follow(queue);
    const ways = new Map(
      given.map(({ name, access, awayFor }) => {
        const source = opened(new KubernetesCluster({ access, clock, connections: CONNECTIONS }));
        return [name, { source, awayFor, relayed: new RelayedCluster({ cluster: name, queue, store, clock }) }];
      }),
    );
    const wayTo = (name: string): NonNullable<ReturnType<typeof ways.get>> => {
      const way = ways.get(name);
      if (!way) throw new TerminalError(`nothing leads to the cluster ${name}: this instance was started without it`);
      return way;
    };
    const dialled = ({ name }: Pick<ClusterRecord, 'name'>): Cluster => {
      const { source, awayFor } = wayTo(name);
      const error = awayFor?.();
      return error ? awayCluster(error) : source;
    };
    const clusters = onlyClusters(EmbeddedClusters.open({ folder }), new Set(ways.keys()));
    const rebuilt = Object.entries({ store, queue, recorder, costs }).flatMap(([part, { rebuilt: why }]) =>
      why === undefined ? [] : [`${part}: ${why}`],
    );
    const connect = (record: ClusterRecord): Cluster => {
      const { relayed, awayFor } = wayTo(record.name);
      return record.access === 'relayed' && !awayFor?.() ? relayed : dialled(record);
    };
    const simulated =
      providerBehind && opened((await import('./adapters/providers/simulated.ts')).SimulatedProvider.open({ folder, clock }));
    const processes =
      processSettings &&
      opened(
        (await import('./adapters/providers/local-process/provider.ts')).LocalProcessProvider.open({ ...processSettings, folder, clock }),
      );
    const remote = providerBehind && opened(new (await import('./adapters/providers/remote-providers.ts')).RemoteProviders(clock));
    const providerOf = (record: ClusterRecord, node: string): Provider | undefined => {
      const choice = providerBehind?.(record, node);
      if (choice === 'simulated') return simulated?.of(node);
      if (choice === 'local-process') return processes?.of(node);
      return choice === 'podman' || choice === 'docker' ? processes?.of(node, choice) : choice && remote?.of(node, node, choice);
    };
    const ports = {
      changes: () => store.changes,
      clock,
      clusters,
      connect,
      lookUp: dialled,
      costs,
      queue,
      recorder: costs.countingRecorder(recorder),
      store: yielding<Store>(costs.payingStore(store)),
      telemetry,
      ...(simulated && { providerOf }),
      ...(actions && { actions: 'on' as const }),
      ...(troubleLastsMs !== undefined && { troubleLastsMs }),
    };
    const onTaskChange = (listener: (change: TaskChange) => void): void => {
      simulated?.onChange(listener);
      processes?.onChange(listener);
      remote?.onChange(listener);
    };
    return {
      ports,
      deadlineReserveMs,
      loop,
      queue,
      sourceOf: (name) => wayTo(name).source,
      rebuilt,
      close,
      ...(simulated && { onTaskChange }),
      ...(processes && { processes }),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Calls of all passes on a cluster at once; a local API server is not busier than that. */
const CONNECTIONS = 64;

/** A state folder may know clusters of earlier starts. Nothing leads to them now, so for this process they are not registered. */
const onlyClusters = (clusters: Clusters, names: ReadonlySet<string>): Clusters => ({
  get: async (asked) => (names.has(asked) ? await clusters.get(asked) : undefined),
  list: async () => (await clusters.list()).filter((record) => names.has(record.name)),
  put: async (record, expectedVersion) => await clusters.put(record, expectedVersion),
});
