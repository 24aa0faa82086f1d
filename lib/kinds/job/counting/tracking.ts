// Counts each finished pod exactly once: a status with its count is written before its finalizer is removed. The write that ends the Job
// counts directly (R18). Otherwise uids wait in `uncountedTerminatedPods` between the two writes.
import type { Condition, Job, JobStatus } from '../../../objects/kubernetes.ts';
import { countIndexes, formatIndexes, hasIndex } from '../../../objects/values/index-text.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { conditionAt, withCondition } from '../terms/conditions.ts';
import { trueCondition } from '../../rows/usual-reasons.ts';
import { judgeFailure } from '../terms/failure-policy.ts';
import { usableIndexOf } from '../terms/indexes.ts';
import type { Progress } from './progress.ts';
import { isFailed } from '../terms/pod-replacement.ts';
import type { Verdict } from '../terms/verdict.ts';

/** Most pods counted between two status writes. */
const MAX_UNCOUNTED = 500;

const NONE: ReadonlySet<string> = new Set();

export interface TrackingInput {
  progress: Progress;
  verdict: Verdict | undefined;
  /** The counts at the end of the pass, with the changes of suspending. */
  draft: JobStatus;
  /** Whether `draft` differs from the API server's status. */
  changed: boolean;
  /** RFC 3339 */
  time: string;
}

export interface Tracked {
  /** Written before the finalizers are removed; undefined if no such write is needed. */
  first: JobStatus | undefined;
  strip: PodFacts[];
  /** Written after the finalizers are removed. */
  second: JobStatus | undefined;
  /** The Job ends with this pass. */
  ends: boolean;
}

/** The writes that count finished pods, and the pods whose finalizers are removed between them. */
export function track(job: Job, { progress, verdict, draft, changed, time }: TrackingInput): Tracked {
  const { tally } = progress;
  const before = job.status ?? {};
  const lists = cleanLists(before, tally.uncounted.succeeded.size + tally.uncounted.failed.size > 0 ? trackedUids(progress) : NONE);
  let needsWrite = changed || lists.cleaned;
  const counted = countFinished(job, progress, verdict, lists);
  needsWrite ||= counted.found;

  const status: JobStatus = { ...draft, succeeded: lists.succeeded, failed: lists.failed };
  if (tally.terms.indexed) needsWrite = writeIndexes(job, status, progress) || needsWrite;
  if (verdict) needsWrite = writeInterim(status, verdict, time) || needsWrite;

  const ends = verdict !== undefined && !counted.full && (draft.terminating ?? 0) === 0;
  if (ends) return { first: finalStatus(job, status, { verdict, lists, time }), strip: counted.strip, second: undefined, ends };

  const first = needsWrite ? { ...status, uncountedTerminatedPods: listsText(lists) } : undefined;
  if (lists.succeededUids.length + lists.failedUids.length === 0) return { first, strip: counted.strip, second: undefined, ends };
  const gone = new Set(counted.strip.map(({ uid }) => uid));
  const left = {
    succeededUids: lists.succeededUids.filter((uid) => !gone.has(uid)),
    failedUids: lists.failedUids.filter((uid) => !gone.has(uid)),
  };
  const [succeeded, failed] = [lists.succeededUids.length - left.succeededUids.length, lists.failedUids.length - left.failedUids.length];
  if (succeeded + failed === 0) return { first, strip: counted.strip, second: undefined, ends };
  const second = {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded,
    failed: (status.failed ?? 0) + failed,
    uncountedTerminatedPods: listsText(left),
  };
  return { first, strip: counted.strip, second, ends };
}

interface Lists {
  succeeded: number;
  failed: number;
  succeededUids: string[];
  failedUids: string[];
}

/** The uids in the status's lists whose pods still have the finalizer. */
function trackedUids({ tally }: Progress): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const pod of tally.leaving) if (tally.isTracked(pod)) uids.add(pod.uid);
  const { succeeded, failed } = tally.uncounted;
  const isMissing = (uid: string): boolean => !uids.has(uid);
  // Of a failing Job, pods that still run are listed too.
  if ([...succeeded].some(isMissing) || [...failed].some(isMissing)) for (const { uid } of tally.tracked) uids.add(uid);
  return uids;
}

/** The status's lists without pods whose finalizer is removed: those move into the counters. */
function cleanLists(status: JobStatus, tracked: ReadonlySet<string>): Lists & { cleaned: boolean } {
  const { succeeded: succeededBefore = [], failed: failedBefore = [] } = status.uncountedTerminatedPods ?? {};
  const succeededUids = succeededBefore.filter((uid) => tracked.has(uid));
  const failedUids = failedBefore.filter((uid) => tracked.has(uid));
  const [succeeded, failed] = [succeededBefore.length - succeededUids.length, failedBefore.length - failedUids.length];
  return {
    succeeded: (status.succeeded ?? 0) + succeeded,
    failed: (status.failed ?? 0) + failed,
    succeededUids,
    failedUids,
    cleaned: succeeded + failed > 0,
  };
}

