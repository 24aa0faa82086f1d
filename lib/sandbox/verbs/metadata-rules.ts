// What the server alone sets in an object's metadata, and what counts as a change of its specification.
import { isSame } from '../api-object.ts';
import type { ApiObject } from '../api-object.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';

/** What the server alone sets, put back into the body of an update. A uid that the body names stays, to be judged. */
export function withServerMetadata<Item extends KubernetesObject>(next: Item, previous: KubernetesObject): Item {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, uid, managedFields, generateName } =
    previous.metadata;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, generation: ___, managedFields: ____, ...given } = next.metadata;
  return {
    ...next,
    metadata: {
      ...given,
      ...(generateName !== undefined && given.generateName === undefined && { generateName }),
      ...(uid !== undefined && given.uid === undefined && { uid }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(generation !== undefined && { generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
      ...(managedFields && { managedFields }),
    },
  };
}

/** Whether two versions differ in what counts as the object's specification. */
export const changesSpec = (next: ApiObject, previous: ApiObject): boolean => !isSame(next.spec, previous.spec);
