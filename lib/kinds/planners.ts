// Who decides for each kind.
import { jobPlanner } from './job/plan.ts';
import type { Kind } from './facts.ts';
import { orphanPodPlanner } from './orphan-pod/orphan-pod.ts';
import type { JobPlanner } from './plan.ts';
import { ownEntry } from '../objects/untyped-fields.ts';

export const PLANNERS = {
  Job: jobPlanner,
  OrphanPod: orphanPodPlanner,
} as const satisfies Record<Kind, JobPlanner>;

/** @throws Error for a kind that this build does not know */
export function plannerFor(kind: string): JobPlanner {
  const planner = ownEntry<JobPlanner>(PLANNERS, kind);
  if (!planner) throw new Error(`no kind ${kind} is known to this version of Farloop`);
  return planner;
}
