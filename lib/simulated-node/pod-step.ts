// The simulated node's next step for one pod: a pure decision on the pod as last seen.
import type { Condition, ContainerStatus, Pod, PodStatus } from '../objects/kubernetes.ts';
import { matchesNode } from '../objects/placement/node-affinity.ts';
import { hasEnded, isForScheduler } from '../objects/placement/schedulable.ts';
import type { Moment } from './container-states.ts';
import { containersAt, startedContainers, stoppedContainers, timeOf, waitingContainers } from './container-states.ts';
import type { MissingObject } from './named-objects.ts';
import { evictedAfterMs, evictionOf, isNeverReady, waitOf, type Wait } from './program.ts';

export type PodStep =
  | { verb: 'bind' }
  /** `status` is for a strategic merge patch. */
  | { verb: 'report'; status: PodStatus }
  /** The processes have ended: the API server may let the pod go. */
  | { verb: 'remove' }
  | { verb: 'wait'; untilMs: number }
  | { verb: 'nothing' };

export interface NodeIdentity {
  nodeName: string;
  /** Labels of the node, for the pods' node selectors. */
  labels: Readonly<Record<string, string>>;
  hostIp: string;
  /** A scheduler places the pods: the node binds none. */
  hasScheduler?: boolean;
}

const nothing: PodStep = { verb: 'nothing' };
/** An API server that is asked to delete a pod at once has done so by then. */
const DELETION_MS = 5_000;
/** A missing object may have been made by then. */
const LOOK_AGAIN_MS = 500;

/** The next step for a pod, of this node or of none yet. */
export function nextStep(pod: Pod, moment: Moment, node: NodeIdentity): PodStep {
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return placementOf(pod, moment, node);
  if (pod.spec.nodeName !== node.nodeName) return nothing;
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  if (hasEnded(pod)) return isDeleted ? removalOf(pod, moment) : nothing;
  if (isDeleted) return { verb: 'report', status: endOf(pod, stoppedContainers(pod, moment.nowMs), moment.nowMs) };
  const isUnreported = (pod.status?.containerStatuses ?? []).length === 0;
  const deadlineMs = deadlineOf(pod);
  if (!isUnreported && moment.nowMs >= deadlineMs) return { verb: 'report', status: stoppedBy(pod, moment.nowMs, TOO_LONG) };
  if (isUnreported || pod.status?.phase === 'Pending') {
    const { missing } = moment;
    if (missing !== undefined) {
      if (!isSaidToWait(pod, missing)) return { verb: 'report', status: waitingStatusOf(pod, moment, { wait: missing, node }) };
      return { verb: 'wait', untilMs: Math.min(moment.nowMs + LOOK_AGAIN_MS, deadlineMs) };
    }
    const wait = waitOf(pod);
    const untilMs = wait ? Date.parse(pod.status?.startTime ?? timeOf(moment.nowMs)) + wait.waitMs : 0;
    if (!wait || moment.nowMs >= untilMs) return { verb: 'report', status: firstReportOf(pod, moment, node) };
    if (isUnreported) return { verb: 'report', status: waitingStatusOf(pod, moment, { wait, node }) };
    return Math.min(untilMs, deadlineMs) === Infinity ? nothing : { verb: 'wait', untilMs: Math.min(untilMs, deadlineMs) };
  }
  const eviction = evictionOf(pod);
  if (eviction !== undefined) {
    const untilMs = Date.parse(pod.status?.startTime ?? timeOf(moment.nowMs)) + evictedAfterMs(pod);
    if (moment.nowMs < untilMs) return { verb: 'wait', untilMs: Math.min(untilMs, deadlineMs) };
    return { verb: 'report', status: evictedStatusOf(pod, moment.nowMs, eviction) };
  }
  const { statuses, haveChanged, changeAtMs } = containersAt(pod, moment);
  if (!haveChanged) {
    const untilMs = Math.min(changeAtMs, deadlineMs);
    return untilMs === Infinity ? nothing : { verb: 'wait', untilMs };
  }
  const allEnded = statuses.every(({ state }) => state?.terminated !== undefined);
  if (allEnded) return { verb: 'report', status: endOf(pod, statuses, moment.nowMs) };
  return { verb: 'report', status: { containerStatuses: statuses, conditions: readiness(pod, statuses, moment.nowMs) } };
}

