// Why a pass must not start or stop pods yet: earlier creates and deletes whose outcome the pods do not show.
import type { PlanHead } from '../plan.ts';
import type { PodSet } from '../pod-set.ts';

export interface Obstacle {
  why: string;
  /** Milliseconds until it is over by itself; unset where an observation ends it. */
  waitMs?: number;
  /** Not even pods of a Job that is over may be deleted. */
  forbidsDeletes: boolean;
}

/** @param pods all that were listed, whoever owns them */
export function obstacleOf(head: PlanHead, pods: PodSet, nowMs: number): Obstacle | undefined {
  if (head.holdUntilMs !== undefined && head.holdUntilMs > nowMs) {
    return { why: 'the API server refused pods a moment ago', waitMs: head.holdUntilMs - nowMs, forbidsDeletes: true };
  }
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
  return { why: `${names.size} creates and ${undeleted} deletes are not seen done yet`, forbidsDeletes: false };
}
