// The decision of a node whose stored one is lost: what runs, and what statuses say (R1).
import type { Pod, PodStatus } from '../../../objects/kubernetes.ts';
import { isPhaseFinal, newDecision, uidOf } from './counted-pods.ts';
import { killWaitSeconds } from './kill-wait.ts';
import { olderFirst } from './node-admission.ts';
import type { NodeDecision, PodDecision, PodName, Room } from './node-decision.ts';

/** A pod whose task runs at the provider, or may. */
export interface RunningPod extends PodName {
  /** As the task was ordered. */
  room: Room;
}

export interface LostDecision {
  /** Bound to the node, from one list read live. */
  pods: readonly Pod[];
  /** All pods of the node that the provider lists. */
  running: readonly RunningPod[];
}

/** All others are new. The victims' signals are lost, so their ends are not counted. Who waited for them is decided anew, and claims them. */
export function rebuiltDecision({ pods, running }: LostDecision, now: Date): NodeDecision {
  const listed = new Set(pods.map(uidOf));
  const runs = new Map(running.map((pod) => [pod.uid, pod]));
  const decisions: PodDecision[] = [];
  for (const pod of pods.toSorted(olderFirst)) {
    const task = runs.get(uidOf(pod));
    const isVictim = hasBeenEvicted(pod.status);
    if (task === undefined && (isPhaseFinal(pod) || !(isVictim || hasStarted(pod.status)))) continue;
    const deadline = new Date(now.getTime() + killWaitSeconds(pod) * 1000).toISOString();
    const decision = newDecision(pod, { sequence: decisions.length + 1, state: 'admitted' });
    decisions.push(isVictim ? { ...decision, eviction: { deadline } } : decision);
  }
  // Deleted by force, or of an earlier node of this name: nobody lists them, and they take room until they have ended.
  for (const { uid, namespace, name, room } of running)
    if (!listed.has(uid)) decisions.push({ uid, namespace, name, state: 'admitted', sequence: decisions.length + 1, room });
  return { latest: decisions.length, told: 0, pods: decisions };
}

const hasStarted = ({ phase, startTime, containerStatuses = [] }: PodStatus = {}): boolean =>
  phase === 'Running' ||
  startTime !== undefined ||
  containerStatuses.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined);

/** A victim's pass writes this condition before it stops the task. */
const hasBeenEvicted = ({ conditions = [] }: PodStatus = {}): boolean =>
  conditions.some(({ type, status, reason }) => type === 'DisruptionTarget' && status === 'True' && reason === 'TerminationByKubelet');
