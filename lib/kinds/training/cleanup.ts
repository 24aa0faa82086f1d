// Which pods and services go once a job is finished or suspended.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';

/** Why the objects go. Only a finished job has a choice. */
export type CleanUpCause = { is: 'finished'; cleanPodPolicy: string } | { is: 'suspended' } | { is: 'limit' };

/** Whether the pod stays. */
export function keepsPod(cause: CleanUpCause, { phase }: Pick<PodFacts, 'phase'>): boolean {
  if (cause.is !== 'finished') return false;
  if (cause.cleanPodPolicy === 'None') return true;
  return cause.cleanPodPolicy === 'Running' && phase !== 'Running' && phase !== 'Pending';
}

/** Whether the service stays: it does with its slot's pod. @param pod of the same name */
export function keepsService(cause: CleanUpCause, pod: Pick<PodFacts, 'phase'> | undefined): boolean {
  if (cause.is === 'finished' && cause.cleanPodPolicy === 'None') return true;
  return pod !== undefined && keepsPod(cause, pod);
}
