// Slots: a replica type and an index. Their names, their labels, and which of the present objects lie in which.
import type { FrameworkNames } from './framework-names.ts';
import { plainNumberOf } from '../../../objects/pods/fact-values.ts';

export const OPERATOR_NAME = 'training.kubeflow.org/operator-name';
export const JOB_NAME = 'training.kubeflow.org/job-name';
export const REPLICA_TYPE = 'training.kubeflow.org/replica-type';
export const REPLICA_INDEX = 'training.kubeflow.org/replica-index';
export const JOB_ROLE = 'training.kubeflow.org/job-role';
/** Annotation of a job: completed slots whose pod is gone, as index ranges of slot numbers. */
export const COMPLETED_SLOTS = 'farloop.dev/completed-slots';
/** Label of ours with the job's name: the objects that have none of upstream's are watched by it. */
export const TRAINING_JOB = 'farloop.dev/training-job';

/** Indexes of one type. */
export const MOST_INDEXES = 1_000_000;

export interface Slot {
  type: string;
  index: number;
}

const withoutSlashes = (text: string): string => text.replaceAll('/', '-');

/** Of the slot's pod and of its service. */
export const nameOfSlot = (job: string, { type, index }: Slot): string => withoutSlashes(`${job}-${type.toLowerCase()}-${index}`);

/** Of the slot's pod, of a leader too. */
export const nameInSlot = ({ leader }: Pick<FrameworkNames, 'leader'>, job: string, slot: Slot): string =>
  slot.type === leader?.type ? leader.nameOf({ name: job }) : nameOfSlot(job, slot);

/** Labels that every object of the job carries and is listed by. */
export const baseLabels = ({ controller }: Pick<FrameworkNames, 'controller'>, job: string): Record<string, string> => ({
  [OPERATOR_NAME]: controller,
  [JOB_NAME]: withoutSlashes(job),
});

/** Whether the labels are those of an object of the job: by them an object without a controller is adopted, and one that lacks them is let go. */
export const hasBaseLabels = (
  framework: Pick<FrameworkNames, 'controller'>,
  job: string,
  labels: Readonly<Record<string, string>> = {},
): boolean => labels[OPERATOR_NAME] === framework.controller && labels[JOB_NAME] === withoutSlashes(job);

export const slotLabels = (framework: Pick<FrameworkNames, 'controller'>, job: string, { type, index }: Slot): Record<string, string> => ({
  ...baseLabels(framework, job),
  [REPLICA_TYPE]: type.toLowerCase(),
  [REPLICA_INDEX]: String(index),
});

/** The selector in replica statuses, as text. */
export const selectorText = ({ controller }: Pick<FrameworkNames, 'controller'>, job: string, type: string): string =>
  [
    [JOB_NAME, withoutSlashes(job)],
    [OPERATOR_NAME, controller],
    [REPLICA_TYPE, type.toLowerCase()],
  ]
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** One number for a slot, for records of the head. */
export const numberOfSlot = (role: number, index: number): number => role * MOST_INDEXES + index;

/**
 * The index in a label. A negative one is out of range, so it reads as -1; one that cannot be read leaves its object out.
 */
export function indexIn(labels: Readonly<Record<string, string>>): number | undefined {
  const text = labels[REPLICA_INDEX];
  if (text === undefined) return undefined;
  return /^-[1-9]\d*$/.test(text) ? -1 : plainNumberOf(text);
}

/** Those of one replica type, in their order. */
export const ofType = <Labelled extends { labels?: Readonly<Record<string, string>> }>(
  objects: readonly Labelled[],
  type: string,
): Labelled[] => objects.filter(({ labels }) => labels?.[REPLICA_TYPE] === type.toLowerCase());

export interface Slots<Labelled> {
  /** By index, 0 ≤ index < wanted. */
  inRange: ReadonlyMap<number, readonly Labelled[]>;
  outOfRange: readonly Labelled[];
  /** As many slots as are looked at: those wanted, and those below the largest index present. */
  size: number;
}

/** Which objects of one type lie in which slot. No list is ever made as long as an index in a label. */
export function slotsOf<Labelled extends { labels?: Readonly<Record<string, string>> }>(
  objects: readonly Labelled[],
  { type, wanted }: { type: string; wanted: number },
  /** The index where the labels have none: a leader's. */
  usualIndex?: number,
): Slots<Labelled> {
  const inRange = new Map<number, Labelled[]>();
  const outOfRange: Labelled[] = [];
  let size = wanted;
  for (const object of ofType(objects, type)) {
    const index = indexIn(object.labels ?? {}) ?? (object.labels?.[REPLICA_INDEX] === undefined ? usualIndex : undefined);
    if (index === undefined) continue;
    size = Math.max(size, index + 1);
    if (index < 0 || index >= wanted) outOfRange.push(object);
    else inRange.set(index, [...(inRange.get(index) ?? []), object]);
  }
  return { inRange, outOfRange, size };
}
