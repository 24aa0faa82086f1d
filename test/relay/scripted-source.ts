// An API server for tests of the relay: objects in memory, watches that tell what happens, and faults on demand.
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Answer, Cluster, ClusterSource, ListAnswer, ListSelection, Named, WatchEvent } from '../../lib/ports/cluster.ts';
import { ExpiredError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';

interface OpenWatch {
  plural: string;
  namespace: string | undefined;
  push: (event: WatchEvent<KubernetesObject> | Error | 'end') => void;
}

type Verb = 'list' | 'watch' | 'get' | 'sign';
type Change = Exclude<WatchEvent<KubernetesObject>, { type: 'BOOKMARK' }>;

export class ScriptedSource implements ClusterSource, Pick<Cluster, 'get'> {
  readonly clock: Clock;
  readonly objects = new Map<string, { plural: string; object: KubernetesObject }>();
  readonly calls: string[] = [];
  /** What the next calls fail with, first come first served; by verb. */
  readonly faults: { verb: Verb; error: Error }[] = [];
  /** Namespaces in which nobody is let in. */
  readonly forbidden = new Set<string>();
  /** Resources by plural that a list or watch fails with; until it is taken out. */
  readonly failing = new Map<string, Error>();
  /** Changes that watches do not tell of. */
  mute = false;
  /** It stands still: no question for a sign of life is answered before it goes on. */
  frozen = false;
  #thawed = Promise.withResolvers<void>();
  /** Objects so large that an answer with more of them never comes whole. */
  mostAnswered = Infinity;
  /** The API server's clock is so far ahead. */
  aheadMs = 0;
  version = 100;
  /** By plural: versions of that resource are higher by so much than `version`. Nobody may compare those of two resources (R3). */
  readonly ahead = new Map<string, number>();
  /** Versions before it are forgotten. */
  window = 0;
  #history: { plural: string; change: Change; version: number }[] = [];
  readonly #watches = new Set<OpenWatch>();

  constructor(clock: Clock) {
    this.clock = clock;
    this.put('namespaces', { metadata: { name: 'kube-system', uid: 'kube-system-uid' } });
  }

  put<Item extends KubernetesObject>(plural: string, object: Item): Item {
    const key = `${plural}/${object.metadata.uid}`;
    const type = this.objects.has(key) ? 'MODIFIED' : 'ADDED';
    this.version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: this.#versionOf(plural) } };
    this.objects.set(key, { plural, object: stored });
    this.#tell(plural, { type, object: stored });
    return stored;
  }

  remove(plural: string, uid: string): void {
    const found = this.objects.get(`${plural}/${uid}`);
    if (!found) return;
    this.objects.delete(`${plural}/${uid}`);
    this.version += 1;
    this.#tell(plural, {
      type: 'DELETED',
      object: { ...found.object, metadata: { ...found.object.metadata, resourceVersion: this.#versionOf(plural) } },
    });
  }

  #versionOf(plural: string): string {
    return String(this.version + (this.ahead.get(plural) ?? 0));
  }

  bookmark(): void {
    for (const watch of this.#watches) watch.push({ type: 'BOOKMARK', resourceVersion: this.#versionOf(watch.plural) });
  }

  /** All open watches fail with it, or just end. */
  breakWatches(how: Error | 'end' = new UnknownOutcomeError('reset')): void {
    for (const watch of this.#watches) watch.push(how);
  }

  /** What was before is forgotten, and the watches with it. */
  forget(): void {
    this.window = this.version;
    this.breakWatches(new ExpiredError('too old'));
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  #tell(plural: string, change: Change): void {
    if (this.mute) return;
    this.#history.push({ plural, change, version: this.version });
    for (const watch of this.#watches) if (watch.plural === plural && isIn(change.object, watch.namespace)) watch.push(change);
  }

  thaw(): void {
    this.frozen = false;
    this.#thawed.resolve();
    this.#thawed = Promise.withResolvers();
  }

  async signOfLife(signal: AbortSignal): Promise<void> {
    this.calls.push('sign of life');
    const givenUp = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => givenUp.resolve(), { once: true });
    while (this.frozen && !signal.aborted) await Promise.race([this.#thawed.promise, givenUp.promise]);
    if (signal.aborted) throw new UnknownOutcomeError('given up');
    this.#fault('sign');
  }

  #fault(verb: Verb): void {
    const at = this.faults.findIndex((fault) => fault.verb === verb);
    const [fault] = at < 0 ? [] : this.faults.splice(at, 1);
    if (fault) throw fault.error;
  }

  #forbid(namespace: string | undefined): void {
    if (namespace !== undefined && this.forbidden.has(namespace)) throw new TerminalError(`${namespace} is forbidden`, { code: 403 });
  }

  #fail({ plural }: Resource): void {
    const error = this.failing.get(plural);
    if (error) throw error;
  }

  #dateMs(): number {
    return Math.floor((this.clock.nowMs() + this.aheadMs) / 1000) * 1000;
  }

  async get<Item extends KubernetesObject>(resource: Resource, { namespace, name }: Named): Promise<Answer<Item>> {
    this.calls.push(`get ${resource.plural} ${name}`);
    this.#fault('get');
    this.#forbid(namespace);
    for (const { plural, object } of this.objects.values())
      if (plural === resource.plural && object.metadata.name === name && (object.metadata.namespace ?? '') === namespace) {
        const answered: Item = JSON.parse(JSON.stringify(object));
        return { object: answered, dateMs: this.#dateMs() };
      }
    throw new NotFoundError(`${name} not found`);
  }

  async listPage<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, limit, continueToken, metadataOnly }: ListSelection & { limit: number; continueToken?: string; metadataOnly?: boolean },
  ): Promise<ListAnswer<Item> & { continueToken?: string }> {
    this.calls.push(`list ${resource.plural}${metadataOnly ? ' metadata' : ''}${namespace ? ` in ${namespace}` : ''}`);
    this.#fault('list');
    this.#fail(resource);
    this.#forbid(namespace);
    if (!metadataOnly && limit > this.mostAnswered) throw new UnknownOutcomeError('its answer is too long');
    const from = Number(continueToken ?? '0');
    const all = [...this.objects.values()].filter(({ plural, object }) => plural === resource.plural && isIn(object, namespace));
    const page = all.slice(from, from + limit).map(({ object }) => (metadataOnly ? { metadata: object.metadata } : object));
    const items: Item[] = JSON.parse(JSON.stringify(page));
    const next = from + limit < all.length ? { continueToken: String(from + limit) } : {};
    return { items, resourceVersion: this.#versionOf(resource.plural), dateMs: this.#dateMs(), ...next };
  }

  async *watch<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, resourceVersion }: ListSelection & { resourceVersion: string; timeoutSeconds: number },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>, void> {
    this.calls.push(`watch ${resource.plural} ${resourceVersion}`);
    this.#fault('watch');
    this.#fail(resource);
    this.#forbid(namespace);
    const from = Number(resourceVersion) - (this.ahead.get(resource.plural) ?? 0);
    if (from < this.window) throw new ExpiredError('too old');
    const waiting: (WatchEvent<KubernetesObject> | Error | 'end')[] = this.#history
      .filter(({ plural, change, version }) => plural === resource.plural && version > from && isIn(change.object, namespace))
      .map(({ change }) => change);
    let waiter = Promise.withResolvers<void>();
    const wake = (): void => waiter.resolve();
    const open: OpenWatch = {
      plural: resource.plural,
      namespace,
      push: (event) => {
        waiting.push(event);
        wake();
      },
    };
    signal.addEventListener('abort', () => wake(), { once: true });
    this.#watches.add(open);
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next === 'end') return;
        if (next instanceof Error) throw next;
        if (next) {
          const event: WatchEvent<Item> = JSON.parse(JSON.stringify(next));
          yield event;
        } else {
          await waiter.promise;
          waiter = Promise.withResolvers<void>();
        }
      }
    } finally {
      this.#watches.delete(open);
    }
  }
}

