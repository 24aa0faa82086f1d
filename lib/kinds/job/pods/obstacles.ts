// Why a pass must not start or stop pods yet: earlier creates and deletes that were refused, or whose outcome the pods do not show.
import type { PlanHead } from '../../rows/plan.ts';
import type { PodSet } from '../../rows/pod-set.ts';

/** Until an observation ends it, the planner starts no pod and writes no verdict. */
export interface Obstacle {
  why: string;
}

/** @param pods all listed pods, including those of other owners */
export function obstacleOf(head: PlanHead, pods: PodSet): Obstacle | undefined {
  const { create, delete: deleting } = head.expectations;
  if (create.length === 0 && deleting.length === 0) return undefined;
  const names = new Set(create);
  const live = new Set<string>();
  for (const pod of pods) {
    names.delete(pod.name);
    if (pod.deletedAt === undefined) live.add(pod.uid);
  }
  const undeleted = deleting.filter((uid) => live.has(uid)).length;
  if (names.size === 0 && undeleted === 0) return undefined;
  return { why: `${names.size} creates and ${undeleted} deletes are not seen done yet` };
}

/** Milliseconds until the planner retries a refused create or delete. Everything else continues. */
export interface Holds {
  creates: number | undefined;
  deletes: number | undefined;
}

export const holdsOf = ({ holdUntilMs, deleteHoldUntilMs }: PlanHead, nowMs: number): Holds => ({
  creates: remainingMs(holdUntilMs, nowMs),
  deletes: remainingMs(deleteHoldUntilMs, nowMs),
});

const remainingMs = (untilMs: number | undefined, nowMs: number): number | undefined =>
  untilMs !== undefined && untilMs > nowMs ? untilMs - nowMs : undefined;
