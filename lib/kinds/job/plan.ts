// batch/v1 Job: keep up to `parallelism` pods running until `completions` of them have succeeded, count each exactly once, and
// end as the policies say. One pass, in upstream's order: claim, count, decide the end, start or stop pods, suspend, write.
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { formatIndexes, noIndexes } from '../../objects/values/index-text.ts';
import { isJobFinished } from './terms/owner-facts.ts';
import { LabelSelectorError } from '../../objects/label-selector.ts';
import { isOurs } from './terms/managed-by.ts';
import { isActive, isReady, timeOf, type PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Action, Failure, NewPlan, Plan, Snapshot } from '../rows/plan.ts';
import { plannerOf } from '../rows/planner-row.ts';
import { podSetOf, type PodSet } from '../rows/pod-set.ts';
import { createActions, deleteActions, eventAction, finishEvents, storedStatus } from './pods/actions.ts';
import { nextBackoff } from './backoff/backoff.ts';
import { creationReason } from './counting/counts.ts';
import { trueCondition } from '../rows/usual-reasons.ts';
import { deadlineOf } from './end/deadline.ts';
import { headcountFold } from './tally/headcount.ts';
import { earlierVerdict, indexVerdict, isComplete, jobFailure, notedFailure, REACHED_COMPLETIONS, verdictInStatus } from './end/finish.ts';
import { MAX_PODS_PER_PASS, staffingOf, type Staffing } from './pods/manage.ts';
import { nextChildren } from './pods/numbers.ts';
import { holdsOf, obstacleOf, type Holds, type Obstacle } from './pods/obstacles.ts';
import { claimActions, claimPods, isLeftRunning, stripOrphan, stripAction, type Claims } from './pods/ownership.ts';
import { templateProblem } from './pods/pod.ts';
import { progressOf, type Progress } from './counting/progress.ts';
import { uncountedIn } from './status.ts';
import { planWithGroup, type JobSnapshot } from './scheduling/scheduling-plan.ts';
import { applySuspension } from './pods/suspend.ts';
import { tallyOf } from './tally/tally.ts';
import { isKnownMode, termsOf } from './terms/terms.ts';
import { track } from './counting/tracking.ts';
import { cleanupOf, NoExpiryError, type Cleanup } from './end/ttl.ts';
import type { Verdict } from './terms/verdict.ts';

/** Pod events come in bursts: a Job that waits for its back-off is not looked at sooner than this. */
const MIN_WAIT_MS = 1000;

/** Characters: the head that keeps them is small. */
const MAX_KEPT_INDEXES = 200;

export const jobPlanner = plannerOf<Job, JobStatus>({
  plan: (snapshot: JobSnapshot, now) => planWithGroup(snapshot, (given) => plan(given, now)),
  afterOwner: ({ pods }) => ({ actions: orphans(pods), isDone: true }),
});

type JobPlan = NewPlan<JobStatus>;

function plan(snapshot: JobSnapshot, now: Date): JobPlan {
  const job = snapshot.owner;
  if (!isOurs(job.spec, snapshot.manages)) {
    return idle('notOurs', `the Job is managed by ${job.spec.managedBy ?? 'the built-in controller'}`);
  }
  if (isJobFinished(job)) return finished(snapshot, now);
  if (!isKnownMode(job.spec)) {
    const message = 'Skipped Job sync because completion mode is unknown';
    const event = eventAction(job, { type: 'Warning', reason: 'UnknownCompletionMode', message });
    return { ...idle('parked', `the completion mode ${String(job.spec.completionMode)} is unknown`), actions: [event] };
  }
  const pods = podSetOf(snapshot.pods);
  let claims: Claims;
  try {
    claims = claimPods(job, pods);
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return idle('parked', `couldn't convert Job selector: ${error.message}`);
  }
  return passOf({ ...snapshot, pods }, claims, now.getTime());
}

/** Finalizers come off pods whose owner is gone or finished: nobody will count them any more. */
function orphans(pods: readonly PodFacts[]): Action[] {
  const why = 'its Job is gone or finished, nobody counts it any more';
  return pods.filter(({ tracked }) => tracked).map((pod) => (pod.controller === undefined ? stripOrphan(pod, why) : stripAction(pod, why)));
}

const idle = (outcome: Plan<JobStatus>['outcome'], why: string): JobPlan => ({ actions: [], outcome, why: [why] });

