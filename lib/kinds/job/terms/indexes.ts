// Completion indexes: which one a pod works on, which are done, which come next. Sets stay intervals: a Job may have 10^9 of them.
import type { JobStatus } from '../../../objects/kubernetes.ts';
import { lowestMissingIndexes, parseIndexes, withIndexes, hasIndex, type IndexSet } from '../../../objects/values/index-text.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';

/** The pod's index if the Job has that index. @param completions unset: the Job is not Indexed, so every pod is usable */
export function usableIndexOf(pod: PodFacts, completions: number): number | undefined {
  const index = completionIndexOf(pod);
  return index === undefined || index >= completions ? undefined : index;
}

export interface CompletedIndexes {
  /** From the status, cut to the present completions. */
  before: IndexSet;
  /** `before`, plus the indexes of pods that succeeded since. */
  now: IndexSet;
}

/**
 * @param leaving pods with the finalizer that ended or are being deleted
 * @param alreadyFailed indexes that the status calls failed: an index cannot be both, and the first record stands
 */
export function completedIndexesOf(
  status: JobStatus,
  leaving: readonly PodFacts[],
  { completions, alreadyFailed }: { completions: number; alreadyFailed: IndexSet },
): CompletedIndexes {
  const before = parseIndexes(status.completedIndexes ?? '', completions);
  const fresh: number[] = [];
  for (const pod of leaving) {
    if (pod.phase !== 'Succeeded') continue;
    const index = usableIndexOf(pod, completions);
    if (index !== undefined && !hasIndex(before, index) && !hasIndex(alreadyFailed, index)) fresh.push(index);
  }
  return { before, now: fresh.length === 0 ? before : withIndexes(before, fresh) };
}

/** The lowest indexes that nothing holds: not completed, not failed, without an active pod or one that still blocks its index. */
export function nextIndexes({
  completed,
  failed,
  held,
  count,
  completions,
}: {
  completed: IndexSet;
  failed: IndexSet;
  held: IndexSet;
  count: number;
  completions: number;
}): number[] {
  if (count <= 0) return [];
  return lowestMissingIndexes([completed, failed, held], { count, completions });
}
