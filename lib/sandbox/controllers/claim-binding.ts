// Meets every claim of storage as soon as it is there: the pods of a sandbox write nothing that a volume would have to keep.
import { fieldsAt } from '../objects/api-object.ts';
import { storageName } from '../rows/resources.ts';
import { volumeClaims } from '../rows/volume-claims.ts';
import type { Version } from '../storage/version.ts';
import type { Cluster } from '../verbs/writing.ts';

/** Follows committed changes. @returns the way to stop it */
export function bindClaims({ storage, surroundings }: Cluster): () => void {
  const claims = storageName(volumeClaims);
  let isStopped = false;
  const bind = ({ key }: Version): void => {
    const current = storage.get(claims, key);
    if (isStopped || current === undefined || current.object.status?.['phase'] === 'Bound') return;
    const { object } = current;
    const spec = { volumeName: `pvc-${object.metadata.uid}`, ...object.spec };
    const status = {
      phase: 'Bound',
      accessModes: object.spec?.['accessModes'],
      capacity: fieldsAt(fieldsAt(object.spec, 'resources'), 'requests'),
    };
    storage.put(claims, key, { ...object, spec, status: { ...object.status, ...status } });
  };
  for (const version of storage.list(claims)) bind(version);
  const leave = storage.onCommit((changes) => {
    for (const { resource, type, current } of changes)
      if (resource === claims && type !== 'DELETED') surroundings.defer(() => bind(current));
  });
  return () => {
    isStopped = true;
    leave();
  };
}
