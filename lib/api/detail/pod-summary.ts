// A pod in the API.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { PodReason } from '../../objects/pods/pod-reasons.ts';
import { podStandingOf, secondsRun, type PodState } from '../../objects/detail/pod-standing.ts';
import { timeText } from '../../objects/values/time-text.ts';
import type { Known } from './known.ts';
import { placeOf } from './pod-place.ts';

export interface PodSummary {
  name: string;
  uid: string;
  phase: string;
  /** In the words of workloads, with the cluster's own word as `reason`. */
  state: PodState;
  reason?: string;
  /** Of a training job's replica. */
  type?: string;
  index?: string;
  ready?: string;
  /** Its outcome is not in the owner's counters yet. */
  tracked: boolean;
  terminating: boolean;
  creationTime: string;
  /** When its node took it. */
  startTime?: string;
  /** How long it ran, or has run. */
  ranSeconds?: number;
  /** Of its containers that have ended, without init containers. */
  exitCodes: number[];
  containers: ContainerSummary[];
  /** Why it does not run, or was ended, in the cluster's words. Absent if the cluster gives no reason. */
  reasons?: readonly PodReason[];
}

export interface ContainerSummary {
  name: string;
  role: 'container' | 'sidecar' | 'init';
  restarts: number;
  /** While it is terminated. */
  exitCode?: number;
  /** Of the run before, while it runs or waits again. */
  lastExitCode?: number;
  /** The cluster's word for the latest end, where it says more than the exit code: `OOMKilled`. */
  reason?: string;
  /** While it is terminated. */
  finishedTime?: string;
  /** Of the run before; of a pod's container that ended last. */
  lastFinishedTime?: string;
}

/** @param nowMs by the cluster's clock */
export const podSummaryOf = (known: Pick<Known, 'row'>, pod: PodFacts, nowMs: number): PodSummary => ({
  name: pod.name,
  uid: pod.uid,
  phase: pod.phase,
  ...podStandingOf(pod),
  ...placeOf(known, pod),
  ...(pod.ready !== undefined && { ready: pod.ready }),
  tracked: pod.tracked,
  terminating: pod.deletedAt !== undefined,
  creationTime: timeText(pod.createdAt * 1000),
  ...(pod.startedAt !== undefined && { startTime: timeText(pod.startedAt * 1000) }),
  ...ranIn(pod, nowMs),
  exitCodes: pod.containers.flatMap(({ role, exitCode }) => (exitCode === undefined || role === 'init' ? [] : [exitCode])),
  containers: pod.containers.map(({ name, role, restarts, exitCode, finishedAt }) => {
    const before = exitCode === undefined ? pod.lastEnds?.find(({ container }) => container === name) : undefined;
    const reason =
      exitCode === undefined
        ? before?.reason
        : (pod.reasons?.find(({ container }) => container === name)?.reason ??
          pod.containerWords?.find(({ container, state }) => container === name && state === 'terminated')?.reason);
    return {
      name,
      role,
      restarts,
      ...(exitCode !== undefined && { exitCode }),
      ...(finishedAt !== undefined && { finishedTime: timeText(finishedAt * 1000) }),
      ...(before && { lastExitCode: before.exitCode }),
      ...(before?.finishedAt !== undefined && { lastFinishedTime: timeText(before.finishedAt * 1000) }),
      ...(reason !== undefined && reason !== '' && { reason }),
    };
  }),
  ...(pod.reasons && { reasons: pod.reasons }),
});

const ranIn = (pod: PodFacts, nowMs: number): Pick<PodSummary, 'ranSeconds'> => {
  const ranSeconds = secondsRun(pod, nowMs);
  return ranSeconds === undefined ? {} : { ranSeconds };
};
