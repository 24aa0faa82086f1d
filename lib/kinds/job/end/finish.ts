// Whether the Job is over, and why: the first reason that holds decides.
import type { Job } from '../../../objects/kubernetes.ts';
import type { IndexSet } from '../../../objects/values/index-text.ts';
import type { Failure, PlanHead } from '../../rows/plan.ts';
import { exceededLimit } from './backoff-limit.ts';
import { trueCondition } from '../../rows/usual-reasons.ts';
import { missedDeadline, type Deadline } from './deadline.ts';
import { failedIndexesVerdict } from '../backoff/per-index-backoff.ts';
import { metSuccessRule } from './success-policy.ts';
import type { Tally } from '../tally/tally.ts';
import type { Verdict } from '../terms/verdict.ts';

export const REACHED_COMPLETIONS: Verdict = {
  succeeded: true,
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** The verdict of an earlier pass: a Job on its way to success or failure stays on it, also before its status says so. */
export function earlierVerdict(job: Job, head: Pick<PlanHead, 'failure'>, tally: Tally): Verdict | undefined {
  const told = verdictInStatus(job);
  if (told) return told;
  const noted = notedFailure(head, tally);
  return noted && { succeeded: false, reason: noted.reason, message: noted.message };
}

/** Undefined if no pod was deleted for it, for instance because the API server refuses: then it is decided again, as upstream would. */
export const notedFailure = ({ failure }: Pick<PlanHead, 'failure'>, { leaving }: Tally): Failure | undefined =>
  failure && leaving.some(({ deletedAt }) => deletedAt !== undefined) ? failure : undefined;

/** The verdict that the status shows already. */
export function verdictInStatus(job: Job): Verdict | undefined {
  const success = trueCondition(job.status?.conditions, 'SuccessCriteriaMet');
  if (success) return { succeeded: true, reason: success.reason ?? '', message: success.message ?? '' };
  const failure = trueCondition(job.status?.conditions, 'FailureTarget');
  return failure && { succeeded: false, reason: failure.reason ?? '', message: failure.message ?? '' };
}

/** Failures that end the whole Job, before any index is looked at. */
export function jobFailure(job: Job, tally: Tally, deadline: Deadline): Verdict | undefined {
  const message = tally.counts.failJob;
  if (message !== undefined) return { succeeded: false, reason: 'PodFailurePolicy', message };
  return exceededLimit(job, tally) ?? missedDeadline(deadline);
}

/** The verdict by indexes, if nothing else has decided. */
export function indexVerdict(job: Job, { completed, failed }: { completed: IndexSet; failed: IndexSet | undefined }): Verdict | undefined {
  const failure = failed && failedIndexesVerdict(job.spec, { completed, failed });
  if (failure) return failure;
  const rule = metSuccessRule(job.spec, completed);
  return rule === undefined ? undefined : { succeeded: true, reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` };
}

/** Whether as many pods have succeeded as were wanted, and none runs any more. @param active after what this pass starts and stops */
export const isComplete = ({
  completions,
  succeeded,
  active,
}: {
  completions: number | undefined;
  succeeded: number;
  active: number;
}): boolean => active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
