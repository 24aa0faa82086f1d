// Pods and services to make and to remove, slot by slot.
import { ClusterSpecError, type Replicas, type Terms } from '../terms/framework.ts';
import { PODS, type Resource, SERVICES } from '../../../objects/resources.ts';
import { nameKeyOf, type Action, type HeldName } from '../../rows/plan.ts';
import { createActions, deleteChildActions, deletePodActions, eventAction, type NewEvent } from '../objects/actions.ts';
import { hasForeignScheduler } from '../objects/gang.ts';
import { TAKEN, type Reports } from '../memory/reports.ts';
import { podOf, restartPolicyWarning, schedulerWarning, setsRestartPolicy } from '../objects/pods.ts';
import { serviceOf } from '../objects/services.ts';
import { livingIn, type Judged, type Judgement, type Situation } from './situation.ts';
import { nameInSlot, nameOfSlot, numberOfSlot, slotsOf } from '../names/slots.ts';
import { totalOf } from '../terms/terms.ts';

export interface Opening {
  replicas: Replicas;
  index: number;
  slot: number;
  name: string;
}

/** Pods that a pass makes at most, and addresses that the environments of these hold together: a framework may list all replicas in each. */
const MOST_PODS_PER_PASS = 500;
const MOST_ADDRESSES_PER_PASS = 2_000_000;

/** As many as a pass makes; the next one makes the others. */
export function inOnePass<Item>({ terms }: Pick<Situation, 'terms'>, items: readonly Item[]): readonly Item[] {
  const pods = Math.floor(MOST_ADDRESSES_PER_PASS / Math.max(totalOf(terms), 1));
  return items.slice(0, Math.min(Math.max(pods, 1), MOST_PODS_PER_PASS));
}

/** Seconds until the next pass makes the others. */
export const NEXT_PODS_SECONDS = 1;

/** A name that somebody else has is looked at again after this time: its change may wake nobody. */
export const AGAIN_SECONDS = { taken: 10, leaving: 5 } as const;

/** Slots without a pod, by role and index: those that are done, or whose create is still unanswered, are no openings. */
export function openingsIn(situation: Situation, { completed }: Judgement): Opening[] {
  const { terms, present, given } = situation;
  return terms.replicas.flatMap((replicas) => {
    const openings: Opening[] = [];
    for (let index = 0; index < replicas.wanted; index += 1) {
      const slot = numberOfSlot(replicas.role, index);
      const name = nameInSlot(terms.framework, terms.name, { type: replicas.type, index });
      const isTaken = present.pods.has(slot) || completed.has(slot) || given.head.expectations.create.includes(name);
      if (!isTaken) openings.push({ replicas, index, slot, name });
    }
    return openings;
  });
}

/** Fills an opening, and reports a name that somebody else has. */
export interface Filling {
  resource: Resource;
  /** Word for the report. */
  about: string;
  eventOf: (opening: Opening) => NewEvent;
}

/**
 * Sorts openings by who has their names.
 * @returns `taken`: somebody else has them, each reported once; `leaving`: an object that is being deleted has them, as after a job was
 * deleted and made anew
 */
export function freeOpenings(
  { terms, given }: Situation,
  openings: readonly Opening[],
  reports: Reports,
  { resource, about, eventOf }: Filling,
): { free: Opening[]; taken: Opening[]; leaving: Opening[]; actions: Action[] } {
  const holderOf = ({ name }: Opening): HeldName | undefined => given.held?.get(nameKeyOf(resource, name));
  const free = openings.filter((opening) => !holderOf(opening));
  const taken = openings.filter((opening) => holderOf(opening)?.isTerminating === false);
  // A create shows whether a name is free. Until then it may be taken as before.
  for (const { slot } of free) reports.stays(about, slot);
  const news = taken.filter(({ slot }) => reports.isNews(about, slot));
  return {
    free,
    taken,
    leaving: openings.filter((opening) => holderOf(opening)?.isTerminating === true),
    actions: news.map((opening) => eventAction(terms, eventOf(opening))),
  };
}

/** As for any create that the API server refuses. */
export const takenEvent = ({ kind, plural }: Pick<Resource, 'kind' | 'plural'>, name: string): NewEvent => ({
  type: 'Warning',
  reason: `FailedCreate${kind}`,
  message: `Error creating: ${plural} "${name}" already exists and belongs to somebody else`,
});

export const POD_OPENINGS: Filling = { resource: PODS, about: TAKEN.pods, eventOf: ({ name }) => takenEvent(PODS, name) };
export const SERVICE_OPENINGS: Filling = { resource: SERVICES, about: TAKEN.services, eventOf: ({ name }) => takenEvent(SERVICES, name) };

/** Warnings about templates before their pods are made: once for each type, and of the scheduler once. */
export function templateWarnings({ terms, gang }: Situation, openings: readonly Opening[]): NewEvent[] {
  const { framework } = terms;
  const types = new Set(openings.map(({ replicas }) => replicas));
  const withPolicy = [...types].filter(({ template }) => setsRestartPolicy(template));
  return [
    ...withPolicy.map((): NewEvent => ({ type: 'Warning', ...restartPolicyWarning(framework) })),
    ...(gang && openings.length > 0 && hasForeignScheduler(terms.replicas, gang)
      ? [{ type: 'Warning' as const, ...schedulerWarning(framework) }]
      : []),
  ];
}

