// Reasons of scheduler, kubelet and node why a pod does not run, or why they ended it: bounded, and stable while nothing changes.
import type { Condition, ContainerStatus, Pod } from '../kubernetes.ts';
import { BRIEF, type WantedFields } from '../field-mask.ts';
import { secondsOf } from '../values/unix-seconds.ts';

export interface PodReason {
  /** One word of Kubernetes, such as `Unschedulable`, `ImagePullBackOff` or `Evicted`. */
  reason: string;
  message?: string;
  /** Absent where it is about the whole pod. */
  container?: string;
}

/** More of one pod are not kept. */
export const MOST_POD_REASONS = 5;
/** UTF-16 units; what is longer ends with an ellipsis. */
export const LONGEST_POD_REASON = { reason: 64, message: 240, container: 63 } as const;

/** Every pod passes through them on its way to run: they explain nothing. */
const ORDINARY = new Set(['', 'ContainerCreating', 'PodInitializing']);

/** Fields that `podReasonsOf` reads of a pod's status, its conditions and its waiting containers. */
export const REASON_FIELDS = { reason: BRIEF, message: BRIEF } satisfies WantedFields;

/** Fields that it reads of a container's status. */
export const CONTAINER_REASON_FIELDS = {
  name: true,
  state: { waiting: REASON_FIELDS, terminated: { exitCode: true, reason: BRIEF } },
  lastState: { terminated: { exitCode: true, finishedAt: true, reason: BRIEF } },
} satisfies WantedFields;

/** @returns undefined where nothing is said, which is the ordinary case: then there is no byte of it anywhere */
export function podReasonsOf({ status }: Pod): PodReason[] | undefined {
  if (!status) return undefined;
  const { phase, conditions, containerStatuses, initContainerStatuses } = status;
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const reasons: PodReason[] = [];
  if (!isOver) addUnscheduled(reasons, conditions);
  // A node that evicts a pod says so in its status, and again in the condition.
  if (status.reason) add(reasons, status.reason, status.message);
  else addDisruption(reasons, conditions);
  if (!isOver) {
    addWaiting(reasons, initContainerStatuses);
    addWaiting(reasons, containerStatuses);
  } else addEnded(reasons, [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])]);
  return reasons.length === 0 ? undefined : reasons;
}

function addUnscheduled(reasons: PodReason[], conditions: readonly Condition[] | undefined): void {
  const scheduled = conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') add(reasons, scheduled.reason ?? 'Unschedulable', scheduled.message);
}

function addDisruption(reasons: PodReason[], conditions: readonly Condition[] | undefined): void {
  const target = conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (target?.status === 'True') add(reasons, target.reason ?? 'DisruptionTarget', target.message);
}

function addWaiting(reasons: PodReason[], containers: readonly ContainerStatus[] | undefined): void {
  for (const { name, state, lastState } of containers ?? []) {
    const waiting = state?.waiting;
    if (waiting && !ORDINARY.has(waiting.reason ?? '')) add(reasons, waiting.reason ?? '', withLastEnd(waiting.message, lastState), name);
  }
}

/** The exit code of a container that waits to be started again is in its last state alone. */
function withLastEnd(message: string | undefined, lastState: ContainerStatus['lastState']): string | undefined {
  const ended = lastState?.terminated;
  if (!ended) return message;
  const word = ENDED_ORDINARILY.has(ended.reason ?? '') ? '' : ` (${ended.reason})`;
  return `${message === undefined ? '' : `${stable(message)}, `}last exit code ${ended.exitCode}${word}`;
}

/** The kubelet's words for an end that the exit code tells already. */
const ENDED_ORDINARILY = new Set(['', 'Completed', 'Error']);

/** The end of the run before of a container that was started again, or waits for it. */
export interface LastEnd {
  container: string;
  exitCode: number;
  /** Absent where the exit code says as much. */
  reason?: string;
  /** Unix seconds. Kept of the latest end of a pod alone: pods that ended alike then share the rest. */
  finishedAt?: number;
}

