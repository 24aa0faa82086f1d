// Facts of a pod that planners know, and questions asked of them: finished, active, ready. pods/fact-table.ts lists the facts.
import { integerOf } from '../values/index-text.ts';
import type { LabelSelector, ObjectMeta, Pod } from '../kubernetes.ts';
import { excessOf, unreadableFacts } from './pod-bounds.ts';
import { factReaderFor, podFieldsFor, type AskedFact, type PodFacts } from './fact-table.ts';
import { COMPLETION_INDEX, TRACKING_FINALIZER } from './fact-values.ts';

export type { AskedFact, PodFacts } from './fact-table.ts';
export { podFieldsFor } from './fact-table.ts';
export {
  CHILD_NUMBER,
  COMPLETION_INDEX,
  controllerOf,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  TRACKING_FINALIZER,
  type ContainerFacts,
} from './fact-values.ts';
export { secondsOf, timeOf } from '../values/unix-seconds.ts';

/** Whether the Job controller's finalizer holds the pod until it is counted. */
export const isTracked = ({ finalizers }: ObjectMeta): boolean => finalizers?.includes(TRACKING_FINALIZER) ?? false;

/** Fields of a pod that `podFactsOf` reads. */
export const POD_FIELDS = podFieldsFor([]);

/** Of a pod that is answered nothing else is wanted: whole, each of a wave of creates may take megabytes. */
export const POD_READING = { fields: POD_FIELDS };

/**
 * Reads the facts of a pod as the API server stores it, bounded so that messages and views hold them. Missing uid, name or version read as
 * empty texts: the caller checks.
 * @param asked facts that the pod's kind asks for
 */
export function podFactsReader(asked: readonly AskedFact[]): (pod: Pod) => PodFacts {
  const read = factReaderFor(asked);
  return (pod) => {
    const facts = read(pod);
    const why = facts.unreadable ?? excessOf(facts);
    return why === undefined ? facts : unreadableFacts(facts, why);
  };
}

/** The facts that every kind knows. */
export const podFactsOf = podFactsReader([]);

/**
 * The labels that a selector is held against. The index label is given back to a selector that asks for it, and only to such a one.
 * A pod with the annotation alone counts as having both: facts do not distinguish them.
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

/** The index that the pod's annotation names, whether or not the Job has it; undefined for an absent or unreadable one. */
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
