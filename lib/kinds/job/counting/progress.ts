// How far the Job is: its pods counted, and of an Indexed Job its indexes.
import type { Job } from '../../../objects/kubernetes.ts';
import { countIndexes, noIndexes, parseIndexes, unionOfIndexes, type IndexSet } from '../../../objects/values/index-text.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Failure } from '../../rows/plan.ts';
import { completedIndexesOf } from '../terms/indexes.ts';
import { delayedPods, failedIndexesOf } from '../backoff/per-index-backoff.ts';
import type { Tally } from '../tally/tally.ts';

export interface Progress {
  tally: Tally;
  /** Pods, or of an Indexed Job indexes, that have succeeded, newly finished ones included. */
  succeeded: number;
  completedBefore: IndexSet;
  completed: IndexSet;
  /** Set only where failures are counted per index. */
  failed: IndexSet | undefined;
  /** Failed pods that keep their finalizer until their index has a replacement. */
  delayed: ReadonlyMap<number, PodFacts>;
}

const NOBODY: ReadonlyMap<number, PodFacts> = new Map();

const failedBefore = ({ status }: Job, completions: number, failure: Failure | undefined): IndexSet =>
  unionOfIndexes(parseIndexes(status?.failedIndexes ?? '', completions), parseIndexes(failure?.['failedIndexes'] ?? '', completions));

/**
 * @param tally of this pass's pods; counts that the status has already come from the Job
 * @param known.adopt those of these pods that are yet to be adopted
 * @param known.failure the verdict of an earlier pass that has begun to delete pods: the deleted pods decide nothing about their indexes
 */
export function progressOf(
  job: Job,
  tally: Tally,
  { adopt = [], failure }: { adopt?: readonly PodFacts[]; failure?: Failure | undefined } = {},
): Progress {
  const { terms } = tally;
  if (!terms.indexed) {
    return { tally, succeeded: tally.succeeded, completedBefore: noIndexes, completed: noIndexes, failed: undefined, delayed: NOBODY };
  }
  const completions = terms.completions ?? 0;
  const countsPerIndex = terms.perIndexLimit !== undefined;
  const alreadyFailed = countsPerIndex ? failedBefore(job, completions, failure) : noIndexes;
  const { before, now } = completedIndexesOf(job.status ?? {}, tally.leaving, { completions, alreadyFailed });
  const failed = countsPerIndex
    ? failedIndexesOf(job.spec, tally, { before: alreadyFailed, completed: now, isFailing: failure !== undefined })
    : undefined;
  return {
    tally,
    succeeded: countIndexes(now),
    completedBefore: before,
    completed: now,
    failed,
    delayed: failed ? delayedPods(tally, { completed: now, failed, adopt }) : NOBODY,
  };
}
