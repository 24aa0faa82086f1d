// A pass over a job that is neither finished nor suspended.
import { secondsOf } from '../../../objects/values/unix-seconds.ts';
import type { Action } from '../../rows/plan.ts';
import { abnormalEvents, stuckAt, stuckEvent } from '../objects/abnormal-pods.ts';
import { eventAction, type NewEvent } from '../objects/actions.ts';
import { backoffMessage, isPastBackoffLimit } from '../status/backoff.ts';
import { cleanUpActions, leavingObjects } from './cleanup.ts';
import { completedPatch } from '../objects/completed-slots.ts';
import { createdConditions, withConditions, type NewCondition } from '../status/conditions.ts';

import { deadlineMessage, secondsToDeadline } from '../status/deadlines.ts';
import { digestOf } from '../names/digest.ts';
import { autoscalerStep, groupStep } from './groups.ts';
import { judge } from './judging.ts';
import type { ReplicaStatus, TrainingStatus } from '../terms/job-types.ts';
import { keptFailures, type Kept } from '../memory/kept.ts';
import { packedSlots, slotSetIn } from '../memory/slot-sets.ts';
import { Reports } from '../memory/reports.ts';
import { planOf, wanting } from './training-plan.ts';
import type { Filled, Judged, Judgement, Situation, TrainingPlan } from './situation.ts';
import { selectorText } from '../names/slots.ts';
import { AGAIN_SECONDS, podRemovals, restartMessage } from './staffing.ts';
import { stepsOf } from '../status/success.ts';
import { resumption, wasSuspended } from './suspension.ts';
import { totalOf } from '../terms/terms.ts';
import { labelActions } from './watch-labels.ts';

/** A group that is not scheduled is looked at again after this time: its change may wake nobody. */
const GROUP_SECONDS = 60;

export function runningPlan(given: Situation): TrainingPlan {
  const before = given.given.owner.status ?? {};
  const resumed = resumption(given.terms, before.conditions);
  const { checked, operator, suspendedAt } = given.kept;
  const kept: Kept = {
    ...(checked && { checked }),
    ...(operator !== undefined && { operator }),
    ...(suspendedAt !== undefined && { suspendedAt }),
  };
  const situation: Situation = resumed ? { ...given, kept } : given;
  const status: TrainingStatus = {
    ...before,
    conditions: withConditions(
      createdConditions({ kind: given.terms.framework.kind, name: given.terms.name }, before.conditions, situation.time),
      resumed?.conditions ?? [],
      situation.time,
    ),
    ...(resumed && { startTime: situation.time }),
  };
  const news: Progress = { status, events: resumed?.event ? [resumed.event] : [], isFinal: resumed !== undefined };
  const judgement = judge(situation, { kept: situation.kept, conditions: status.conditions, startedAt: secondsOf(status.startTime) });
  const limit = limitOf(situation, judgement, status);
  return limit === undefined ? goingOn(situation, judgement, news) : limitPlan(situation, judgement, news, limit);
}

/** Writes at the end of the pass. */
interface Progress {
  status: TrainingStatus;
  events: NewEvent[];
  isFinal: boolean;
}

/** Why the job is over one of its limits; undefined: it is not. */
function limitOf({ given, terms, nowMs }: Situation, { slots, failures }: Judgement, { startTime, replicaStatuses = {} }: TrainingStatus) {
  const earlier = given.head.failure?.message;
  if (earlier !== undefined) return earlier;
  const failedBefore = Object.values(replicaStatuses).reduce((sum, { failed = 0 }) => sum + failed, 0);
  const counts = { pods: [...slots.values()], failures: failures.total, failedBefore, wanted: totalOf(terms) };
  if (isPastBackoffLimit(terms.runPolicy.backoffLimit, counts)) return backoffMessage(terms.name);
  const left = secondsToDeadline(terms.runPolicy, startTime, nowMs);
  return left !== undefined && left <= 0 ? deadlineMessage(terms.name) : undefined;
}

/** All pods go, whatever the clean-up policy, and then the job has failed. */
function limitPlan(situation: Situation, { failures }: Judgement, { status, events }: Progress, message: string): TrainingPlan {
  const { terms, time, kept, given } = situation;
  const reason = `${terms.framework.kind}Failed`;
  const { actions, heldSeconds } = cleanUpActions(situation, { is: 'limit' });
  const all = [...actions, ...leavingObjects(situation, 'the job is over one of its limits')];
  const keeping = { why: message, kept: { ...kept, ...keptFailures(failures) }, failure: { reason, message } };
  if (heldSeconds !== undefined)
    return planOf(situation, { actions: all, status: given.owner.status ?? {}, requeueAfterSeconds: heldSeconds, ...keeping });
  return planOf(situation, {
    actions: all,
    status: {
      ...status,
      completionTime: status.completionTime ?? time,
      conditions: withConditions(status.conditions ?? [], [{ type: 'Failed', status: 'True', reason, message }], time),
    },
    events: [...events, { type: 'Normal', reason, message, evenUnanswered: true }],
    isFinal: true,
    ...keeping,
  });
}

