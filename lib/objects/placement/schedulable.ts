// Pods that the default scheduler places.
import type { Pod } from '../kubernetes.ts';
import { fieldsOf, listOf, textOf } from '../values/untyped-fields.ts';

export const hasEnded = ({ status }: Pick<Pod, 'status'>): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Meant for the default scheduler, and not gated. */
export function isForScheduler(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp !== undefined || hasEnded(pod)) return false;
  const { schedulerName = 'default-scheduler', schedulingGates } = pod.spec;
  return schedulerName === 'default-scheduler' && !(Array.isArray(schedulingGates) && schedulingGates.length > 0);
}

/** Names of the claims that must be there before it is placed. */
export const claimsOf = ({ spec }: Pod): string[] =>
  listOf(spec['volumes']).flatMap((volume) => textOf(fieldsOf(volume['persistentVolumeClaim'])['claimName']) || []);
