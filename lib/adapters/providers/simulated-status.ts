// A simulated task as it is stored, and its status when it is stopped, taken away, ready or out of memory.
import type { ResolvedPod } from '../../objects/environment/sources.ts';
import type { Condition, ContainerStatus, Pod, PodStatus } from '../../objects/kubernetes.ts';
import { hasEnded } from '../../objects/placement/schedulable.ts';
import type { TaskName } from '../../objects/task.ts';
import { timeOf } from '../../simulated-node/container-states.ts';
import { playedCommand } from '../../simulated-node/program.ts';
import { ignoresStopMs } from '../../simulated-node/task-script.ts';

/** As it is stored. */
export interface Stored extends TaskName {
  node: string;
  /** Without environments, files of volumes and what they come from, and without the words of commands. */
  pod: Pod;
  status: PodStatus;
  version: number;
  orderedAtMs: number;
  /** Runs by container and restart count: the status knows their start by the second alone. */
  starts: Record<string, number>;
  attemptOfOwner: number;
  stop?: { atMs: number; killAtMs: number };
  endedAtMs?: number;
  isLost?: true;
}

/** As it is stored: no value of an environment or a volume. */
export function storedPodOf({ status: _status, volumeContents: _volumes, sources: _sources, ...pod }: ResolvedPod): Pod {
  const { managedFields: _fields, deletionTimestamp: _at, deletionGracePeriodSeconds: _grace, ...metadata } = pod.metadata;
  const plain = (containers: Pod['spec']['containers']): Pod['spec']['containers'] =>
    containers.map((container) => {
      const { env: _env, envFrom: _from, command: _command, args: _args, ...rest } = container;
      return { ...rest, command: playedCommand(container) };
    });
  const { ephemeralContainers: _debugging, containers, initContainers, ...spec } = pod.spec;
  return {
    ...pod,
    metadata,
    spec: { ...spec, containers: plain(containers), ...(initContainers && { initContainers: plain(initContainers) }) },
  };
}

/** When a stop is over: its processes heed it at once, or after a while, or are killed. */
export const stopMsOf = ({ pod, stop }: Stored): number => (stop ? Math.min(stop.atMs + ignoresStopMs(pod), stop.killAtMs) : Infinity);

/** By a stop, or because the machine is taken away. */
export function endedFromOutside(task: Stored, nowMs: number): PodStatus {
  const { pod, stop, status } = task;
  const isStopped = nowMs >= stopMsOf(task);
  const isKilled = stop !== undefined && stop.atMs + ignoresStopMs(pod) > stop.killAtMs;
  const at = timeOf(nowMs);
  const known = new Map((status.containerStatuses ?? []).map((each) => [each.name, each]));
  const containerStatuses = pod.spec.containers.map((container): ContainerStatus => {
    const was = known.get(container.name) ?? {
      name: container.name,
      image: container.image ?? '',
      imageID: '',
      restartCount: 0,
      lastState: {},
    };
    if (was.state?.terminated) return was;
    const startedAt = was.state?.running?.startedAt;
    const terminated =
      startedAt === undefined
        ? { exitCode: 128, reason: 'StartError', message: 'stopped before it started', finishedAt: at }
        : { exitCode: isStopped && !isKilled ? 143 : 137, reason: 'Error', startedAt, finishedAt: at };
    return { ...was, ready: false, started: false, state: { terminated } };
  });
  const isGood = containerStatuses.every(({ state }) => state?.terminated?.exitCode === 0);
  const disrupted: Condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message: 'the simulated provider took its machine away',
    lastTransitionTime: at,
  };
  return {
    phase: isGood ? 'Succeeded' : 'Failed',
    ...(!isStopped && { reason: 'Terminated', message: disrupted.message ?? '' }),
    ...(status.startTime === undefined && { startTime: at }),
    conditions: [
      ...(['Ready', 'ContainersReady'] as const).map((type) => ({
        type,
        status: 'False',
        reason: isGood ? 'PodCompleted' : 'PodFailed',
        lastTransitionTime: at,
      })),
      ...(isStopped ? [] : [disrupted]),
    ],
    containerStatuses,
  };
}

export function readyOrNot(status: PodStatus, isReady: boolean, nowMs: number): PodStatus {
  const is = isReady ? 'True' : 'False';
  return {
    containerStatuses: (status.containerStatuses ?? []).map((each) => ({ ...each, ready: isReady && each.state?.running !== undefined })),
    conditions: (['Ready', 'ContainersReady'] as const).map((type) => ({
      type,
      status: is,
      lastTransitionTime: timeOf(nowMs),
      ...(!isReady && { reason: 'ContainersNotReady' }),
    })),
  };
}

export function outOfMemory(reported: PodStatus): PodStatus {
  if (!hasEnded({ status: reported })) return reported;
  const containerStatuses = (reported.containerStatuses ?? []).map((each) =>
    each.state?.terminated ? { ...each, state: { terminated: { ...each.state.terminated, exitCode: 137, reason: 'OOMKilled' } } } : each,
  );
  return { ...reported, phase: 'Failed', containerStatuses };
}

/** As a strategic merge patch would: conditions by their type. */
export function merged(before: PodStatus, reported: PodStatus): PodStatus {
  const conditions = new Map((before.conditions ?? []).map((condition) => [condition.type, condition]));
  for (const condition of reported.conditions ?? []) conditions.set(condition.type, condition);
  return { ...before, ...reported, conditions: [...conditions.values()] };
}