function finished(snapshot: Snapshot<Job>, now: Date): JobPlan {
  const { owner: job, head } = snapshot;
  const asked = new Set(head.expectations.strip);
  const pods = podSetOf(snapshot.pods);
  const isLeft = ({ tracked, controller, uid }: PodFacts): boolean =>
    tracked && (controller === undefined || controller.uid === job.metadata.uid) && !asked.has(uid);
  const left = pods.select(headcountFold(job, pods), ({ tracked }) => tracked, isLeft);
  // A running pod keeps its finalizer until its deletion is observed, so that it is found again until then.
  const { surplus = [], ended = [] } = Object.groupBy(left, (pod) => (isLeftRunning(job, pod) ? 'surplus' : 'ended'));
  const heldMs = surplus.length > 0 ? holdsOf(head, now.getTime()).deletes : undefined;
  const due = heldMs === undefined ? surplus.slice(0, MAX_PODS_PER_PASS) : [];
  const removals = deleteActions(job, due, { uncounted: false, why: 'its Job has finished without it' });
  let cleanup: Cleanup | undefined;
  let problem: string | undefined;
  try {
    cleanup = cleanupOf(job, now);
  } catch (error) {
    if (!(error instanceof NoExpiryError)) throw error;
    problem = error.message;
  }
  const actions = [...orphans(ended), ...removals, ...(cleanup?.actions ?? [])];
  const waitMs = shortest(heldMs, cleanup?.waitMs);
  const rest = problem !== undefined ? 'parked' : waitMs !== undefined ? 'waiting' : 'converged';
  const held = heldMs === undefined ? [] : [HELD_WHY.deletes];
  return {
    actions,
    outcome: actions.length > 0 ? 'acted' : rest,
    ...(waitMs !== undefined && { requeueAfterSeconds: waitMs / 1000 }),
    why: ['the Job has finished', ...held, ...(cleanup?.why ?? []), ...(problem === undefined ? [] : [problem])],
    head: { backoff: { failures: 0 } },
  };
}

