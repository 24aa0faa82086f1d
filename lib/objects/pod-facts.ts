// What planners know of a pod: the projection that the relay sends, the view keeps and `farloop plan` makes from a manifest.
// Never environment values, never volumes, never secrets.
import { integerOf } from './index-text.ts';
import type { ContainerStatus, LabelSelector, OwnerReference, Pod, ObjectMeta } from './kubernetes.ts';
import { excessOf, unreadableFacts } from './pod-bounds.ts';
import type { PodReason } from './pod-reasons.ts';
import { podReasonsOf, REASON_FIELDS } from './pod-reasons.ts';
import { isDurationSeconds } from './time.ts';
import type { WantedFields } from './field-mask.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
/** Whether the Job controller's finalizer holds the pod until it is counted. */
export const isTracked = ({ finalizers }: ObjectMeta): boolean => finalizers?.includes(TRACKING_FINALIZER) ?? false;

export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';
/** Ours: the number that the pod's computed name stands for (R5). */
export const CHILD_NUMBER = 'farloop.dev/number';

export interface ContainerFacts {
  name: string;
  /** A sidecar is an init container that restarts always. */
  role: 'container' | 'sidecar' | 'init';
  restarts: number;
  /** Set while the container is terminated. */
  exitCode?: number;
  /** Unix seconds; set while terminated and told. */
  finishedAt?: number;
}

export interface PodFacts {
  uid: string;
  name: string;
  namespace: string;
  /** The object's own, not the list's that it was heard in. */
  resourceVersion: string;
  /** The owner reference with `controller: true`. */
  controller?: { apiVersion: string; kind: string; name: string; uid: string };
  /** All labels but the completion index where it repeats the annotation. */
  labels: Record<string, string>;
  /** Raw text of the completion index annotation; absent where it is longer than any that a controller writes. */
  index?: string;
  /** Raw text of the per-index failure annotations; the same. */
  failureCount?: string;
  ignoredFailureCount?: string;
  /** From `farloop.dev/number`: whole, 0 or more. Absent on pods that Farloop did not name. */
  number?: number;
  /** Whether the Job tracking finalizer is on it. */
  tracked: boolean;
  phase: string;
  /** Unix seconds, as are all times here. */
  createdAt: number;
  /** `deletionTimestamp`. */
  deletedAt?: number;
  /** 0 where there are more than anybody reckons with. */
  deletionGraceSeconds?: number;
  /** Bound to a node. */
  assigned: boolean;
  /** Status of the Ready condition, where there is one. */
  ready?: 'True' | 'False' | 'Unknown';
  /** Its last transition. */
  readySince?: number;
  /** Every condition's type and status, in the pod's order. */
  conditions: { type: string; status: string }[];
  /** Regular containers first, then init containers, each in the pod's order. */
  containers: ContainerFacts[];
  /** Why it does not run, or was ended, in the cluster's words: for people, nothing is decided by them. Absent where nothing is said. */
  reasons?: readonly PodReason[];
  /** Why all but its metadata is unknown, as a sentence goes on after "cannot be read:". Absent where it could be read. */
  unreadable?: string;
}

