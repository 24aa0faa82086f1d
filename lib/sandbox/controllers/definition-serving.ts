// From definitions to rows: each definition that is committed is named, served from the next request on, and at its end emptied first.
import { cleanupFinalizer, customResourceDefinitions } from '../definitions/definition-row.ts';
import { fieldsAt, hasCondition, isSame, textAt, timeText } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { ApiError } from '../objects/api-error.ts';
import { storageName } from '../rows/resources.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { Version } from '../storage/version.ts';
import { deleteObject } from '../verbs/deletion.ts';
import { updateObject } from '../verbs/writing.ts';
import type { Cluster } from '../verbs/writing.ts';
import { namingOf, takenBy } from '../definitions/accepted-names.ts';
import type { TakenNames } from '../definitions/accepted-names.ts';
import { withConditions } from '../definitions/conditions.ts';
import type { Condition } from '../definitions/conditions.ts';
import { definitionIn, namesIn } from '../definitions/definition.ts';
import { rowsOf, storageRowOf } from '../definitions/rows.ts';

const resource = storageName(customResourceDefinitions);
/** As a real server writes it down. */
const manager = 'kube-apiserver';

/** A definition that is served, and what its rows were made of. */
interface Served {
  uid: string;
  spec: Fields;
  acceptedNames: Fields;
  rows: readonly ResourceRow[];
  /** Where its objects are; undefined for what was never established. */
  storageRow: ResourceRow | undefined;
}

/**
 * Serves the definitions that are stored, and follows them.
 * To be called before anything asks which resources there are. @returns the way to stop it
 */
export function serveDefinitions(cluster: Cluster): () => void {
  const serving = new Serving(cluster);
  return cluster.storage.onCommit((changes) => {
    const committed = new Map<string, Version | undefined>();
    for (const { resource: changed, current, type } of changes) {
      if (changed === resource) committed.set(current.key, type === 'DELETED' ? undefined : current);
      else if (type === 'DELETED') for (const [key, version] of serving.emptied(changed)) committed.set(key, committed.get(key) ?? version);
    }
    for (const [key, version] of committed) serving.look(key, version);
  });
}

class Serving {
  readonly #cluster: Cluster;
  readonly #served = new Map<string, Served>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    for (const version of cluster.storage.list(resource)) this.look(version.key, version);
  }

  /** Definitions on their way out that have waited for an object of this resource. */
  emptied(name: string): [string, Version][] {
    return [...this.#served].flatMap(([key, { storageRow }]): [string, Version][] => {
      const version = this.#cluster.storage.get(resource, key);
      const isWaiting = storageRow && storageName(storageRow) === name && version?.object.metadata.deletionTimestamp !== undefined;
      return isWaiting ? [[key, version]] : [];
    });
  }

  /** Brings what is served, and the definition's status, up to what is stored. @param version undefined for one that is gone */
  look(key: string, version: Version | undefined): void {
    if (!version) return this.#withdraw(key);
    const { object } = version;
    const { acceptedNames, conditions } = namingOf(object, this.#takenFor(object));
    const named: ApiObject = { ...object, status: { ...object.status, acceptedNames, conditions: this.#conditions(object, conditions) } };
    this.#serve(key, named);
    // A newer state is looked at once it is committed, too.
    if (this.#cluster.storage.get(resource, key) !== version) return;
    const current = isSame(named.status, object.status) ? version : this.#write(version, named);
    if (object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(cleanupFinalizer))
      this.#empty(key, current);
  }

  #isTerminating(key: string): boolean {
    return this.#cluster.storage.get(resource, key)?.object.metadata.deletionTimestamp !== undefined;
  }

  #conditions(object: ApiObject, set: readonly Condition[]): Fields[] {
    return withConditions(object, set, timeText(this.#cluster.surroundings.now()));
  }

  /** The version after a write of the status; the one before where an admission policy refuses that. */
  #write(version: Version, { metadata, status }: ApiObject): Version {
    const context = { manager, row: customResourceDefinitions, isDryRun: false, subresource: 'status' as const, isReplacement: false };
    const next = { ...version.object, metadata: { ...metadata }, ...(status && { status }) };
    try {
      return updateObject(this.#cluster, version, next, context);
    } catch (error) {
      if (error instanceof ApiError) return version;
      throw error;
    }
  }

  #withdraw(key: string): void {
    const served = this.#served.get(key);
    if (!served) return;
    this.#served.delete(key);
    this.#cluster.resources.replace(served.rows, []);
    // Its names are free now.
    const group = textAt(served.spec, 'group');
    for (const version of this.#cluster.storage.list(resource)) {
      const { key: other, object } = version;
      if (textAt(object.spec, 'group') === group && !hasCondition(object, 'NamesAccepted')) this.look(other, version);
    }
  }

  /** All names of a group but those of one definition. */
  #takenFor({ metadata, spec }: ApiObject): TakenNames {
    const group = textAt(spec, 'group');
    const others = this.#cluster.storage.list(resource).flatMap(({ object }) => {
      if (object.metadata.uid === metadata.uid || textAt(object.spec, 'group') !== group) return [];
      return [namesIn(fieldsAt(object.status, 'acceptedNames'))];
    });
    const rows = this.#cluster.resources.rows.filter((row) => row.group === group && !row.defined);
    return takenBy([...others, ...rows.map((row) => ({ ...row, listKind: `${row.kind}List` }))]);
  }

  #serve(key: string, object: ApiObject): void {
    const { metadata, spec = {}, status } = object;
    const acceptedNames = fieldsAt(status, 'acceptedNames');
    const uid = metadata.uid ?? '';
    const before = this.#served.get(key);
    if (before?.uid === uid && before.storageRow !== undefined && isSame(before.acceptedNames, acceptedNames) && isSame(before.spec, spec))
      return;
    const isEstablished = hasCondition(object, 'Established');
    const definition = definitionIn(object, namesIn(acceptedNames), () => this.#isTerminating(key));
    const rows = isEstablished ? rowsOf(definition) : [];
    this.#cluster.resources.replace(before?.rows ?? [], rows);
    this.#served.set(key, {
      uid,
      spec,
      acceptedNames,
      rows,
      storageRow: isEstablished ? storageRowOf(definition, rows) : undefined,
    });
  }

  /** Deletes the objects of a definition, and once none is left lets the definition go. */
  #empty(key: string, version: Version): void {
    const { storage } = this.#cluster;
    const row = this.#served.get(key)?.storageRow;
    if (!row) return this.#release(version, { reason: 'NeverEstablished', message: 'resource was never established' });
    const left = storage.list(storageName(row));
    // Watches report their deletions before the definition goes, and with it the watches.
    if (left.length === 0) {
      return this.#release(version, { reason: 'InstanceDeletionCompleted', message: 'removed all instances' });
    }
    for (const object of left) {
      if (object.object.metadata.deletionTimestamp === undefined) deleteObject(this.#cluster, row, object, { dryRun: [] });
    }
    const message = 'CustomResource deletion is in progress';
    const conditions = this.#conditions(version.object, [
      { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress', message },
    ]);
    this.#write(version, { ...version.object, status: { ...version.object.status, conditions } });
  }

  #release({ key, object }: Version, why: { reason: string; message: string }): void {
    const { storage } = this.#cluster;
    const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
    const { finalizers: _, ...metadata } = object.metadata;
    const conditions = this.#conditions(object, [{ type: 'Terminating', status: 'False', ...why }]);
    storage.put(resource, key, {
      ...object,
      metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) },
      status: { ...object.status, conditions },
    });
    if (finalizers.length === 0) storage.remove(resource, key);
  }
}