function passOf(snapshot: JobSnapshot & { pods: PodSet }, claims: Claims, nowMs: number): JobPlan {
  const { owner: job, head } = snapshot;
  const before = job.status ?? {};
  const terms = termsOf(job);
  const time = timeOf(Math.floor(nowMs / 1000));
  const tally = tallyOf(job, terms, { pods: claims.pods, stripping: head.expectations.strip });
  const isTold = verdictInStatus(job) !== undefined;
  const earlier = earlierVerdict(job, head, tally);
  const noted = isTold ? undefined : notedFailure(head, tally);
  const progress = progressOf(job, tally, { adopt: claims.adopt, failure: noted });
  // With failures counted per index each index waits for itself.
  const countsPerIndex = terms.perIndexLimit !== undefined;
  const backoff = countsPerIndex ? head.backoff : nextBackoff(head.backoff, { succeeded: tally.newSucceeded, failed: tally.newFailed });
  const obstacle = obstacleOf(head, snapshot.pods);

  const draft: JobStatus = { ...before };
  if (draft.startTime === undefined && !terms.suspended) draft.startTime = time;
  const deadline = deadlineOf(job, nowMs);
  const early = earlier ?? jobFailure(job, tally, deadline);
  const decided = early ?? (terms.indexed ? indexVerdict(job, progress) : undefined);

  const changes = podChanges(job, progress, {
    decided,
    obstacle,
    holds: holdsOf(head, nowMs),
    createsLast: head.createsLast === true,
    backoff,
    nowMs,
  });
  const active = tally.counts.active - changes.remove.length + changes.start.length;
  draft.active = active;
  draft.terminating = tally.counts.terminating + changes.remove.length;
  draft.ready = tally.counts.ready - changes.remove.filter(isReady).length;

  // While earlier creates or deletes are open, or pods that should go are left, do not end the Job: the next pass decides again.
  let verdict = obstacle || changes.isHeld ? undefined : decided;
  let suspension: { reason: string; message: string } | undefined;
  if (!decided) {
    if (isComplete({ completions: terms.completions, succeeded: progress.succeeded, active })) verdict = REACHED_COMPLETIONS;
    else if (!obstacle && !terms.deleting) suspension = applySuspension(job, draft, time);
  }
  const changed =
    suspension !== undefined || active !== (before.active ?? 0) || draft.ready !== before.ready || draft.terminating !== before.terminating;
  const { first, strip, second, ends } = track(job, { progress, verdict, draft, changed, time });

  const writes = [first, second].map((status) => status && storedStatus(status));
  const status = writes[1] ?? writes[0] ?? before;
  const why = reasons(progress, { changes, verdict, obstacle, status });
  const children = nextChildren(job, snapshot.pods, { start: changes.start, ordinal: head.ordinal });
  // The pass may be cut short after any action. So a new success is written before its pods are deleted: their ends must not decide again.
  // A pod that is deleted with its finalizer on counts as failed, no matter who deleted it. So the finalizer comes off first if the Job goes
  // on or succeeds. If the API server refuses that, a Job that goes on keeps the pod; one that succeeds deletes it all the same.
  const isSuccess = verdict?.succeeded === true;
  const isToldFirst = isSuccess && !isTold;
  const areUncounted = !decided || isSuccess;
  const removals = deleteActions(job, changes.remove, { uncounted: areUncounted, evenTracked: isSuccess, why: changes.why });
  const actions: Action[] = [
    ...claimActions(job, claims),
    ...(isToldFirst ? [] : removals),
    ...createActions(job, children, { delayed: progress.delayed, why: changes.why, group: snapshot.schedulingGroup }),
    ...(writes[0] ? [statusAction(job, writes[0], firstWriteReason(ends ? verdict : undefined, strip.length))] : []),
    // Upstream emits this event before it writes. We emit it even if the write went unanswered: no later pass would.
    ...(suspension ? [eventAction(job, { type: 'Normal', ...suspension, evenUnanswered: true })] : []),
    ...(ends && verdict ? finishEvents(job, status, verdict) : []),
    ...(isToldFirst ? removals : []),
    ...stripActions(areUncounted ? without(strip, changes.remove) : strip, verdict),
    ...(writes[1] ? [statusAction(job, writes[1], 'the finalizers are off, so the uids move into the counters')] : []),
    ...claims.orphaned.map((pod) => stripOrphan(pod, 'nobody controls it and this Job cannot adopt it')),
  ];
  const waitMs = ends ? undefined : shortest(early ? undefined : deadline.remainingMs, changes.waitMs);
  const countsByUid = [before, ...writes].some((written) => uncountedIn(written).length > 0);
  return {
    actions: countsByUid ? actions.map(intended) : actions,
    status,
    ...(waitMs !== undefined && { requeueAfterSeconds: waitMs / 1000 }),
    outcome: changes.problem ? 'parked' : actions.length > 0 ? 'acted' : waitMs !== undefined || obstacle ? 'waiting' : 'converged',
    why,
    ...(changes.syncAction && { syncAction: changes.syncAction }),
    ...(decided && !decided.succeeded && !isTold && (noted || changes.remove.length > 0) && { failure: failureOf(decided, progress) }),
    ...(children.length > 0 && { creationReason: creationReason(job, { failed: tally.failed, terminating: tally.counts.terminating }) }),
    head: { backoff: ends ? { failures: 0 } : backoff },
  };
}

interface PodChanges extends Omit<Staffing, 'syncAction'>, Partial<Pick<Staffing, 'syncAction'>> {
  /** Why no pod can be made at all. */
  problem?: string;
  /** Something is left undone for the time being, the API server having refused it. */
  isHeld?: true;
}

/** Pods to start and to stop. A finished Job stops all of them. */
function podChanges(
  job: Job,
  progress: Progress,
  {
    decided,
    obstacle,
    holds,
    createsLast,
    backoff,
    nowMs,
  }: {
    decided: Verdict | undefined;
    obstacle: Obstacle | undefined;
    holds: Holds;
    createsLast: boolean;
    backoff: Plan<JobStatus>['head']['backoff'];
    nowMs: number;
  },
): PodChanges {
  const { terms } = progress.tally;
  if (decided) {
    // Look up the pods themselves only here: there may be a hundred thousand of them.
    const { active } = progress.tally;
    if (holds.deletes !== undefined && active.length > 0) return heldBack({ remove: active, start: [] }, holds.deletes);
    return { remove: [...active], start: [], why: `the Job is over: ${decided.reason}` };
  }
  if (obstacle) return { remove: [], start: [], why: obstacle.why };
  if (terms.deleting) return { remove: [], start: [], why: 'the Job is being deleted' };
  const staffing = staffingOf(progress, backoff, nowMs);
  // A plan starts or removes, never both.
  const heldMs = staffing.remove.length > 0 ? holds.deletes : staffing.start.length > 0 ? holds.creates : undefined;
  if (heldMs !== undefined) return heldBack(staffing, heldMs);
  if (createsLast && staffing.start.length > 0) return { ...staffing, start: [], why: 'all else comes before more pods', isHeld: true };
  const problem = staffing.start.length > 0 ? templateProblem(job) : undefined;
  const waitMs = staffing.waitMs === undefined ? {} : { waitMs: Math.max(staffing.waitMs, MIN_WAIT_MS) };
  return problem === undefined ? { ...staffing, ...waitMs } : { ...staffing, ...waitMs, start: [], why: problem, problem };
}

