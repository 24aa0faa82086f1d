// Why a pod does not fit on its node, one failure for each check that did not hold, and why it is not taken.
import type { InsufficientResource } from '../../../objects/pods/resource-shortage.ts';

/** A check of something other than room. */
export interface FailedPredicate {
  predicate: string;
  message: string;
}

export type AdmissionFailure = InsufficientResource | FailedPredicate;

export const isInsufficient = (failure: AdmissionFailure): failure is InsufficientResource => 'resource' in failure;

/** More than nothing. More than was requested where more than the capacity is used. */
export const missingOf = ({ requested, used, capacity }: InsufficientResource): bigint => requested - (capacity - used);

/** Why a pod is not taken, in upstream's words. */
export interface Refusal {
  reason: string;
  message: string;
}