function goingOn(situation: Situation, judgement: Judgement, news: Progress): TrainingPlan {
  const { given, terms, kept, nowMs } = situation;
  const reports = new Reports(kept.told);
  const observed = observations(situation, judgement, reports);
  const group = groupStep(situation);
  if (group.wants) return wanting(given, group.wants, 'the group of its pods depends on what is not known');
  const checked = {
    ...situation.checked,
    ...(group.digest !== undefined && { group: group.digest }),
    ...situation.steps.findingsIn?.(situation),
  };
  const { suspendedAt } = kept;
  const keep = (more: Partial<Kept>): Kept => ({
    ...more,
    checked,
    ...keptFailures(judgement.failures),
    told: reports.toKeep(),
    ...(suspendedAt !== undefined && situation.present.own.some((pod) => wasSuspended(pod, suspendedAt)) && { suspendedAt }),
  });
  const deadline = secondsToDeadline(terms.runPolicy, news.status.startTime, nowMs);
  if (group.isWaiting) {
    const lastReconcileTime = news.status.lastReconcileTime ?? situation.time;
    return planOf(situation, {
      actions: [...observed.actions, ...group.actions],
      status: { ...news.status, lastReconcileTime },
      events: news.events,
      isFinal: news.isFinal,
      why: 'its pods wait for their group',
      problem: group.problem,
      requeueAfterSeconds: Math.min(GROUP_SECONDS, deadline ?? Number.POSITIVE_INFINITY),
      kept: keep({
        ...(kept.succeeded !== undefined && { succeeded: kept.succeeded }),
        ...(kept.restarting !== undefined && { restarting: kept.restarting }),
      }),
    });
  }
  const end = deriveStatus(situation, judgement, news);
  const isEnding = end.isEnding;
  const changes = isEnding ? leave(situation, judgement, reports) : staff(situation, judgement, reports);
  if (changes.needsTemplates) return wanting(given, [{ owner: 'whole' }], 'it makes pods from its templates');
  const remembering =
    judgement.toRemember === undefined || isEnding
      ? []
      : [completedPatch(terms, judgement.toRemember === '' ? null : judgement.toRemember, 'slots that are done lose their pods')];
  const scaler = isEnding ? { actions: [], isTaken: false } : autoscalerStep(situation, reports);
  const startDeadline = secondsToDeadline(terms.runPolicy, end.status.startTime, nowMs);
  const waits = isEnding
    ? []
    : [
        ...changes.waits,
        ...observed.waits,
        ...(scaler.isTaken ? [AGAIN_SECONDS.taken] : []),
        ...(startDeadline === undefined ? [] : [startDeadline]),
      ];
  const plan = planOf(situation, {
    actions: [...remembering, ...labelActions(situation), ...observed.actions, ...group.actions, ...scaler.actions, ...changes.actions],
    status: end.status,
    events: end.events,
    isFinal: end.isFinal,
    why: end.isEnding ? end.why : countsText(situation, judgement),
    problem: changes.problem,
    requeueAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    kept: keep({
      ...(judgement.completed.size > 0 && { succeeded: packedSlots(judgement.completed) }),
      ...(judgement.restarting.size > 0 && { restarting: packedSlots(judgement.restarting) }),
    }),
  });
  return isEnding || changes.continues ? { ...plan, continues: true } : plan;
}

/** Events about pods: ended containers, what keeps them from running, pods that do not go. */
function observations(situation: Situation, judgement: Judgement, reports: Reports): { actions: Action[]; waits: number[] } {
  const { terms, steps, nowMs } = situation;
  const events: NewEvent[] = [];
  const waits: number[] = [];
  for (const { slot, pod, code, answer, replicas } of judgement.slots.values()) {
    if (!terms.framework.reportsNoExitCodes && (code !== 'none' || answer !== undefined) && reports.isNews('exit', slot))
      events.push(...exitEvents(pod, { code, isMadeAnew: answer === 'restart' && replicas.restartPolicy === 'ExitCode' }));
    const isActive = pod.phase !== 'Succeeded' && pod.phase !== 'Failed' && pod.deletedAt === undefined;
    for (const event of isActive ? abnormalEvents(pod) : []) {
      const about = digestOf(`${event.reason} ${event.message.replaceAll(pod.name, '')}`).slice(0, 8);
      if (reports.isNews(about, slot)) events.push(event);
    }
    const stuck = stuckAt(pod);
    if (stuck === undefined) continue;
    if (stuck * 1000 > nowMs) waits.push(stuck - nowMs / 1000);
    else if (reports.isNews('stuck', slot)) events.push(stuckEvent(pod));
  }
  events.push(...(steps.events?.(situation, judgement, reports) ?? []));
  return { actions: events.map((event) => eventAction(terms, event)), waits };
}

/** @param isMadeAnew because of its exit code: a missing code is reported too then */
function exitEvents({ namespace, name }: Judged['pod'], { code, isMadeAnew }: Pick<Judged, 'code'> & { isMadeAnew: boolean }): NewEvent[] {
  if (code === 'none' && !isMadeAnew) return [];
  const message =
    code === 'none' ? `Pod: ${namespace}.${name} ended without an exit code` : `Pod: ${namespace}.${name} exited with code ${code}`;
  return [{ type: 'Normal', reason: 'ExitedWithCode', message }];
}

