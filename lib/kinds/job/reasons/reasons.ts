// Why a Job is running or not. Each reason has its evidence: the pod, the exit code, the rule, the time left.
import { countIndexes, parseIndexes } from '../../../objects/values/index-text.ts';
import { LARGEST_INT32 } from '../../../objects/values/integers.ts';
import { isJobFinished } from '../terms/owner-facts.ts';
import { isReadLive } from '../../rows/owner-facts.ts';
import type { Job } from '../../../objects/kubernetes.ts';
import { LabelSelectorError } from '../../../objects/label-selector.ts';
import { isOurs } from '../terms/managed-by.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Snapshot } from '../../rows/plan.ts';
import { podSetOf } from '../../rows/pod-set.ts';
import {
  counted,
  LEAVING,
  MOST_NAMES,
  names,
  obstaclesOf,
  refusedReason,
  seconds,
  span,
  type Circumstances,
  type Reason as AnyReason,
} from '../../rows/reasons.ts';
import { exceededLimit } from '../end/backoff-limit.ts';
import { latestFailureOf, nextBackoff, remainingBackoffMs } from '../backoff/backoff.ts';
import { trueCondition } from '../../rows/usual-reasons.ts';
import { deadlineOf } from '../end/deadline.ts';
import { failureEvidence, policyEvidence } from '../end/failure-evidence.ts';
import { earlierVerdict } from '../end/finish.ts';
import { restartsOf } from '../tally/headcount.ts';
import { wantedPods } from '../pods/manage.ts';
import { holdsOf, type Holds } from '../pods/obstacles.ts';
import { claimPods, isLeftRunning } from '../pods/ownership.ts';
import { indexBackoffMs } from '../backoff/per-index-backoff.ts';
import { lostReasons, podReasons } from '../../rows/pod-states.ts';
import { progressOf, type Progress } from '../counting/progress.ts';
import type { JobReasonCode } from './reason-codes.ts';
import { tallyOf, type Tally } from '../tally/tally.ts';
import { isKnownMode, termsOf } from '../terms/terms.ts';
import { expiryOf, needsCleanup, NoExpiryError } from '../end/ttl.ts';
import { ownEntry } from '../../../objects/values/untyped-fields.ts';

type Reason = AnyReason<JobReasonCode>;

/** All reasons that hold, most important first; never empty. */
export function reasonsOf(snapshot: Snapshot<Job>, now: Date, circumstances: Circumstances = {}): Reason[] {
  const job = snapshot.owner;
  if (isJobFinished(job)) {
    const { hindered, isLeaving = false } = circumstances;
    const pods = [...podSetOf(snapshot.pods)];
    // A finished Job has work left only if Farloop must delete it.
    const isOursToDelete = needsCleanup(job) && isOurs(job.spec, snapshot.manages);
    if (isLeaving) return [endReason(job, pods), ...(isOursToDelete ? [LEAVING] : expiryReason(job, now)), ...goingReason(job)];
    const obstacles = obstaclesOf(isOursToDelete ? { ...circumstances, isDrained: false } : hindered ? { hindered } : {});
    const surplus = pods.some((pod) => isLeftRunning(job, pod));
    const undeleted = surplus ? refusedPods({ deletes: holdsOf(snapshot.head, now.getTime()).deletes }, circumstances.refusal) : [];
    return [endReason(job, pods), ...undeleted, ...obstacles, ...expiryReason(job, now), ...goingReason(job)];
  }
  if (!isOurs(job.spec, snapshot.manages)) {
    const manager = job.spec.managedBy ?? 'the built-in controller';
    return [{ code: 'ManagedBySomebodyElse', text: `it is managed by ${manager}; Farloop does nothing about it` }];
  }
  if (!isKnownMode(job.spec)) {
    return [{ code: 'UnknownCompletionMode', text: `its completion mode ${String(job.spec.completionMode)} is unknown` }];
  }
  const hasBegun = job.status?.startTime !== undefined || podSetOf(snapshot.pods).size > 0;
  const obstacles = obstaclesOf(hasBegun ? { ...circumstances, isDrained: false } : circumstances);
  if (isReadLive(job))
    return [
      ...obstacles,
      {
        code: 'TooLargeForView',
        text:
          job.unreadable === undefined
            ? 'its spec, labels or status are too large to be kept: each pass reads them live'
            : `its relay cannot read it: ${job.unreadable}; each pass reads it live`,
      },
    ];
  try {
    const living = livingReasons(snapshot, now.getTime(), circumstances.refusal);
    // If there is an obstacle, do not add the reason that denies it.
    return obstacles.length > 0 ? [...obstacles, ...living] : living.length > 0 ? living : [nothingReason(job)];
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return [...obstacles, { code: 'UnreadableSelector', text: `its selector cannot be read: ${error.message}` }];
  }
}

