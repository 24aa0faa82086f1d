// Dependents of objects that go: deleted with them, before them, or set free. Follows committed changes.
import type { OwnerReference } from '../../objects/kubernetes.ts';
import { ApiError } from '../objects/api-error.ts';
import { isSame } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { deleteObject } from '../verbs/deletion.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { storageName } from '../rows/resources.ts';
import { keyOf } from '../storage/version.ts';
import type { Change, Version } from '../storage/version.ts';
import { updateObject } from '../verbs/writing.ts';
import type { Cluster } from '../verbs/writing.ts';

interface Place {
  resource: string;
  key: string;
}

const manager = 'garbage-collector';
/** In one turn of the event loop: a start finds all that is stored. */
const LOOKS_IN_A_TURN = 250;

export class GarbageCollector {
  readonly #cluster: Cluster;
  /** Owner's uid → the places of what names it as an owner. */
  readonly #dependents = new Map<string, Map<string, Place>>();
  /** Place → uids of its owners, to forget them when it changes. */
  readonly #owners = new Map<string, string[]>();
  /** Uids of owners that are gone, for as long as something names them: their kind may be gone with them. */
  readonly #gone = new Set<string>();
  readonly #queue = new Map<string, Place>();
  #isScheduled = false;
  #isStopped = false;
  readonly #leave: () => void;
  readonly #leaveResources: () => void;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    const { storage, resources } = cluster;
    const stored = resources.stored();
    for (const row of stored) this.#learnAll(row);
    for (const place of this.#owners.keys()) this.#enqueue(placeOf(place));
    for (const row of stored) this.#enqueueDeleted(row);
    this.#leave = storage.onCommit((changes) => changes.forEach((change) => this.#see(change)));
    this.#leaveResources = resources.onChange((change) => {
      if ('removed' in change) return; // deletions of its objects are seen as any others
      this.#learnAll(change.added);
      // Objects that name an owner of this kind have waited for the kind; objects of this kind may have lost their owner.
      for (const place of this.#owners.keys()) this.#enqueue(placeOf(place));
      this.#enqueueDeleted(change.added);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
    this.#leaveResources();
  }

  #learnAll(row: ResourceRow): void {
    if (row.dependents === 'ignored') return;
    const resource = storageName(row);
    for (const version of this.#cluster.storage.list(resource)) this.#learn({ resource, key: version.key }, version.glance());
  }

  #enqueueDeleted(row: ResourceRow): void {
    const resource = storageName(row);
    for (const version of this.#cluster.storage.list(resource))
      if (version.glance().metadata.deletionTimestamp !== undefined) this.#enqueue({ resource, key: version.key });
  }

  #see({ type, resource, current, previous }: Change): void {
    if (this.#cluster.resources.storedAs(resource)?.dependents === 'ignored') return;
    const place = { resource, key: current.key };
    const { uid, deletionTimestamp, ownerReferences } = current.object.metadata;
    if (type === 'DELETED') {
      this.#forget(place);
      if (uid !== undefined && this.#dependents.has(uid)) this.#gone.add(uid);
      for (const dependent of this.#dependentsOf(uid)) this.#enqueue(dependent);
      // An owner that waits for its dependents may wait for this one.
      for (const reference of ownerReferences ?? []) this.#enqueueOwner(reference, current.object.metadata.namespace);
      return;
    }
    const before = previous?.object.metadata.ownerReferences;
    if (!isSame(ownerReferences, before)) {
      this.#learn(place, current.object);
      if (ownerReferences) this.#enqueue(place);
      for (const reference of before ?? []) this.#enqueueOwner(reference, current.object.metadata.namespace);
    }
    if (deletionTimestamp !== undefined) this.#enqueue(place);
  }

  #learn(place: Place, { metadata }: ApiObject): void {
    this.#forget(place);
    const uids = (metadata.ownerReferences ?? []).map(({ uid }) => uid);
    if (uids.length === 0) return;
    const id = idOf(place);
    this.#owners.set(id, uids);
    for (const uid of uids) {
      const known = this.#dependents.get(uid) ?? new Map<string, Place>();
      this.#dependents.set(uid, known.set(id, place));
    }
  }

  #forget(place: Place): void {
    const id = idOf(place);
    for (const uid of this.#owners.get(id) ?? []) {
      const known = this.#dependents.get(uid);
      known?.delete(id);
      if (known?.size !== 0) continue;
      this.#dependents.delete(uid);
      this.#gone.delete(uid);
    }
    this.#owners.delete(id);
  }

  #dependentsOf(uid: string | undefined): Place[] {
    return uid === undefined ? [] : [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  #enqueueOwner({ apiVersion, kind, name }: OwnerReference, namespace: string | undefined): void {
    const row = this.#cluster.resources.ofKind(apiVersion, kind);
    if (row) this.#enqueue({ resource: storageName(row), key: keyOf(row.namespaced ? namespace : undefined, name) });
  }

  #enqueue(place: Place): void {
    this.#queue.set(idOf(place), place);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.size === 0) return;
    this.#isScheduled = true;
    this.#cluster.surroundings.defer(() => this.#work());
  }

