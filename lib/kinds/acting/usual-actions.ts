// The usual ways in which people act on a workload, for kinds that say nothing of their own.
import type { ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { defineActions, type KindActions } from './kind-actions.ts';

/** Annotations that say what became of that very object, or who wrote it. */
const OF_ONE_OBJECT = /^(farloop\.dev\/|kubectl\.kubernetes\.io\/last-applied-configuration$|batch\.kubernetes\.io\/)/;

/** Labels and annotations of a new object that does the same. It has no owner: the controller that made the first one did not make this one. */
export function copiedMetadata({ namespace, labels = {}, annotations = {} }: ObjectMeta, dropped: readonly string[] = []): ObjectMeta {
  const keptLabels = Object.entries(labels).filter(([key]) => !dropped.includes(key));
  const keptAnnotations = Object.entries(annotations).filter(([key]) => !OF_ONE_OBJECT.test(key));
  return {
    ...(namespace !== undefined && { namespace }),
    ...(keptLabels.length > 0 && { labels: Object.fromEntries(keptLabels) }),
    ...(keptAnnotations.length > 0 && { annotations: Object.fromEntries(keptAnnotations) }),
  };
}

export const usualCopyOf = ({ apiVersion, kind, metadata, spec }: WorkloadObject): WorkloadObject => ({
  ...(apiVersion !== undefined && { apiVersion }),
  ...(kind !== undefined && { kind }),
  metadata: copiedMetadata(metadata),
  spec: structuredClone(spec ?? {}),
});

export const USUAL_ACTIONS: KindActions = defineActions<WorkloadObject>({ copyOf: usualCopyOf });

/** A number of a status; 0 for whatever else stands there. */
export const countIn = (fields: unknown, name: string): number => {
  const value = fieldsOf(fields)[name];
  return typeof value === 'number' && value > 0 ? value : 0;
};
