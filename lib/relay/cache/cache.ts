// The relay's cache: workloads, their pods in compact form, and versions. It proves nothing (R19). The relay groups changes by it, compares
// by it, and sends the newest state from it.
import type { ChildFacts, KindFacts } from '../../kinds/rows/kind.ts';
import { podReaderOf } from '../../kinds/rows/pod-reader.ts';
import type { ObjectMeta, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { Manages } from '../../objects/manages.ts';
import { podFactsOf, isTracked, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { hidesOwners } from '../../objects/unreadable.ts';
import { isNewer, isResourceVersion } from '../../objects/values/resource-version.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { digestOf } from '../../wire/words/digest.ts';
import type { OwnerName } from '../../wire/words/observations.ts';
import type { GonePod, OwnVersion, Workload } from './cached-workload.ts';
import { ChildTable, type ChildNews, type Workloads } from './child-cache.ts';
import type { CompactPod } from './compact-pod.ts';
import { nameOf, PodShapes } from './compact-pod.ts';
import type { Members, PodRow } from './pod-table.ts';
import { NO_ROW, PodTable } from './pod-table.ts';
import { belongingOf, orphanOf } from './project.ts';
import { SelectingWorkloads } from './selecting-workloads.ts';

/** A workload and its part that changed: a pod that it has, a pod that it had, another child, or otherwise its owner. */
export interface News {
  workload: Workload;
  pod?: PodRow;
  gone?: GonePod;
  child?: ChildNews;
  /** The owner is new or deleted, its spec changed, or its deletion has begun. */
  isSpec?: boolean;
}

const NONE: readonly ChildTable[] = [];
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
  /** How to read pods of the kinds that ask for more than the usual facts, by kind. */
  readonly #readers: ReadonlyMap<string, (pod: Pod) => PodFacts>;
  readonly #shapes = new PodShapes();
  readonly #workloads = new Map<string, Workload>();
  /** Indexed by the ids of their members. */
  readonly #byId: (Workload | undefined)[] = [];
  readonly #freeIds: number[] = [];
  readonly #pods = new PodTable(this.#shapes);
  readonly #selecting = new SelectingWorkloads();
  readonly #departedForeign = new Set<string>();
  /** One table per row of children other than pods. */
  readonly #childTables: readonly ChildTable[];
  #list = 0;

  constructor({ manages, kinds, telemetry }: CacheSetup) {
    this.#manages = manages;
    this.#kinds = kinds;
    this.#readers = new Map(kinds.filter(({ pods }) => pods.asks).map((facts) => [facts.kind, podReaderOf(facts).factsOf]));
    const workloads: Workloads = {
      find: (uid) => this.#workloads.get(uid),
      of: (owner) => (this.#departedForeign.has(owner.uid) ? undefined : this.#workloadOf(owner)),
      dropIfEmpty: (workload) => this.#dropIfEmpty(workload),
    };
    this.#childTables = kinds.flatMap((kind) => kind.children.map((child) => new ChildTable({ kind, child, workloads, telemetry })));
  }

  childTablesOf(kind: string): readonly ChildTable[] {
    return this.#childTables.length === 0 ? NONE : this.#childTables.filter((table) => table.kind.kind === kind);
  }

  childTableOf(child: ChildFacts): ChildTable | undefined {
    return this.#childTables.find((table) => table.child === child);
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** The workloads to report. Foreign ones stay in the cache and are not reported. */
  *workloads(namespace?: string): Generator<Workload> {
    for (const workload of this.#workloads.values())
      if (!workload.known?.foreign && (namespace === undefined || workload.owner.namespace === namespace)) yield workload;
  }

  workload(uid: string): Workload | undefined {
    return this.#workloads.get(uid);
  }

  /** @returns the mark of a new list, which every listed object gets */
  beginList(): number {
    this.#list += 1;
    return this.#list;
  }

  // --- owners

  /** @returns undefined for an owner that another controller manages, and for one that a message could not name */
  putOwner(facts: KindFacts, object: WorkloadObject, list?: number): News | undefined {
    const owner = ownerNameOf(facts, object.metadata);
    if (!owner) return undefined;
    const workload = this.#workloadOf(owner);
    const version = object.metadata.resourceVersion ?? '0';
    // If the spec cannot be read, its manager is unknown. Keep the known answer: the manager of an owner never changes.
    const isUnsaid = object.unreadable !== undefined && facts.managerOf(object) === undefined;
    const foreign = (isUnsaid ? workload.known?.foreign : undefined) ?? !facts.isManaged(object, this.#manages);
    if (list !== undefined) workload.list = list;
    // Ignore an older answer: the watch may have delivered a later version since. Accept any version of a list, because the watch continues
    // from the list, even after a restore of the API server from an older state (R3).
    if (list === undefined && workload.known && isNewer(workload.known.version, version)) return undefined;
    const { known: before } = workload;
    const generation = object.metadata.deletionTimestamp === undefined ? (object.metadata.generation ?? 0) : undefined;
    workload.known = { version, foreign, generation };
    if (foreign) {
      for (const row of this.#pods.rowsOf(workload.pods)) this.#forget(row, workload);
      for (const table of this.#childTables) table.forgetOf(workload);
      return undefined;
    }
    this.#selecting.learn(facts, workload.owner, object);
    workload.unsent = { body: JSON.stringify(facts.factsOf(object)), deleted: false };
    workload.changed = true;
    return { workload, isSpec: !before || before.generation !== generation };
  }

  deleteOwner(facts: KindFacts, object: WorkloadObject): News | undefined {
    const owner = ownerNameOf(facts, object.metadata);
    const workload = owner && this.#workloads.get(owner.uid);
    if (!workload) return undefined;
    const foreign = workload.known?.foreign ?? !facts.isManaged(object, this.#manages);
    this.#forgetOwner(workload);
    if (foreign) return undefined;
    workload.unsent = { body: JSON.stringify(facts.factsOf(object)), deleted: true };
    return { workload, isSpec: true };
  }

  /** Forgets the owners of that kind in these namespaces that the list did not contain. */
  endOwnerList({ kind }: KindFacts, list: number, namespace: string | undefined): void {
    for (const workload of this.#workloads.values()) {
      const { known, owner } = workload;
      if (!known || workload.list === list || owner.kind !== kind) continue;
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

  // --- pods

  /** @returns the changes of its workload, and of the one that it belonged to before. Empty for a pod that is not ours */
  putPod(pod: Pod, list?: number): News[] {
    return this.#observePod(pod, { deleted: false, list });
  }

  deletePod(pod: Pod): News[] {
    return this.#observePod(pod, { deleted: true, list: undefined });
  }

  /** Forgets the pods of these namespaces that the list did not contain. */
  endPodList(list: number, namespace: string | undefined): void {
    for (const row of this.#pods.rows()) {
      const workload = this.#workloadAt(row);
      if (workload && this.#pods.listOf(row) !== list && (namespace === undefined || workload.owner.namespace === namespace))
        this.#forget(row, workload);
    }
  }

  #observePod(pod: Pod, { deleted, list }: { deleted: boolean; list: number | undefined }): News[] {
    const { metadata } = pod;
    const uid = metadata.uid ?? '';
    const row = this.#pods.find(uid);
    const before = row === NO_ROW ? undefined : this.#workloadAt(row);
    if (before && list !== undefined) this.#pods.nameInList(row, list);
    if (list === undefined && before && isNewer(this.#pods.versionOf(row), metadata.resourceVersion ?? '0')) return [];
    // If its owners cannot be read, the pod stays with its workload. Ignore our finalizer: alone it does not make the pod an orphan.
    const owner = hidesOwners(pod)
      ? (before?.owner ?? this.#ownerOf({ ...metadata, finalizers: [] }))
      : this.#ownerOf(metadata, before?.owner);
    // The pod no longer has an owner. Report that to the workload that it belonged to.
    const workload = owner ? this.#workloadOf(owner) : before;
    if (!workload || !isPodNamed(metadata)) return [];
    const known = before === workload ? this.#pods.knownOf(row) : undefined;
    const facts = this.#shapes.compact(this.#factsOf(pod, workload.owner), workload.owner, known);
    if (!facts) {
      this.#dropIfEmpty(workload);
      return [];
    }
    workload.changed = true;
    if (before) before.changed = true;
    if (!deleted && owner && before === workload) {
      this.#pods.put(row, facts);
      return [{ workload, pod: row }];
    }
    const named = list ?? (before ? this.#pods.listOf(row) : this.#list);
    if (before) this.#pods.remove(row, before.pods);
    const news: News[] = [];
    if (deleted || !owner) {
      this.#shapes.release(facts.shape);
      news.push({ workload, gone: { facts, owner: workload.owner, state: deleted ? 'deleted' : 'departed' } });
    } else {
      const added = this.#pods.add(uid, workload.pods, named);
      this.#pods.put(added, facts);
      news.push({ workload, pod: added });
    }
    if (before && before !== workload) {
      news.push({ workload: before, gone: { facts, owner: workload.owner, state: deleted ? 'deleted' : 'moved' } });
      this.#dropIfEmpty(before);
    }
    this.#dropIfEmpty(workload);
    return news;
  }

  #factsOf(pod: Pod, { kind }: OwnerName): PodFacts {
    return (this.#readers.size === 0 ? undefined : this.#readers.get(kind)?.(pod)) ?? podFactsOf(pod);
  }

  /**
   * Whether one of its pods has our finalizer. Such a pod cannot be removed without us, even after its owner.
   * @param besides a pod to skip
   */
  hasTracked({ pods }: Workload, besides?: PodRow): boolean {
    for (const row of this.#pods.rowsOf(pods)) if (row !== besides && this.#pods.knownOf(row).shape.facts.tracked) return true;
    return false;
  }

  /** Rows of the workload's pods. */
  podsOf(workload: Workload): Iterable<PodRow> {
    return this.#pods.rowsOf(workload.pods);
  }

  /** Each of its children, as a change, in the cached state. */
  *childrenOf(workload: Workload): Generator<News> {
    for (const pod of this.podsOf(workload)) yield { workload, pod };
    for (const table of this.childTablesOf(workload.owner.kind))
      for (const uid of table.uidsOf(workload)) yield { workload, child: { table, uid } };
  }

  isRowOf(workload: Workload, row: PodRow): boolean {
    return this.#workloadAt(row) === workload;
  }

  /** @returns undefined if the row does not, or no longer, hold a pod of this workload */
  podOf(workload: Workload, row: PodRow): CompactPod | undefined {
    return this.isRowOf(workload, row) ? this.#pods.podOf(row) : undefined;
  }

  isPodOf(workload: Workload, uid: string): boolean {
    const row = this.#pods.find(uid);
    return row !== NO_ROW && this.#workloadAt(row) === workload;
  }

  #workloadAt(row: PodRow): Workload | undefined {
    return this.#byId[this.#pods.membersOf(row)];
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
    const workload = this.#workloads.get(owner.uid);
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

  #forget(row: PodRow, workload: Workload): void {
    this.#pods.remove(row, workload.pods);
    workload.changed = true;
    this.#dropIfEmpty(workload);
  }

  // --- workloads

  #workloadOf(owner: OwnerName): Workload {
    const known = this.#workloads.get(owner.uid);
    if (known) return known;
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const pods: Members = { id, first: NO_ROW, last: NO_ROW, count: 0 };
    const workload: Workload = { owner, known: undefined, unsent: undefined, pods, list: this.#list, changed: true };
    this.#workloads.set(owner.uid, workload);
    this.#byId[id] = workload;
    return workload;
  }

  #dropIfEmpty(workload: Workload): void {
    const { owner, known, pods } = workload;
    if (known || pods.count > 0 || this.#workloads.get(owner.uid) !== workload) return;
    if (this.#childTables.some((table) => table.has(workload))) return;
    this.#workloads.delete(owner.uid);
    this.#byId[pods.id] = undefined;
    this.#freeIds.push(pods.id);
  }

  // --- comparing

  /** Digest of the owner, all its pods, and which other children exist. The view computes the same digest from the same knowledge. */
  digestOf(workload: Workload): string {
    const { owner, known, pods } = workload;
    const members = this.childTablesOf(owner.kind).flatMap((table) => table.presenceOf(workload));
    for (const row of this.#pods.rowsOf(pods)) members.push({ uid: this.#pods.uidOf(row), resourceVersion: this.#pods.versionOf(row) });
    if (known) members.push({ uid: owner.uid, resourceVersion: known.version });
    return digestOf(members);
  }

  /** Whether the cache holds a listed object in this version or a later one, or the object is not ours. */
  knowsPod(metadata: ObjectMeta): boolean {
    const row = this.#pods.find(metadata.uid ?? '');
    if (row !== NO_ROW) return !isNewer(metadata.resourceVersion ?? '0', this.#pods.versionOf(row));
    return !this.#ownerOf(metadata) || !isPodNamed(metadata);
  }

  knowsOwner(facts: KindFacts, metadata: ObjectMeta): boolean {
    const known = this.#workloads.get(metadata.uid ?? '')?.known;
    return known !== undefined ? !isNewer(metadata.resourceVersion ?? '0', known.version) : !ownerNameOf(facts, metadata);
  }

  /** Objects that the cache holds in that version or an earlier one. */
  *podsUntil(version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const row of this.#pods.rows()) {
      const owner = this.#workloadAt(row)?.owner;
      if (!owner || (namespace !== undefined && owner.namespace !== namespace)) continue;
      const own = this.#pods.versionOf(row);
      if (isNewer(own, version)) continue;
      yield { uid: this.#pods.uidOf(row), namespace: owner.namespace, name: nameOf(this.#pods.knownOf(row), owner), version: own };
    }
  }

  *ownersUntil({ kind }: KindFacts, version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const { known, owner } of this.#workloads.values()) {
      if (!known || owner.kind !== kind || isNewer(known.version, version)) continue;
      if (namespace !== undefined && owner.namespace !== namespace) continue;
      yield { uid: owner.uid, namespace: owner.namespace, name: owner.name, version: known.version };
    }
  }
}

function ownerNameOf({ kind }: KindFacts, { name, namespace, uid, resourceVersion }: ObjectMeta): OwnerName | undefined {
  if (!name || !namespace || !uid || !isResourceVersion(resourceVersion)) return undefined;
  return { kind, namespace, name, uid };
}

const isPodNamed = ({ name, namespace, uid, resourceVersion }: ObjectMeta): boolean =>
  Boolean(name && namespace && uid) && isResourceVersion(resourceVersion);
