// A pass over a job that is neither finished nor suspended.
import { secondsOf } from '../../objects/values/unix-seconds.ts';
import type { Action } from '../rows/plan.ts';
import { abnormalEvents, stuckAt, stuckEvent } from './abnormal.ts';
import { eventAction, type NewEvent } from './actions.ts';
import { backoffMessage, isPastBackoffLimit } from './backoff.ts';
import type { NewCondition } from './conditions.ts';
import { deadlineMessage, secondsToDeadline } from './deadlines.ts';
import { digestOf } from './digest.ts';
import { autoscalerStep, groupStep } from './groups.ts';
import { judge, type Judged, type Judgement } from './judging.ts';
import type { ReplicaStatus, TrainingStatus } from './job-types.ts';
import { keptFailures, packedSlots, slotSetIn, Told, type Kept } from './kept.ts';
import { allRunningEvent, evictionIn, launcherEvent } from './mpi/eviction.ts';
import { hasOwnAccount, mpiCorrections, mpiStep } from './mpi/steps.ts';
import {
  cleanUpActions,
  completedPatch,
  createdConditions,
  labelActions,
  leavingObjects,
  planOf,
  wanting,
  withConditions,
  type Pass,
  type TrainingPlan,
} from './pass.ts';
import { selectorText } from './slots.ts';
import {
  freeOpenings,
  inOnePass,
  NEXT_PODS_SECONDS,
  openingsIn,
  POD_OPENINGS,
  podCreates,
  podRemovals,
  restartMessage,
  SERVICE_OPENINGS,
  serviceChanges,
  serviceCreates,
} from './staffing.ts';
import { stepsOf } from './success.ts';
import { resumption } from './suspend.ts';
import { totalOf } from './terms.ts';

/** A name that somebody else has, or a group that is not scheduled, is looked at again after this time: its change may wake nobody. */
const AGAIN_SECONDS = { taken: 10, leaving: 5, group: 60 } as const;

export function runningPlan(given: Pass): TrainingPlan {
  const before = given.given.owner.status ?? {};
  const resumed = resumption(given.terms, before.conditions);
  const { checked, operator } = given.kept;
  const kept: Kept = { ...(checked && { checked }), ...(operator !== undefined && { operator }) };
  const pass: Pass = resumed ? { ...given, kept } : given;
  const status: TrainingStatus = {
    ...before,
    conditions: withConditions(createdConditions(pass), resumed?.conditions ?? [], pass.time),
    ...(resumed && { startTime: pass.time }),
  };
  const news: Progress = { status, events: resumed?.event ? [resumed.event] : [], isFinal: resumed !== undefined };
  const judgement = judge(pass, { kept: pass.kept, conditions: status.conditions, startedAt: secondsOf(status.startTime) });
  const limit = limitOf(pass, judgement, status);
  return limit === undefined ? goingOn(pass, judgement, news) : limitPlan(pass, judgement, news, limit);
}

/** Writes at the end of the pass. */
interface Progress {
  status: TrainingStatus;
  events: NewEvent[];
  isFinal: boolean;
}

/** Why the job is over one of its limits; undefined: it is not. */
function limitOf({ given, terms, nowMs }: Pass, { slots, failures }: Judgement, { startTime, replicaStatuses = {} }: TrainingStatus) {
  const earlier = given.head.failure?.message;
  if (earlier !== undefined) return earlier;
  const failedBefore = Object.values(replicaStatuses).reduce((sum, { failed = 0 }) => sum + failed, 0);
  const counts = { pods: [...slots.values()], failures: failures.total, failedBefore, wanted: totalOf(terms) };
  if (isPastBackoffLimit(terms.runPolicy.backoffLimit, counts)) return backoffMessage(terms.name);
  const left = secondsToDeadline(terms.runPolicy, startTime, nowMs);
  return left !== undefined && left <= 0 ? deadlineMessage(terms.name) : undefined;
}