const isIn = ({ metadata }: KubernetesObject, namespace: string | undefined): boolean =>
  namespace === undefined || metadata.namespace === namespace;

export const aJob = (
  name: string,
  { managedBy, ...change }: { managedBy?: string; namespace?: string; uid?: string; generation?: number } = {},
): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, ...change },
  spec: {
    completions: 3,
    template: {
      spec: {
        containers: [{ name: 'main', image: 'secret-image', env: [{ name: 'PASSWORD', value: 'hunter2' }] }],
        restartPolicy: 'Never',
      },
    },
    ...(managedBy !== undefined && { managedBy }),
  },
});

export const aPod = (
  name: string,
  job: string | undefined,
  {
    phase = 'Running',
    tracked = true,
    namespace = 'default',
    labels = {},
  }: { phase?: string; tracked?: boolean; namespace?: string; labels?: Record<string, string> } = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    uid: `uid-${name}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels,
    ...(tracked && { finalizers: [TRACKING_FINALIZER] }),
    ...(job !== undefined && {
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job, uid: `uid-${job}`, controller: true }],
    }),
  },
  spec: { containers: [{ name: 'main', image: 'secret-image', env: [{ name: 'PASSWORD', value: 'hunter2' }] }], nodeName: 'node-1' },
  status: { phase },
});
