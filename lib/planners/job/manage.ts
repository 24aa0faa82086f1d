// How many pods should run, and so which to start or to remove.
import type { PodFacts } from '../../objects/pod-facts.ts';
import { latestFailureOf, remainingBackoffMs } from './backoff.ts';
import type { PlanHead } from '../plan.ts';
import { nextIndexes } from './indexes.ts';
import { indexBackoffMs } from './per-index-backoff.ts';
import { podsToRemove } from './removal-order.ts';
import type { Progress } from './progress.ts';

/** At most so many pods are started, and so many removed for scale-down, in one pass. */
const MAX_PODS_PER_PASS = 500;

export interface Staffing {
  remove: PodFacts[];
  /** Completion indexes to start; of a Job without indexes the length alone counts. */
  start: number[];
  /** Milliseconds until more may start. */
  waitMs?: number;
  why: string;
}

/** What the pass should do about the number of pods. Never starts and removes in one pass. */
export function staffingOf(progress: Progress, backoff: PlanHead['backoff'], nowMs: number): Staffing {
  const { tally, completed, failed, delayed } = progress;
  const { terms, active } = tally;
  const completions = terms.indexed ? (terms.completions ?? 0) : undefined;
  const range = completions === undefined ? {} : { completions };
  if (terms.suspended) {
    return { remove: podsToRemove(active, { surplus: active.length, ...range }), start: [], why: 'the Job is suspended' };
  }
  const want = wantedPods(progress);
  const surplus = Math.max(0, active.length - want);
  const remove = surplus > 0 || terms.indexed ? podsToRemove(active, { surplus, ...range }).slice(0, MAX_PODS_PER_PASS) : [];
  const numbers = `${active.length} of ${want} wanted pods run`;
  if (remove.length > 0) return { remove, start: [], why: surplus > 0 ? numbers : 'pods with a wrong, missing or doubled index run' };

  const blocking = terms.replacesOnlyFailed ? tally.terminating.length : 0;
  const missing = Math.min(want - active.length - blocking, MAX_PODS_PER_PASS);
  if (missing <= 0)
    return { remove, start: [], why: blocking > 0 ? `${numbers}, ${blocking} terminating ones hold their places` : numbers };

  if (terms.perIndexLimit === undefined) {
    const waitMs = remainingBackoffMs(backoff.failures, latestFailureOf(backoff), nowMs);
    if (waitMs > 0)
      return {
        remove,
        start: [],
        waitMs,
        why: `${numbers}; ${backoff.failures === 1 ? 'a failure' : `${backoff.failures} failures in a row`}, so the next pod waits`,
      };
  }
  if (completions === undefined) return { remove, start: Array.from({ length: missing }, () => 0), why: numbers };

  const held = blocking > 0 ? [...active, ...tally.terminating] : active;
  const chosen = nextIndexes({ completed, failed: failed ?? [], held, count: missing, completions });
  if (delayed.size === 0) return { remove, start: chosen, why: numbers };
  return { remove, ...withoutWaiting(chosen, delayed, nowMs), why: numbers };
}

/** Indexes whose own wait is over, and how long the others still have to. */
function withoutWaiting(chosen: number[], delayed: ReadonlyMap<number, PodFacts>, nowMs: number): { start: number[]; waitMs?: number } {
  let shortest: number | undefined;
  const start = chosen.filter((index) => {
    const waitMs = indexBackoffMs(delayed.get(index), nowMs);
    if (waitMs > 0) shortest = Math.min(shortest ?? waitMs, waitMs);
    return waitMs === 0;
  });
  return { start, ...(shortest !== undefined && { waitMs: shortest }) };
}

function wantedPods({ tally, succeeded }: Progress): number {
  const { terms, active } = tally;
  if (terms.completions === undefined) return succeeded > 0 ? active.length : terms.parallelism;
  return Math.max(0, Math.min(terms.completions - succeeded, terms.parallelism));
}
