// The status of a pod from how its containers are: as a kubelet would report it.
import type { Condition, Container, ContainerState, ContainerStatus, Pod, PodStatus } from '../../../../objects/kubernetes.ts';
import { qosClassOf } from '../../../../objects/pods/qos-class.ts';
import { timeOf } from '../../../../objects/values/unix-seconds.ts';
import type { Cause } from '../folder/records.ts';

export interface Part {
  container: Container;
  /** Of its containers' ids. */
  runtime: string;
  kind: 'init' | 'sidecar' | 'main';
  state: ContainerState;
  lastState: ContainerState;
  restartCount: number;
  isReady: boolean;
  hasStarted: boolean;
  /** A start of it was tried. */
  wasBegun: boolean;
}

export interface Whole {
  pod: Pod;
  podIp: string;
  orderedAtMs: number;
  parts: readonly Part[];
  /** Nothing runs, and nothing will. */
  hasEnded: boolean;
  /** Ended for a reason of the whole pod. */
  cause?: Cause | undefined;
}

export const HOST_IP = '127.0.0.1';

/** Containers as they are before anything starts. */
export function partsOf({ spec }: Pod, runtime = 'local-process'): Part[] {
  const waiting = { waiting: { reason: (spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating' } };
  const part = (container: Container, kind: Part['kind']): Part => ({
    container,
    runtime,
    kind,
    state: waiting,
    lastState: {},
    restartCount: 0,
    isReady: false,
    hasStarted: false,
    wasBegun: false,
  });
  return [
    ...(spec.initContainers ?? []).map((each) => part(each, each.restartPolicy === 'Always' ? 'sidecar' : 'init')),
    ...spec.containers.map((each) => part(each, 'main')),
  ];
}

/** @param before conditions that did not change keep their time */
export function statusOf(
  { pod, podIp, orderedAtMs, parts, hasEnded, cause }: Whole,
  before: PodStatus | undefined,
  nowMs: number,
): PodStatus {
  const mains = parts.filter(({ kind }) => kind === 'main');
  const inits = parts.filter(({ kind }) => kind !== 'main');
  const isInitialized = inits.every(({ kind, state, hasStarted, wasBegun }) =>
    kind === 'init' ? state.terminated?.exitCode === 0 : hasStarted || (wasBegun && hasEnded),
  );
  const isGood = cause === undefined && mains.every(({ state }) => state.terminated?.exitCode === 0);
  const phase = hasEnded ? (isGood ? 'Succeeded' : 'Failed') : mains.some(({ wasBegun }) => wasBegun) ? 'Running' : 'Pending';
  const isReady = !hasEnded && isInitialized && mains.every((each) => each.isReady);
  const notReady = hasEnded ? (isGood ? 'PodCompleted' : 'PodFailed') : 'ContainersNotReady';
  const conditions: Condition[] = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'PodReadyToStartContainers', status: hasEnded ? 'False' : 'True' },
    { type: 'Initialized', status: isInitialized ? 'True' : 'False', ...(!isInitialized && { reason: 'ContainersNotInitialized' }) },
    ...(['ContainersReady', 'Ready'] as const).map((type) => ({
      type,
      status: isReady ? 'True' : 'False',
      ...(!isReady && { reason: notReady }),
    })),
    ...(cause?.isDisruption ? [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: cause.message }] : []),
  ];
  return {
    phase,
    startTime: textOfTime(orderedAtMs),
    hostIP: HOST_IP,
    hostIPs: [{ ip: HOST_IP }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    qosClass: qosClassOf(pod.spec),
    ...(cause && { reason: cause.reason, message: cause.message }),
    conditions: conditions.map((condition) => timed(condition, before?.conditions, nowMs)),
    containerStatuses: mains.map(containerStatusOf),
    ...(inits.length > 0 && { initContainerStatuses: inits.map(containerStatusOf) }),
  };
}

function timed(condition: Condition, before: readonly Condition[] = [], nowMs: number): Condition {
  const was = before.find(({ type, status }) => type === condition.type && status === condition.status);
  return { ...condition, lastTransitionTime: was?.lastTransitionTime ?? textOfTime(nowMs) };
}

const containerStatusOf = ({
  container,
  runtime,
  state,
  lastState,
  restartCount,
  isReady,
  hasStarted,
  wasBegun,
  kind,
}: Part): ContainerStatus => ({
  name: container.name,
  image: container.image ?? '',
  imageID: '',
  ...(wasBegun && { containerID: `${runtime}://${container.name}-${restartCount}` }),
  restartCount,
  // An init container is ready once it has done its work.
  ready: kind === 'init' ? state.terminated?.exitCode === 0 : isReady,
  started: hasStarted,
  state,
  lastState,
});

export const textOfTime = (ms: number): string => timeOf(Math.floor(ms / 1000)) ?? '';

/** Of a pod whose runner has gone without a word: what ran is lost, and its end with it. */
export function lostStatus(status: PodStatus, why: string, nowMs: number): PodStatus {
  const message = 'The process that ran this container was ended from outside, so its exit code is not known';
  const lost = (each: ContainerStatus): ContainerStatus => {
    const startedAt = each.state?.running?.startedAt;
    if (each.state?.terminated) return each;
    const terminated = {
      exitCode: -137,
      reason: 'NotFound',
      message,
      ...(startedAt !== undefined && { startedAt }),
      finishedAt: textOfTime(nowMs),
    };
    return { ...each, ready: false, started: false, state: { terminated } };
  };
  return {
    ...status,
    phase: 'Failed',
    reason: 'NotFound',
    message: why,
    conditions: (status.conditions ?? []).map((condition) =>
      ['Ready', 'ContainersReady', 'PodReadyToStartContainers'].includes(condition.type)
        ? timed({ type: condition.type, status: 'False', reason: 'PodFailed' }, status.conditions, nowMs)
        : condition,
    ),
    containerStatuses: (status.containerStatuses ?? []).map(lost),
    ...(status.initContainerStatuses && { initContainerStatuses: status.initContainerStatuses.map(lost) }),
  };
}
