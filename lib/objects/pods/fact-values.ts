// How single facts are read from a pod: bounded texts, labels, containers.
import * as v from 'valibot';
import type { WantedFields } from '../field-mask.ts';
import type { Condition, ContainerStatus, OwnerReference, Pod } from '../kubernetes.ts';
import { secondsOf } from '../values/unix-seconds.ts';
import type { LastEnd } from './pod-reasons.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
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
  /** Unix seconds; set while terminated, if the status says when. */
  finishedAt?: number;
}

type Labels = Record<string, string>;

/** The one reference that says `controller: true`. */
export const controllerOf = (references: readonly OwnerReference[] | undefined): OwnerReference | undefined =>
  references?.find((reference) => reference.controller === true);

/** An API server bounds neither phases nor names of controllers and container statuses; no name is longer than this. */
const LONGEST_TEXT = 1_024;
export const bounded = (text: string): string => (text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text);

/** No controller writes a longer number. Annotations may hold 256 KB, and what one of them says must not keep a pod out of every message. */
const LONGEST_NUMBER = 100;

export const numberText = (text: string | undefined): string | undefined =>
  text !== undefined && text.length > LONGEST_NUMBER ? undefined : text;

const [ZERO, NINE] = [0x30, 0x39];
const MOST_DIGITS = 9;

/** The number that a text is the plain form of: at most nine digits, and no zero before others. */
export function plainNumberOf(text: string | undefined): number | undefined {
  if (text === undefined || text.length === 0 || text.length > MOST_DIGITS) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at);
    if (digit < ZERO || digit > NINE || (at === 1 && value === 0)) return undefined;
    value = value * 10 + digit - ZERO;
  }
  return value;
}

/** All labels but the completion index where it repeats the annotation. */
export function labelsOf(labels: Labels = {}, index: string | undefined): Labels {
  if (index === undefined || labels[COMPLETION_INDEX] !== index) return { ...labels };
  if (Object.hasOwn(labels, '__proto__')) {
    const { [COMPLETION_INDEX]: _, ...rest } = labels;
    return rest;
  }
  const others: Labels = {};
  for (const label in labels) if (label !== COMPLETION_INDEX) others[label] = labels[label] ?? '';
  return others;
}

/** In the same order too, since they are written in their order. */
export function areLabelsAlike(a: Labels, b: Labels): boolean {
  if (a === b) return true;
  const others = Object.keys(b);
  let at = 0;
  for (const label in a) {
    if (others[at] !== label || a[label] !== b[label]) return false;
    at += 1;
  }
  return at === others.length;
}

export function hasMoreThan(labels: Labels, most: number): boolean {
  let count = 0;
  for (const _ in labels) if ((count += 1) > most) return true;
  return false;
}

export function containersOf({ spec, status }: Pod): ContainerFacts[] {
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

/** But for when they ended. */
export function areContainersAlike(a: readonly ContainerFacts[], b: readonly ContainerFacts[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) {
    const [one, other] = [a[at], b[at]];
    if (one?.name !== other?.name || one?.role !== other?.role || one?.restarts !== other?.restarts) return false;
    if (one?.exitCode !== other?.exitCode || (one?.finishedAt === undefined) !== (other?.finishedAt === undefined)) return false;
  }
  return true;
}

/** But for when they ended. */
export function areLastEndsAlike(a: readonly LastEnd[] | undefined, b: readonly LastEnd[] | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) {
    const [one, other] = [a[at], b[at]];
    if (one?.container !== other?.container || one?.exitCode !== other?.exitCode || one?.reason !== other?.reason) return false;
  }
  return true;
}

/** The ends with the time of the first one. @param finishedAt undefined: it is not known */
export function firstEndedAt([first, ...others]: readonly LastEnd[], finishedAt: number | undefined): readonly LastEnd[] {
  if (first === undefined) return [];
  const { finishedAt: _, ...end } = first;
  return [finishedAt === undefined ? end : { ...end, finishedAt }, ...others];
}

export const endedAt = ({ name, role, restarts, exitCode }: ContainerFacts, finishedAt: number): ContainerFacts =>
  exitCode === undefined ? { name, role, restarts, finishedAt } : { name, role, restarts, exitCode, finishedAt };

const NEVER: readonly number[] = [];

/** One for each terminated container whose status says when, in their order. */
export function finishedAtOf(containers: readonly ContainerFacts[]): readonly number[] {
  let times: number[] | undefined;
  for (const { finishedAt } of containers) if (finishedAt !== undefined) (times ??= []).push(finishedAt);
  return times ?? NEVER;
}

export function areConditionsAlike(
  a: readonly { type: string; status: string }[],
  b: readonly { type: string; status: string }[],
): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at]?.type !== b[at]?.type || a[at]?.status !== b[at]?.status) return false;
  return true;
}

/** Name, role, restarts, exit code or null, whether a time follows for each pod. */
export type ContainerColumns = [string, ContainerFacts['role'], number, number | null, boolean];

export const containerColumnsOf = ({ name, role, restarts, exitCode, finishedAt }: ContainerFacts): ContainerColumns => [
  name,
  role,
  restarts,
  exitCode ?? null,
  finishedAt !== undefined,
];

/** Until each pod gives its own time, 0 stands there. */
export const containerInColumns = ([name, role, restarts, exitCode, isTimed]: ContainerColumns): ContainerFacts => ({
  name,
  role,
  restarts,
  ...(exitCode !== null && { exitCode }),
  ...(isTimed && { finishedAt: 0 }),
});

export const CONTAINER_FIELDS: WantedFields = {
  name: true,
  restartCount: true,
  state: { terminated: { exitCode: true, finishedAt: true } },
};

export function readyConditionOf({ status }: Pod): Condition | undefined {
  for (const condition of status?.conditions ?? []) if (condition.type === 'Ready') return condition;
  return undefined;
}

/** Texts of a shape, as readers take them. */
export const text = v.pipe(v.string(), v.maxLength(1_024));

/** Characters that a label, condition or container takes beside its texts. */
export const EACH = 40;
export const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
