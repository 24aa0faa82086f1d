// Reads what a pod's environment and volumes name, in the pass that hands the pod to its provider. Values go to the provider alone: no plan sees them, and nothing keeps them.
import type { PodAddresses } from '../../objects/environment/downward-fields.ts';
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';
import { resolved, sourceKeyOf, sourcesNamedIn, type Resolution } from '../../objects/environment/environment.ts';
import { API_SERVER_SERVICE, type Service } from '../../objects/environment/service-variables.ts';
import type { ReadSource, ReadToken, Source, SourceName, TokenAsk } from '../../objects/environment/sources.ts';
import { accountOf, tokenKeyOf, tokensAskedIn } from '../../objects/environment/volumes.ts';
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS, SERVICES } from '../../objects/resources.ts';
import { NotDoneError, NotFoundError, TerminalError } from '../../ports/errors.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { Execution } from '../pass/execution.ts';

/** Its environment names something that is not there, or that no provider can know. A look later may find it. */
export class UnresolvedEnvironmentError extends NotDoneError {}

/** @throws the errors of a cluster that gives no answer */
export async function resolvedPod(
  execution: Execution,
  pod: Pod,
  { node, addresses }: { node: string; addresses: PodAddresses | undefined },
): Promise<Resolution> {
  const { pass, parallelism } = execution;
  const { allocatable, getsTokens } = pass.row.nodeOf?.(pass.record.options, node) ?? { allocatable: {}, getsTokens: false };
  const sources = new Map<string, ReadSource>();
  const tokens = new Map<string, ReadToken>();
  const [services] = await Promise.all([
    servicesFor(execution, pod),
    inParallel(sourcesNamedIn(pod), parallelism, async (named) => {
      sources.set(sourceKeyOf(named), await readSource(pass, named));
    }),
    inParallel(getsTokens ? tokensAskedIn(pod) : [], parallelism, async (ask) => {
      tokens.set(tokenKeyOf(ask), await readToken(pass, pod, ask));
    }),
  ]);
  return resolved(pod, {
    services,
    allocatable,
    ...(addresses && { addresses }),
    sourceOf: (named) => sources.get(sourceKeyOf(named)) ?? { absent: true },
    tokenOf: (ask) => tokens.get(tokenKeyOf(ask)) ?? { isWithheld: true },
  });
}

async function readSource({ cluster, key: { namespace }, deadline }: Execution['pass'], { kind, name }: SourceName): Promise<ReadSource> {
  if (name === '') return { absent: true };
  const resource = kind === 'Secret' ? SECRETS : CONFIG_MAPS;
  const fields = { apiVersion: true, kind: true, metadata: { name: true, namespace: true }, data: true, binaryData: true } as const;
  try {
    return { source: (await cluster.get<Source>(resource, { namespace, name }, deadline, { fields })).object };
  } catch (error) {
    if (error instanceof NotFoundError) return { absent: true };
    if (error instanceof TerminalError) return { unreadable: error.said ?? error.message };
    throw error;
  }
}

interface TokenRequest extends KubernetesObject {
  spec: object;
  status?: { token?: string };
}

/** Of the pod's service account, and good for as long as the pod is there. */
async function readToken(
  { cluster, deadline }: Execution['pass'],
  pod: Pod,
  { audience, expirationSeconds }: TokenAsk,
): Promise<ReadToken> {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace, name: accountOf(pod) },
    spec: {
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  };
  try {
    const { object } = await cluster.create(SERVICE_ACCOUNTS, request, deadline, { subresource: 'token' });
    return object.status?.token === undefined ? { absent: true } : { token: object.status.token };
  } catch (error) {
    if (error instanceof NotFoundError) return { absent: true };
    if (error instanceof TerminalError) return { unreadable: error.said ?? error.message };
    throw error;
  }
}

const SERVICE_FIELDS = {
  apiVersion: true,
  kind: true,
  metadata: { name: true, namespace: true },
  spec: { clusterIP: true, ports: true },
} as const;

interface KnownServices {
  /** When they were asked for, by the cluster's clock. */
  askedAtMs: number;
  services: Promise<Service[]>;
}

/** By cluster and namespace, of each process's store: pods that start together ask once. */
const askedLately = new WeakMap<object, Map<string, KnownServices>>();
const MOST_REMEMBERED = 64;
const OLDEST_MS = 5_000;

/** Services of the pod's namespace, as far as it hears of them, and the API server's. None that stood when the pod was made is missing. */
async function servicesFor(execution: Execution, pod: Pod): Promise<Service[]> {
  const { namespace = '' } = pod.metadata;
  const { namespace: apart, name } = API_SERVER_SERVICE;
  const isLinked = pod.spec['enableServiceLinks'] !== false;
  const found = await Promise.all([
    ...(isLinked ? [lately(execution, pod, namespace, async () => await servicesIn(execution, namespace))] : []),
    ...(isLinked && namespace === apart ? [] : [lately(execution, pod, `${apart}/${name}`, async () => await apiServers(execution))]),
  ]);
  return found.flat();
}

async function lately({ pass, clock, ports }: Execution, pod: Pod, what: string, ask: () => Promise<Service[]>): Promise<Service[]> {
  const nowMs = clock.nowMs() + pass.offsetMs;
  const all = askedLately.get(ports.store) ?? new Map<string, KnownServices>();
  askedLately.set(ports.store, all);
  const key = `${pass.key.cluster} ${pass.record.kubeSystemUid ?? ''} ${what}`;
  const known = all.get(key);
  // The time is in whole seconds.
  const madeByMs = Date.parse(pod.metadata.creationTimestamp ?? '') + 1_000;
  if (known && known.askedAtMs >= madeByMs && nowMs - known.askedAtMs <= OLDEST_MS && nowMs >= known.askedAtMs) return await known.services;
  const services = ask();
  all.delete(key);
  all.set(key, { askedAtMs: nowMs, services });
  // The next pod asks anew.
  services.catch(() => all.get(key)?.services === services && all.delete(key));
  const [oldest] = all.keys();
  if (all.size > MOST_REMEMBERED && oldest !== undefined) all.delete(oldest);
  return await services;
}

const servicesIn = async ({ pass }: Execution, namespace: string): Promise<Service[]> =>
  (await pass.cluster.list<Service>(SERVICES, { namespace, fields: SERVICE_FIELDS }, pass.deadline)).items;

async function apiServers({ pass }: Execution): Promise<Service[]> {
  try {
    return [(await pass.cluster.get<Service>(SERVICES, API_SERVER_SERVICE, pass.deadline, { fields: SERVICE_FIELDS })).object];
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
