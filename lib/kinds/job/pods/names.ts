// Names of a Job's pods. child-names.ts computes their last five characters.
import { childNameOf } from '../../../objects/child-names.ts';
import type { Job } from '../../../objects/kubernetes.ts';

export { namePrefixOf } from '../../../objects/child-names.ts';

/**
 * The name of a Job's pod.
 * @param slot the completion index of an Indexed Job; otherwise of no account: all pods are one series
 * @param number which child of the slot it is, from 0; after 14,348,907 the names come again
 */
export function podNameOf(job: Job, slot: number, number: number): string {
  const { name = '', uid = '' } = job.metadata;
  return childNameOf({ name, uid }, { index: job.spec.completionMode === 'Indexed' ? slot : undefined, number });
}
