// Metadata that the server alone sets, and changes that count as changes of the specification.
import { isSame } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';

/** Puts the fields that the server alone sets back into the body of an update. A uid that the body names stays, to be judged. */
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

/** Whether two versions differ in what counts as the object's specification: all but metadata, and the status if it is written apart. */
export function changesSpec({ subresources }: ResourceRow, next: ApiObject, previous: ApiObject): boolean {
  const hasStatus = subresources.some(({ name }) => name === 'status');
  const counts = (field: string): boolean => field !== 'metadata' && !(hasStatus && field === 'status');
  return [...new Set([...Object.keys(next), ...Object.keys(previous)])].some(
    (field) => counts(field) && !isSame(next[field], previous[field]),
  );
}
