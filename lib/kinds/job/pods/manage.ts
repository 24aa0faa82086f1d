// How many pods should run, and therefore which to start or to remove.
import { indexSetOf, unionOfIndexes, type IndexSet } from '../../../objects/values/index-text.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { latestFailureOf, remainingBackoffMs } from '../backoff/backoff.ts';
import type { PlanHead, SyncAction } from '../../rows/plan.ts';
import { counted } from '../../rows/reasons.ts';
import type { Headcount } from '../tally/headcount.ts';
import { nextIndexes } from '../terms/indexes.ts';
import { indexBackoffMs } from '../backoff/per-index-backoff.ts';
import { heldPlaces } from '../terms/pod-replacement.ts';
import { podsToRemove } from './removal-order.ts';
import type { Progress } from '../counting/progress.ts';
import type { Tally } from '../tally/tally.ts';

/** Most pods that one pass starts, and most that it removes for scale-down. */
export const MAX_PODS_PER_PASS = 500;

export interface Staffing {
  remove: readonly PodFacts[];
  /** Completion indexes to start. For a Job without indexes only the length counts. */
  start: readonly number[];
  /** Milliseconds until more may start. */
  waitMs?: number;
  why: string;
  /** Starting counts even if all pods to start must wait. */
  syncAction: SyncAction;
}

/** How many of the wanted pods run, and why the others do not. */
function numbersOf({ active, running, restarting }: Headcount, want: number): string {
  const pending = active - running - restarting;
  const unstarted = pending === 0 ? '' : `, ${counted(pending, 'has', 'have')} not started`;
  const waiting = restarting === 0 ? '' : `, ${counted(restarting, 'waits', 'wait')} to be started again`;
  return `${running} of ${want} wanted pods run${unstarted}${waiting}`;
}

/** The change of the number of pods. Never starts and removes in one pass. */
export function staffingOf(progress: Progress, backoff: PlanHead['backoff'], nowMs: number): Staffing {
  const { tally, completed, failed, delayed } = progress;
  const { terms, counts } = tally;
  const completions = terms.indexed ? (terms.completions ?? 0) : undefined;
  const range = completions === undefined ? {} : { completions };
  if (terms.suspended) {
    return {
      remove: podsToRemove(tally.active, { surplus: counts.active, ...range }),
      start: [],
      why: 'the Job is suspended',
      syncAction: 'pods_deleted',
    };
  }
  const want = wantedPods(progress);
  const surplus = Math.max(0, counts.active - want);
  const mayHaveUnwanted = surplus > 0 || (completions !== undefined && !eachHasItsIndex(tally, completions));
  const remove = mayHaveUnwanted ? podsToRemove(tally.active, { surplus, ...range }).slice(0, MAX_PODS_PER_PASS) : [];
  const numbers = numbersOf(counts, want);
  if (remove.length > 0) {
    const why = surplus > 0 ? numbers : 'pods with a wrong, missing or doubled index run';
    return { remove, start: [], why, syncAction: 'pods_deleted' };
  }

  const blocking = heldPlaces(counts.terminating, terms);
  const missing = Math.min(want - counts.active - blocking, MAX_PODS_PER_PASS);
  if (missing <= 0) {
    const why = blocking > 0 ? `${numbers}, ${blocking} terminating ones hold their places` : numbers;
    return { remove, start: [], why, syncAction: 'tracking' };
  }
  const syncAction = 'pods_created';

  if (terms.perIndexLimit === undefined) {
    const waitMs = remainingBackoffMs(backoff.failures, latestFailureOf(backoff), nowMs);
    if (waitMs > 0)
      return {
        remove,
        start: [],
        waitMs,
        why: `${numbers}; ${backoff.failures === 1 ? 'a failure' : `${backoff.failures} failures in a row`}, so the next pod waits`,
        syncAction,
      };
  }
  if (completions === undefined) return { remove, start: Array.from({ length: missing }, () => 0), why: numbers, syncAction };

  const chosen = nextIndexes({ completed, failed: failed ?? [], held: heldIndexes(tally, blocking > 0), count: missing, completions });
  if (delayed.size === 0) return { remove, start: chosen, why: numbers, syncAction };
  const { start, waitMs } = withoutWaiting(chosen, delayed, nowMs);
  if (waitMs === undefined) return { remove, start, why: numbers, syncAction };
  const waiting = chosen.length - start.length;
  const failures = waiting === 1 ? 'an index has failed and waits' : `${waiting} indexes have failed and wait`;
  return { remove, start, waitMs, why: `${numbers}; ${failures}`, syncAction };
}

/** Indexes whose own wait is over, and the shortest wait of the others. */
function withoutWaiting(chosen: number[], delayed: ReadonlyMap<number, PodFacts>, nowMs: number): { start: number[]; waitMs?: number } {
  let shortest: number | undefined;
  const start = chosen.filter((index) => {
    const waitMs = indexBackoffMs(delayed.get(index), nowMs);
    if (waitMs > 0) shortest = Math.min(shortest ?? waitMs, waitMs);
    return waitMs === 0;
  });
  return { start, ...(shortest !== undefined && { waitMs: shortest }) };
}

/** The normal case of an Indexed Job, found without a walk. */
const eachHasItsIndex = ({ pods, counts }: Tally, completions: number): boolean =>
  pods.isPlaced && counts.doubled === 0 && counts.highestActive < completions;

/** Indexes with an active pod, or with a terminating pod that still holds its place. */
function heldIndexes(tally: Tally, blocking: boolean): IndexSet {
  const own = tally.pods.isPlaced ? tally.activeIndexes : indexSetOf(tally.active.flatMap((pod) => completionIndexOf(pod) ?? []));
  return blocking ? unionOfIndexes(own, indexSetOf(tally.terminating.flatMap((pod) => completionIndexOf(pod) ?? []))) : own;
}

/** How many pods should be active: fewer than `parallelism` if less work is left. */
export function wantedPods({ tally, succeeded }: Progress): number {
  const { terms, counts } = tally;
  if (terms.completions === undefined) return succeeded > 0 ? counts.active : terms.parallelism;
  return Math.max(0, Math.min(terms.completions - succeeded, terms.parallelism));
}