/** Failures that a pod made for this slot carries. */
export const carriedBy = ({ failures }: Judgement, slot: number): { slot: number; job: number } => ({
  slot: failures.bySlot.get(slot) ?? 0,
  job: failures.total,
});

/** The pods of openings. Those that cannot be described are not made. */
export function podCreates(
  situation: Situation,
  judgement: Judgement,
  openings: readonly Opening[],
): { actions: Action[]; problem?: string } {
  const { terms, settings, gang, given } = situation;
  const number = given.head.ordinal;
  const actions = templateWarnings(situation, openings).map((event) => eventAction(terms, event));
  try {
    for (const { replicas, index, slot, name } of openings) {
      const object = podOf(terms, { replicas, index, number, failures: carriedBy(judgement, slot) }, { settings, gang });
      const made = { resource: PODS, object, child: { slot, number } };
      const event = { reason: 'SuccessfulCreatePod', message: `Created pod: ${name}` };
      actions.push(...createActions(terms, made, `a slot of ${replicas.type} has no pod`, event));
    }
    return { actions };
  } catch (error) {
    if (!(error instanceof ClusterSpecError)) throw error;
    return { actions: [], problem: error.message };
  }
}

/** Services that are missing, and those of slots that are not wanted. */
export function serviceChanges(situation: Situation): { missing: Opening[]; removals: Action[] } {
  const { terms } = situation;
  const services = livingIn(situation, SERVICES);
  const missing: Opening[] = [];
  const removals: Action[] = [];
  for (const replicas of terms.replicas) {
    const { inRange, outOfRange } = slotsOf(services, replicas);
    for (const child of outOfRange)
      removals.push(
        ...deleteChildActions(terms, { resource: SERVICES, child }, 'the job has no such slot now', {
          reason: 'SuccessfulDeleteService',
          message: `Deleted service: ${child.name}`,
        }),
      );
    for (let index = 0; index < replicas.wanted; index += 1) {
      const name = nameOfSlot(terms.name, { type: replicas.type, index });
      if (inRange.has(index)) continue;
      missing.push({ replicas, index, slot: numberOfSlot(replicas.role, index), name });
    }
  }
  return { missing, removals };
}

export const serviceCreates = (terms: Terms, missing: readonly Opening[]): Action[] =>
  missing.flatMap(({ replicas, index, name }) =>
    createActions(terms, { resource: SERVICES, object: serviceOf(terms, replicas, { index }) }, 'the slot has no service', {
      reason: 'SuccessfulCreateService',
      message: `Created service: ${name}`,
    }),
  );

/** Pods that go while the job goes on: those of slots that are not wanted, further ones in a slot, and those that are made anew. */
export function podRemovals(
  situation: Situation,
  { slots }: Judgement,
  { reports, alreadyReported }: { reports: Reports; alreadyReported: ReadonlySet<number> },
) {
  const { terms, present, given } = situation;
  const asked = new Set(given.head.expectations.delete);
  const goes = ({ uid, deletedAt }: { uid: string; deletedAt?: number }): boolean => deletedAt === undefined && !asked.has(uid);
  const surplus = present.surplus.flatMap(({ pod, slot, replicas, index }) => [
    ...(goes(pod) ? deletePodActions(terms, pod, 'another pod has its slot') : []),
    ...(reports.isNews('crowded', slot)
      ? [
          eventAction(terms, {
            type: 'Warning',
            reason: 'TooManyPods',
            message: `We have too many pods for ${replicas.type.toLowerCase()} ${index}`,
          }),
        ]
      : []),
  ]);
  const outOfRange = present.outOfRange.filter(goes).flatMap((pod) => {
    const actions = deletePodActions(terms, pod, 'the job has no such slot now');
    return terms.framework.shrinksSilently ? actions.filter(({ verb }) => verb !== 'event') : actions;
  });
  const failed = [...slots.values()].filter(({ answer }) => answer === 'restart');
  const restarts = failed.flatMap((judged) => [
    ...(goes(judged.pod) ? deletePodActions(terms, judged.pod, 'it failed, and is made anew') : []),
    ...(alreadyReported.has(judged.slot) ? [] : [eventAction(terms, restartEvent(terms, judged))]),
  ]);
  return { actions: [...surplus, ...outOfRange, ...restarts], restarted: failed };
}

export const restartMessage = ({ name }: Terms, { type }: Pick<Replicas, 'type'>): string =>
  `job ${name} is restarting because ${type} replica(s) failed.`;

const restartEvent = (terms: Terms, { replicas, pod }: Judged): NewEvent => ({
  type: 'Warning',
  reason: `${terms.framework.kind}Restarting`,
  message: restartMessage(terms, replicas),
  about: pod.name,
});
