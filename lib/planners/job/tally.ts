// What the Job's pods are: active, ready, terminating, newly finished; and how many have succeeded and failed in all.
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { isReady, type PodFacts } from '../../objects/pod-facts.ts';
import { judgeFailure } from './failure-policy.ts';
import { usableIndexOf } from './indexes.ts';
import type { Terms } from './terms.ts';

export interface Tally {
  terms: Terms;
  /** All of the Job's pods, in the order given. */
  pods: readonly PodFacts[];
  active: PodFacts[];
  /** Pods with the finalizer that ended or are being deleted: of a running Job, only these can change anything. */
  leaving: PodFacts[];
  ready: number;
  terminating: PodFacts[];
  /** Carries the finalizer, and nobody has asked to take it off yet. */
  isTracked(pod: PodFacts): boolean;
  uncounted: { succeeded: ReadonlySet<string>; failed: ReadonlySet<string> };
  /** Tracked pods that finished and are in no list of the status yet. */
  newSucceeded: PodFacts[];
  newFailed: PodFacts[];
  /** With the lists of the status and the new ones; failures that the policy ignores left out. */
  succeeded: number;
  failed: number;
}

/** Whether the pod counts as failed: its phase says so or, where terminating pods are replaced, it is being deleted. */
export const isFailed = ({ phase, deletedAt }: PodFacts, { replacesOnlyFailed }: Terms): boolean =>
  phase === 'Failed' || (!replacesOnlyFailed && deletedAt !== undefined && phase !== 'Succeeded');

const NONE: ReadonlySet<string> = new Set();
const setOf = (uids: readonly string[] | undefined): ReadonlySet<string> => (uids?.length ? new Set(uids) : NONE);

/** @param stripping uids whose finalizer was asked to come off */
export function tallyOf(job: Job, terms: Terms, { pods, stripping }: { pods: readonly PodFacts[]; stripping: readonly string[] }): Tally {
  const status: JobStatus = job.status ?? {};
  const uncounted = {
    succeeded: setOf(status.uncountedTerminatedPods?.succeeded),
    failed: setOf(status.uncountedTerminatedPods?.failed),
  };
  const asked = setOf(stripping);
  const isTracked = (pod: PodFacts): boolean => pod.tracked && (asked.size === 0 || !asked.has(pod.uid));
  const rules = job.spec.podFailurePolicy?.rules;
  const tally: Tally = {
    terms,
    pods,
    active: [],
    leaving: [],
    ready: 0,
    terminating: [],
    isTracked,
    uncounted,
    newSucceeded: [],
    newFailed: [],
    succeeded: (status.succeeded ?? 0) + uncounted.succeeded.size,
    failed: (status.failed ?? 0) + uncounted.failed.size,
  };
  for (const pod of pods) {
    const ended = pod.phase === 'Succeeded' || pod.phase === 'Failed';
    if (!ended && pod.deletedAt === undefined) {
      tally.active.push(pod);
      if (isReady(pod)) tally.ready += 1;
      continue;
    }
    if (!ended) tally.terminating.push(pod);
    if (pod.tracked) tally.leaving.push(pod);
    if (!isTracked(pod) || uncounted.succeeded.has(pod.uid)) continue;
    if (terms.indexed && usableIndexOf(pod, terms.completions ?? 0) === undefined) continue;
    if (pod.phase === 'Succeeded') {
      tally.newSucceeded.push(pod);
      tally.succeeded += 1;
    } else if (isFailed(pod, terms) && !uncounted.failed.has(pod.uid)) {
      tally.newFailed.push(pod);
      if (judgeFailure(rules, pod).counted) tally.failed += 1;
    }
  }
  return tally;
}
