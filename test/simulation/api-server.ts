// The API server of one cluster: the sandbox's own parts on a memory that can be set back to an older state.
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import type { Job, KubernetesObject, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { resourceKeyOf } from '../../lib/objects/child-state.ts';
import { pathOf, type Resource } from '../../lib/objects/resources.ts';
import { ServiceAccountTokens } from '../../lib/sandbox/access/service-account-tokens.ts';
import { signingKeyIn } from '../../lib/sandbox/access/signing-key.ts';
import { ApiServer } from '../../lib/sandbox/api-server.ts';
import { GarbageCollector } from '../../lib/sandbox/controllers/garbage-collection.ts';
import { endNamespaces, ensureBuiltInNamespaces } from '../../lib/sandbox/controllers/namespace-lifecycle.ts';
import type { ApiResponse } from '../../lib/sandbox/http/request.ts';
import { builtInRows } from '../../lib/sandbox/built-in-rows.ts';
import { Resources, storageName } from '../../lib/sandbox/rows/resources.ts';
import { namespaces } from '../../lib/sandbox/rows/namespaces.ts';
import type { ResourceRow } from '../../lib/sandbox/rows/resource-row.ts';
import { Storage, type Disk, type Revisions } from '../../lib/sandbox/storage/storage.ts';
import { uuidFrom } from '../../lib/sandbox/objects/surroundings.ts';
import { keyOf, type Change } from '../../lib/sandbox/storage/version.ts';
import type { Scheduler } from './scheduler.ts';

/** Where the stories take place: one that may end, as `default` may not. */
export const NAMESPACE = 'work';
const signingKey = signingKeyIn(undefined);
const WINDOW_EVENTS = 10_000;
const BOOKMARK_MS = 60_000;

interface Running {
  storage: Storage;
  server: ApiServer;
  stop: () => void;
}

export interface Snapshot {
  revisions: Revisions;
  rows: { resource: string; key: string; revision: number; text: string }[];
}

export interface SimApiServerOptions {
  /** Made from the same backup as another server: chance gives both the same uids, at other versions. */
  twin?: { seed: number; older: number } | undefined;
  /** Resources besides the built-in ones. */
  rows?: readonly ResourceRow[];
  /** Its pods and nodes are owners. */
  hasVirtualNode?: boolean;
}

export class SimApiServer {
  readonly name: string;
  readonly resources: Resources;
  /** Its clock is so far ahead of AWS's (R12). */
  aheadMs = 0;
  /** Connections that the server has ended hear of it. */
  readonly #breakOffs = new Set<() => void>();
  readonly #scheduler: Scheduler;
  readonly #heard: (changes: readonly Change[]) => void;
  readonly #chance: () => number;
  readonly #hasVirtualNode: boolean;
  #running: Running;

  constructor(
    name: string,
    scheduler: Scheduler,
    heard: (changes: readonly Change[]) => void,
    { twin, rows, hasVirtualNode = false }: SimApiServerOptions = {},
  ) {
    this.#hasVirtualNode = hasVirtualNode;
    this.name = name;
    this.resources = new Resources(builtInRows, rows);
    this.#chance = twin ? seededRandom(twin.seed) : scheduler.random;
    this.#scheduler = scheduler;
    this.#heard = heard;
    this.#running = this.#start(undefined);
    for (let write = 0; write < (twin?.older ?? 0); write++) this.compact();
  }

  get storage(): Storage {
    return this.#running.storage;
  }

  nowMs(): number {
    return this.#scheduler.wallMs() + this.aheadMs;
  }

  /** As the `Date` header tells it. */
  dateMs(): number {
    return Math.floor(this.nowMs() / 1000) * 1000;
  }

  time(): string {
    return new Date(this.dateMs()).toISOString().replace('.000Z', 'Z');
  }

  #start(snapshot: Snapshot | undefined): Running {
    const scheduler = this.#scheduler;
    const surroundings = {
      now: () => this.nowMs(),
      random: () => Math.floor(this.#chance() * 2 ** 32),
      defer: (run: () => void) => queueMicrotask(run),
      after: (delayMs: number, run: () => void) => {
        const entry = scheduler.after(delayMs, run);
        return () => scheduler.cancel(entry);
      },
    };
    const disk: Disk | undefined = snapshot && {
      load: (each) => {
        for (const row of snapshot.rows) each(row);
        return { revisions: snapshot.revisions, floor: 0 };
      },
      save: () => {},
      close: () => {},
    };
    const storage = new Storage({ windowEvents: WINDOW_EVENTS, defer: surroundings.defer, ...(disk && { disk }) });
    const cluster = { storage, surroundings, resources: this.resources };
    ensureBuiltInNamespaces(cluster);
    const ownKey = keyOf(undefined, NAMESPACE);
    if (!snapshot) {
      const metadata = { name: NAMESPACE, uid: uuidFrom(surroundings.random), creationTimestamp: this.time() };
      storage.put('namespaces', ownKey, namespaces.rules.create({ metadata }));
    }
    const collector = new GarbageCollector(cluster);
    const stopNamespaces = endNamespaces(cluster);
    storage.onCommit(this.#heard);
    return {
      storage,
      server: new ApiServer({ ...cluster, bookmarkIntervalMs: BOOKMARK_MS, tokens: new ServiceAccountTokens(cluster, signingKey) }),
      stop: () => {
        collector.stop();
        stopNamespaces();
        storage.close();
      },
    };
  }

  snapshot(): Snapshot {
    const { storage } = this;
    storage.commit();
    const rows = this.resources
      .stored()
      .map(storageName)
      .flatMap((resource) => storage.list(resource).map(({ key, revision, text }) => ({ resource, key, revision, text })));
    return { revisions: storage.revisions(), rows };
  }

  /** Goes back to an older state, as from a backup of etcd: every connection ends. */
  restore(snapshot: Snapshot): void {
    this.#running.stop();
    this.#running = this.#start(snapshot);
    this.breakOff();
  }

  /** Ends every connection. */
  breakOff(): void {
    for (const breakOff of this.#breakOffs) breakOff();
  }

  /** Forgets what changed so far, as etcd does: whoever resumes from before is answered 410. */
  compact(): void {
    const { storage } = this;
    // Also those that nobody has asked for yet.
    for (const row of this.resources.stored()) storage.revision(storageName(row));
    storage.forgetChanges();
  }

  /** What a connection wants to be told when the server goes. @returns the way out */
  onEnd(breakOff: () => void): () => void {
    this.#breakOffs.add(breakOff);
    return () => this.#breakOffs.delete(breakOff);
  }

  close(): void {
    this.#running.stop();
  }

  async handle(
    method: string,
    path: string,
    {
      query = {},
      body,
      type = 'application/json',
      accept,
    }: { query?: Record<string, string>; body?: unknown; type?: string; accept?: string } = {},
  ): Promise<ApiResponse> {
    return await this.#running.server.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { 'content-type': type, 'user-agent': 'somebody/1', ...(accept !== undefined && { accept }) },
      body: body === undefined ? '' : JSON.stringify(body),
    });
  }

  /** A request of people or kubelets. A refusal is theirs to bear: they try again, or not. */
  async as(
    method: string,
    resource: Resource,
    {
      namespace = NAMESPACE,
      name,
      subresource,
      body,
      type,
    }: { namespace?: string; name?: string; subresource?: string; body?: unknown; type?: string },
  ): Promise<number> {
    const path = pathOf(resource, { namespace, name, subresource });
    const { status } = await this.handle(method, path, { body, ...(type !== undefined && { type }) });
    return status;
  }

  /** As stored; undefined where there is none. Not to be changed. */
  job(name: string, namespace = NAMESPACE): Job | undefined {
    return this.storage.get('jobs.batch', `${namespace}/${name}`)?.object as Job | undefined;
  }

  pods(): Pod[] {
    return this.storage.list('pods').map(({ object }) => object as unknown as Pod);
  }

  /** Of every kind that has some here. */
  owners(): WorkloadObject[] {
    const resources = ALL_FACTS.filter(({ isOwnerless, ownersOn }) => !isOwnerless && (!ownersOn || this.#hasVirtualNode)).map(
      ({ resource }) => resourceKeyOf(resource),
    );
    return resources.flatMap((resource) => this.storage.list(resource).map(({ object }) => object as unknown as WorkloadObject));
  }

  /** All objects of a resource. */
  objects(resource: string): KubernetesObject[] {
    return this.storage.list(resource).map(({ object }) => object as unknown as KubernetesObject);
  }

  get kubeSystemUid(): string {
    const object = this.storage.get('namespaces', '/kube-system')?.object as KubernetesObject | undefined;
    return object?.metadata.uid ?? '';
  }
}
