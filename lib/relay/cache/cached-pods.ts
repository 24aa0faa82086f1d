// The relay's cache of pods: which workload reports each, and what is known of it, in rows of numbers.
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { podReaderOf } from '../../kinds/rows/pod-reader.ts';
import type { KubernetesObject, ObjectMeta, Pod } from '../../objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { hidesOwners } from '../../objects/unreadable.ts';
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import { POD_RESOURCE } from '../../wire/packing/codecs.ts';
import type { OwnerName, PodObservation } from '../../wire/words/observations.ts';
import type { CachedChildren, ChildKey, GoneChild, News, Workloads } from './cached-children.ts';
import { isNamed, type OwnVersion, type Workload } from './cached-workload.ts';
import { expand, nameOf, PodShapes, type CompactPod } from './compact-pod.ts';
import { NO_ROW, PodTable, type PodRow } from './pod-table.ts';

export interface PodWorkloads extends Workloads {
  /** By the id of its members. */
  at(id: number): Workload | undefined;
  /** A workload of that name, which is ours. */
  made(owner: OwnerName): Workload;
  /**
   * The workload that reports a pod with this metadata; undefined: none of ours.
   * @param before the one that has reported it until now
   */
  ownerOf(metadata: ObjectMeta, before?: OwnerName): OwnerName | undefined;
  /** The mark of the latest list. */
  latestList(): number;
}

export class CachedPods implements CachedChildren {
  readonly resource = POD_RESOURCE;
  readonly isCounted = true;
  readonly isSelected = false;
  readonly bytesEach = 34;
  readonly #workloads: PodWorkloads;
  /** How to read pods of the kinds that ask for more than the usual facts, by kind. */
  readonly #readers: ReadonlyMap<string, (pod: Pod) => PodFacts>;
  readonly #shapes = new PodShapes();
  readonly #rows = new PodTable(this.#shapes);
  /** Kinds whose workloads have none. */
  readonly #without: ReadonlySet<string>;

  constructor(kinds: readonly KindFacts[], workloads: PodWorkloads) {
    this.#workloads = workloads;
    this.#without = new Set(kinds.filter(({ pods }) => !pods).map(({ kind }) => kind));
    this.#readers = new Map(kinds.filter(({ pods }) => pods?.asks).map((facts) => [facts.kind, podReaderOf(facts).factsOf]));
  }

  get size(): number {
    return this.#rows.size;
  }

  put(object: KubernetesObject, list?: number): News[] {
    return this.#observe(podOf(object), { deleted: false, list });
  }

  delete(object: KubernetesObject): News[] {
    return this.#observe(podOf(object), { deleted: true, list: undefined });
  }

