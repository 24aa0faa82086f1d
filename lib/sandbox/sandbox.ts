// A cluster to try things on: the API server over HTTPS, with its objects in a folder or in memory. Pods need a node to run.
import { timingSafeEqual } from 'node:crypto';
import type { Asker } from './objects/asker.ts';
import { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { signingKeyIn } from './access/signing-key.ts';
import { ApiServer } from './api-server.ts';
import { bindClaims } from './controllers/claim-binding.ts';
import { expireObjects } from './controllers/expiry.ts';
import { GarbageCollector } from './controllers/garbage-collection.ts';
import { storeFirstDefinitions } from './controllers/first-definitions.ts';
import type { FirstDefinition } from './controllers/first-definitions.ts';
import { serveDefinitions } from './controllers/definition-serving.ts';
import { publishClientAuthority } from './nodes/client-authority.ts';
import { NodeDialer } from './nodes/node-dialer.ts';
import type { ClientCertificate } from './nodes/node-dialer.ts';
import type { Connected } from './nodes/pod-streams.ts';
import { kubeconfigFor } from './http/kubeconfig.ts';
import { listen } from './listener.ts';
import { endNamespaces, ensureBuiltInNamespaces } from './controllers/namespace-lifecycle.ts';
import { ensureSystemPriorityClasses } from './controllers/system-priority-classes.ts';
import type { ApiRequest, ApiResponse } from './http/request.ts';
import { builtInRows } from './built-in-rows.ts';
import { Resources } from './rows/resources.ts';
import { startScheduler } from './scheduling/scheduler.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { openDisk, SandboxError } from './storage/storage-file.ts';
import { Storage } from './storage/storage.ts';
import { realSurroundings } from './objects/surroundings.ts';
import type { Surroundings } from './objects/surroundings.ts';
import { credentialsIn } from './http/tls.ts';
import type { Credentials } from './http/tls.ts';

export { SandboxError };

const defaultWindowEvents = 10_000;
const defaultBookmarkIntervalMs = 60_000;

export interface ClusterOptions {
  /** Where objects are kept; in memory if not given. */
  folder?: string;
  /** Changes kept per resource; watches from before answer 410. */
  windowEvents?: number;
  bookmarkIntervalMs?: number;
  /** How far the objects' file may grow, in pages of 4 KiB; without it, as far as the disk goes. */
  largestPages?: number;
  /** Whether a bearer token is the administrator's; none if not given. */
  isToken?: (token: string) => boolean;
  /** Shown to nodes that have an API of their own; a cluster without it dials none. */
  nodeCertificate?: () => ClientCertificate | undefined;
  /** Resources besides the built-in ones. */
  rows?: readonly ResourceRow[];
  /** Definitions that the cluster has from its first start on. Later changes and deletions by anybody stand. Called at that start only. */
  definitions?: () => readonly FirstDefinition[];
  /** Pods are placed on the nodes that there are. Without it the nodes bind pods themselves. */
  hasScheduler?: boolean;
  surroundings: Surroundings;
}

/** An API server without sockets, for those in the same process. */
export interface EmbeddedCluster {
  handle: (request: ApiRequest) => Promise<ApiResponse>;
  /** Opens a stream to a pod's node, or answers why not. */
  connect: (request: ApiRequest) => Promise<Connected>;
  /** Tells nodes, in kube-system, whose client certificates are those of this server. */
  publishClientAuthority: (caPem: string) => void;
  /** Forgets what changed so far: watches and continue tokens from before answer 410, as after a compaction. */
  forgetChanges: () => void;
  /** The owner of a bearer token; undefined for one that it does not take. */
  askerOf: (token: string) => Asker | undefined;
  /** The resources that it serves; rows may come and go while it runs. */
  resources: Resources;
  close: () => void;
}

/** Opens the objects and what works on them. @throws SandboxError when the folder cannot be used */
export function openCluster({
  folder,
  windowEvents = defaultWindowEvents,
  bookmarkIntervalMs = defaultBookmarkIntervalMs,
  largestPages,
  isToken = () => false,
  nodeCertificate,
  rows,
  definitions = () => [],
  hasScheduler = false,
  surroundings,
}: ClusterOptions): EmbeddedCluster {
  const resources = new Resources(builtInRows, rows);
  const disk = folder === undefined ? undefined : openDisk(folder, largestPages);
  try {
    const storage = new Storage({ windowEvents, defer: surroundings.defer, ...(disk && { disk }) });
    const cluster = { storage, surroundings, resources };
    if (storage.list('namespaces').length === 0) storeFirstDefinitions(cluster, definitions());
    ensureBuiltInNamespaces(cluster);
    ensureSystemPriorityClasses(cluster);
    const stopServing = serveDefinitions(cluster);
    const collector = new GarbageCollector(cluster);
    const stopNamespaces = endNamespaces(cluster);
    const stopBinding = bindClaims(cluster);
    const stopExpiry = expireObjects(cluster);
    const stopScheduler = hasScheduler ? startScheduler(cluster) : () => {};
    const tokens = new ServiceAccountTokens(cluster, signingKeyIn(folder));
    const dialer = nodeCertificate && new NodeDialer(nodeCertificate);
    const server = new ApiServer({ ...cluster, bookmarkIntervalMs, isToken, tokens, ...(dialer && { dialer }) });
    return {
      handle: (request) => server.handle(request),
      connect: (request) => server.connect(request),
      publishClientAuthority: (caPem) => publishClientAuthority(cluster, caPem),
      askerOf: (token) => server.askerOf(token),
      forgetChanges: () => storage.forgetChanges(),
      resources,
      close: () => {
        stopServing();
        collector.stop();
        stopNamespaces();
        stopBinding();
        stopExpiry();
        stopScheduler();
        storage.close();
      },
    };
  } catch (error) {
    disk?.close();
    throw error;
  }
}

export interface SandboxOptions {
  /** State folder, made if missing; in memory if not given. */
  folder?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  host?: '127.0.0.1';
  bookmarkIntervalMs?: number;
  windowEvents?: number;
  /** Resources besides the built-in ones. */
  rows?: readonly ResourceRow[];
  /** Definitions that the cluster has from its first start on. Later changes and deletions by anybody stand. Called at that start only. */
  definitions?: () => readonly FirstDefinition[];
  /** Pods are placed on the nodes that there are. Without it the nodes bind pods themselves. */
  hasScheduler?: boolean;
  /** The server's time in milliseconds since 1970. */
  clock?: () => number;
}

export interface Sandbox {
  url: string;
  port: number;
  caPem: string;
  token: string;
  /** YAML. */
  kubeconfig: string;
  handle: EmbeddedCluster['handle'];
  forgetChanges: () => void;
  resources: Resources;
  stop: () => Promise<void>;
}

/** Takes as long whatever is wrong with it. */
function isSameSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Starts a sandbox.
 * @throws SandboxError with one sentence for people: a used port, a folder that another sandbox holds, a full disk
 */
export async function startSandbox({ folder, port = 0, host = '127.0.0.1', clock, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const surroundings = realSurroundings(clock);
  let issued: Credentials | undefined;
  const isToken = (token: string): boolean => issued !== undefined && isSameSecret(token, issued.token);
  const nodeCertificate = (): ClientCertificate | undefined => issued?.client;
  const cluster = openCluster({ surroundings, isToken, nodeCertificate, ...options, ...(folder !== undefined && { folder }) });
  try {
    const credentials = await credentialsIn(folder, surroundings.now());
    issued = credentials;
    cluster.publishClientAuthority(credentials.client.caPem);
    const { askerOf, handle, connect, resources } = cluster;
    const listener = await listen({ host, port, credentials, now: surroundings.now, askerOf, handle, connect, resources });
    const url = `https://${host}:${listener.port}`;
    return {
      url,
      port: listener.port,
      caPem: credentials.caPem,
      token: credentials.token,
      kubeconfig: kubeconfigFor({ url, caPem: credentials.caPem, token: credentials.token }),
      handle: cluster.handle,
      forgetChanges: cluster.forgetChanges,
      resources: cluster.resources,
      stop: async () => {
        await listener.close();
        cluster.close();
      },
    };
  } catch (error) {
    cluster.close();
    throw error;
  }
}
