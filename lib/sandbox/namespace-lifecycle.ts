// Namespaces: those that always exist, and how one ends: marked, emptied, then gone.
import { forbidden } from './api-error.ts';
import { timeText } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { DeleteOptions } from './body.ts';
import { checkPreconditions, deleteObject } from './deletion.ts';
import { namespaces } from './rows/namespaces.ts';
import { rowsStored, storageName } from './resources.ts';
import { uuidFrom } from './surroundings.ts';
import { keyOf } from './version.ts';
import type { Version } from './version.ts';
import type { Cluster } from './writing.ts';

const builtIn = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
/** These stay for good: their deletion is refused. */
const permanent = ['default', 'kube-system', 'kube-public'];

const inNamespace = rowsStored().filter(({ namespaced }) => namespaced);

/** Makes the namespaces that every cluster has. In a state folder they keep their uids. */
export function ensureBuiltInNamespaces({ storage, surroundings }: Cluster): void {
  for (const name of builtIn) {
    const key = keyOf(undefined, name);
    if (storage.get('namespaces', key)) continue;
    const metadata = { name, uid: uuidFrom(surroundings.random), creationTimestamp: timeText(surroundings.now()) };
    storage.put('namespaces', key, namespaces.rules.create({ metadata }));
  }
}

/** Marks a namespace as ending; what is in it goes next. @throws ApiError 403 for those that every cluster has */
export function terminateNamespace(
  { storage, surroundings }: Cluster,
  version: Version,
  options: DeleteOptions,
  isDryRun: boolean,
): Version {
  const { object, key } = version;
  checkPreconditions(namespaces, object, options);
  const name = object.metadata.name ?? '';
  if (permanent.includes(name)) throw forbidden({ group: '', kind: 'namespaces', name }, 'this namespace may not be deleted');
  if (object.metadata.deletionTimestamp !== undefined || isDryRun) return version;
  const marked: ApiObject = {
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: timeText(surroundings.now()) },
    status: { ...object.status, phase: 'Terminating' },
  };
  return storage.put('namespaces', key, marked);
}

/** Empties namespaces that are ending, and removes those that are empty. Follows committed changes. */
export class NamespaceCollector {
  readonly #cluster: Cluster;
  #isScheduled = false;
  readonly #ending = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    for (const { object } of cluster.storage.list('namespaces'))
      if (object.metadata.deletionTimestamp !== undefined) this.#ending.add(object.metadata.name ?? '');
    cluster.storage.onCommit((changes) => {
      for (const { resource, type, current } of changes) {
        const { name = '', namespace = '', deletionTimestamp } = current.object.metadata;
        if (resource === 'namespaces' && type !== 'DELETED' && deletionTimestamp !== undefined) this.#ending.add(name);
        if (this.#ending.has(resource === 'namespaces' ? name : namespace)) this.#schedule();
      }
    });
    if (this.#ending.size > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#cluster.surroundings.defer(() => {
      this.#isScheduled = false;
      for (const name of this.#ending) this.#empty(name);
    });
  }

  #empty(name: string): void {
    const { storage } = this.#cluster;
    const key = keyOf(undefined, name);
    const found = storage.get('namespaces', key);
    if (!found) {
      this.#ending.delete(name);
      return;
    }
    let left = 0;
    for (const row of inNamespace) {
      for (const version of storage.list(storageName(row), name)) {
        if (version.object.metadata.deletionTimestamp === undefined)
          deleteObject(this.#cluster, row, version, { policy: 'Background', dryRun: [] });
        if (storage.get(storageName(row), version.key)) left += 1;
      }
    }
    if (left > 0 || (found.object.metadata.finalizers ?? []).length > 0) return;
    this.#ending.delete(name);
    storage.remove('namespaces', key);
  }
}
