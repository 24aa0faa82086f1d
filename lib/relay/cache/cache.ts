// The relay's cache: workloads, their pods in compact form, and versions. It proves nothing (R19). The relay groups changes by it, compares
// by it, and sends the newest state from it.
import { hasChildren } from '../../kinds/rows/child.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import type { Manages } from '../../objects/manages.ts';
import { isTracked } from '../../objects/pods/pod-facts.ts';
import { isNewer, isResourceVersion } from '../../objects/values/resource-version.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { digestOf } from '../../wire/words/digest.ts';
import type { OwnerName } from '../../wire/words/observations.ts';
import type { Watched } from '../../kinds/rows/watches.ts';
import type { CachedChildren, ChildKey, News } from './cached-children.ts';
import { CachedPods, type PodWorkloads } from './cached-pods.ts';
import type { OwnVersion, Workload } from './cached-workload.ts';
import { DepartedOwners } from './departed-owners.ts';
import { ChildTable } from './child-cache.ts';
import { OwnersAlone } from './owners-alone.ts';
import { NO_ROW, type Members } from './pod-table.ts';
import { belongingOf, orphanOf } from './project.ts';
import { SelectingWorkloads } from './selecting-workloads.ts';

/**
 * Remembered uids of deleted foreign owners. Events of their pods may come after the owner's deletion, and those pods must stay foreign.
 */
const FOREIGN_REMEMBERED = 20_000;

export interface CacheSetup {
  manages: Manages;
  /** Kinds of the reported workloads, in the order in which they claim a pod. */
  kinds: readonly KindFacts[];
  telemetry: Pick<Telemetry, 'warn' | 'count'>;
}

export class RelayCache {
  readonly #manages: Manages;
  readonly #kinds: readonly KindFacts[];
  /** By `#idOf` their owners. */
  readonly #workloads = new Map<string, Workload>();
  /** Indexed by the ids of their members. */
  readonly #byId: (Workload | undefined)[] = [];
  readonly #freeIds: number[] = [];
  readonly #pods: CachedPods;
  readonly #selecting = new SelectingWorkloads();
  readonly #departedForeign = new Set<string>();
  readonly #departed = new DepartedOwners();
  /** One table per row of children other than pods. */
  readonly #childTables: readonly ChildTable[];
  /** Of the kinds without pods, by kind. Their owners may be children of other workloads, so a uid alone does not say which workload is meant. */
  readonly #alone: ReadonlyMap<string, OwnersAlone>;
  readonly #tables: readonly CachedChildren[];
  readonly #tablesByKind: ReadonlyMap<string, readonly CachedChildren[]>;
  #list = 0;