const nothingReason = ({ status }: Job): Reason =>
  status?.startTime === undefined
    ? { code: 'NotYetSeen', text: 'no pass has looked at it yet' }
    : { code: 'AboutToStartPods', text: 'nothing holds it up: the next pass goes on with it' };

/** For creates or deletes of pods that were refused a moment ago. */
function refusedPods({ creates, deletes }: Partial<Holds>, refusal: string | undefined): Reason[] {
  const heldMs = creates ?? deletes;
  if (heldMs === undefined) return [];
  const why = refusal === undefined ? '; its events say why' : `: ${refusal}`;
  return [refusedReason(`refused to ${creates === undefined ? 'delete' : 'create'} a pod`, why, heldMs)];
}

/** Empty if nothing delays the Job. @param refusal the API server's words */
function livingReasons(snapshot: Snapshot<Job>, nowMs: number, refusal: string | undefined): Reason[] {
  const { owner: job, head } = snapshot;
  const terms = termsOf(job);
  const claims = claimPods(job, podSetOf(snapshot.pods));
  const tally = tallyOf(job, terms, { pods: claims.pods, stripping: head.expectations.strip });
  const progress = progressOf(job, tally, { adopt: claims.adopt });
  const { counts } = tally;
  const terminating = counts.terminating === 0 ? {} : { pods: names(tally.terminating) };
  const still = counts.terminating + counts.active;
  const untilGone = still === 0 ? 'its end is written next' : `${still} of its pods ${still === 1 ? 'has' : 'have'} yet to go`;

  // A Job that may have no pods any more only waits until they are gone.
  const { deletes } = holdsOf(head, nowMs);
  const undeleted = counts.active === 0 ? [] : refusedPods({ deletes }, refusal);
  const lost = lostReasons(tally, nowMs);

  if (terms.deleting)
    return [...undeleted, { code: 'BeingDeleted', text: `the Job itself is being deleted; ${untilGone}`, ...terminating }, ...lost];
  const verdict = earlierVerdict(job, head, tally);
  if (verdict?.succeeded)
    return [...undeleted, { code: 'Succeeding', text: `it succeeds (${verdict.reason}); ${untilGone}`, ...terminating }, ...lost];
  if (verdict) {
    const evidence = policyEvidence(verdict.message);
    const text = `it fails (${verdict.reason}: ${verdict.message}); ${untilGone}`;
    return [...undeleted, { code: 'Failing', text, ...terminating, ...evidence }, ...lost];
  }
  if (terms.suspended) {
    const text = 'spec.suspend is true: no pod is started until that changes';
    return [...undeleted, { code: 'Suspended', text, ...terminating }, ...lost, ...podReasons(tally)];
  }

  const ofPods = podReasons(tally);
  return [
    ...waitingReasons(snapshot, progress, { nowMs, refusal }),
    ...ofPods,
    ...endedReason(tally, ofPods),
    ...deadlineReason(job, nowMs),
  ];
}

/** The status does not say it yet, and no pod that runs says that the Job has begun. */
function endedReason({ newSucceeded, newFailed }: Tally, ofPods: readonly Reason[]): Reason[] {
  const ended = [...newSucceeded, ...newFailed];
  if (ended.length === 0 || ofPods.some(({ code }) => code === 'PodsRunning')) return [];
  return [
    {
      code: 'PodsEnded',
      text: `${counted(ended.length, 'pod has', 'pods have')} ended: the next pass counts ${ended.length === 1 ? 'it' : 'them'}`,
      pods: names(ended),
    },
  ];
}