/** Puts newly finished pods into the lists. Returns which finalizers may be removed after that write. */
function countFinished(
  job: Job,
  progress: Progress,
  verdict: Verdict | undefined,
  lists: Lists,
): { strip: PodFacts[]; found: boolean; full: boolean } {
  const { tally, completedBefore, completed } = progress;
  const { terms, uncounted } = tally;
  const completions = terms.completions ?? 0;
  const rules = job.spec.podFailurePolicy?.rules;
  const strip: PodFacts[] = [];
  let newIndexes = 0;
  let found = false;
  for (const pod of removable(progress, verdict)) {
    strip.push(pod);
    const usable = !terms.indexed || usableIndexOf(pod, completions) !== undefined;
    if (pod.phase === 'Succeeded' && !uncounted.failed.has(pod.uid)) {
      const index = terms.indexed ? usableIndexOf(pod, completions) : undefined;
      if (index !== undefined && hasIndex(completed, index) && !hasIndex(completedBefore, index)) {
        newIndexes += 1;
        found = true;
      } else if (!terms.indexed && !uncounted.succeeded.has(pod.uid)) {
        lists.succeededUids.push(pod.uid);
        found = true;
      }
    } else if (isFailed(pod, terms) || (verdict !== undefined && !verdict.succeeded)) {
      // If the Job fails, its running pods have failed too.
      const listed = uncounted.failed.has(pod.uid) || uncounted.succeeded.has(pod.uid);
      if (usable && !listed && judgeFailure(rules, pod).counted) {
        lists.failedUids.push(pod.uid);
        found = true;
      }
    }
    if (newIndexes + lists.succeededUids.length + lists.failedUids.length >= MAX_UNCOUNTED) return { strip, found, full: true };
  }
  return { strip, found, full: false };
}

/** Tracked pods whose finalizer may be removed. For an Indexed Job in the order of indexes, pods without an index first. */
function removable({ tally, delayed }: Progress, verdict: Verdict | undefined): PodFacts[] {
  const { terms } = tally;
  const delayedUids = delayed.size === 0 ? NONE : new Set([...delayed.values()].map(({ uid }) => uid));
  const pods =
    terms.deleting || verdict !== undefined
      ? [...tally.tracked]
      : tally.leaving.filter(
          (pod) => tally.isTracked(pod) && (pod.phase === 'Succeeded' || (isFailed(pod, terms) && !delayedUids.has(pod.uid))),
        );
  if (terms.indexed && pods.length > MAX_UNCOUNTED) pods.sort((a, b) => (completionIndexOf(a) ?? -1) - (completionIndexOf(b) ?? -1));
  return pods;
}

/** @returns whether a text changes */
function writeIndexes(job: Job, status: JobStatus, { completed, failed, tally }: Progress): boolean {
  const before = job.status ?? {};
  const completedIndexes = formatIndexes(completed);
  const failedIndexes = failed && formatIndexes(failed);
  const shrinks = tally.terms.completions === tally.terms.parallelism;
  // The API server lets the counter fall only where the Job may be scaled down.
  status.succeeded = shrinks ? countIndexes(completed) : Math.max(countIndexes(completed), before.succeeded ?? 0);
  status.completedIndexes = completedIndexes;
  if (failedIndexes !== undefined) status.failedIndexes = failedIndexes;
  else if (status.failedIndexes !== undefined) delete status.failedIndexes;
  return completedIndexes !== (before.completedIndexes ?? '') || failedIndexes !== before.failedIndexes;
}

/** @returns whether the condition is new */
function writeInterim(status: JobStatus, { succeeded, reason, message }: Verdict, time: string): boolean {
  const type = succeeded ? 'SuccessCriteriaMet' : 'FailureTarget';
  if (trueCondition(status.conditions, type)) return false;
  status.conditions = [...(status.conditions ?? []), conditionAt({ type, status: 'True', reason, message }, time)];
  return true;
}

/** The final status: all pods counted, with the terminal condition. */
function finalStatus(job: Job, status: JobStatus, { verdict, lists, time }: { verdict: Verdict; lists: Lists; time: string }): JobStatus {
  const terminal = {
    type: verdict.succeeded ? 'Complete' : 'Failed',
    status: 'True',
    reason: verdict.reason,
    message: verdict.message,
  } as const;
  const conditions: Condition[] = withCondition(status.conditions ?? [], terminal, time);
  const indexed = job.spec.completionMode === 'Indexed';
  // A suspended Job has lost its start, but the API server wants one of a finished Job (unless it had nothing to do), and no
  // end before it.
  const neverRuns = job.spec.suspend === true && job.spec.completions === 0;
  const startTime = status.startTime ?? (neverRuns ? undefined : time);
  const completionTime = startTime !== undefined && Date.parse(startTime) > Date.parse(time) ? startTime : time;
  return {
    ...status,
    ...(startTime !== undefined && { startTime }),
    ...(verdict.succeeded && { completionTime }),
    succeeded: (status.succeeded ?? 0) + (indexed ? 0 : lists.succeededUids.length),
    failed: (status.failed ?? 0) + lists.failedUids.length,
    uncountedTerminatedPods: {},
    conditions,
  };
}

const listsText = ({
  succeededUids,
  failedUids,
}: Pick<Lists, 'succeededUids' | 'failedUids'>): { succeeded?: string[]; failed?: string[] } => ({
  ...(succeededUids.length > 0 && { succeeded: succeededUids }),
  ...(failedUids.length > 0 && { failed: failedUids }),
});