/** Whether its next step may be to be placed, or to start: then the objects that it names must be there. */
export function isToBegin(pod: Pod): boolean {
  if ((pod.spec.nodeName ?? '') === '') return isForScheduler(pod);
  return pod.metadata.deletionTimestamp === undefined && (pod.status?.phase ?? 'Pending') === 'Pending';
}

/** Of a pod that is over and is to go. */
function removalOf({ metadata }: Pod, { nowMs }: Moment): PodStep {
  const { deletionTimestamp = '', deletionGracePeriodSeconds, finalizers = [] } = metadata;
  if (deletionGracePeriodSeconds !== 0) return { verb: 'remove' };
  // The API server lets it go with its last finalizer.
  if (finalizers.length > 0) return nothing;
  // It marks a pod before it deletes it, and leaves it there when the client hangs up in between: then a kubelet asks once more.
  const untilMs = Date.parse(deletionTimestamp) + DELETION_MS;
  return nowMs < untilMs ? { verb: 'wait', untilMs } : { verb: 'remove' };
}

/** Of a pod without a node. */
function placementOf(pod: Pod, { nowMs, missing }: Moment, { nodeName, labels, hasScheduler }: NodeIdentity): PodStep {
  if (hasScheduler || !isForScheduler(pod) || !matchesNode(pod, { name: nodeName, labels })) return nothing;
  return missing === undefined ? { verb: 'bind' } : { verb: 'wait', untilMs: nowMs + LOOK_AGAIN_MS };
}

/** The end of `activeDeadlineSeconds`, which is the kubelet's to keep; Infinity without one. */
function deadlineOf(pod: Pod): number {
  const seconds = pod.spec['activeDeadlineSeconds'];
  const startTime = pod.status?.startTime;
  return typeof seconds === 'number' && startTime !== undefined ? Date.parse(startTime) + seconds * 1000 : Infinity;
}

const TOO_LONG = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };

/** Ended by the node, for a reason of the whole pod. */
function stoppedBy(pod: Pod, nowMs: number, why: { reason: string; message: string }): PodStatus {
  return { ...endOf(pod, stoppedContainers(pod, nowMs), nowMs), phase: 'Failed', ...why };
}

function evictedStatusOf(pod: Pod, nowMs: number, message: string): PodStatus {
  const status = stoppedBy(pod, nowMs, { reason: 'Evicted', message });
  const target = { ...condition('DisruptionTarget', 'True', nowMs, 'TerminationByKubelet'), message };
  return { ...status, conditions: [...(status.conditions ?? []), target] };
}