/** @returns the latest end first; undefined for a pod whose containers were never started again, which is the ordinary case */
export function lastEndsOf({ status }: Pod): LastEnd[] | undefined {
  let ends: LastEnd[] | undefined;
  for (const containers of [status?.containerStatuses, status?.initContainerStatuses])
    for (const { name, state, lastState } of containers ?? []) {
      const ended = lastState?.terminated;
      if (!ended || state?.terminated || (ends?.length ?? 0) >= MOST_POD_REASONS) continue;
      const reason = ENDED_ORDINARILY.has(ended.reason ?? '') ? '' : plain(ended.reason ?? '', LONGEST_POD_REASON.reason);
      (ends ??= []).push({
        container: plain(name, LONGEST_POD_REASON.container),
        exitCode: ended.exitCode,
        ...(reason !== '' && { reason }),
        ...finishedIn(ended.finishedAt),
      });
    }
  return ends && latestFirst(ends);
}

const finishedIn = (time: string | undefined): Pick<LastEnd, 'finishedAt'> => {
  const finishedAt = secondsOf(time);
  return finishedAt === undefined ? {} : { finishedAt };
};

/** Most pods have one such container, and no order to find. */
function latestFirst(ends: LastEnd[]): LastEnd[] {
  const [only, ...others] = ends;
  if (only === undefined || others.length === 0) return ends;
  const timeOf = ({ finishedAt = -Infinity }: LastEnd): number => finishedAt;
  const [latest = only, ...rest] = ends.toSorted((a, b) => (timeOf(b) > timeOf(a) ? 1 : timeOf(b) < timeOf(a) ? -1 : 0));
  const timeless: LastEnd[] = [latest];
  for (const { finishedAt: _time, ...end } of rest) timeless.push(end);
  return timeless;
}

/** `OOMKilled` and its like. Not the message: a program may write that itself. */
function addEnded(reasons: PodReason[], containers: readonly ContainerStatus[]): void {
  for (const { name, state } of containers) {
    const ended = state?.terminated;
    if (ended && ended.exitCode !== 0 && !ENDED_ORDINARILY.has(ended.reason ?? '')) add(reasons, ended.reason ?? '', undefined, name);
  }
}

function add(reasons: PodReason[], word: string, message: string | undefined, container?: string): void {
  const reason = plain(word, LONGEST_POD_REASON.reason);
  if (reason === '' || reasons.length >= MOST_POD_REASONS) return;
  const said = stable(plain(message ?? '', LONGEST_POD_REASON.message));
  reasons.push({
    reason,
    ...(said !== '' && { message: said }),
    ...(container !== undefined && { container: plain(container, LONGEST_POD_REASON.container) }),
  });
}

/**
 * The kubelet writes how long it waits this time, and which pod it writes to: so each message would differ from each other one, and
 * pods of one Job could not share it.
 */
export const stable = (message: string): string =>
  message.replace(/^back-off \S+ restarting failed container\b.*/i, 'back-off restarting failed container');

/** On one line, without control characters. @param longest characters; what is longer ends with an ellipsis */
export function plain(text: string, longest: number): string {
  // Twice as much is looked at: of a text that may be as long as an object, the rest is cut off anyway.
  const line = text
    .slice(0, longest * 2)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .toWellFormed()
    .trim();
  if (line.length <= longest && text.length <= longest * 2) return line;
  return `${line
    .slice(0, longest - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

/** As people read it: `ImagePullBackOff (container main): …`. */
export const podReasonText = ({ reason, message, container }: PodReason): string =>
  `${reason}${container === undefined ? '' : ` (container ${container})`}${message === undefined ? '' : `: ${message}`}`;

/** The same without messages and containers: where there is no room for more. */
export const wordsOf = (reasons: readonly PodReason[]): readonly PodReason[] =>
  [...new Set(reasons.map(({ reason }) => reason))].map((reason) => ({ reason }));
