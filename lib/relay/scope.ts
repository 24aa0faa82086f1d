// Watches the resources of the kinds in one namespace, or in all: one watch per resource. Children are listed after their owners. The
// contents of both lists are sent as whole lists.
import type { Manages } from '../objects/manages.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { managesAll } from '../kinds/settings.ts';
import type { Watched } from '../kinds/rows/watches.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../objects/kubernetes.ts';
import { oldest } from '../objects/values/resource-version.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { OwnerName, WatchState } from '../wire/words/observations.ts';
import type { Audited } from './audit.ts';
import type { RelayCache } from './cache/cache.ts';
import type { CachedChildren, News } from './cache/cached-children.ts';
import type { Workload } from './cache/cached-workload.ts';
import type { Outbox } from './sending/outbox.ts';
import type { Floors } from './sending/reports.ts';
import type { Readiness } from './watch/readiness.ts';
import { isObserved, isLetIn, isListed, readinessOf, readinessOfAll } from './watch/readiness.ts';
import type { WatchOptions } from './watch/watch.ts';
import type { Follower, WatcherSetup } from './watch/watcher.ts';
import { Watcher } from './watch/watcher.ts';

export interface ScopeSetup {
  /** Undefined: all namespaces. */
  namespace: string | undefined;
  /** Owners before children. */
  watched: readonly Watched[];
  source: ClusterSource;
  cache: RelayCache;
  clock: Clock;
  telemetry: Telemetry;
  options: WatchOptions & { pageSize: number };
  /** Takes the changes to report. */
  outbox: Pick<Outbox, 'note' | 'noteWhole'>;
  /** Called for a new owner that another controller manages. It gets that controller's name. */
  isExternal: (controllerName: string) => void;
  /** All lists are complete, or the missing ones cannot come soon. All listed objects are marked in the outbox. */
  listed: () => void;
  failed: (error: unknown, namespace: string | undefined) => void;
  /** A watch continues after it broke off early. */
  resumed: () => void;
  restored: Follower<Pod>['restored'];
  sawDate: WatcherSetup<Pod>['sawDate'];
}

/** One resource of the scope. */
interface Watch {
  watched: Watched;
  watcher: Watcher<WorkloadObject>;
  /** The tables of the children that this resource holds: that of the pods, and one for each kind that has such other children. */
  tables: readonly CachedChildren[];
  /** Version of the last whole list; `0` before. */
  floor: string;
  /** Unix milliseconds at which the last list began; 0 before. */
  startedAtMs: number;
  /** Lists again after a restore of the API server. Until that list is complete the cached state is of no use (R3). */
  isAnew: boolean;
  /** List it as soon as no list of its owners is under way. */
  isDue: boolean;
}

export interface ScopeAudit extends Audited {
  name: string;
  /** Whether the cache is complete enough to compare. */
  isListed: () => boolean;
  listAnew: () => void;
}

export class Scope {
  readonly namespace: string | undefined;
  readonly #setup: ScopeSetup;
  readonly #watches: readonly Watch[];
  readonly #byWatched: ReadonlyMap<Watched, Watch>;
  readonly #pods: Watch | undefined;
  /** The watches of owners, by kind, and those of children, by table. */
  readonly #ofOwners = new Map<string, Watch[]>();
  readonly #ofTables = new Map<CachedChildren, Watch[]>();
  /** By kind, the words that manage all its owners; for checking one owner at a time. */
  readonly #wholly = new Map<KindFacts, Manages>();
  /** The watches of each kind with owners. A kind without owners adds no list to wait for. */
  readonly #kinds = new Map<string, { facts: KindFacts; watches: readonly Watch[] }>();

  constructor(setup: ScopeSetup) {
    this.#setup = setup;
    this.namespace = setup.namespace;
    this.#watches = setup.watched.map((watched) => this.#watchOf(watched));
    this.#byWatched = new Map(this.#watches.map((watch) => [watch.watched, watch]));
    this.#pods = this.#watches.find(({ watched }) => watched.isPods);
    for (const watch of this.#watches) {
      const { owner } = watch.watched;
      if (owner) this.#ofOwners.set(owner.kind, [...(this.#ofOwners.get(owner.kind) ?? []), watch]);
      for (const table of watch.tables) this.#ofTables.set(table, [...(this.#ofTables.get(table) ?? []), watch]);
    }
    for (const facts of new Set(setup.watched.flatMap(({ kinds }) => [...kinds])))
      if (!facts.isOwnerless)
        this.#kinds.set(facts.kind, { facts, watches: this.#watches.filter(({ watched }) => watched.kinds.has(facts)) });
  }

