// How the plan of a pass is put together, and the parts that several plans have.
import type { Terms } from './framework.ts';
import { resourceKeyOf } from '../../objects/child-state.ts';
import { inWaves } from '../rows/actions.ts';
import type { Action, Want } from '../rows/plan.ts';
import { correctAction, deleteChildActions, deletePodActions, eventAction, targetOfJob, type NewEvent } from './actions.ts';
import { AUTOSCALERS } from './autoscaler.ts';
import { keepsPod, keepsService, type CleanUpCause } from './cleanup.ts';
import { withCondition, type NewCondition } from './conditions.ts';
import { decisionIn } from './decision.ts';
import type { JobCondition, TrainingStatus } from './job-types.ts';
import type { Kept } from './kept.ts';
import { COMPLETED_SLOTS, TRAINING_JOB } from './slots.ts';
import { isSameStatus, storedStatus } from './replica-statuses.ts';
import { SERVICES } from './services.ts';
import { livingIn, type Given, type Situation, type TrainingPlan } from './situation.ts';

export function idle({ owner, head }: Given, outcome: TrainingPlan['outcome'], why: string): TrainingPlan {
  return { actions: [], status: owner.status ?? {}, outcome, why: [why], head: { backoff: head.backoff, ordinal: head.ordinal } };
}

export const wanting = (given: Given, wants: readonly Want[], why: string): TrainingPlan => ({ ...idle(given, 'waiting', why), wants });

/**
 * Objects of the job that an operator has made lack the label by which they are watched. They are met where a create finds their name taken, and
 * labelled then, so that their changes and deletions are heard of.
 */
export function labelActions({ given, terms, gang }: Situation): Action[] {
  const resources = [
    ...(terms.framework.objects ?? []).map(({ resource }) => resource),
    ...(terms.framework.isAutoscaled ? [AUTOSCALERS] : []),
    ...(gang ? [gang.resource] : []),
  ];
  return resources.flatMap((resource) =>
    (given.children?.get(resourceKeyOf(resource)) ?? [])
      .filter(({ labels, terminating }) => !terminating && labels?.[TRAINING_JOB] !== terms.name)
      .map((child) => {
        const patch = { metadata: { labels: { [TRAINING_JOB]: terms.name } } };
        return correctAction({ resource, child }, { type: 'merge', patch }, 'it has no label by which it is watched');
      }),
  );
}

export interface Writing {
  /** Before the status is written. */
  actions: readonly Action[];
  status: TrainingStatus;
  /** Once it is. */
  events?: readonly NewEvent[];
  isFinal?: boolean;
  /** The state of the job. The plan adds what it decides. */
  why: string;
  requeueAfterSeconds?: number | undefined;
  kept: Kept;
  failure?: TrainingPlan['failure'];
  problem?: string | undefined;
}

/** The plan of a pass: the status is written if it has changed, and its events follow. */
export function planOf({ given, terms, kept: { operator } }: Situation, writing: Writing): TrainingPlan {
  const { owner, head } = given;
  const { actions: before, events = [], isFinal, why, requeueAfterSeconds, kept, failure, problem } = writing;
  const status = storedStatus(writing.status);
  const isChanged = !isSameStatus(status, owner.status ?? {}) || owner.status?.conditions === undefined;
  const write: Action[] = isChanged
    ? [{ verb: 'status', status, ...(isFinal && { isFinal: true as const }), why: 'its conditions or counts have changed' }]
    : [];
  const actions = [...inWaves(before), ...write, ...events.map((event) => eventAction(terms, event))];
  const isWaiting = requeueAfterSeconds !== undefined;
  return {
    actions,
    status,
    ...(isWaiting && { requeueAfterSeconds: Math.max(requeueAfterSeconds, 1) }),
    outcome: problem !== undefined ? 'parked' : actions.length > 0 ? 'acted' : isWaiting ? 'waiting' : 'converged',
    // A parked job shows this to the person who must act: the problem alone.
    why: problem === undefined ? [why, ...decisionIn(actions)] : [problem],
    ...(failure && { failure }),
    head: { backoff: head.backoff, ordinal: head.ordinal, kept: { ...kept, ...(operator !== undefined && { operator }) } },
  };
}

/** Conditions of a job, with the first of all. */
export function createdConditions({ given, terms, time }: Situation): JobCondition[] {
  const conditions = given.owner.status?.conditions ?? [];
  if (conditions.length > 0) return conditions;
  const { kind } = terms.framework;
  return withCondition(
    [],
    { type: 'Created', status: 'True', reason: `${kind}Created`, message: `${kind} ${terms.name} is created.` },
    time,
  );
}

export const withConditions = (conditions: JobCondition[], wanted: readonly NewCondition[], time: string): JobCondition[] =>
  wanted.reduce((list, condition) => withCondition(list, condition, time), conditions);

/** Deletes of pods and services, by the cause. A delete that was refused a moment ago waits. */
export function cleanUpActions(pass: Situation, cause: CleanUpCause): { actions: Action[]; heldSeconds?: number } {
  const { given, terms, present, nowMs } = pass;
  const { head } = given;
  const byName = new Map(present.own.map((pod) => [pod.name, pod]));
  const why = `the job is ${cause.is === 'limit' ? 'over one of its limits' : cause.is}`;
  const leaving = present.own.filter(
    (pod) => pod.deletedAt === undefined && !keepsPod(cause, pod) && !head.expectations.delete.includes(pod.uid),
  );
  const heldMs = (head.deleteHoldUntilMs ?? 0) - nowMs;
  const isHeld = heldMs > 0 && leaving.length > 0;
  const services = livingIn(pass, SERVICES).filter(({ name }) => !keepsService(cause, byName.get(name)));
  return {
    actions: [
      ...(isHeld ? [] : leaving).flatMap((pod) => deletePodActions(terms, pod, why)),
      ...services.flatMap((child) =>
        deleteChildActions(terms, { resource: SERVICES, child }, why, {
          reason: 'SuccessfulDeleteService',
          message: `Deleted service: ${child.name}`,
        }),
      ),
    ],
    ...(isHeld && { heldSeconds: heldMs / 1000 }),
  };
}

/** The pod group goes with its events, and the autoscaler. */
export function leavingObjects(pass: Situation, why: string): Action[] {
  const { gang, terms } = pass;
  const groups = gang ? livingIn(pass, gang.resource).filter(({ terminating }) => !terminating) : [];
  const scalers = terms.framework.isAutoscaled ? livingIn(pass, AUTOSCALERS) : [];
  return [
    ...(gang
      ? groups.flatMap((child) => [
          eventAction(terms, { type: 'Normal', reason: 'JobTerminated', message: 'Job has been terminated. Deleting PodGroup' }),
          ...deleteChildActions(terms, { resource: gang.resource, child }, why, {
            reason: 'SuccessfulDeletePodGroup',
            message: `Deleted PodGroup: ${terms.name}`,
          }),
        ])
      : []),
    ...scalers.flatMap((child) => deleteChildActions(terms, { resource: AUTOSCALERS, child }, why)),
  ];
}

export const completedPatch = (terms: Terms, slots: string | null, why: string): Action => ({
  verb: 'patch',
  resource: { apiVersion: 'kubeflow.org/v1', kind: terms.framework.kind, plural: terms.framework.plural, namespaced: true },
  ...targetOfJob(terms),
  purpose: 'completed',
  canBeTakenBack: true,
  type: 'merge',
  patch: { metadata: { annotations: { [COMPLETED_SLOTS]: slots } } },
  why,
});