  #work(): void {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    for (const [id, place] of [...this.#queue].slice(0, LOOKS_IN_A_TURN)) {
      this.#queue.delete(id);
      const row = this.#cluster.resources.storedAs(place.resource);
      const version = this.#cluster.storage.get(place.resource, place.key);
      if (!row || !version) continue;
      try {
        this.#look(row, version);
      } catch (error) {
        // A refusal (a conflict, say) is answered by the change that caused it; anything else is a mistake of this program.
        if (!(error instanceof ApiError)) throw error;
      }
    }
    this.#schedule();
  }

  /** One object: as an owner on its way out, then as a dependent. */
  #look(row: ResourceRow, version: Version): void {
    const { metadata } = version.glance();
    if (metadata.deletionTimestamp !== undefined) {
      if (metadata.finalizers?.includes('orphan')) return this.#orphan(row, version);
      if (metadata.finalizers?.includes('foregroundDeletion')) this.#deleteDependentsFirst(row, version);
      return;
    }
    const references = metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const states = references.map((reference) => this.#stateOf(reference, metadata.namespace));
    if (states.includes('solid')) {
      const left = references.filter((_, index) => states[index] !== 'absent' && states[index] !== 'waiting');
      if (left.length < references.length) this.#change(row, version, { ownerReferences: left });
      return;
    }
    const waits = states.includes('waiting') && this.#dependentsOf(metadata.uid).length > 0;
    const own = metadata.finalizers?.includes('orphan')
      ? 'Orphan'
      : metadata.finalizers?.includes('foregroundDeletion')
        ? 'Foreground'
        : undefined;
    const policy = own ?? (waits ? 'Foreground' : 'Background');
    deleteObject(this.#cluster, row, version, { policy, dryRun: [], ...(metadata.uid !== undefined && { uid: metadata.uid }) });
  }

  /** solid: there and staying (or of a kind nobody knows here); waiting: there until its dependents are gone; absent: gone. */
  #stateOf({ apiVersion, kind, name, uid }: OwnerReference, namespace: string | undefined): 'solid' | 'waiting' | 'absent' {
    const row = this.#cluster.resources.ofKind(apiVersion, kind);
    if (!row) return this.#gone.has(uid) ? 'absent' : 'solid';
    const owner = this.#cluster.storage.get(storageName(row), keyOf(row.namespaced ? namespace : undefined, name))?.object.metadata;
    if (!owner || owner.uid !== uid) return 'absent';
    return owner.deletionTimestamp !== undefined && owner.finalizers?.includes('foregroundDeletion') ? 'waiting' : 'solid';
  }

  #orphan(row: ResourceRow, version: Version): void {
    const { uid, finalizers = [] } = version.object.metadata;
    for (const { resource, key } of this.#dependentsOf(uid)) {
      const dependentRow = this.#cluster.resources.storedAs(resource);
      const dependent = this.#cluster.storage.get(resource, key);
      if (!dependentRow || !dependent) continue;
      const left = (dependent.object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid);
      this.#change(dependentRow, dependent, { ownerReferences: left });
    }
    this.#change(row, version, { finalizers: finalizers.filter((finalizer) => finalizer !== 'orphan') });
  }

  #deleteDependentsFirst(row: ResourceRow, version: Version): void {
    const { uid, finalizers = [] } = version.object.metadata;
    let blocking = 0;
    for (const { resource, key } of this.#dependentsOf(uid)) {
      const dependent = this.#cluster.storage.get(resource, key);
      const reference = dependent?.object.metadata.ownerReferences?.find((each) => each.uid === uid);
      if (!dependent || !reference) continue;
      if (reference.blockOwnerDeletion === true) blocking += 1;
      if (dependent.object.metadata.deletionTimestamp === undefined) this.#enqueue({ resource, key });
    }
    if (blocking === 0) this.#change(row, version, { finalizers: finalizers.filter((finalizer) => finalizer !== 'foregroundDeletion') });
  }

  #change(row: ResourceRow, version: Version, change: Pick<ApiObject['metadata'], 'finalizers' | 'ownerReferences'>): void {
    const metadata = { ...version.object.metadata, ...change };
    if (metadata.finalizers?.length === 0) delete metadata.finalizers;
    if (metadata.ownerReferences?.length === 0) delete metadata.ownerReferences;
    updateObject(this.#cluster, version, { ...version.object, metadata }, { manager, row, isDryRun: false, isReplacement: false });
  }
}

const idOf = ({ resource, key }: Place): string => `${resource} ${key}`;

const placeOf = (id: string): Place => ({ resource: id.slice(0, id.indexOf(' ')), key: id.slice(id.indexOf(' ') + 1) });
