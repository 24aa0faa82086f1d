// A pod's status, from the state of its task: what the provider says, what others have written, and what never goes back (spec section 8.3).
import type { Condition, ContainerStatus, PodStatus } from '../../objects/kubernetes.ts';
import { timeOf } from '../../objects/pods/pod-facts.ts';
import type { Task } from '../../objects/task.ts';
import { evictedStatus } from '../preemption/victims/eviction.ts';
import type { Kept } from './kept.ts';
import type { VirtualPod } from './facts.ts';

const FINAL = new Set(['Succeeded', 'Failed']);
/** Of these the provider speaks. All others are somebody else's. */
const OURS = new Set(['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready']);

export const isFinal = ({ phase = '' }: PodStatus = {}): boolean => FINAL.has(phase);

/** A container that was there and is not known any more (spec section 1.1): negative on purpose. */
const GONE_EXIT_CODE = -137;

/** @returns the status as it is to stand; a final phase only once nothing runs */
export function statusOf(pod: VirtualPod, { status: told, hasEnded }: Task, kept: Kept, now: Date): PodStatus {
  const before = pod.status ?? {};
  const phase = phaseOf(before, told, hasEnded);
  const merged: PodStatus = {
    ...before,
    ...withoutUndefined(told),
    phase,
    startTime: before.startTime ?? told.startTime ?? timeText(now),
    conditions: conditionsOf(before.conditions, told.conditions ?? [], now),
    ...(told.containerStatuses && { containerStatuses: containersOf(before.containerStatuses, told.containerStatuses, now) }),
    ...(told.initContainerStatuses && {
      initContainerStatuses: containersOf(before.initContainerStatuses, told.initContainerStatuses, now),
    }),
  };
  // A reason is the provider's, or was written while it could not be asked: once it tells how the pod is, what it does not say any more is over.
  for (const field of ['reason', 'message'] as const) if (told[field] === undefined && before[field]) merged[field] = '';
  return hasEnded && kept.stop?.evicted ? evicted(pod, merged, now) : merged;
}

/** Changes that an eviction makes come last, whatever the provider says (spec section 20.3). */
export function evicted(pod: VirtualPod, status: PodStatus, now: Date): PodStatus {
  const { conditions, ...changes } = evictedStatus(pod as never, now);
  const known = (status.conditions ?? []).filter(({ type }) => !conditions.some((each) => each.type === type));
  const kept = conditions.map(
    (condition) => status.conditions?.find(({ type, status: is }) => type === condition.type && is === 'True') ?? condition,
  );
  return { ...status, ...changes, conditions: [...known, ...kept] };
}

/** Before its task is stopped: the condition alone, for a final phase says that nothing runs. */
export function toBeEvicted(pod: VirtualPod, now: Date): PodStatus {
  const { conditions } = evicted(pod, pod.status ?? {}, now);
  return { ...pod.status, conditions: conditions ?? [] };
}

/** The provider has lost it (spec section 10.2). */
export function lostStatus({ status = {} }: VirtualPod, now: Date): PodStatus {
  const finishedAt = timeText(now);
  return {
    ...status,
    phase: 'Failed',
    reason: 'NotFound',
    message: 'The pod status was not found and may have been deleted from the provider',
    conditions: notReady(status.conditions, 'PodFailed', now),
    ...(status.containerStatuses && {
      containerStatuses: status.containerStatuses.map((container) => {
        const { running } = container.state ?? {};
        if (!running) return container;
        const terminated = {
          exitCode: GONE_EXIT_CODE,
          reason: 'NotFound',
          message: 'Container was not found and was likely deleted',
          finishedAt,
          ...(running.startedAt !== undefined && { startedAt: running.startedAt }),
        };
        return { ...container, ready: false, started: false, state: { terminated } };
      }),
    }),
  };
}

export const PROVIDER_FAILED = 'ProviderFailed';

/** A start that failed (spec section 7.5). */
export const failedStatus = ({ spec: { restartPolicy }, status = {} }: VirtualPod, message: string): PodStatus => ({
  ...status,
  phase: restartPolicy === 'Never' ? 'Failed' : 'Pending',
  reason: PROVIDER_FAILED,
  message,
});

