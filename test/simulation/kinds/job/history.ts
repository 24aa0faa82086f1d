// What the history of a run notes of Jobs: how a pod stood when its finalizer came off, and when a restored Job can be compared again.
import { matcherOf } from '../../../../lib/objects/label-selector.ts';
import type { Job, Pod } from '../../../../lib/objects/kubernetes.ts';
import { isOver, isTracked, livingOf, type OwnerRecord, type PodRecord } from '../../history.ts';
import { completedIndexesOf } from './index-set.ts';

export const jobOf = ({ object }: OwnerRecord): Job => object as Job;

export interface Settled {
  succeeded: number;
  failed: number;
  indexes: ReadonlySet<number>;
}

export const settledOf = ({ settled }: OwnerRecord): Settled | undefined => settled as Settled | undefined;

export function noteStripped(record: PodRecord, owner: OwnerRecord | undefined, before: Pod): void {
  if (!owner) return;
  const job = jobOf(owner);
  record.strippedUnder = decidedOf(job);
  record.released = !matcherOf(job.spec.selector)(before.metadata.labels ?? {});
}

/**
 * Each of its pods stands in its counts or is still to be counted, which its finalizer tells. Where some are on their way from one to the
 * other, a later pass has its turn.
 */
export function settle(record: OwnerRecord): boolean {
  const { spec, status } = jobOf(record);
  const { succeeded = [], failed = [] } = status?.uncountedTerminatedPods ?? {};
  const isOnItsWay = (pod: Pod): boolean => isTracked(pod) && (isOver(pod) || pod.metadata.deletionTimestamp !== undefined);
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (succeeded.length + failed.length > 0 || isElastic || livingOf(record).some(({ pod }) => isOnItsWay(pod))) return false;
  for (const pod of record.pods.values()) {
    pod.isSettled = pod.isGone || !isTracked(pod.pod);
    if (!pod.isSettled) Object.assign(pod, { stripped: undefined, strippedUnder: undefined, strippedByOthers: false });
  }
  const settled: Settled = { succeeded: status?.succeeded ?? 0, failed: status?.failed ?? 0, indexes: completedIndexesOf(jobOf(record)) };
  record.settled = settled;
  return true;
}

function decidedOf({ status }: Job): PodRecord['strippedUnder'] {
  const isTrue = (wanted: string): boolean => status?.conditions?.some(({ type, status: is }) => type === wanted && is === 'True') ?? false;
  return isTrue('FailureTarget') ? 'failing' : isTrue('SuccessCriteriaMet') ? 'succeeding' : undefined;
}
