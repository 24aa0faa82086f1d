// The limit of restarts. Handled failures are counted by slot: a pod made after a failure carries the count of its slot and that of the job, so
// that the sums survive a lost table; the head keeps those of slots that have no pod.
import type { Replicas } from '../terms/framework.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';

export const backoffMessage = (job: string): string => `Job ${job} has failed because it has reached the specified backoff limit`;

export interface Failures {
  /** By slot number; slots without any are left out. */
  bySlot: ReadonlyMap<number, number>;
  total: number;
}

/** @param pods the one of each slot @param restarts whether this pod failed and is to be made anew @param earlier as kept */
export function failuresOf(pods: ReadonlyMap<number, PodFacts>, restarts: (slot: number) => boolean, earlier: Failures): Failures {
  const bySlot = new Map(earlier.bySlot);
  let atLeast = earlier.total;
  for (const [slot, { slotFailures = 0, jobFailures = 0 }] of pods) {
    const failure = restarts(slot) ? 1 : 0;
    const count = Math.max(slotFailures + failure, earlier.bySlot.get(slot) ?? 0);
    if (count > 0) bySlot.set(slot, count);
    // Its own failure came after those that it carries.
    atLeast = Math.max(atLeast, jobFailures + failure);
  }
  const sum = [...bySlot.values()].reduce((total, count) => total + count, 0);
  return { bySlot, total: Math.max(sum, atLeast) };
}

export interface BackoffCounts {
  /** In-range pods of each type. */
  pods: readonly { replicas: Replicas; pod: PodFacts }[];
  /** Handled, with those of this pass. */
  failures: number;
  /** Sum of `failed` in the stored status. */
  failedBefore: number;
  /** Sum of wanted replicas. */
  wanted: number;
}

/** Whether the job has reached its limit. Restarts in place keep upstream's formula. */
export function isPastBackoffLimit(limit: number | undefined, { pods, failures, failedBefore, wanted }: BackoffCounts): boolean {
  if (limit === undefined) return false;
  const failed = pods.filter(({ pod: { phase } }) => phase === 'Failed').length;
  const active = pods.filter(({ pod: { phase, deletedAt } }) => phase !== 'Failed' && phase !== 'Succeeded' && deletedAt === undefined);
  if (limit < 1 && failed > failedBefore && active.length !== wanted) return true;
  const restarts = restartsInPlace(pods);
  if (limit <= 0 ? restarts > 0 : restarts >= limit) return true;
  return failures + restarts > limit;
}

const COUNTED = new Set(['OnFailure', 'Always', 'ExitCode']);

/** Of all containers of running pods that may restart. */
export const restartsInPlace = (pods: BackoffCounts['pods']): number =>
  pods
    .filter(({ replicas, pod }) => pod.phase === 'Running' && COUNTED.has(replicas.restartPolicy))
    .flatMap(({ pod }) => pod.containers)
    .reduce((sum, { restarts }) => sum + restarts, 0);