function countsText({ terms }: Situation, { counts }: Judgement): string {
  const sumOf = (counter: 'active' | 'succeeded'): number => terms.replicas.reduce((sum, { type }) => sum + counts.of(type)[counter], 0);
  // Active by their phase, as the status counts them: one that crashes again and again is among them, and does not run.
  return `${sumOf('active')} of ${totalOf(terms)} replicas are active, ${sumOf('succeeded')} have succeeded`;
}

/** The changes of the pass in which the job ends. */
const leave = (situation: Situation, judgement: Judgement, reports: Reports): Filled => ({
  actions: situation.steps.atEnd?.(situation, judgement, reports) ?? [],
  waits: [],
  needsTemplates: false,
});

/** The changes of a pass in which the job goes on: pods that go, then what is missing. */
function staff(situation: Situation, judgement: Judgement, reports: Reports): Filled {
  const { given, kept, nowMs } = situation;
  const { head } = given;
  const waits: number[] = [];
  const removals = podRemovals(situation, judgement, { reports, alreadyReported: slotSetIn(kept.restarting) });
  const deleteHold = ((head.deleteHoldUntilMs ?? 0) - nowMs) / 1000;
  const isDeleting = removals.actions.some(({ verb }) => verb === 'delete');
  if (deleteHold > 0 && isDeleting) waits.push(deleteHold);
  const removing = deleteHold > 0 ? [] : removals.actions;
  const createHold = ((head.holdUntilMs ?? 0) - nowMs) / 1000;
  const filled = situation.steps.fill(situation, judgement, {
    reports,
    mayCreate: createHold <= 0 && head.createsLast !== true,
    createHold,
  });
  return { ...filled, actions: [...removing, ...filled.actions], waits: [...waits, ...filled.waits] };
}

interface Derived extends Progress {
  isEnding: boolean;
  why: string;
}

/** Conditions, counts and times, by the rules of the kind. */
function deriveStatus(situation: Situation, judgement: Judgement, news: Progress): Derived {
  const { terms, time } = situation;
  const { kind } = terms.framework;
  const { counts, slots } = judgement;
  const events = [...news.events];
  const conditions: NewCondition[] = [];
  const outcome = { isEnding: false, why: '' };
  const end = (type: 'Succeeded' | 'Failed', event: NewEvent, message = event.message): void => {
    conditions.push({ type, status: 'True', reason: event.reason, message });
    events.push({ ...event, evenUnanswered: true });
    outcome.isEnding = true;
    outcome.why = message;
  };
  const restarted = [...slots.values()].filter(({ answer }) => answer === 'restart');
  const failing = [...slots.values()].find(({ answer }) => answer === 'fail');
  const failure = situation.steps.failureIn?.(situation, judgement);
  if (failure) end('Failed', { type: 'Warning', ...failure });
  else if (failing) {
    const message = `job "${terms.name}" is failing because "${failing.replicas.type}" replica(s) failed.`;
    end('Failed', { type: 'Warning', reason: `${kind}Failed`, message });
  } else {
    for (const { replicas } of restarted)
      conditions.push({ type: 'Restarting', status: 'True', reason: `${kind}Restarting`, message: restartMessage(terms, replicas) });
    for (const step of stepsOf(counts)) {
      const { is, message } = step;
      if (is === 'Running') conditions.push({ type: is, status: 'True', reason: `${kind}Running`, message });
      else if (is === 'Restarting') {
        conditions.push({ type: is, status: 'True', reason: `${kind}Restarting`, message });
        if (step.isNew) events.push({ type: 'Warning', reason: `${kind}Restarting`, message });
      } else {
        events.push(...(situation.steps.endEvents?.(situation, judgement) ?? []));
        end(is, { type: 'Normal', reason: `${kind}${is}`, message });
      }
    }
  }
  const { status } = news;
  const isFirst = status.startTime === undefined;
  return {
    status: {
      ...status,
      conditions: withConditions(status.conditions ?? [], conditions, time),
      replicaStatuses: replicaStatusesOf(situation, judgement),
      startTime: status.startTime ?? time,
      ...(outcome.isEnding && { completionTime: status.completionTime ?? time }),
    },
    events,
    isFinal: news.isFinal || outcome.isEnding || isFirst,
    ...outcome,
  };
}

/** Those of types that the job no longer has stay as they were. */
function replicaStatusesOf({ given, terms }: Situation, { counts }: Judgement): Record<string, ReplicaStatus> {
  const now = terms.replicas.map(({ type }): [string, ReplicaStatus] => {
    const { newlyFailed: _newlyFailed, ...own } = counts.of(type);
    return [type, { ...own, ...(terms.framework.isScalable && { selector: selectorText(terms.framework, terms.name, type) }) }];
  });
  return { ...given.owner.status?.replicaStatuses, ...Object.fromEntries(now) };
}
