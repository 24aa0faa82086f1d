// Counts of a Job for upstream's metrics, from what the API server confirmed. Passes keep nothing between them, so each count is the difference
// that one write made. A write happens once, because its resourceVersion is its precondition.
import { countIndexes, parseIndexes } from '../../../objects/values/index-text.ts';
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Counted, UpstreamMetricName } from '../../../objects/upstream-metrics.ts';
import type { Plan } from '../../rows/plan.ts';
import { trueCondition } from '../../rows/usual-reasons.ts';
import { judgeFailure } from '../terms/failure-policy.ts';
import { usableIndexOf } from '../terms/indexes.ts';
import { isFailed } from '../terms/pod-replacement.ts';
import { termsOf } from '../terms/terms.ts';
import { expiryOf, needsCleanup } from '../end/ttl.ts';

const counted = (metric: UpstreamMetricName, value: number, labels: Record<string, string>): Counted[] =>
  value > 0 ? [{ metric, value, labels }] : [];

export const completionModeOf = ({ spec }: Job): string => spec.completionMode ?? 'NonIndexed';

/** The counts of a status write. @param before and `after`: the Job before the write, and as the API server answered it */
export function countsOfWrite(before: Job, after: Job): Counted[] {
  const completion_mode = completionModeOf(after);
  return [...finishedPods(before, after), ...finishedIndexes(before, after), ...ended(before, after)].map(({ labels, ...rest }) => ({
    ...rest,
    labels: rest.metric === 'job_controller_job_finished_indexes_total' ? labels : { completion_mode, ...labels },
  }));
}

function finishedPods(before: Job, after: Job): Counted[] {
  const was = tallies(before.status);
  const is = tallies(after.status);
  const succeeded = isIndexed(after) ? newlyCompleted(before, after) : is.succeeded - was.succeeded;
  const metric = 'job_controller_job_pods_finished_total';
  return [...counted(metric, succeeded, { result: 'succeeded' }), ...counted(metric, is.failed - was.failed, { result: 'failed' })];
}

function finishedIndexes(before: Job, after: Job): Counted[] {
  if (!isIndexed(after)) return [];
  const backoffLimit = after.spec.backoffLimitPerIndex === undefined ? 'global' : 'perIndex';
  const metric = 'job_controller_job_finished_indexes_total';
  const failed = growth(before.status?.failedIndexes, after.status?.failedIndexes, after);
  return [
    ...counted(metric, newlyCompleted(before, after), { status: 'succeeded', backoffLimit }),
    ...counted(metric, failed, { status: 'failed', backoffLimit }),
  ];
}

function ended(before: Job, after: Job): Counted[] {
  for (const [type, result] of [
    ['Complete', 'succeeded'],
    ['Failed', 'failed'],
  ] as const) {
    const condition = trueCondition(after.status?.conditions, type);
    if (condition && !trueCondition(before.status?.conditions, type))
      return counted('job_controller_jobs_finished_total', 1, { result, reason: condition.reason ?? '' });
  }
  return [];
}

const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
/** How many indexes of the present ones a text grew by. */
const growth = (before: string | undefined, after: string | undefined, { spec: { completions = 0 } }: Job): number =>
  countIndexes(parseIndexes(after ?? '', completions)) - countIndexes(parseIndexes(before ?? '', completions));

const newlyCompleted = (before: Job, after: Job): number => growth(before.status?.completedIndexes, after.status?.completedIndexes, after);

/** Counted, and on the way to being counted. */
function tallies(status: JobStatus | undefined): { succeeded: number; failed: number } {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: waiting } = status ?? {};
  return { succeeded: succeeded + (waiting?.succeeded?.length ?? 0), failed: failed + (waiting?.failed?.length ?? 0) };
}

/** The count when a counted pod's finalizer came off: which rule its failure matched. If the Job fails, pods that still run fail too. */
export function countsOfStrip(job: Job, pod: PodFacts): Counted[] {
  const rules = job.spec.podFailurePolicy?.rules;
  const terms = termsOf(job);
  if (rules === undefined || pod.phase === 'Succeeded') return [];
  if (!isFailed(pod, terms) && !trueCondition(job.status?.conditions, 'FailureTarget')) return [];
  // A pod without an index of the Job is not counted.
  if (terms.indexed && usableIndexOf(pod, terms.completions ?? 0) === undefined) return [];
  const { action } = judgeFailure(rules, pod);
  return action === undefined ? [] : counted('job_controller_pod_failures_handled_by_failure_policy_total', 1, { action });
}

/** @param at when the API server took the deletion of an expired Job */
export function countsOfCleanup(job: Job, at: Date): Counted[] {
  if (!needsCleanup(job)) return [];
  const seconds = Math.max(-expiryOf(job, at).remainingMs / 1000, 0);
  return [{ metric: 'ttl_after_finished_controller_job_deletion_duration_seconds', value: seconds, labels: {} }];
}

/**
 * Why pods are created, in upstream's words: for the first time, or in the place of others.
 * @param failed includes pods that no status counts yet, such as failed pods that wait for their index's next one
 */
export function creationReason(job: Job, { failed, terminating }: { failed: number; terminating: number }): string {
  if (failed > 0 && termsOf(job).replacesOnlyFailed) return 'recreate_failed';
  return failed > 0 || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
}

/** Whether upstream would count a pass over this Job as a sync: we manage the Job, it is unfinished, and its completion mode is known. */
export const isSync = ({ outcome }: Plan<JobStatus>, job: Job): boolean =>
  outcome !== 'notOurs' && (job.spec.completionMode === undefined || ['Indexed', 'NonIndexed'].includes(job.spec.completionMode));