/** Leaves out the creates and deletes that are due, until the hold is over. */
function heldBack(due: Pick<PodChanges, 'remove' | 'start'> & Partial<PodChanges>, heldMs: number): PodChanges {
  const why = HELD_WHY[due.remove.length > 0 ? 'deletes' : 'creates'];
  return { ...due, remove: [], start: [], waitMs: heldMs, why, isHeld: true };
}

const HELD_WHY = {
  creates: 'the API server refused creates a moment ago',
  deletes: 'the API server refused deletes a moment ago',
} as const satisfies Record<keyof Holds, string>;

function shortest(...waits: (number | undefined)[]): number | undefined {
  const ahead = waits.filter((wait) => wait !== undefined).filter((wait) => wait > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

function firstWriteReason(end: Verdict | undefined, strips: number): string {
  if (end) return `the Job ends: ${end.reason}`;
  return strips > 0 ? 'what finished is recorded before the finalizers come off' : 'the counts or conditions have changed';
}

/** While the Job goes on, a running pod's finalizer comes off only if the pod is still as it was judged. */
const stripActions = (pods: readonly PodFacts[], verdict: Verdict | undefined): Action[] =>
  pods.map((pod) =>
    stripAction(
      pod,
      'the status counts it, or it need not be counted',
      verdict === undefined && isActive(pod) ? { ifVersion: pod.resourceVersion } : {},
    ),
  );

function without(pods: readonly PodFacts[], others: readonly PodFacts[]): readonly PodFacts[] {
  if (others.length === 0) return pods;
  const left = new Set(others);
  return pods.filter((pod) => !left.has(pod));
}

/** The failure that the head stores until the status has it. */
function failureOf({ reason, message }: Verdict, { failed }: Progress): Failure {
  const failedIndexes = formatIndexes(failed ?? noIndexes);
  const isKept = failedIndexes !== '' && failedIndexes.length <= MAX_KEPT_INDEXES;
  return { reason, message, ...(isKept && { failedIndexes }) };
}

/** Counting alone is guarded by the version of what was counted from; a failure decides for good, and a start time is by the API server's clock. */
function statusAction({ status: before }: Job, status: JobStatus, why: string): Action {
  const fails = ['Failed', 'FailureTarget'].some((type) => trueCondition(status.conditions, type));
  const isFinal = fails || status.startTime !== before?.startTime;
  return { verb: 'status', status, ...(isFinal && { isFinal }), why };
}

/** Where pods are counted by uid, a later status moves those whose finalizer is off: a repeated pass must know which it took off. */
const intended = (action: Action): Action =>
  action.verb === 'patch' && action.purpose === 'strip' ? { ...action, isIntended: true } : action;

/** For people: the decision, and the Job's state after it. */
function reasons(
  { tally, succeeded }: Progress,
  {
    changes,
    verdict,
    obstacle,
    status,
  }: { changes: PodChanges; verdict: Verdict | undefined; obstacle: Obstacle | undefined; status: JobStatus },
): string[] {
  const { completions } = tally.terms;
  const of = completions === undefined ? '' : ` of ${completions}`;
  const running = `${status.active ?? 0} active (${status.ready ?? 0} ready), ${status.terminating ?? 0} terminating`;
  return [
    ...(verdict ? [`the Job ${verdict.succeeded ? 'succeeds' : 'fails'}: ${verdict.reason}, ${verdict.message}`] : [changes.why]),
    ...(verdict && obstacle ? [obstacle.why] : []),
    `after it: ${succeeded}${of} succeeded, ${tally.failed} failed, ${running}`,
  ];
}
