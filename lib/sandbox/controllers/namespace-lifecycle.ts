// Namespaces: those that always exist, and how one ends: marked, emptied, then gone.
import { forbidden } from '../objects/api-error.ts';
import { timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { DeleteOptions } from '../http/body.ts';
import { checkPreconditions, deleteObject } from '../verbs/deletion.ts';
import { namespaces } from '../rows/namespaces.ts';
import { storageName } from '../rows/resources.ts';
import { uuidFrom } from '../objects/surroundings.ts';
import { keyOf } from '../storage/version.ts';
import type { Version } from '../storage/version.ts';
import { subjectOf } from '../verbs/writing.ts';
import type { Cluster } from '../verbs/writing.ts';

const builtIn = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
/** These stay for good: their deletion is refused. */
const permanent = ['default', 'kube-system', 'kube-public'];

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
  const subject = subjectOf(namespaces, object.metadata.name ?? '');
  checkPreconditions(subject, object, options);
  if (permanent.includes(subject.name)) throw forbidden(subject, 'this namespace may not be deleted');
  if (object.metadata.deletionTimestamp !== undefined || isDryRun) return version;
  const marked: ApiObject = {
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: timeText(surroundings.now()) },
    status: { ...object.status, phase: 'Terminating' },
  };
  return storage.put('namespaces', key, marked);
}

/** Empties namespaces that are ending, and removes those that are empty; follows committed changes. @returns the way to stop it */
export function endNamespaces(cluster: Cluster): () => void {
  const { storage, surroundings } = cluster;
  const ending = new Set<string>();
  let isScheduled = false;
  let isStopped = false;
  const schedule = (): void => {
    if (isScheduled || isStopped) return;
    isScheduled = true;
    surroundings.defer(() => {
      isScheduled = false;
      if (isStopped) return;
      for (const name of ending) if (isEnded(cluster, name)) ending.delete(name);
    });
  };
  for (const { object } of storage.list('namespaces'))
    if (object.metadata.deletionTimestamp !== undefined) ending.add(object.metadata.name ?? '');
  const leave = storage.onCommit((changes) => {
    for (const { resource, type, current } of changes) {
      const { name = '', namespace = '', deletionTimestamp } = current.object.metadata;
      if (resource === 'namespaces' && type !== 'DELETED' && deletionTimestamp !== undefined) ending.add(name);
      if (ending.has(resource === 'namespaces' ? name : namespace)) schedule();
    }
  });
  if (ending.size > 0) schedule();
  return () => {
    isStopped = true;
    leave();
  };
}

/** Deletes what is in a namespace, and the namespace once nothing is. */
function isEnded(cluster: Cluster, name: string): boolean {
  const { storage, resources } = cluster;
  const key = keyOf(undefined, name);
  const found = storage.get('namespaces', key);
  if (!found) return true;
  let left = 0;
  for (const row of resources.stored()) {
    if (!row.namespaced) continue;
    for (const version of storage.list(storageName(row), name)) {
      if (version.object.metadata.deletionTimestamp === undefined)
        deleteObject(cluster, row, version, { policy: 'Background', dryRun: [] });
      if (storage.get(storageName(row), version.key)) left += 1;
    }
  }
  if (left > 0 || (found.object.metadata.finalizers ?? []).length > 0) return false;
  storage.remove('namespaces', key);
  return true;
}