/** Unix seconds of an RFC 3339 text; undefined when absent or unreadable. */
export function secondsOf(time: string | null | undefined): number | undefined {
  if (!time) return undefined;
  const plain = plainSecondsOf(time);
  if (plain !== undefined) return plain;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

const [ZERO, DASH, COLON, T, Z] = [0x30, 0x2d, 0x3a, 0x54, 0x5a];
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_TO_1970 = 719_162;

/** Of a text as the API server writes them, `2026-01-31T23:59:59Z`, from 1970 on; a tenth of what the general way costs. */
function plainSecondsOf(time: string): number | undefined {
  if (time.length !== 20 || time.charCodeAt(19) !== Z || time.charCodeAt(10) !== T) return undefined;
  if (time.charCodeAt(4) !== DASH || time.charCodeAt(7) !== DASH || time.charCodeAt(13) !== COLON || time.charCodeAt(16) !== COLON)
    return undefined;
  const year = pairAt(time, 0) * 100 + pairAt(time, 2);
  const [month, day, hour, minute, second] = [pairAt(time, 5), pairAt(time, 8), pairAt(time, 11), pairAt(time, 14), pairAt(time, 17)];
  // Days that not every month has are left to the calendar.
  if (!(year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = before * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (isLeap && month > 2 ? 1 : 0) + day - 1 - DAYS_TO_1970;
  return days * 86_400 + hour * 3_600 + minute * 60 + second;
}

/** NaN where there are no two digits. */
function pairAt(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** RFC 3339 with whole seconds, as the API server writes times. */
export function timeOf(seconds: number): string {
  if (seconds !== written.seconds) written = { seconds, text: new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') };
  return written.text;
}

/** The time asked for last: one pass asks for the same one again and again, and so do passes that follow upon each other. */
let written = { seconds: 0, text: '1970-01-01T00:00:00Z' };

/** The one reference that says `controller: true`. */
export const controllerOf = (references: readonly OwnerReference[] | undefined): OwnerReference | undefined =>
  references?.find((reference) => reference.controller === true);

const CONTAINER_FIELDS: WantedFields = {
  name: true,
  restartCount: true,
  state: { terminated: { exitCode: true, finishedAt: true }, waiting: REASON_FIELDS },
};

/** What `podFactsOf` reads of a pod. */
export const POD_FIELDS: WantedFields = {
  metadata: {
    uid: true,
    name: true,
    namespace: true,
    resourceVersion: true,
    creationTimestamp: true,
    deletionTimestamp: true,
    deletionGracePeriodSeconds: true,
    labels: true,
    annotations: { [COMPLETION_INDEX]: true, [INDEX_FAILURE_COUNT]: true, [INDEX_IGNORED_FAILURE_COUNT]: true, [CHILD_NUMBER]: true },
    finalizers: true,
    ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
  },
  spec: { nodeName: true, initContainers: { name: true, restartPolicy: true } },
  status: {
    phase: true,
    ...REASON_FIELDS,
    conditions: { type: true, status: true, lastTransitionTime: true, ...REASON_FIELDS },
    containerStatuses: CONTAINER_FIELDS,
    initContainerStatuses: CONTAINER_FIELDS,
  },
};

/** Of a pod that is answered nothing else is wanted: whole, each of a wave of creates may take megabytes. */
export const POD_READING = { fields: POD_FIELDS };

/** An API server bounds neither phases nor names of controllers and container statuses; longer than this none is anything's name. */
const LONGEST_TEXT = 1_024;
const bounded = (text: string): string => (text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text);

/** No number is written that long. Annotations may hold 256 KB, and what one of them says must not keep a pod out of every message. */
const LONGEST_NUMBER = 100;

const numberText = (text: string | undefined): string | undefined =>
  text !== undefined && text.length > LONGEST_NUMBER ? undefined : text;

/** The facts of a pod as the API server stores it, bounded so that messages and views hold them. Missing uid, name or version read as empty texts: the caller checks. */
export function podFactsOf(pod: Pod): PodFacts {
  const { metadata, spec, status } = pod;
  const { annotations, ownerReferences, finalizers, deletionGracePeriodSeconds } = metadata;
  const index = numberText(annotations?.[COMPLETION_INDEX]);
  const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
  const readySince = secondsOf(ready?.lastTransitionTime);
  const deletedAt = secondsOf(metadata.deletionTimestamp);
  const facts: PodFacts = {
    uid: metadata.uid ?? '',
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '0',
    labels: labelsOf(metadata.labels, index),
    tracked: finalizers?.includes(TRACKING_FINALIZER) ?? false,
    phase: bounded(status?.phase ?? ''),
    createdAt: secondsOf(metadata.creationTimestamp) ?? 0,
    assigned: Boolean(spec?.nodeName),
    conditions: (status?.conditions ?? []).map((condition) => ({ type: bounded(condition.type), status: bounded(condition.status) })),
    containers: containersOf(pod),
  };
  // One by one: a relay does this for every event, and conditional spreads take twice the time and memory of all the rest.
  const controller = controllerOf(ownerReferences);
  if (controller) {
    const { apiVersion, kind, name, uid } = controller;
    facts.controller = { apiVersion: bounded(apiVersion), kind: bounded(kind), name: bounded(name), uid: bounded(uid) };
  }
  if (index !== undefined) facts.index = index;
  const failureCount = numberText(annotations?.[INDEX_FAILURE_COUNT]);
  if (failureCount !== undefined) facts.failureCount = failureCount;
  const ignoredFailureCount = numberText(annotations?.[INDEX_IGNORED_FAILURE_COUNT]);
  if (ignoredFailureCount !== undefined) facts.ignoredFailureCount = ignoredFailureCount;
  const number = annotations?.[CHILD_NUMBER];
  if (number !== undefined && /^\d{1,9}$/.test(number)) facts.number = Number(number);
  if (deletedAt !== undefined) {
    facts.deletedAt = deletedAt;
    // The API server reckons with a duration too: where that wraps around, the time of the deletion has wrapped with it.
    if (deletionGracePeriodSeconds !== undefined)
      facts.deletionGraceSeconds = isDurationSeconds(deletionGracePeriodSeconds) ? deletionGracePeriodSeconds : 0;
  }
  if (ready) facts.ready = ready.status === 'True' || ready.status === 'False' ? ready.status : 'Unknown';
  if (readySince !== undefined) facts.readySince = readySince;
  const reasons = podReasonsOf(pod);
  if (reasons) facts.reasons = reasons;
  const unreadable = pod.unreadable ?? excessOf(facts);
  return unreadable === undefined ? facts : unreadableFacts(facts, unreadable);
}

/** All labels but the completion index where it repeats the annotation. */
function labelsOf(labels: Record<string, string> = {}, index: string | undefined): Record<string, string> {
  if (index === undefined || labels[COMPLETION_INDEX] !== index) return { ...labels };
  if (Object.hasOwn(labels, '__proto__')) {
    const { [COMPLETION_INDEX]: _, ...rest } = labels;
    return rest;
  }
  const others: Record<string, string> = {};
  for (const label in labels) if (label !== COMPLETION_INDEX) others[label] = labels[label] ?? '';
  return others;
}

/**
 * The labels that a selector is held against. The index label is given back to a selector that asks for it, and only to such a one.
 * A pod with the annotation alone counts as having both: facts do not tell them apart.
 */
export function labelsFor(selector: LabelSelector | undefined): (pod: PodFacts) => PodFacts['labels'] {
  const asksForIndex =
    Object.hasOwn(selector?.matchLabels ?? {}, COMPLETION_INDEX) ||
    (selector?.matchExpressions ?? []).some(({ key }) => key === COMPLETION_INDEX);
  return asksForIndex ? labelsWithIndex : labelsAsKept;
}

const labelsAsKept = ({ labels }: PodFacts): PodFacts['labels'] => labels;

const labelsWithIndex = ({ labels, index }: PodFacts): PodFacts['labels'] =>
  index === undefined || Object.hasOwn(labels, COMPLETION_INDEX) ? labels : { ...labels, [COMPLETION_INDEX]: index };

function containersOf({ spec, status }: Pod): ContainerFacts[] {
  const containers = (status?.containerStatuses ?? []).map((container) => containerFactsOf(container, 'container'));
  const initContainers = status?.initContainerStatuses ?? [];
  if (initContainers.length === 0) return containers;
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map(({ name }) => name),
  );
  for (const container of initContainers) containers.push(containerFactsOf(container, sidecars.has(container.name) ? 'sidecar' : 'init'));
  return containers;
}

function containerFactsOf({ name, restartCount, state }: ContainerStatus, role: ContainerFacts['role']): ContainerFacts {
  const facts: ContainerFacts = { name: bounded(name), role, restarts: Math.max(restartCount ?? 0, 0) };
  if (!state?.terminated) return facts;
  facts.exitCode = state.terminated.exitCode;
  const finishedAt = secondsOf(state.terminated.finishedAt);
  if (finishedAt !== undefined) facts.finishedAt = finishedAt;
  return facts;
}

export const isFinished = (pod: PodFacts): boolean => pod.phase === 'Succeeded' || pod.phase === 'Failed';
/** Neither over nor asked to end. */
export const isActive = (pod: PodFacts): boolean => !isFinished(pod) && pod.deletedAt === undefined;
/** Asked to end, and not over yet. */
export const isTerminating = (pod: PodFacts): boolean => !isFinished(pod) && pod.deletedAt !== undefined;
export const isReady = (pod: PodFacts): boolean => pod.ready === 'True';

/** Of phase Running, and not all of its containers wait for a restart. */
export function isAtWork({ phase, containers, reasons }: PodFacts): boolean {
  if (phase !== 'Running' || !reasons) return phase === 'Running';
  const own = containers.filter(({ role }) => role === 'container');
  return own.length === 0 || own.some(({ name }) => !reasons.some(({ container }) => container === name));
}

/** The index that the pod's annotation names, whether or not the Job has it; undefined where there is none that can be read. */
export function completionIndexOf({ index }: PodFacts): number | undefined {
  if (index === undefined) return undefined;
  let value = 0;
  for (let at = 0; at < index.length; at += 1) {
    const digit = index.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9 || at > 8) return unusualIndex(index);
    value = value * 10 + digit;
  }
  return index === '' ? undefined : value;
}

function unusualIndex(text: string): number | undefined {
  const value = integerOf(text);
  return value === undefined || value < 0 ? undefined : value;
}