  /** Lists everything, for the first time or again. */
  list(): void {
    for (const { watched, watcher } of this.#watches) if (watched.after.size === 0) watcher.list();
  }

  /** Lists everything and reports nothing from before. */
  beginAnew(): void {
    for (const watch of this.#watches) {
      // An absent resource is not reported again, and nothing waits for its list.
      watch.isAnew = !watch.watcher.isAbsent;
      watch.floor = '0';
    }
    this.list();
  }

  stop(): void {
    for (const { watcher } of this.#watches) watcher.stop();
  }

  get readiness(): Readiness {
    return readinessOfAll(
      [...this.#kinds.values()].map(({ watches }) => ({
        readiness: readinessOfWatches(watches),
        isHeldUp: watches.some(({ watcher }) => watcher.isHeldUp),
      })),
    );
  }

  /** Whether the API server lets us list at least one kind. */
  get isAnyLetIn(): boolean {
    return [...this.#kinds.values()].some(({ watches }) => isLetIn(readinessOfWatches(watches)));
  }

  /** Whether the cached state of that workload may be reported. */
  isObserved({ kind }: OwnerName): boolean {
    return isObserved(this.#readinessOf(kind));
  }

  /** The versions that its lists have reached. */
  get floors(): Floors {
    return {
      ownersOf: (kind) => lowestFloor(this.#ofOwners.get(kind)),
      childrenOf: (table) => lowestFloor(this.#ofTables.get(table)),
    };
  }

  /** Version of the last whole list of the pods: `0` before, undefined if none of the kinds has pods. */
  get podFloor(): string | undefined {
    return this.#pods?.floor;
  }

  /** Versions of the last lists of owners without pods, by kind. */
  get ownerFloors(): Readonly<Record<string, string>> {
    const alone = this.#watches.filter(
      ({ watched: { owner, isPods }, tables }) => owner && !isPods && tables.some(({ isCounted }) => isCounted),
    );
    const kinds = Map.groupBy(alone, ({ watched }) => watched.owner?.kind ?? '');
    return Object.fromEntries([...kinds].map(([kind, watches]) => [kind, lowestFloor(watches)]));
  }

  /** Unix milliseconds at which the last list of the pods began, else the first list of the owners. */
  get startedAtMs(): number {
    return this.#pods?.startedAtMs ?? Math.min(...this.#watches.map((watch) => watch.startedAtMs));
  }

  get podsObservedUntil(): string {
    return this.#pods?.watcher.resourceVersion ?? '0';
  }

  /** Monotonic time of the last answer or event of the API server; −∞ before its first answer. */
  get heardAtMs(): number {
    return Math.max(...this.#watches.map(({ watcher }) => watcher.heardAtMs ?? -Infinity));
  }

  get watches(): WatchState[] {
    const suffix = this.namespace === undefined ? '' : `:${this.namespace}`;
    return this.#watches
      .filter((watch) => this.#isNamed(watch))
      .map(({ watched, watcher: { ageMs, resourceVersion, isRefused } }) => ({
        resource: `${watched.name}${suffix}`,
        ageMs,
        resourceVersion,
        ...(isRefused && { refused: true as const }),
      }));
  }

  /** The comparisons of an audit, each with the reaction to a difference. */
  get audits(): ScopeAudit[] {
    const { cache, namespace } = this.#setup;
    return this.#watches.map(({ watched, watcher, tables }) => {
      const { name, resource, fields, selection, owner } = watched;
      return {
        name,
        resource,
        fields,
        selection,
        namespace,
        knows: (metadata) => (!owner || cache.knowsOwner(owner, metadata)) && tables.every((table) => table.knows(metadata)),
        knownUntil: (version) => [
          ...(owner ? cache.ownersUntil(owner, version, { watch: name, namespace }) : []),
          ...tables.flatMap((table) => [...table.until(version, namespace)]),
        ],
        observedUntil: () => watcher.resourceVersion,
        isListed: () => [...watched.kinds].some(({ kind }) => isListed(this.#readinessOf(kind))),
        listAnew: () => watcher.list(),
      };
    });
  }

  #watchOf(watched: Watched): Watch {
    const { source, cache, namespace, clock, telemetry, options, sawDate } = this.#setup;
    const { resource, fields, selection, mayBeAbsent } = watched;
    const tables = cache.tablesFor(watched);
    const follower = this.#followerOf(() => watch);
    const shared = { source, namespace, clock, telemetry, options, sawDate };
    const watcher = new Watcher<WorkloadObject>({ ...shared, resource, fields, ...(selection && { selection }), mayBeAbsent, follower });
    const watch: Watch = { watched, watcher, tables, floor: '0', startedAtMs: 0, isAnew: false, isDue: false };
    return watch;
  }

  #readinessOf(kind: string): Readiness {
    const known = this.#kinds.get(kind);
    return known ? readinessOfWatches(known.watches) : this.readiness;
  }

  /** Do not report a resource that nobody has installed, nor one that is watched for its sake alone. */
  #isNamed({ watched, watcher }: Watch): boolean {
    if (watcher.isAbsent) return false;
    return isSurelyServed(watched) || watcher.resourceVersion !== '0' || watcher.isRefused;
  }

  #before({ watched }: Watch): Watch[] {
    return [...watched.after].flatMap((each) => this.#byWatched.get(each) ?? []);
  }

  /** Its list is complete, or the resource is known to be absent. Lists the resources after it. */
  #listNext(watch: Watch): void {
    for (const next of this.#watches) if (next.watched.after.has(watch.watched)) next.isDue = true;
    this.#listDue();
  }

  #listDue(): void {
    for (const watch of this.#watches) {
      if (!watch.isDue || this.#before(watch).some(isPending)) continue;
      watch.isDue = false;
      watch.watcher.list();
    }
  }

  #followerOf(self: () => Watch): Follower<WorkloadObject> {
    const { cache, namespace, clock, failed, resumed, restored } = this.#setup;
    let mark = 0;
    let wasHeldUp = false;
    return {
      begin: () => {
        mark = cache.beginList();
        self().startedAtMs = Math.round(clock.nowMs());
      },
      page: (objects) => {
        for (const object of objects) this.#take(self(), object, mark);
      },
      listed: (resourceVersion) => this.#listed(self(), mark, resourceVersion),
      changed: (type, object) => this.#changed(self(), type, object),
      failed: (error) => {
        failed(error, namespace);
        const { isHeldUp } = self().watcher;
        if (isHeldUp && !wasHeldUp && !self().watcher.isRefused) this.#goOnWithout(self());
        wasHeldUp = isHeldUp;
      },
      refused: () => this.#goOnWithout(self()),
      absent: () => this.#becameAbsent(self()),
      resumed,
      restored,
    };
  }

  /** Takes an object of a list. */
  #take({ watched, tables }: Watch, object: WorkloadObject, mark: number): void {
    const { cache } = this.#setup;
    this.#warnOf(watched, object);
    if (watched.owner) {
      this.#countExternal(watched.owner, object);
      cache.putOwner(watched.owner, object, { list: mark, watch: watched.name });
    }
    for (const table of tables) table.put(object, mark);
  }

