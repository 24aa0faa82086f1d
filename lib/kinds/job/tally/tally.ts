// Sorts the Job's pods: active, ready, terminating, newly finished. Counts how many have succeeded and failed in all.
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { IndexSet } from '../../../objects/values/index-text.ts';
import { isActive, isTerminating, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { podSetOf, type Fold, type Pods, type PodSet } from '../../rows/pod-set.ts';
import { judgeFailure } from '../terms/failure-policy.ts';
import { activeIndexesIn, headcountFold, type Headcount } from './headcount.ts';
import { usableIndexOf } from '../terms/indexes.ts';
import { isFailed } from '../terms/pod-replacement.ts';
import type { Terms } from '../terms/terms.ts';

export interface Tally {
  terms: Terms;
  /** All of the Job's pods. */
  pods: PodSet;
  counts: Headcount;
  /** Getters: the pods themselves are found only on demand. */
  readonly active: readonly PodFacts[];
  readonly terminating: readonly PodFacts[];
  readonly tracked: readonly PodFacts[];
  /** Of the active pods. Only for sets whose places are their pods' indexes. */
  readonly activeIndexes: IndexSet;
  /** Pods with the finalizer that ended or are being deleted: of a running Job, only these can change anything. */
  leaving: readonly PodFacts[];
  /** Has the finalizer, and no pass has asked to remove it yet. */
  isTracked: (pod: PodFacts) => boolean;
  uncounted: { succeeded: ReadonlySet<string>; failed: ReadonlySet<string> };
  /** Tracked pods that finished and are not in the status's lists yet. */
  newSucceeded: PodFacts[];
  newFailed: PodFacts[];
  /** Includes the status's lists and the new ones, without failures that the policy ignored. */
  succeeded: number;
  failed: number;
}

/**
 * A class: an object written with getters gets a hidden class of its own each time, which only a full collection takes away, and with
 * it all pods of that plan.
 */
class LookedFor implements Tally {
  readonly terms: Terms;
  readonly pods: PodSet;
  readonly counts: Headcount;
  readonly leaving: readonly PodFacts[];
  readonly isTracked: (pod: PodFacts) => boolean;
  readonly uncounted: Tally['uncounted'];
  readonly newSucceeded: PodFacts[] = [];
  readonly newFailed: PodFacts[] = [];
  succeeded: number;
  failed: number;
  readonly #fold: Fold<Headcount>;
  #active: PodFacts[] | undefined;
  #terminating: PodFacts[] | undefined;

  constructor(pods: PodSet, found: FoundAtOnce) {
    this.pods = pods;
    this.#fold = found.fold;
    this.terms = found.terms;
    this.counts = found.counts;
    this.leaving = found.leaving;
    this.isTracked = found.isTracked;
    this.uncounted = found.uncounted;
    this.succeeded = found.succeeded;
    this.failed = found.failed;
  }

  get active(): readonly PodFacts[] {
    return (this.#active ??= this.pods.select(this.#fold, (counts) => counts.active, isActive));
  }

  get activeIndexes(): IndexSet {
    return activeIndexesIn(this.pods, this.#fold);
  }

  get terminating(): readonly PodFacts[] {
    return (this.#terminating ??= this.pods.select(this.#fold, (counts) => counts.terminating, isTerminating));
  }

  get tracked(): readonly PodFacts[] {
    return this.pods.select(this.#fold, (counts) => counts.tracked, this.isTracked);
  }
}

interface FoundAtOnce extends Pick<Tally, 'terms' | 'counts' | 'leaving' | 'isTracked' | 'uncounted' | 'succeeded' | 'failed'> {
  fold: Fold<Headcount>;
}

const NONE: ReadonlySet<string> = new Set();
const setOf = (uids: readonly string[] | undefined): ReadonlySet<string> => (uids?.length ? new Set(uids) : NONE);

/** @param stripping uids of pods whose finalizer a pass has asked to remove */
export function tallyOf(job: Job, terms: Terms, { pods: given, stripping }: { pods: Pods; stripping: readonly string[] }): Tally {
  const status: JobStatus = job.status ?? {};
  const uncounted = {
    succeeded: setOf(status.uncountedTerminatedPods?.succeeded),
    failed: setOf(status.uncountedTerminatedPods?.failed),
  };
  const asked = setOf(stripping);
  const isTracked = (pod: PodFacts): boolean => pod.tracked && (asked.size === 0 || !asked.has(pod.uid));
  const rules = job.spec.podFailurePolicy?.rules;
  const pods = podSetOf(given);
  const fold = headcountFold(job, pods);
  const tally = new LookedFor(pods, {
    terms,
    counts: pods.counts(fold),
    leaving: pods.select(
      fold,
      (counts) => counts.leaving,
      (pod) => pod.tracked && !isActive(pod),
    ),
    fold,
    isTracked,
    uncounted,
    succeeded: (status.succeeded ?? 0) + uncounted.succeeded.size,
    failed: (status.failed ?? 0) + uncounted.failed.size,
  });
  for (const pod of tally.leaving) {
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