function waitingReasons(
  { owner: job, head }: Snapshot<Job>,
  progress: Progress,
  { nowMs, refusal }: { nowMs: number; refusal: string | undefined },
): Reason[] {
  const { tally, delayed } = progress;
  const { terms, counts } = tally;
  const isShort = counts.active < wantedPods(progress);
  const reasons: Reason[] = [];
  if (terms.parallelism === 0) reasons.push({ code: 'NoParallelism', text: 'spec.parallelism is 0: it may have no pods' });
  reasons.push(...refusedPods(holdsOf(head, nowMs), refusal));
  if (terms.perIndexLimit === undefined) {
    const backoff = nextBackoff(head.backoff, { succeeded: tally.newSucceeded, failed: tally.newFailed });
    const remainingMs = remainingBackoffMs(backoff.failures, latestFailureOf(backoff), nowMs);
    if (exceededLimit(job, tally)) {
      const text = `it fails: its pods failed more often than backoffLimit ${terms.backoffLimit} allows; its end is written next`;
      reasons.push({ code: 'Failing', text, ...failureEvidence([...tally.pods]) });
    } else if (remainingMs > 0 && isShort) {
      const remainingSeconds = seconds(remainingMs);
      const times = backoff.failures === 1 ? 'a pod failed' : `${backoff.failures} pods failed one after the other`;
      reasons.push({
        code: 'BackingOff',
        text: `${times}: the next pod may start in ${span(remainingSeconds)}; ${tally.failed} of at most ${terms.backoffLimit} failures`,
        remainingSeconds,
        ...failureEvidence([...tally.pods]),
      });
    }
  }
  const waiting = [...delayed].filter(([, pod]) => indexBackoffMs(pod, nowMs) > 0).toSorted(([a], [b]) => a - b);
  // Shows only the first reasons. The last one shown then stands for all the others.
  const told = waiting.length > MOST_NAMES ? MOST_NAMES - 1 : waiting.length;
  for (const [index, pod] of waiting.slice(0, told)) {
    const remainingSeconds = seconds(indexBackoffMs(pod, nowMs));
    const text = `index ${index} failed and is tried again in ${span(remainingSeconds)}`;
    reasons.push({ code: 'IndexBackingOff', text, index: String(index), remainingSeconds, ...failureEvidence([pod]) });
  }
  const untold = waiting.slice(told).map(([, pod]) => indexBackoffMs(pod, nowMs));
  if (untold.length > 0) {
    const remainingSeconds = seconds(untold.reduce((soonest, each) => Math.min(soonest, each)));
    const text = `${untold.length} more indexes failed and are tried again, the first of them in ${span(remainingSeconds)}`;
    reasons.push({ code: 'IndexBackingOff', text, remainingSeconds });
  }
  if (terms.replacesOnlyFailed && counts.terminating > 0 && isShort)
    reasons.push(
      {
        code: 'WaitsForTerminatingPods',
        text: `${counted(counts.terminating, 'terminating pod holds its place', 'terminating pods hold their places')}: podReplacementPolicy is Failed`,
        pods: names(tally.terminating),
      },
      ...lostReasons(tally, nowMs),
    );
  return reasons;
}

function deadlineReason(job: Job, nowMs: number): Reason[] {
  const { remainingMs } = deadlineOf(job, nowMs);
  if (remainingMs === undefined || job.status?.startTime === undefined) return [];
  const remainingSeconds = seconds(remainingMs);
  return [{ code: 'DeadlineAhead', text: `it fails in ${span(remainingSeconds)} if it has not ended by then`, remainingSeconds }];
}

type FailureCode = Extract<
  JobReasonCode,
  'BackoffLimitExceeded' | 'DeadlineExceeded' | 'PodFailurePolicyMatched' | 'FailedIndexes' | 'MaxFailedIndexesExceeded'
>;

const FAILURES: Record<string, FailureCode> = {
  BackoffLimitExceeded: 'BackoffLimitExceeded',
  DeadlineExceeded: 'DeadlineExceeded',
  PodFailurePolicy: 'PodFailurePolicyMatched',
  FailedIndexes: 'FailedIndexes',
  MaxFailedIndexesExceeded: 'MaxFailedIndexesExceeded',
};

