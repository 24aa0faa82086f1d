// `podReplacementPolicy`: whether a pod that terminates is replaced at once, and so failed, or holds its place until its phase is Failed.
import type { JobSpec } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';

/** A terminating pod is neither failed nor replaced before its phase is Failed. A pod failure policy always wants that. */
export const replacesOnlyFailed = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'Failed' || podFailurePolicy !== undefined;

/** Whether the pod counts as failed: its phase says so or, where terminating pods are replaced, it is being deleted. */
export const isFailed = ({ phase, deletedAt }: PodFacts, terms: { replacesOnlyFailed: boolean }): boolean =>
  phase === 'Failed' || (!terms.replacesOnlyFailed && deletedAt !== undefined && phase !== 'Succeeded');

/** How many terminating pods hold the places of others. */
export const heldPlaces = (terminating: number, terms: { replacesOnlyFailed: boolean }): number =>
  terms.replacesOnlyFailed ? terminating : 0;
