// One pass over a training job of any kind: what is done with its pods and objects, and what its status says.
import type { Terms } from '../terms/framework.ts';
import { timeOf } from '../../../objects/values/unix-seconds.ts';
import type { Action, Planner } from '../../rows/plan.ts';
import { eventAction, targetOfJob, type NewEvent } from '../objects/actions.ts';
import { claimActions } from '../objects/claims.ts';
import { cleanUpActions, leavingObjects, type CleanUpCause } from './cleanup.ts';
import { completedPatch } from '../objects/completed-slots.ts';
import { createdConditions, isOver, isTrue, withConditions } from '../status/conditions.ts';
import { secondsToDeletion } from '../status/deadlines.ts';
import { decisionIn } from './decision.ts';
import { gangSchedulerOf } from '../objects/gang.ts';
import type { TrainingJob, TrainingStatus } from '../terms/job-types.ts';
import type { Kept } from '../memory/kept.ts';
import { COMPLETED_SLOTS } from '../names/slots.ts';
import { idle, planOf, wanting } from './training-plan.ts';
import { otherOperatorIn, otherOperatorText, type OtherOperator } from '../status/other-operator.ts';
import { presentIn } from '../objects/present-pods.ts';
import { withoutActive } from '../status/replica-statuses.ts';
import { runningPlan } from './running.ts';
import { MULTI_KUEUE, TRAINING_JOBS, trainingSettingsOf } from '../names/settings.ts';
import type { Given, PlannedFramework, Situation, TrainingPlan } from './situation.ts';
import { suspension } from './suspension.ts';
import { termsOf } from '../terms/terms.ts';
import { USUAL_STEPS } from './usual-steps.ts';
import { problemOf } from '../terms/validation.ts';

export const trainingPlanner = (framework: PlannedFramework): Planner<TrainingJob, TrainingStatus> => ({
  plan: (given, now) => plan(framework, given, now),
  // The API server deletes what the job owned; no finalizer keeps any of it.
  afterOwner: () => ({ actions: [], isDone: true }),
});

function plan(framework: PlannedFramework, given: Given, now: Date): TrainingPlan {
  const { owner, manages } = given;
  const terms = termsOf(framework, owner);
  if (!manages.includes(TRAINING_JOBS)) return idle(given, 'notOurs', 'training jobs are managed by somebody else');
  if (!framework.isOfBase && terms.runPolicy.managedBy === MULTI_KUEUE) return idle(given, 'notOurs', `it is managed by ${MULTI_KUEUE}`);
  if (owner.metadata.deletionTimestamp !== undefined) return idle(given, 'converged', 'it is being deleted, and all that it owns with it');
  const settings = trainingSettingsOf(given.options);
  const kept = (given.kept ?? {}) as Kept;
  const nowMs = now.getTime();
  const other = otherOperatorIn(owner.metadata, nowMs / 1000);
  if (other) return yieldingPlan(given, { terms, kept, other });
  const claims = claimActions(terms, given);
  if (claims.length > 0)
    return { ...idle(given, 'acted', CLAIMING), why: [CLAIMING, ...decisionIn(claims)], actions: claims, continues: true };
  const rest = {
    given,
    terms,
    steps: framework.steps ?? USUAL_STEPS,
    settings,
    gang: gangSchedulerOf(settings.gangScheduler),
    present: presentIn(terms, given.pods),
    nowMs,
    time: timeOf(Math.floor(nowMs / 1000)),
  };
  if (isOver(owner.status?.conditions)) return finishedPlan({ ...rest, kept, checked: { generation: 0 } });
  const generation = owner.metadata.generation ?? 0;
  const known = kept.checked?.generation === generation ? kept.checked : undefined;
  if (!known && !given.isWhole) return wanting(given, [{ owner: 'whole' }], 'its templates have not been read since it was changed');
  const checked = known ?? checkedOf(terms, owner, generation);
  if (checked.problem !== undefined) return invalidPlan({ ...rest, kept: { ...kept, checked }, checked }, { isNew: !known });
  const situation: Situation = { ...rest, kept: { ...kept, checked }, checked };
  return terms.runPolicy.suspend === true ? suspendedPlan(situation) : runningPlan(situation);
}

/** Nothing but an event, once: what the other operator is about to do is not known. */
function yieldingPlan(given: Given, { terms, kept, other }: { terms: Terms; kept: Kept; other: OtherOperator }): TrainingPlan {
  const { manager, remainingSeconds } = other;
  const why = otherOperatorText(terms.framework.kind, other);
  const event: NewEvent = { type: 'Warning', reason: 'OtherOperatorAtWork', message: `${why}. ${OPERATOR_ADVICE}` };
  const rest = idle(given, 'waiting', why);
  const { failure } = given.head;
  return {
    ...rest,
    actions: kept.operator === manager ? [] : [eventAction(terms, event)],
    requeueAfterSeconds: Math.ceil(remainingSeconds),
    yieldsTo: manager,
    ...(failure && { failure }),
    head: { ...rest.head, kept: { ...kept, operator: manager } },
  };
}

