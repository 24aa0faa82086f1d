// What is compared of a story: after each step the status and what is there, at the end all objects that were made, and all that was told.
// Times, uids and versions are left out, and so are the fields that the API server fills in alike for everybody.
import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { Seen } from './story.ts';

export interface Outcome {
  after: Snapshot[];
  /** By kind and name: the object as it was created first. */
  created: Record<string, unknown>;
  /** By kind and name: `2 times, deleted 1`. */
  made: Record<string, string>;
  /** Each once: how many alike are combined is not compared. */
  told: string[];
}

export interface Snapshot {
  step: string;
  /** In their order. */
  conditions: string[];
  replicaStatuses: unknown;
  times: string;
  there: string[];
  /** What stands in objects that are changed while they live. */
  contents: Record<string, unknown>;
}

/** The API server's own, or of no meaning to a controller. */
const LEFT_OUT = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'namespace',
  'nodeName',
  'status',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'dnsPolicy',
  'enableServiceLinks',
  'preemptionPolicy',
  'priority',
  'tolerations',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'internalTrafficPolicy',
  'sessionAffinity',
  'type',
  'finalizers',
  'terminationGracePeriodSeconds',
]);
const CHANGING = new Set(['ConfigMap', 'PodGroup', 'HorizontalPodAutoscaler', 'Role']);
/** Longer texts stand in the records by their digest. */
const LONGEST_TEXT = 100;

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: string): string =>
  value.length > LONGEST_TEXT ? `sha256 ${createHash('sha256').update(value).digest('hex').slice(0, 16)}` : value;

/** A variable is its value. */
const soleValue = (item: unknown): unknown => (isFields(item) && Object.keys(item).join() === 'value' ? item['value'] : item);

/** Lists of named things are compared by name: the order of containers is the template's, that of variables is in groups. */
export function facts(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) {
    const named = value.every((item) => isFields(item) && typeof item['name'] === 'string');
    return named && value.length > 0
      ? Object.fromEntries(value.map(({ name, ...item }: Record<string, unknown>) => [name, soleValue(facts(item))]))
      : value.map(facts);
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, field]) => !LEFT_OUT.has(key) && !key.startsWith('farloop.dev/') && field !== null && field !== undefined)
    .map(([key, field]): [string, unknown] => [key, facts(field)])
    .filter(([, field]) => !(isFields(field) && Object.keys(field).length === 0));
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function snapshotOf(step: string, { job, objects }: Seen): Snapshot {
  const status = job?.status ?? {};
  const contents = [...objects]
    .filter(([name]) => CHANGING.has(name.split('/')[0] ?? ''))
    .map(([name, { metadata: _metadata, ...rest }]) => [name, facts(rest)]);
  return {
    step,
    conditions: job
      ? (status.conditions ?? []).map(({ type, status: is, reason, message }) => `${type} ${is} ${reason}: ${message}`)
      : ['the job is gone'],
    replicaStatuses: facts(status.replicaStatuses ?? {}),
    times: [status.startTime && 'started', status.completionTime && 'completed'].filter(Boolean).join(', '),
    there: [...objects].map(([name, { metadata }]) => (metadata.deletionTimestamp ? `${name} terminating` : name)).toSorted(),
    contents: Object.fromEntries(contents),
  };
}

export const createdFrom = (object: KubernetesObject): unknown => facts(object);

/** One line each, by the path to it. */
function flat(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  if (isFields(value) || Array.isArray(value))
    for (const [key, field] of Object.entries(value)) flat(field, path === '' ? key : `${path}/${key}`, into);
  else into.set(path, JSON.stringify(value));
  return into;
}

/** Names instead of numbers where a list has no order. */
function factsIn({ after, created, made, told }: Outcome): Map<string, string> {
  const steps = after.map(({ step, there, ...rest }): [string, object] => [
    step,
    { ...rest, there: Object.fromEntries(there.map((name) => [name, true])) },
  ]);
  return flat(
    {
      after: Object.fromEntries(steps.map(([step, rest], at): [string, object] => [`${at} ${step}`, rest])),
      created,
      made,
      told: Object.fromEntries(told.map((line) => [line.replaceAll('/', '|'), true])),
    },
    '',
    new Map(),
  );
}

export interface Difference {
  at: string;
  theirs: string | undefined;
  ours: string | undefined;
}

/** In the order of paths. */
export function differencesBetween(theirs: Outcome, ours: Outcome): Difference[] {
  const [one, other] = [factsIn(theirs), factsIn(ours)];
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((at) => one.get(at) !== other.get(at))
    .toSorted()
    .map((at) => ({ at, theirs: one.get(at), ours: other.get(at) }));
}