  endList(list: number, namespace: string | undefined): void {
    for (const row of this.#rows.rows()) {
      const workload = this.#workloadAt(row);
      if (workload && this.#rows.listOf(row) !== list && (namespace === undefined || workload.owner.namespace === namespace))
        this.#forget(row, workload);
    }
  }

  forgetOf(workload: Workload): void {
    for (const row of this.#rows.rowsOf(workload.pods)) this.#forget(row, workload);
  }

  #observe(pod: Pod, { deleted, list }: { deleted: boolean; list: number | undefined }): News[] {
    const { metadata } = pod;
    const uid = metadata.uid ?? '';
    const row = this.#rows.find(uid);
    const before = row === NO_ROW ? undefined : this.#workloadAt(row);
    if (before && list !== undefined) this.#rows.nameInList(row, list);
    if (list === undefined && before && isNewer(this.#rows.versionOf(row), metadata.resourceVersion ?? '0')) return [];
    // If its owners cannot be read, the pod stays with its workload. Ignore our finalizer: alone it does not make the pod an orphan.
    const owner = hidesOwners(pod)
      ? (before?.owner ?? this.#workloads.ownerOf({ ...metadata, finalizers: [] }))
      : this.#workloads.ownerOf(metadata, before?.owner);
    // The pod no longer has an owner. Report that to the workload that it belonged to.
    const workload = owner ? this.#workloads.made(owner) : before;
    if (!workload || !isNamed(metadata)) return [];
    const known = before === workload ? this.#rows.knownOf(row) : undefined;
    const facts = this.#shapes.compact(this.#factsOf(pod, workload.owner), workload.owner, known);
    if (!facts) {
      this.#workloads.dropIfEmpty(workload);
      return [];
    }
    workload.changed = true;
    if (before) before.changed = true;
    if (!deleted && owner && before === workload) {
      this.#rows.put(row, facts);
      return [{ workload, table: this, key: row }];
    }
    const named = list ?? (before ? this.#rows.listOf(row) : this.#workloads.latestList());
    if (before) this.#rows.remove(row, before.pods);
    const news: News[] = [];
    if (deleted || !owner) {
      this.#shapes.release(facts.shape);
      news.push({ workload, table: this, gone: goneOf(facts, workload.owner, deleted ? 'deleted' : 'departed') });
    } else {
      const added = this.#rows.add(uid, workload.pods, named);
      this.#rows.put(added, facts);
      news.push({ workload, table: this, key: added });
    }
    if (before && before !== workload) {
      news.push({ workload: before, table: this, gone: goneOf(facts, workload.owner, deleted ? 'deleted' : 'moved') });
      this.#workloads.dropIfEmpty(before);
    }
    this.#workloads.dropIfEmpty(workload);
    return news;
  }

  #factsOf(pod: Pod, { kind }: OwnerName): PodFacts {
    return (this.#readers.size === 0 ? undefined : this.#readers.get(kind)?.(pod)) ?? podFactsOf(pod);
  }

  #forget(row: PodRow, workload: Workload): void {
    this.#rows.remove(row, workload.pods);
    workload.changed = true;
    this.#workloads.dropIfEmpty(workload);
  }

  #workloadAt(row: PodRow): Workload | undefined {
    return this.#workloads.at(this.#rows.membersOf(row));
  }

  isOf(kind: string): boolean {
    return !this.#without.has(kind);
  }

  has({ pods }: Workload): boolean {
    return pods.count > 0;
  }

  keysOf({ pods }: Workload): Iterable<PodRow> {
    return this.#rows.rowsOf(pods);
  }

  holds(workload: Workload, key: ChildKey): boolean {
    const row = typeof key === 'number' ? key : this.#rows.find(key);
    return row !== NO_ROW && this.#workloadAt(row) === workload;
  }

  /** The row may hold another pod by now. The removal of the earlier pod has a mark of its own. */
  observe(workload: Workload, key: ChildKey, floor: string): PodObservation | undefined {
    if (typeof key !== 'number' || this.#workloadAt(key) !== workload) return undefined;
    const pod = this.#rows.podOf(key);
    return { heardAt: newest(pod.version, floor), presence: 'there', child: expand(pod, workload.owner) };
  }

  isWhole(): boolean {
    return true;
  }

  *membersOf({ pods }: Workload): Generator<{ uid: string; resourceVersion: string }> {
    for (const row of this.#rows.rowsOf(pods)) yield { uid: this.#rows.uidOf(row), resourceVersion: this.#rows.versionOf(row) };
  }

  /**
   * Whether one of its pods has our finalizer. Such a pod cannot be removed without us, even after its owner.
   * @param besides a pod to skip
   */
  hasTracked({ pods }: Workload, besides?: ChildKey): boolean {
    for (const row of this.#rows.rowsOf(pods)) if (row !== besides && this.#rows.knownOf(row).shape.facts.tracked) return true;
    return false;
  }

  knows(metadata: ObjectMeta): boolean {
    const row = this.#rows.find(metadata.uid ?? '');
    if (row !== NO_ROW) return !isNewer(metadata.resourceVersion ?? '0', this.#rows.versionOf(row));
    return !this.#workloads.ownerOf(metadata) || !isNamed(metadata);
  }

  *until(version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const row of this.#rows.rows()) {
      const owner = this.#workloadAt(row)?.owner;
      if (!owner || (namespace !== undefined && owner.namespace !== namespace)) continue;
      const own = this.#rows.versionOf(row);
      if (isNewer(own, version)) continue;
      yield { uid: this.#rows.uidOf(row), namespace: owner.namespace, name: nameOf(this.#rows.knownOf(row), owner), version: own };
    }
  }
}

/**
 * Only the version of its own counts, unless it belongs to another workload: then the list shows it, too.
 * @param owner the facts are stored relative to this owner
 * @param state `departed`: it still exists, but no workload of ours owns it. `moved`: it belongs to another workload
 */
const goneOf = (facts: CompactPod, owner: OwnerName, state: 'deleted' | 'departed' | 'moved'): GoneChild => ({
  uid: facts.uid,
  observation: (floor) => ({
    heardAt: state === 'moved' ? newest(facts.version, floor) : facts.version,
    presence: state === 'deleted' ? 'deleted' : 'there',
    child: expand(facts, owner),
  }),
});

/** Safe: only the watch of the pods calls it. */
const podOf = (object: KubernetesObject): Pod => object as Pod;