  #changed({ watched, tables }: Watch, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: WorkloadObject): void {
    const { cache } = this.#setup;
    const { owner } = watched;
    const isGone = type === 'DELETED';
    this.#warnOf(watched, object);
    if (owner) {
      if (!isGone) this.#countExternal(owner, object);
      this.#note(isGone ? cache.deleteOwner(owner, object) : cache.putOwner(owner, object, { watch: watched.name }));
    }
    for (const table of tables) for (const news of isGone ? table.delete(object) : table.put(object)) this.#note(news);
  }

  #note(news: News | undefined): void {
    if (news && this.#mayTell(news.workload)) this.#setup.outbox.note(news);
  }

  /**
   * False until the owners of its kind are listed, for the first time or since a restore of the API server. A whole list then reports it.
   */
  #mayTell({ owner: { kind } }: Workload): boolean {
    const known = this.#kinds.get(kind);
    if (!known) return this.#pods?.isAnew !== true;
    for (const { watched, isAnew, floor } of known.watches) if (isAnew || (watched.owner === known.facts && floor === '0')) return false;
    return true;
  }

  #listed(watch: Watch, mark: number, resourceVersion: string): void {
    const { cache, namespace, outbox, listed } = this.#setup;
    const { owner } = watch.watched;
    if (owner) cache.endOwnerList(owner, mark, { watch: watch.watched.name, namespace });
    for (const table of watch.tables) table.endList(mark, namespace);
    // This list began before that of the owners. Another one follows it, so do not count this one.
    if (watch.isAnew && this.#before(watch).some((before) => before.isAnew && !isPassedOver(before))) return;
    watch.isAnew = false;
    watch.floor = resourceVersion;
    for (const table of watch.tables)
      for (const workload of cache.workloads(namespace))
        if (table.isOf(workload.owner.kind) && this.#mayTell(workload)) outbox.noteWhole(workload, table);
    if (watch.tables.length > 0) listed();
    // Owners missing from their list may have left children. Raise the floors of those children too.
    this.#listNext(watch);
  }

  /** Continues without a resource that is refused or fails repeatedly, so that it delays no other. */
  #goOnWithout({ watcher }: Watch): void {
    this.#listDue();
    const { readiness } = this;
    if (readiness === 'refusedListing' || (watcher.isListing && isListed(readiness))) this.#setup.listed();
  }

  /** Handles the absence once, like an empty list: the cached workloads are then looked up. */
  #becameAbsent(watch: Watch): void {
    const { cache, telemetry, namespace, listed } = this.#setup;
    const { owner, resource } = watch.watched;
    const wasServed = watch.floor !== '0';
    const place = { resource: `${resource.plural} of ${resource.apiVersion}`, ...(namespace !== undefined && { namespace }) };
    if (wasServed) telemetry.warn('API server does not serve a resource any more: it is asked for every 4 s', place);
    else telemetry.info('API server does not serve a resource: it is asked for every 4 s', place);
    watch.floor = '0';
    watch.isAnew = false;
    if (wasServed && owner) {
      cache.endOwnerList(owner, cache.beginList(), { watch: watch.watched.name, namespace });
      this.#listNext(watch);
    } else this.#listDue();
    // Otherwise the list under way calls `listed`.
    if (!this.#watches.some(isPending)) listed();
  }

  #warnOf({ resource: { kind } }: Watched, { metadata: { namespace, name }, unreadable }: KubernetesObject): void {
    if (unreadable !== undefined) this.#setup.telemetry.warn('object cannot be read', { kind, namespace, name, reason: unreadable });
  }

  #allOf(facts: KindFacts): Manages {
    const all = this.#wholly.get(facts) ?? managesAll([facts]);
    this.#wholly.set(facts, all);
    return all;
  }

  /** Counts a new owner whose spec names another controller. */
  #countExternal(facts: KindFacts, object: WorkloadObject): void {
    if (!facts.externalCountOf) return;
    const { cache, isExternal } = this.#setup;
    const manager = facts.managerOf(object);
    if (
      manager === undefined ||
      facts.isManaged(object, this.#allOf(facts)) ||
      cache.workload({ kind: facts.kind, uid: object.metadata.uid ?? '' })?.known
    )
      return;
    isExternal(manager);
  }
}

/** `0` until each of them is listed. */
const lowestFloor = (watches: readonly Pick<Watch, 'floor'>[] = []): string => oldest(watches.map(({ floor }) => floor));

const readinessOfWatches = (watches: readonly Watch[]): Readiness =>
  readinessOf({
    watchers: watches.map(({ watcher }) => watcher),
    hasLists: watches.every(({ floor }) => floor !== '0'),
    isAnew: watches.some(({ isAnew }) => isAnew),
  });

const isPassedOver = ({ watcher }: Watch): boolean => watcher.isRefused || watcher.isAbsent || watcher.isHeldUp;

/** Whether others wait for its list. */
const isPending = (watch: Watch): boolean => (watch.watcher.isListing || watch.isDue) && !isPassedOver(watch);

/** Whether the API server serves it whatever is installed: the resource itself, and an owner for whose sake it is watched. */
const isSurelyServed = ({ mayBeAbsent, after }: Watched): boolean =>
  !mayBeAbsent && (after.size === 0 || [...after].some((each) => isSurelyServed(each)));
