// The part of a pod's own pass in the node's decision on it. It acts for its own pod and in its own head alone (R15).
import type { PodDecision } from './node-decision.ts';

export type PodDuty =
  /** Nothing may be started yet; nothing is to be stopped. */
  | { verb: 'wait' }
  /** The task is started if it is not there. Repeated after a crash, it finds the task by its name (R5). */
  | { verb: 'start' }
  /** A failed status and one event; no task, ever. */
  | { verb: 'reject'; reason: string; message: string }
  /**
   * The victim's status and one event, then the task is stopped. A final phase that was written before stays.
   * `isLate` asks for the second event, `ExceededGracePeriod`.
   */
  | { verb: 'evict'; isLate: boolean }
  /** Nothing is to be started any more; what runs is stopped as the pod itself asks for. */
  | { verb: 'leave' };

/** @param decision of this pod; undefined: the node has not decided yet */
export function dutyOf(decision: PodDecision | undefined): PodDuty {
  if (decision === undefined) return { verb: 'wait' };
  const { state, rejection, eviction, hasEnded } = decision;
  if (state === 'preempting') return { verb: 'wait' };
  if (rejection !== undefined) return { verb: 'reject', ...rejection };
  if (eviction !== undefined) return { verb: 'evict', isLate: eviction.isLate === true };
  return state === 'admitted' && hasEnded === undefined ? { verb: 'start' } : { verb: 'leave' };
}