  constructor({ manages, kinds, telemetry }: CacheSetup) {
    this.#manages = manages;
    this.#kinds = kinds;
    const workloads: PodWorkloads = {
      find: (uid) => this.#workloads.get(uid),
      of: (owner) => (this.#departedForeign.has(owner.uid) ? undefined : this.#workloadOf(owner)),
      made: (owner) => this.#workloadOf(owner),
      at: (id) => this.#byId[id],
      ownerOf: (metadata, before) => this.#ownerOf(metadata, before),
      dropIfEmpty: (workload) => this.#dropIfEmpty(workload),
      latestList: () => this.#list,
    };
    this.#pods = new CachedPods(kinds, workloads);
    this.#childTables = kinds.flatMap((kind) => kind.children.map((child) => new ChildTable({ kind, child, workloads, telemetry })));
    const podless = kinds.filter(({ pods, isOwnerless }) => !pods && !isOwnerless);
    this.#alone = new Map(podless.map(({ kind }) => [kind, new OwnersAlone(kind)]));
    this.#tables = [this.#pods, ...this.#alone.values(), ...this.#childTables];
    this.#tablesByKind = new Map(kinds.map(({ kind }) => [kind, this.#tables.filter((table) => table.isOf(kind))]));
  }

  /** Those of the workloads of that kind, pods first. */
  tablesOf(kind: string): readonly CachedChildren[] {
    return this.#tablesByKind.get(kind) ?? [this.#pods];
  }

  childTablesOf(kind: string): readonly ChildTable[] {
    return this.#childTables.filter((table) => table.isOf(kind));
  }

  /** The tables of the children that a watch shows. */
  tablesFor({ isPods, owner, children }: Pick<Watched, 'isPods' | 'owner' | 'children'>): readonly CachedChildren[] {
    const alone = owner && this.#alone.get(owner.kind);
    return [
      ...(isPods ? [this.#pods] : []),
      ...(alone ? [alone] : []),
      ...this.#childTables.filter((table) => children.some(({ child }) => child === table.child)),
    ];
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** The workloads to report. Foreign ones stay in the cache and are not reported. */
  *workloads(namespace?: string): Generator<Workload> {
    for (const workload of this.#workloads.values())
      if (!workload.known?.foreign && (namespace === undefined || workload.owner.namespace === namespace)) yield workload;
  }

  workload(owner: Pick<OwnerName, 'kind' | 'uid'>): Workload | undefined {
    return this.#workloads.get(this.#idOf(owner));
  }

  #idOf({ kind, uid }: Pick<OwnerName, 'kind' | 'uid'>): string {
    return this.#alone.has(kind) ? `${kind} ${uid}` : uid;
  }

  /** @returns the mark of a new list, which every listed object gets */
  beginList(): number {
    this.#list += 1;
    return this.#list;
  }

  // --- owners

  /** @returns undefined for an owner that another controller manages, and for one that a message could not name */
  putOwner(facts: KindFacts, object: WorkloadObject, { list, watch }: { list?: number; watch?: string } = {}): News | undefined {
    const owner = ownerNameOf(facts, object.metadata);
    if (!owner) return undefined;
    const workload = this.#workloadOf(owner);
    const version = object.metadata.resourceVersion ?? '0';
    // If the spec cannot be read, its manager is unknown. Keep the known answer: the manager of an owner never changes.
    const isUnsaid = object.unreadable !== undefined && facts.managerOf(object) === undefined;
    const foreign = (isUnsaid ? workload.known?.foreign : undefined) ?? !facts.isManaged(object, this.#manages);
    if (list !== undefined) workload.list = list;
    if (watch !== undefined) workload.watch = watch;
    // Ignore an older answer: the watch may have delivered a later version since. Accept any version of a list, because the watch continues
    // from the list, even after a restore of the API server from an older state (R3).
    if (list === undefined && workload.known && isNewer(workload.known.version, version)) return undefined;
    const { known: before } = workload;
    const generation = object.metadata.deletionTimestamp === undefined ? (object.metadata.generation ?? 0) : undefined;
    workload.known = { version, foreign, generation };
    if (foreign) {
      for (const table of this.#tables) table.forgetOf(workload);
      return undefined;
    }
    this.#selecting.learn(facts, workload.owner, object);
    workload.unsent = { body: JSON.stringify(facts.factsOf(object)), deleted: false };
    workload.changed = true;
    return { workload, isSpec: !before || before.generation !== generation };
  }

  deleteOwner(facts: KindFacts, object: WorkloadObject): News | undefined {
    const owner = ownerNameOf(facts, object.metadata);
    const workload = owner && this.workload(owner);
    if (!workload) return undefined;
    const foreign = workload.known?.foreign ?? !facts.isManaged(object, this.#manages);
    this.#forgetOwner(workload);
    if (foreign) return undefined;
    workload.unsent = { body: JSON.stringify(facts.factsOf(object)), deleted: true };
    if (!hasChildren(facts)) this.#departed.note(workload);
    return { workload, isSpec: true };
  }

  /** Owners that went and are to be told of once more. */
  departedAgain(): Workload[] {
    return this.#departed.again();
  }

  /** Forgets the owners of that kind in these namespaces that the list of that watch did not contain. */
  endOwnerList({ kind }: KindFacts, list: number, { watch, namespace }: { watch: string; namespace: string | undefined }): void {
    for (const workload of this.#workloads.values()) {
      const { known, owner } = workload;
      if (!known || workload.list === list || owner.kind !== kind || (workload.watch ?? watch) !== watch) continue;
      if (namespace !== undefined && owner.namespace !== namespace) continue;
      this.#forgetOwner(workload);
      workload.unsent = undefined;
    }
  }

  #forgetOwner(workload: Workload): void {
    if (workload.known?.foreign) this.#rememberForeign(workload.owner.uid);
    workload.known = undefined;
    workload.changed = true;
    this.#selecting.forget(workload.owner);
    this.#dropIfEmpty(workload);
  }

  #rememberForeign(uid: string): void {
    this.#departedForeign.add(uid);
    if (this.#departedForeign.size <= FOREIGN_REMEMBERED) return;
    const [oldest] = this.#departedForeign;
    if (oldest !== undefined) this.#departedForeign.delete(oldest);
  }

  // --- children

  /** Whether one of its pods has our finalizer. @param besides a pod to skip */
  hasTracked(workload: Workload, besides?: ChildKey): boolean {
    return this.#pods.hasTracked(workload, besides);
  }

  /** Each of its children, as a change, in the cached state. */
  *childrenOf(workload: Workload): Generator<News> {
    for (const table of this.tablesOf(workload.owner.kind)) for (const key of table.keysOf(workload)) yield { workload, table, key };
  }

  /**
   * The workload that reports a pod with this metadata; undefined: none of ours.
   * @param before the one that has reported it until now
   */
  #ownerOf(metadata: ObjectMeta, before?: OwnerName): OwnerName | undefined {
    const named = belongingOf(metadata, this.#kinds, before);
    // An owner whose selector matches may adopt the pod. Without such an owner our finalizer alone makes the pod ours to report.
    const chosenBy = named === undefined || named.by === 'finalizer' ? this.#selecting.ownerOf(metadata) : undefined;
    const belonging = chosenBy ? { owner: chosenBy, by: 'labels' } : named;
    if (!belonging) return undefined;
    const { owner, by } = belonging;
    const workload = this.workload(owner);
    if (workload?.known && !workload.known.foreign) return workload.owner;
    // Where another controller looks after the finalizers of this kind, leave the pod to it. Where no other controller does, report a pod
    // of a foreign owner only once it is an orphan: while that owner lives, the pod belongs to it.
    if (workload?.known) return this.#isAlone(owner.kind) ? orphanOf(metadata, this.#kinds)?.owner : undefined;
    if (this.#departedForeign.has(owner.uid) && !(this.#isAlone(owner.kind) && isTracked(metadata))) return undefined;
    // The watch may deliver the owner in a moment. Ignore a pod that has only the labels of a missing owner, unless our finalizer is on it.
    return by !== 'labels' || isTracked(metadata) ? owner : undefined;
  }

  /** Whether no other controller looks after workloads of that kind. */
  #isAlone(kind: string): boolean {
    return this.#kinds.find((facts) => facts.kind === kind)?.isAlone?.(this.#manages) ?? true;
  }

  // --- workloads

  #workloadOf(owner: OwnerName): Workload {
    const known = this.workload(owner);
    if (known) return known;
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const pods: Members = { id, first: NO_ROW, last: NO_ROW, count: 0 };
    const workload: Workload = { owner, known: undefined, unsent: undefined, pods, list: this.#list, changed: true };
    this.#workloads.set(this.#idOf(owner), workload);
    this.#byId[id] = workload;
    return workload;
  }

  #dropIfEmpty(workload: Workload): void {
    const { owner, known, pods } = workload;
    if (known || pods.count > 0 || this.workload(owner) !== workload) return;
    if (this.#tables.some((table) => table.has(workload))) return;
    this.#workloads.delete(this.#idOf(owner));
    this.#byId[pods.id] = undefined;
    this.#freeIds.push(pods.id);
  }

  // --- comparing

  /** Digest of the owner, all its pods, and which other children exist. The view computes the same digest from the same knowledge. */
  digestOf(workload: Workload): string {
    const { owner, known } = workload;
    const tables = this.tablesOf(owner.kind);
    function* members(): Generator<{ uid: string; resourceVersion: string }> {
      for (const table of tables) yield* table.membersOf(workload);
      if (known) yield { uid: owner.uid, resourceVersion: known.version };
    }
    return digestOf(members());
  }

  knowsOwner(facts: KindFacts, metadata: ObjectMeta): boolean {
    const known = this.workload({ kind: facts.kind, uid: metadata.uid ?? '' })?.known;
    return known !== undefined ? !isNewer(metadata.resourceVersion ?? '0', known.version) : !ownerNameOf(facts, metadata);
  }

  /** Owners that the cache holds in that version or an earlier one. */
  *ownersUntil(
    { kind }: KindFacts,
    version: string,
    { watch, namespace }: { watch: string; namespace: string | undefined },
  ): Generator<OwnVersion> {
    for (const { known, owner, watch: by = watch } of this.#workloads.values()) {
      if (!known || owner.kind !== kind || by !== watch || isNewer(known.version, version)) continue;
      if (namespace !== undefined && owner.namespace !== namespace) continue;
      yield { uid: owner.uid, namespace: owner.namespace, name: owner.name, version: known.version };
    }
  }
}

function ownerNameOf({ kind, resource }: KindFacts, { name, namespace = '', uid, resourceVersion }: ObjectMeta): OwnerName | undefined {
  if (!name || resource.namespaced !== (namespace !== '') || !uid || !isResourceVersion(resourceVersion)) return undefined;
  return { kind, namespace, name, uid };
}