/** On the node, and its containers cannot start. */
function waitingStatusOf(
  pod: Pod,
  { nowMs }: Moment,
  { wait, node: { hostIp } }: { wait: Pick<Wait, 'reason' | 'message'> & { container?: string }; node: NodeIdentity },
): PodStatus {
  const { containers, initContainers = [] } = pod.spec;
  const isInitialized = !initContainers.some(({ name }) => name === wait.container);
  const why = { reason: wait.reason, ...(wait.message !== undefined && { message: wait.message }) };
  const other = { reason: initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating' };
  const waiting = (name: string): typeof why => (wait.container === undefined || wait.container === name ? why : other);
  return {
    phase: 'Pending',
    startTime: pod.status?.startTime ?? timeOf(nowMs),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    conditions: [
      condition('PodScheduled', 'True', nowMs),
      isInitialized ? condition('Initialized', 'True', nowMs) : condition('Initialized', 'False', nowMs, 'ContainersNotInitialized'),
      condition('PodReadyToStartContainers', 'True', nowMs),
      ...(['Ready', 'ContainersReady'] as const).map((type) => condition(type, 'False', nowMs, 'ContainersNotReady')),
    ],
    containerStatuses: waitingContainers(containers, waiting),
    ...(!isInitialized && { initContainerStatuses: waitingContainers(initContainers, waiting) }),
  };
}

/** Whether the pod's status says so already. */
const isSaidToWait = ({ status }: Pod, { reason, message }: MissingObject): boolean =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(
    ({ state }) => state?.waiting?.reason === reason && state.waiting.message === message,
  );

/** The start; of a pod whose processes are over as soon as they begin the end too, for nobody looks at it in between. */
function firstReportOf(pod: Pod, moment: Moment, node: NodeIdentity): PodStatus {
  const start = startOf(pod, moment, node);
  const started: Pod = { ...pod, status: { ...pod.status, ...start } };
  // The status has the start by the second alone.
  const { statuses } = containersAt(started, { ...moment, startedAtMs: () => moment.nowMs });
  if (evictionOf(pod) !== undefined || !statuses.every(({ state }) => state?.terminated !== undefined)) return start;
  const end = endOf(started, statuses, moment.nowMs);
  const isAtEnd = new Set(end.conditions?.map(({ type }) => type));
  const conditions = [...(start.conditions ?? []).filter(({ type }) => !isAtEnd.has(type)), ...(end.conditions ?? [])];
  return { ...start, ...end, conditions };
}

function startOf(pod: Pod, moment: Moment, { hostIp }: NodeIdentity): PodStatus {
  const { nowMs } = moment;
  const podIp = addressOf(pod.metadata.uid ?? '');
  const statuses = startedContainers(pod, moment);
  return {
    phase: 'Running',
    startTime: timeOf(nowMs),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    conditions: [
      ...(['PodScheduled', 'Initialized', 'PodReadyToStartContainers'] as const).map((type) => condition(type, 'True', nowMs)),
      ...readiness(pod, statuses, nowMs),
    ],
    containerStatuses: statuses,
    ...initContainersOf(pod, nowMs),
  };
}

/** Init containers are over at once; those that restart always (sidecars) run beside the others. */
function initContainersOf(pod: Pod, nowMs: number): { initContainerStatuses?: ContainerStatus[] } {
  const containers = pod.spec.initContainers ?? [];
  if (containers.length === 0) return {};
  const at = timeOf(nowMs);
  return {
    initContainerStatuses: containers.map(({ name, image = '', restartPolicy }) => ({
      name,
      image,
      imageID: '',
      restartCount: 0,
      ready: true,
      started: restartPolicy === 'Always',
      state:
        restartPolicy === 'Always'
          ? { running: { startedAt: at } }
          : { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } },
    })),
  };
}

function endOf(pod: Pod, statuses: ContainerStatus[], nowMs: number): PodStatus {
  const succeeded = statuses.every(({ state }) => state?.terminated?.exitCode === 0);
  const reason = succeeded ? 'PodCompleted' : 'PodFailed';
  return {
    phase: succeeded ? 'Succeeded' : 'Failed',
    ...(pod.status?.startTime === undefined ? { startTime: timeOf(nowMs) } : {}),
    conditions: [
      condition('Initialized', 'True', nowMs, succeeded ? reason : undefined),
      condition('Ready', 'False', nowMs, reason),
      condition('ContainersReady', 'False', nowMs, reason),
      condition('PodReadyToStartContainers', 'False', nowMs),
    ],
    containerStatuses: statuses,
    ...endedSidecars(pod, nowMs),
  };
}

function endedSidecars(pod: Pod, nowMs: number): { initContainerStatuses?: ContainerStatus[] } {
  const known = pod.status?.initContainerStatuses;
  if (known === undefined) return {};
  return {
    initContainerStatuses: known.map((status) => {
      const startedAt = status.state?.running?.startedAt;
      if (startedAt === undefined) return status;
      const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: timeOf(nowMs) };
      return { ...status, ready: false, started: false, state: { terminated } };
    }),
  };
}

/** Ready and ContainersReady, where they differ from what the pod says. */
function readiness(pod: Pod, statuses: readonly ContainerStatus[], nowMs: number): Condition[] {
  const isReady = !isNeverReady(pod) && statuses.every(({ ready }) => ready === true);
  const status = isReady ? 'True' : 'False';
  return (['Ready', 'ContainersReady'] as const)
    .filter((type) => pod.status?.conditions?.find((known) => known.type === type)?.status !== status)
    .map((type) => condition(type, status, nowMs, isReady ? undefined : 'ContainersNotReady'));
}

function condition(type: string, status: string, nowMs: number, reason?: string): Condition {
  return { type, status, lastTransitionTime: timeOf(nowMs), ...(reason === undefined ? {} : { reason }) };
}

/** An address out of 10.64.0.0/10, the same for the same pod at any time. */
function addressOf(uid: string): string {
  let hash = 0x811c9dc5;
  for (const character of uid) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return `10.${64 + ((hash >>> 16) & 63)}.${(hash >>> 8) & 255}.${1 + ((hash & 255) % 254)}`;
}
