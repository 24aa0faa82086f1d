// Failures counted per index: which indexes have failed for good, which failed pods wait for their replacement, and what the
// replacement inherits.
import { LARGEST_INT32 } from '../../../objects/values/integers.ts';
import type { JobSpec } from '../../../objects/kubernetes.ts';
import { countIndexes, hasIndex, integerOf, withIndexes, type IndexSet } from '../../../objects/values/index-text.ts';
import { completionIndexOf, isActive, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { finishTimeOf, remainingBackoffMs } from './backoff.ts';
import { judgeFailure } from '../terms/failure-policy.ts';
import { usableIndexOf } from '../terms/indexes.ts';
import { isFailed } from '../terms/pod-replacement.ts';
import type { Tally } from '../tally/tally.ts';
import type { Verdict } from '../terms/verdict.ts';

/** The number in a failure annotation; 0 where it is missing, not a whole number, negative or beyond 32 bits. */
export function failureCountOf(text: string | undefined): number {
  const value = text === undefined ? undefined : integerOf(text);
  return value === undefined || value < 0 || value > LARGEST_INT32 ? 0 : value;
}

/** Failures that the pods of this index had before this one, counted or not. */
const earlierFailures = (pod: PodFacts): number => failureCountOf(pod.failureCount) + failureCountOf(pod.ignoredFailureCount);

/**
 * The indexes that have failed: those of the status, and those of failed pods that are past the limit or match a FailIndex
 * rule. An index that has completed does not fail any more; nor does one whose pod is deleted because the Job fails.
 */
export function failedIndexesOf(
  spec: JobSpec,
  tally: Tally,
  { before, completed, isFailing }: { before: IndexSet; completed: IndexSet; isFailing: boolean },
): IndexSet {
  const { leaving, terms } = tally;
  const completions = terms.completions ?? 0;
  const fresh: number[] = [];
  for (const pod of leaving) {
    if (!isFailed(pod, terms) || (isFailing && pod.deletedAt !== undefined)) continue;
    const index = usableIndexOf(pod, completions);
    if (index === undefined || hasIndex(completed, index)) continue;
    const { action, counted } = judgeFailure(spec.podFailurePolicy?.rules, pod);
    if (action === 'FailIndex' || (counted && failureCountOf(pod.failureCount) >= (terms.perIndexLimit ?? 0))) fresh.push(index);
  }
  return fresh.length === 0 ? before : withIndexes(before, fresh);
}

/**
 * The failed pod of each open index that keeps its finalizer until a replacement is active, because it carries the count: the
 * one with the most failures, among equals the one that finished last. Adopted pods come after the Job's own, as upstream has it: an adopted
 * pod is chosen only if it is behind in neither.
 */
export function delayedPods(
  tally: Tally,
  { completed, failed, adopt }: { completed: IndexSet; failed: IndexSet; adopt: readonly PodFacts[] },
): Map<number, PodFacts> {
  const delayed = new Map<number, PodFacts>();
  if (tally.newFailed.length === 0 && tally.uncounted.failed.size === 0) return delayed;
  const completions = tally.terms.completions ?? 0;
  const hasActivePod = activeFinder(tally, completions);
  const adopted = new Set(adopt.map(({ uid }) => uid));
  const isAdopted = ({ uid }: PodFacts): boolean => adopted.has(uid);
  const leaving = adopt.length === 0 ? tally.leaving : tally.leaving.toSorted((a, b) => Number(isAdopted(a)) - Number(isAdopted(b)));
  for (const pod of leaving) {
    if (!tally.isTracked(pod) || !isFailed(pod, tally.terms)) continue;
    const index = usableIndexOf(pod, completions);
    if (index === undefined || hasActivePod(index) || hasIndex(completed, index) || hasIndex(failed, index)) continue;
    const other = delayed.get(index);
    const takesPlace = other === undefined || (isAdopted(pod) && !isAdopted(other) ? isBehindInNeither : isPreferred)(pod, other);
    if (takesPlace) delayed.set(index, pod);
  }
  return delayed;
}

function activeFinder(tally: Tally, completions: number): (index: number) => boolean {
  const { pods } = tally;
  if (pods.isPlaced) return (index) => pods.near(index).some((pod) => isActive(pod) && completionIndexOf(pod) === index);
  const indexes = new Set(tally.active.map((pod) => usableIndexOf(pod, completions)));
  return (index) => indexes.has(index);
}

function isPreferred(pod: PodFacts, other: PodFacts): boolean {
  const more = earlierFailures(pod) - earlierFailures(other);
  return more > 0 || (more === 0 && finishTimeOf(pod) >= finishTimeOf(other));
}

const isBehindInNeither = (pod: PodFacts, other: PodFacts): boolean =>
  earlierFailures(pod) >= earlierFailures(other) && finishTimeOf(pod) >= finishTimeOf(other);

/** Milliseconds until the index of this delayed pod may be tried again. */
export const indexBackoffMs = (delayed: PodFacts | undefined, nowMs: number): number =>
  delayed === undefined ? 0 : remainingBackoffMs(earlierFailures(delayed) + 1, finishTimeOf(delayed), nowMs);

/** The end of a Job if too many of its indexes have failed, or if all are decided and some have failed. */
export function failedIndexesVerdict(
  { completions = 0, maxFailedIndexes }: JobSpec,
  { completed, failed }: { completed: IndexSet; failed: IndexSet },
): Verdict | undefined {
  const count = countIndexes(failed);
  if (maxFailedIndexes !== undefined && count > maxFailedIndexes) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return { succeeded: false, reason: 'MaxFailedIndexesExceeded', message };
  }
  if (count === 0 || count + countIndexes(completed) < completions) return undefined;
  return { succeeded: false, reason: 'FailedIndexes', message: 'Job has failed indexes' };
}

/** A replacement's annotations: failures of its index that counted, and those that the policy ignored. */
export function inheritedFailures(spec: JobSpec, replaced: PodFacts | undefined): { counted: number; ignored: number } {
  if (replaced === undefined) return { counted: 0, ignored: 0 };
  const counted = failureCountOf(replaced.failureCount);
  const ignored = failureCountOf(replaced.ignoredFailureCount);
  return judgeFailure(spec.podFailurePolicy?.rules, replaced).counted
    ? { counted: counted + 1, ignored }
    : { counted, ignored: ignored + 1 };
}