function endReason(job: Job, pods: readonly PodFacts[]): Reason {
  const { spec, status = {} } = job;
  const success = trueCondition(status.conditions, 'Complete');
  const condition = success ?? trueCondition(status.conditions, 'Failed');
  const { reason = '', message = '' } = condition ?? {};
  const said = message === '' ? reason : message;
  if (success && (reason === 'CompletionsReached' || reason === ''))
    return { code: 'Completed', text: `it completed: ${status.succeeded ?? 0} succeeded, ${status.failed ?? 0} failed` };
  if (success && reason === 'SuccessPolicy') {
    const rule = /at index (\d+)/.exec(message)?.[1];
    return {
      code: 'SuccessPolicyMet',
      text: `it completed by its success policy: ${said}`,
      ...(rule !== undefined && { rule: Number(rule) }),
    };
  }
  const code = success ? 'EndedOtherwise' : (ownEntry(FAILURES, reason) ?? 'EndedOtherwise');
  switch (code) {
    case 'BackoffLimitExceeded': {
      const { failed = 0 } = status;
      const { backoffLimit = 6 } = spec;
      if (failed <= backoffLimit && spec.template?.spec?.restartPolicy === 'OnFailure') return restartsReason(backoffLimit, pods);
      const text = `it failed: ${counted(failed, 'pod', 'pods')} failed, ${backoffLimit} may (backoffLimit)`;
      return { code, text, ...failureEvidence(pods) };
    }
    case 'DeadlineExceeded':
      return { code, text: `it failed: it ran longer than ${spec.activeDeadlineSeconds ?? '?'} s (activeDeadlineSeconds)` };
    case 'PodFailurePolicyMatched':
      return { code, text: `it failed by its pod failure policy: ${message}`, ...policyEvidence(message) };
    case 'FailedIndexes':
    case 'MaxFailedIndexesExceeded': {
      const index = status.failedIndexes ?? '';
      const count = countIndexes(parseIndexes(index, spec.completions ?? LARGEST_INT32));
      const most = code === 'FailedIndexes' ? '' : `, ${spec.maxFailedIndexes ?? '?'} may (maxFailedIndexes)`;
      return { code, text: `it failed: ${counted(count, 'index', 'indexes')} failed${most}`, index, ...failureEvidence(pods) };
    }
    case 'EndedOtherwise':
      return { code, text: `it ${success ? 'completed' : 'failed'}: ${said === '' ? 'no reason is given' : said}` };
  }
}

/** The status does not count restarts, so only the remaining pods show how many there were. */
function restartsReason(backoffLimit: number, pods: readonly PodFacts[]): Reason {
  const least = counted(Math.max(backoffLimit, 1), 'time', 'times');
  const text = `it failed: its containers restarted ${least} or more, which count with restartPolicy OnFailure; backoffLimit is ${backoffLimit}`;
  const [most] = pods.filter((pod) => restartsOf(pod) > 0).toSorted((a, b) => restartsOf(b) - restartsOf(a));
  return { code: 'BackoffLimitExceeded', text, ...(most && { pods: [most.name] }) };
}

/** For a finished Job that is being deleted: it remains until its finalizers are removed. */
function goingReason({ metadata }: Job): Reason[] {
  if (metadata.deletionTimestamp === undefined) return [];
  const held = (metadata.finalizers ?? []).join(', ');
  return [{ code: 'BeingDeleted', text: `the Job itself is being deleted${held && `; it goes when its finalizers are off: ${held}`}` }];
}

function expiryReason(job: Job, now: Date): Reason[] {
  if (!needsCleanup(job)) return [];
  try {
    const remainingSeconds = seconds(expiryOf(job, now).remainingMs);
    const text = remainingSeconds === 0 ? 'it is deleted now' : `it is deleted in ${span(remainingSeconds)}`;
    return [{ code: 'Expires', text: `${text} (ttlSecondsAfterFinished ${job.spec.ttlSecondsAfterFinished ?? ''})`, remainingSeconds }];
  } catch (error) {
    if (!(error instanceof NoExpiryError)) throw error;
    return [{ code: 'Expires', text: error.message }];
  }
}
