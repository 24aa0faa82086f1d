// Whether the Job is over, and why: the first reason that holds decides.
import type { Job } from '../../objects/kubernetes.ts';
import { countIndexes, type IndexSet } from '../../objects/index-text.ts';
import { trueCondition } from './conditions.ts';
import { metSuccessRule } from './success-policy.ts';
import type { Tally } from './tally.ts';

export interface Verdict {
  succeeded: boolean;
  reason: string;
  message: string;
}

export const REACHED_COMPLETIONS: Verdict = {
  succeeded: true,
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** What the status says already: a Job on its way to success or failure stays on it. */
export function verdictInStatus(job: Job): Verdict | undefined {
  const success = trueCondition(job.status?.conditions, 'SuccessCriteriaMet');
  if (success) return { succeeded: true, reason: success.reason ?? '', message: success.message ?? '' };
  const failure = trueCondition(job.status?.conditions, 'FailureTarget');
  return failure && { succeeded: false, reason: failure.reason ?? '', message: failure.message ?? '' };
}

/** Failures that end the whole Job, before any index is looked at. @param runningMs since its start; undefined: it has no deadline now */
export function jobFailure(job: Job, tally: Tally, { runningMs }: { runningMs: number | undefined }): Verdict | undefined {
  const message = tally.counts.failJob;
  if (message !== undefined) return { succeeded: false, reason: 'PodFailurePolicy', message };
  if (tally.failed > tally.terms.backoffLimit || exceedsRestarts(job, tally)) {
    return { succeeded: false, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const deadline = job.spec.activeDeadlineSeconds;
  if (deadline !== undefined && runningMs !== undefined && runningMs >= deadline * 1000) {
    return { succeeded: false, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  }
  return undefined;
}

/** With restart policy OnFailure the containers' restarts in pods that are not over count as failures. */
function exceedsRestarts(job: Job, { counts: { restarts }, terms }: Tally): boolean {
  if (job.spec.template?.spec?.restartPolicy !== 'OnFailure') return false;
  return terms.backoffLimit === 0 ? restarts > 0 : restarts >= terms.backoffLimit;
}

/** What the indexes decide, once nothing else has. */
export function indexVerdict(job: Job, { completed, failed }: { completed: IndexSet; failed: IndexSet | undefined }): Verdict | undefined {
  if (failed !== undefined) {
    const count = countIndexes(failed);
    if (job.spec.maxFailedIndexes !== undefined && count > job.spec.maxFailedIndexes) {
      const message = 'Job has exceeded the specified maximal number of failed indexes';
      return { succeeded: false, reason: 'MaxFailedIndexesExceeded', message };
    }
    if (count > 0 && count + countIndexes(completed) >= (job.spec.completions ?? 0)) {
      return { succeeded: false, reason: 'FailedIndexes', message: 'Job has failed indexes' };
    }
  }
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