/** Stopped before anything of it ran. */
export const endedUnstarted = ({ status = {} }: VirtualPod, now: Date): PodStatus => ({
  ...status,
  phase: 'Failed',
  reason: 'Terminated',
  conditions: notReady(status.conditions, 'PodFailed', now),
});

/** Whether an API server that holds the one would show nothing of the other that is new: it may add fields of its own. */
export function isShownBy(wanted: unknown, shown: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(shown)
      ? shown.length === wanted.length && wanted.every((item, at) => isShownBy(item, shown[at]))
      : wanted.length === 0;
  if (typeof wanted === 'object' && wanted !== null) {
    const there = typeof shown === 'object' && shown !== null ? (shown as Record<string, unknown>) : {};
    return Object.entries(wanted).every(([field, value]) => isShownBy(value, there[field]));
  }
  return wanted === shown || ((wanted === undefined || wanted === '') && (shown === undefined || shown === ''));
}

/** It never goes back, and is final only once nothing runs. */
function phaseOf({ phase: before = 'Pending' }: PodStatus, { phase: told = 'Pending' }: PodStatus, hasEnded: boolean): string {
  if (FINAL.has(told)) return hasEnded ? told : before === 'Pending' ? 'Running' : before;
  if (hasEnded) return 'Failed';
  return told === 'Running' || before === 'Running' ? 'Running' : 'Pending';
}

function conditionsOf(before: readonly Condition[] = [], told: readonly Condition[], now: Date): Condition[] {
  // Those of ours that a provider tells no more are over. That the pod was placed a scheduler has said.
  const isOver = ({ type }: Condition): boolean =>
    told.length > 0 && OURS.has(type) && type !== 'PodScheduled' && !told.some((condition) => condition.type === type);
  const known = new Map(before.filter((condition) => !isOver(condition)).map((condition) => [condition.type, condition]));
  for (const condition of told) {
    const was = known.get(condition.type);
    const isSame = was !== undefined && was.status === condition.status && (was.reason ?? '') === (condition.reason ?? '');
    if (!OURS.has(condition.type) && was?.status === 'True') continue;
    known.set(condition.type, isSame ? was : { lastTransitionTime: timeText(now), ...condition });
  }
  return [...known.values()];
}

/** A container that ended stays so unless it was started again; a start is told once. */
function containersOf(before: readonly ContainerStatus[] = [], told: readonly ContainerStatus[], now: Date): ContainerStatus[] {
  const known = new Map(before.map((container) => [container.name, container]));
  return told.map((each) => {
    const was = known.get(each.name);
    const container = timed(each, was, now);
    if (!was) return container;
    const isOlder = (container.restartCount ?? 0) < (was.restartCount ?? 0);
    const isBack =
      was.state?.terminated !== undefined &&
      container.state?.terminated === undefined &&
      (container.restartCount ?? 0) === (was.restartCount ?? 0);
    return isOlder || isBack ? was : container;
  });
}

/** A provider may not know since when: then it is the time at which it was seen first. */
function timed(container: ContainerStatus, was: ContainerStatus | undefined, now: Date): ContainerStatus {
  const { running, terminated } = container.state ?? {};
  if (running) {
    const startedAt = running.startedAt ?? was?.state?.running?.startedAt ?? timeText(now);
    return { ...container, state: { running: { ...running, startedAt } } };
  }
  if (!terminated || terminated.finishedAt !== undefined) return container;
  const finishedAt = was?.state?.terminated?.finishedAt ?? timeText(now);
  const startedAt = terminated.startedAt ?? was?.state?.terminated?.startedAt ?? was?.state?.running?.startedAt;
  return { ...container, state: { terminated: { ...terminated, ...(startedAt !== undefined && { startedAt }), finishedAt } } };
}

function notReady(conditions: readonly Condition[] = [], reason: string, now: Date): Condition[] {
  const at = timeText(now);
  const changed = (['Ready', 'ContainersReady'] as const).map((type) => ({ type, status: 'False', reason, lastTransitionTime: at }));
  return [...conditions.filter(({ type }) => !changed.some((each) => each.type === type)), ...changed];
}

const timeText = (now: Date): string => timeOf(Math.floor(now.getTime() / 1000)) ?? '';

const withoutUndefined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
