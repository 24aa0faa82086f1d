// Which pods a node must run, and which of them may take the place of which others.
import type { Pod } from '../../../objects/kubernetes.ts';
import { CONFIG_MIRROR, CONFIG_SOURCE } from '../../../objects/pods/config-annotations.ts';
import { numberOf } from '../../../objects/values/untyped-fields.ts';

/** A pod of this priority or a higher one is critical. */
export const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

const API_SOURCE = 'api';
const NODE_CRITICAL_CLASS = 'system-node-critical';

const annotationOf = ({ metadata: { annotations = {} } }: Pod, name: string): string | undefined =>
  Object.hasOwn(annotations, name) ? annotations[name] : undefined;

/** Undefined: not set, which is not the same as zero. */
export const priorityOf = ({ spec }: Pod): number | undefined => numberOf(spec['priority']);

/** Comes from the node itself, not from the API server. */
export function isStatic(pod: Pod): boolean {
  const source = annotationOf(pod, CONFIG_SOURCE);
  return source !== undefined && source !== API_SOURCE;
}

/** Stands in the API server for a static pod. */
export const isMirror = (pod: Pod): boolean => annotationOf(pod, CONFIG_MIRROR) !== undefined;

export const isCritical = (pod: Pod): boolean => isStatic(pod) || isMirror(pod) || (priorityOf(pod) ?? 0) >= SYSTEM_CRITICAL_PRIORITY;

export const isNodeCritical = (pod: Pod): boolean => isCritical(pod) && pod.spec['priorityClassName'] === NODE_CRITICAL_CLASS;

/** Whether a pod may be evicted for another one. Where a priority is not set, none is higher or lower. */
export function isPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isCritical(preemptor) && !isCritical(pod)) return true;
  const [higher, lower] = [priorityOf(preemptor), priorityOf(pod)];
  return higher !== undefined && lower !== undefined && higher > lower;
}