const OPERATOR_ADVICE = 'Scale that operator down, or register this cluster without training-jobs';

const CLAIMING = 'it settles first which pods and services are its own';

function checkedOf(terms: Terms, owner: TrainingJob, generation: number): NonNullable<Kept['checked']> {
  const problem = problemOf(terms.framework, owner);
  if (problem !== undefined) return { generation, problem: problem.slice(0, LONGEST_PROBLEM) };
  return { generation, ...terms.framework.findingsIn?.(terms) };
}

/** Characters that are kept of why a job is invalid. */
const LONGEST_PROBLEM = 300;

function invalidPlan({ given, terms, kept, checked }: Situation, { isNew }: { isNew: boolean }): TrainingPlan {
  const { kind } = terms.framework;
  const message = `${kind} failed validation because ${checked.problem}`;
  const event: NewEvent = { type: 'Warning', reason: `${kind}FailedValidation`, message };
  const rest = idle(given, 'parked', message);
  return { ...rest, untilChanged: true, actions: isNew ? [eventAction(terms, event)] : [], head: { ...rest.head, kept } };
}

const cleanPodPolicyIn = ({ framework, job }: Terms): string =>
  framework.cleanPodPolicyOf ? framework.cleanPodPolicyOf(job) : (job.spec.runPolicy?.cleanPodPolicy ?? '');

function finishedPlan(situation: Situation): TrainingPlan {
  const { given, terms, nowMs } = situation;
  const before = given.owner.status ?? {};
  const cause: CleanUpCause = { is: 'finished', cleanPodPolicy: cleanPodPolicyIn(terms) };
  const { actions, heldSeconds } = cleanUpActions(situation, cause);
  const all = [...actions, ...leavingObjects(situation, 'the job is finished')];
  const due = secondsToDeletion(terms.runPolicy, before, nowMs);
  const deletion = typeof due === 'number' && due <= 0 ? deleteJobActions(terms, given.owner.metadata.resourceVersion) : [];
  const waits = [heldSeconds, typeof due === 'number' && due > 0 ? due : undefined].filter((wait) => wait !== undefined);
  const status = isTrue(before.conditions, 'Succeeded')
    ? { ...before, replicaStatuses: withoutActive(before.replicaStatuses ?? {}, { countsAsSucceeded: true }) }
    : before;
  return planOf(situation, {
    actions: [...all, ...deletion],
    status,
    why: 'the job is finished',
    requeueAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    problem: typeof due === 'object' ? due.problem : undefined,
    kept: {},
  });
}

function deleteJobActions(terms: Terms, resourceVersion: string | undefined): Action[] {
  const { framework, name } = terms;
  const resource = { apiVersion: 'kubeflow.org/v1', kind: framework.kind, plural: framework.plural, namespaced: true };
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return [
    { verb: 'delete', resource, ...targetOfJob(terms), active: true, ...version, why: 'its time after the end is over' },
    eventAction(terms, { type: 'Normal', reason: framework.deletedReason, message: `Deleted job: ${name}` }),
  ];
}

function suspendedPlan(situation: Situation): TrainingPlan {
  const { given, terms, time, kept, present, nowMs } = situation;
  const before = given.owner.status ?? {};
  const { conditions: wanted, event } = suspension(terms, before.conditions);
  const { actions, heldSeconds } = cleanUpActions(situation, { is: 'suspended' });
  return planOf(situation, {
    actions: [...clearedActions(situation), ...actions, ...leavingObjects(situation, 'the job is suspended')],
    status: {
      ...before,
      conditions: withConditions(
        createdConditions({ kind: terms.framework.kind, name: terms.name }, before.conditions, time),
        wanted,
        time,
      ),
      replicaStatuses: withoutActive(before.replicaStatuses ?? {}, { countsAsSucceeded: false }),
    },
    events: event ? [event] : [],
    why: 'the job is suspended',
    requeueAfterSeconds: heldSeconds,
    kept: {
      ...(kept.checked && { checked: kept.checked }),
      ...(present.own.length > 0 && { suspendedAt: kept.suspendedAt ?? Math.floor(nowMs / 1000) }),
    },
  });
}

/** A suspension forgets completed slots. */
function clearedActions({ given, terms }: Situation): Action[] {
  if (given.owner.metadata.annotations?.[COMPLETED_SLOTS] === undefined) return [];
  return [completedPatch(terms, null, 'a suspended job begins anew')];
}
