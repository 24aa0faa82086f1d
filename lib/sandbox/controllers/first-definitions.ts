// Definitions that a new cluster has from its first moment on.
import { timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { ManagedFieldsEntry } from '../../objects/kubernetes.ts';
import { apiVersionOf, storageName } from '../rows/resources.ts';
import { customResourceDefinitions } from '../definitions/definition-row.ts';
import { keyOf } from '../storage/version.ts';
import { uuidFrom } from '../objects/surroundings.ts';
import type { Cluster } from '../verbs/writing.ts';
import { namingOf, takenBy } from '../definitions/accepted-names.ts';
import { storedVersionsOf } from '../definitions/canonical-definition.ts';
import { withConditions } from '../definitions/conditions.ts';

/** A definition as its manifest says it. */
export interface FirstDefinition {
  metadata: { name: string };
  spec: object;
}

/**
 * Stores them as they are, named and established, so that a start costs no checks of what was checked before.
 * Nobody owns their specs: applying others over them meets no conflict.
 * @param definitions valid, free of conflicts of names, and canonical but for their conversion
 */
export function storeFirstDefinitions({ storage, surroundings }: Cluster, definitions: readonly FirstDefinition[]): void {
  const resource = storageName(customResourceDefinitions);
  const time = timeText(surroundings.now());
  const managedFields = [statusWrittenAt(time)];
  for (const { metadata, spec } of definitions) {
    const made: ApiObject = {
      metadata: { name: metadata.name, generation: 1, uid: uuidFrom(surroundings.random), creationTimestamp: time, managedFields },
      spec: { conversion: { strategy: 'None' }, ...spec },
      status: {},
    };
    const { acceptedNames, conditions } = namingOf(made, takenBy([]));
    const status = { conditions: withConditions(made, conditions, time), acceptedNames, storedVersions: storedVersionsOf(made) };
    storage.put(resource, keyOf(undefined, metadata.name), { ...made, status });
  }
}

/** Without any entry, the first apply would find everything owned. @param time RFC 3339 */
const statusWrittenAt = (time: string): ManagedFieldsEntry => ({
  manager: 'kube-apiserver',
  operation: 'Update',
  apiVersion: apiVersionOf(customResourceDefinitions),
  subresource: 'status',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:status': { 'f:acceptedNames': {}, 'f:conditions': {} } },
});