/** All pods go, whatever the clean-up policy, and then the job has failed. */
function limitPlan(pass: Pass, { failures }: Judgement, { status, events }: Progress, message: string): TrainingPlan {
  const { terms, time, kept, given } = pass;
  const reason = `${terms.framework.kind}Failed`;
  const { actions, heldSeconds } = cleanUpActions(pass, { is: 'limit' });
  const all = [...actions, ...leavingObjects(pass, 'the job is over one of its limits')];
  const keeping = { why: [message], kept: { ...kept, ...keptFailures(failures) }, failure: { reason, message } };
  if (heldSeconds !== undefined)
    return planOf(pass, { actions: all, status: given.owner.status ?? {}, requeueAfterSeconds: heldSeconds, ...keeping });
  return planOf(pass, {
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

function goingOn(pass: Pass, judgement: Judgement, news: Progress): TrainingPlan {
  const { given, terms, kept, nowMs } = pass;
  const told = new Told(kept.told);
  const observed = observations(pass, judgement, told);
  const group = groupStep(pass);
  if (group.wants) return wanting(given, group.wants, 'the group of its pods depends on what is not known');
  const checked = {
    ...pass.checked,
    ...(group.digest !== undefined && { group: group.digest }),
    ...(terms.framework.isMpi && hasOwnAccount(pass) && { hasOwnAccount: true as const }),
  };
  const keep = (more: Partial<Kept>): Kept => ({ ...more, checked, ...keptFailures(judgement.failures), told: told.toKeep() });
  const deadline = secondsToDeadline(terms.runPolicy, news.status.startTime, nowMs);
  if (group.isWaiting) {
    const lastReconcileTime = news.status.lastReconcileTime ?? pass.time;
    return planOf(pass, {
      actions: [...observed.actions, ...group.actions],
      status: { ...news.status, lastReconcileTime },
      events: news.events,
      isFinal: news.isFinal,
      why: ['its pods wait for their group'],
      problem: group.problem,
      requeueAfterSeconds: Math.min(AGAIN_SECONDS.group, deadline ?? Number.POSITIVE_INFINITY),
      kept: keep({
        ...(kept.succeeded !== undefined && { succeeded: kept.succeeded }),
        ...(kept.restarting !== undefined && { restarting: kept.restarting }),
      }),
    });
  }
  const end = deriveStatus(pass, judgement, news);
  const isEnding = end.isEnding;
  const changes = isEnding ? { actions: atEnd(pass, judgement, told), waits: [] } : staff(pass, judgement, told);
  if ('needsTemplates' in changes && changes.needsTemplates)
    return wanting(given, [{ owner: 'whole' }], 'it makes pods from its templates');
  const remembering =
    judgement.toRemember === undefined || isEnding
      ? []
      : [completedPatch(terms, judgement.toRemember === '' ? null : judgement.toRemember, 'slots that are done lose their pods')];
  const scaler = isEnding ? { actions: [], isTaken: false } : autoscalerStep(pass, told);
  const startDeadline = secondsToDeadline(terms.runPolicy, end.status.startTime, nowMs);
  const waits = isEnding
    ? []
    : [
        ...changes.waits,
        ...observed.waits,
        ...(scaler.isTaken ? [AGAIN_SECONDS.taken] : []),
        ...(startDeadline === undefined ? [] : [startDeadline]),
      ];
  const plan = planOf(pass, {
    actions: [...remembering, ...labelActions(pass), ...observed.actions, ...group.actions, ...scaler.actions, ...changes.actions],
    status: end.status,
    events: end.events,
    isFinal: end.isFinal,
    why: [end.isEnding ? end.why : whyOf(pass, judgement, changes.actions)],
    problem: 'problem' in changes ? changes.problem : undefined,
    requeueAfterSeconds: waits.length > 0 ? Math.min(...waits) : undefined,
    kept: keep({
      ...(judgement.completed.size > 0 && { succeeded: packedSlots(judgement.completed) }),
      ...(judgement.restarting.size > 0 && { restarting: packedSlots(judgement.restarting) }),
    }),
  });
  const continues = isEnding || ('continues' in changes && changes.continues);
  return continues ? { ...plan, continues: true } : plan;
}

/** Events about pods: ended containers, what keeps them from running, pods that do not go. */
function observations({ terms, nowMs }: Pass, { slots, counts }: Judgement, told: Told): { actions: Action[]; waits: number[] } {
  const events: NewEvent[] = [];
  const waits: number[] = [];
  for (const { slot, pod, code, answer, replicas } of slots.values()) {
    // Upstream has other events for an MPIJob's launcher, and none for its workers.
    if (!terms.framework.isMpi && (code !== 'none' || answer !== undefined) && told.isNews('exit', slot))
      events.push(...exitEvents(pod, { code, isMadeAnew: answer === 'restart' && replicas.restartPolicy === 'ExitCode' }));
    const isActive = pod.phase !== 'Succeeded' && pod.phase !== 'Failed' && pod.deletedAt === undefined;
    for (const event of isActive ? abnormalEvents(pod) : []) {
      const about = digestOf(`${event.reason} ${event.message.replaceAll(pod.name, '')}`).slice(0, 8);
      if (told.isNews(about, slot)) events.push(event);
    }
    const stuck = stuckAt(pod);
    if (stuck === undefined) continue;
    if (stuck * 1000 > nowMs) waits.push(stuck - nowMs / 1000);
    else if (told.isNews('stuck', slot)) events.push(stuckEvent(pod));
  }
  const runsAll = terms.framework.isMpi && counts.of('Launcher').active === 1;
  if (runsAll && terms.replicas.every(({ type, wanted }) => counts.of(type).active === wanted) && told.isNews('running', 0))
    events.push(allRunningEvent(terms));
  return { actions: events.map((event) => eventAction(terms, event)), waits };
}

/** @param isMadeAnew because of its exit code: a missing code is reported too then */
function exitEvents({ namespace, name }: Judged['pod'], { code, isMadeAnew }: Pick<Judged, 'code'> & { isMadeAnew: boolean }): NewEvent[] {
  if (code === 'none' && !isMadeAnew) return [];
  const message =
    code === 'none' ? `Pod: ${namespace}.${name} ended without an exit code` : `Pod: ${namespace}.${name} exited with code ${code}`;
  return [{ type: 'Normal', reason: 'ExitedWithCode', message }];
}

/** The decision of a pass that ends nothing: the objects that it makes and deletes, else how many replicas are active. */
function whyOf({ terms }: Pass, { counts }: Judgement, actions: readonly Action[]): string {
  const said = (verb: 'create' | 'delete', word: string): string[] =>
    [
      ...Map.groupBy(
        actions.filter((action) => action.verb === verb),
        (action) => (action.verb === verb ? action.resource.kind : ''),
      ),
    ].map(([kind, those]) => `${word} ${those.length} ${kind}${those.length === 1 ? '' : 's'}`);
  const changes = [...said('delete', 'it deletes'), ...said('create', 'it makes')];
  if (changes.length > 0) return changes.join(', ');
  const wanted = totalOf(terms);
  const active = terms.replicas.reduce((sum, { type }) => sum + counts.of(type).active, 0);
  const succeeded = terms.replicas.reduce((sum, { type }) => sum + counts.of(type).succeeded, 0);
  // Active by their phase, as the status counts them: one that crashes again and again is among them, and does not run.
  return `${active} of ${wanted} replicas are active, ${succeeded} have succeeded`;
}

/** A job that ends in this pass makes nothing more. The launcher of an MPIJob, which still runs, must not reach for a failed worker. */
const atEnd = (pass: Pass, judgement: Judgement, told: Told): Action[] =>
  pass.terms.framework.isMpi && !isLauncherOver(judgement) ? mpiCorrections(pass, judgement, told) : [];

const isLauncherOver = ({ slots }: Judgement): boolean => {
  const phase = slots.get(0)?.pod.phase;
  return phase === 'Succeeded' || phase === 'Failed';
};

/** Pods, services and, for MPIJobs, the other objects. */
function staff(pass: Pass, judgement: Judgement, told: Told) {
  const { given, terms, kept, nowMs } = pass;
  const { head } = given;
  const waits: number[] = [];
  const removals = podRemovals(pass, judgement, { told, alreadyTold: slotSetIn(kept.restarting) });
  const deleteHold = ((head.deleteHoldUntilMs ?? 0) - nowMs) / 1000;
  const isDeleting = removals.actions.some(({ verb }) => verb === 'delete');
  if (deleteHold > 0 && isDeleting) waits.push(deleteHold);
  const removing = deleteHold > 0 ? [] : removals.actions;
  const createHold = ((head.holdUntilMs ?? 0) - nowMs) / 1000;
  const mayCreate = createHold <= 0 && head.createsLast !== true;
  if (terms.framework.isMpi) {
    const step = mpiStep(pass, judgement, { told, mayCreate, isLauncherOver: isLauncherOver(judgement) });
    if (createHold > 0) waits.push(createHold);
    if (step.isCut) waits.push(NEXT_PODS_SECONDS);
    if (step.problem !== undefined) waits.push(AGAIN_SECONDS.taken);
    if (step.awaitsDeletion) waits.push(AGAIN_SECONDS.leaving);
    return { ...step, actions: [...removing, ...step.actions], waits };
  }
  const { missing, removals: goneServices } = serviceChanges(pass);
  const services = freeOpenings(pass, missing, told, SERVICE_OPENINGS);
  const served = inOnePass(pass, services.free);
  const { free, taken, leaving, actions: news } = freeOpenings(pass, openingsIn(pass, judgement), told, POD_OPENINGS);
  if (taken.length + services.taken.length > 0) waits.push(AGAIN_SECONDS.taken);
  if (leaving.length + services.leaving.length > 0) waits.push(AGAIN_SECONDS.leaving);
  if (free.length > 0 && createHold > 0) waits.push(createHold);
  const openings = mayCreate ? inOnePass(pass, free) : [];
  if ((mayCreate && openings.length < free.length) || served.length < services.free.length) waits.push(NEXT_PODS_SECONDS);
  const needsTemplates = (openings.length > 0 || served.length > 0) && !given.isWhole;
  const pods = needsTemplates ? { actions: [] } : podCreates(pass, judgement, openings);
  const creates = needsTemplates ? [] : [...pods.actions, ...serviceCreates(terms, served)];
  return { ...pods, actions: [...removing, ...goneServices, ...news, ...services.actions, ...creates], waits, needsTemplates };
}

interface Derived extends Progress {
  isEnding: boolean;
  why: string;
}

/** Conditions, counts and times, by the rules of the kind. */
function deriveStatus(pass: Pass, judgement: Judgement, news: Progress): Derived {
  const { terms, time } = pass;
  const { kind, isMpi } = terms.framework;
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
  const eviction = isMpi ? evictionIn(terms, judgement) : undefined;
  const launcher = isMpi ? slots.get(0) : undefined;
  if (eviction) end('Failed', { type: 'Warning', ...eviction });
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
        const beside = launcher && launcherEvent(terms, launcher.pod.phase);
        if (beside) events.push(beside);
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
      replicaStatuses: replicaStatusesOf(pass, judgement),
      startTime: status.startTime ?? time,
      ...(outcome.isEnding && { completionTime: status.completionTime ?? time }),
    },
    events,
    isFinal: news.isFinal || outcome.isEnding || isFirst,
    ...outcome,
  };
}

/** Those of types that the job no longer has stay as they were. */
function replicaStatusesOf({ given, terms }: Pass, { counts }: Judgement): Record<string, ReplicaStatus> {
  const now = terms.replicas.map(({ type }): [string, ReplicaStatus] => {
    const { active, succeeded, failed } = counts.of(type);
    return [type, { active, succeeded, failed, ...(terms.framework.isScalable && { selector: selectorText(terms, type) }) }];
  });
  return { ...given.owner.status?.replicaStatuses, ...Object.fromEntries(now) };
}
