// The containers of a running pod as a kubelet would report them at a given moment: running, ended, waiting for a restart.
import type { Container, ContainerState, ContainerStatus, Pod } from '../objects/kubernetes.ts';
import type { MissingObject } from './named-objects.ts';
import { isNeverReady, runOf } from './program.ts';

/** Facts about the pod beside its object. */
export interface Moment {
  nowMs: number;
  /** The first object that the pod names and that is absent. */
  missing?: MissingObject;
  /** Failed pods of the same owner (and completion index) before this one. */
  attempt: number;
  /** When a run that this node started began; the status alone knows it by the second. */
  startedAtMs: (container: string, restartCount: number) => number | undefined;
  /** The wait before the second restart of a container; the first one is immediate, later ones wait twice as long each. */
  restartBackoffMs: number;
}

export interface Containers {
  statuses: ContainerStatus[];
  /** Whether they differ from those of the pod's status. */
  haveChanged: boolean;
  /** When they will change by themselves next; Infinity: never. */
  changeAtMs: number;
}

const longestBackoffMs = 300_000;

export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** All containers of a pod that has just started. */
export function startedContainers(pod: Pod, { nowMs }: Moment): ContainerStatus[] {
  return pod.spec.containers.map((container) => running(pod, container, { restartCount: 0, sinceMs: nowMs }));
}

/** Containers of a pod that cannot start yet. @param waiting by the container's name */
export const waitingContainers = (
  containers: readonly Container[],
  waiting: (name: string) => NonNullable<ContainerState['waiting']>,
): ContainerStatus[] =>
  containers.map((container) => ({
    ...identityOf(container),
    restartCount: 0,
    ready: false,
    started: false,
    state: { waiting: waiting(container.name) },
    lastState: {},
  }));

/** Where the containers of a started pod stand now. */
export function containersAt(pod: Pod, moment: Moment): Containers {
  const known = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  let changeAtMs = Infinity;
  let haveChanged = false;
  const statuses = pod.spec.containers.map((container) => {
    const current = known.get(container.name) ?? running(pod, container, { restartCount: 0, sinceMs: moment.nowMs });
    const { status, changeAtMs: nextMs } = advance(pod, container, current, moment);
    changeAtMs = Math.min(changeAtMs, nextMs);
    if (status !== known.get(container.name)) haveChanged = true;
    return status;
  });
  return { statuses, haveChanged, changeAtMs };
}

/** All containers stopped from outside, as when their pod is deleted. */
export function stoppedContainers(pod: Pod, nowMs: number): ContainerStatus[] {
  const known = new Map((pod.status?.containerStatuses ?? []).map((status) => [status.name, status]));
  return pod.spec.containers.map((container) => {
    const status = known.get(container.name) ?? { ...identityOf(container), restartCount: 0 };
    if (status.state?.terminated !== undefined) return status;
    // A process that lived hears SIGTERM; one that never started is unknown to the kubelet.
    const startedAt = status.state?.running?.startedAt;
    const terminated =
      startedAt === undefined
        ? { exitCode: 137, reason: 'ContainerStatusUnknown', message: 'The container could not be located when the pod was deleted' }
        : { exitCode: 143, reason: 'Error', startedAt, finishedAt: timeOf(nowMs) };
    return { ...status, ready: false, started: false, state: { terminated } };
  });
}

function advance(
  pod: Pod,
  container: Container,
  current: ContainerStatus,
  moment: Moment,
): { status: ContainerStatus; changeAtMs: number } {
  const restartCount = current.restartCount ?? 0;
  if (current.state?.running !== undefined) {
    const sinceMs = moment.startedAtMs(container.name, restartCount) ?? Date.parse(current.state.running.startedAt ?? timeOf(moment.nowMs));
    const { runMs, exitCode } = runOf(pod, container, { restartCount, attempt: moment.attempt });
    const endMs = sinceMs + runMs;
    if (moment.nowMs < endMs) return { status: current, changeAtMs: endMs };
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: timeOf(sinceMs),
      finishedAt: timeOf(endMs),
    };
    if (!restarts(pod, exitCode)) {
      return { status: { ...current, ready: false, started: false, state: { terminated } }, changeAtMs: Infinity };
    }
    if (restartCount === 0)
      return {
        status: running(pod, container, { restartCount: 1, sinceMs: moment.nowMs, lastState: { terminated } }),
        changeAtMs: moment.nowMs,
      };
    return {
      status: {
        ...current,
        ready: false,
        started: false,
        lastState: { terminated },
        state: { waiting: { reason: 'CrashLoopBackOff', message: `back-off before restart ${restartCount + 1}` } },
      },
      changeAtMs: endMs + backoffMs(restartCount, moment),
    };
  }
  if (current.state?.waiting !== undefined) {
    const finishedAt = current.lastState?.terminated?.finishedAt;
    const startAtMs = finishedAt === undefined ? moment.nowMs : Date.parse(finishedAt) + backoffMs(restartCount, moment);
    if (moment.nowMs < startAtMs) return { status: current, changeAtMs: startAtMs };
    return {
      status: running(pod, container, {
        // Without an earlier end this is no restart: it waited for its first start.
        restartCount: finishedAt === undefined ? restartCount : restartCount + 1,
        sinceMs: moment.nowMs,
        lastState: current.lastState ?? {},
      }),
      changeAtMs: moment.nowMs,
    };
  }
  return { status: current, changeAtMs: Infinity };
}

const backoffMs = (restartCount: number, { restartBackoffMs }: Moment): number =>
  Math.min(restartBackoffMs * 2 ** (restartCount - 1), longestBackoffMs);

function restarts(pod: Pod, exitCode: number): boolean {
  const { restartPolicy = 'Always' } = pod.spec;
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

function running(
  pod: Pod,
  container: Container,
  { restartCount, sinceMs, lastState }: { restartCount: number; sinceMs: number; lastState?: ContainerState },
): ContainerStatus {
  return {
    ...identityOf(container),
    restartCount,
    ready: !isNeverReady(pod),
    started: true,
    state: { running: { startedAt: timeOf(sinceMs) } },
    lastState: lastState ?? {},
  };
}

function identityOf({ name, image = '' }: Container): { name: string; image: string; imageID: string; containerID: string } {
  return { name, image, imageID: '', containerID: `simulated://${name}` };
}
