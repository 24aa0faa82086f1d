// A pod's facts that neither a message nor a view item would hold. Such a pod exists and is known by its metadata; nothing is decided by
// the rest, which is left out.
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from './job-labels.ts';

/** What of a pod's facts can grow without a bound. */
interface Boundable {
  phase: string;
  conditions: readonly { type: string; status: string }[];
  containers: readonly { name: string }[];
  labels: Record<string, string>;
}

/** What is known of a pod by its status, and so not of an unreadable one. */
interface Told {
  reasons?: unknown;
  ready?: unknown;
  readySince?: unknown;
}

/** Characters of what a pod shares with others like it; messages read some more. */
const LONGEST_FACTS = 48_000;
/** Characters of each text. */
const LONGEST_TEXT = 1_000;
/** With no more of them than this no pod is near the bound: no name of a condition or label is longer than 317 characters. */
const [MOST_CONDITIONS, MOST_CONTAINERS, MOST_LABELS] = [30, 60, 40];
/** Of a container or condition, beside its texts. */
const EACH = 40;

/** @returns what there is too much of, and the limit; undefined where all of it can be kept */
export function excessOf(facts: Boundable): string | undefined {
  const { phase, conditions, containers, labels } = facts;
  if (phase.length > LONGEST_TEXT) return `its status.phase is longer than ${LONGEST_TEXT} characters`;
  for (const { type, status } of conditions)
    if (type.length > LONGEST_TEXT || status.length > LONGEST_TEXT)
      return `its status.conditions hold a text longer than ${LONGEST_TEXT} characters`;
  if (conditions.length <= MOST_CONDITIONS && containers.length <= MOST_CONTAINERS && !hasMoreThan(labels, MOST_LABELS)) return undefined;
  const sizes: [string, number][] = [
    ['status.containerStatuses', sum(containers.map(({ name }) => name.length + EACH))],
    ['status.conditions', sum(conditions.map(({ type, status }) => type.length + status.length + EACH))],
    ['metadata.labels', sum(Object.entries(labels).map(([label, value]) => label.length + value.length + EACH))],
  ];
  if (sum(sizes.map(([, size]) => size)) <= LONGEST_FACTS) return undefined;
  const [[field, size] = ['', 0]] = sizes.toSorted(([, a], [, b]) => b - a);
  return `its ${field} take ${size} characters; ${LONGEST_FACTS} are kept of a pod`;
}

/** What the metadata tells. To builds that do not know of unreadable pods it is one that has not started: there, and not over. */
export function unreadableFacts<Facts extends Boundable & Told>(facts: Facts, why: string) {
  const { reasons: _reasons, ready: _ready, readySince: _readySince, ...metadata } = facts;
  const hasManyLabels = hasMoreThan(facts.labels, MOST_LABELS);
  return {
    ...metadata,
    ...(hasManyLabels && { labels: jobLabelsIn(facts.labels) }),
    phase: '',
    conditions: [],
    containers: [],
    unreadable: why,
  };
}

const JOB_LABELS = [jobNameLabel, controllerUidLabel, legacyJobNameLabel, legacyControllerUidLabel];

const jobLabelsIn = (labels: Boundable['labels']): Boundable['labels'] =>
  Object.fromEntries(JOB_LABELS.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]])));

function hasMoreThan(labels: Boundable['labels'], most: number): boolean {
  let count = 0;
  for (const _ in labels) if ((count += 1) > most) return true;
  return false;
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
