// `backoffLimit`: how many failures end the Job.
import type { Job } from '../../../objects/kubernetes.ts';
import type { Tally } from '../tally/tally.ts';
import type { Verdict } from '../terms/verdict.ts';

/** The end of a Job if its failures, or its containers' restarts, exceed `backoffLimit`. */
export function exceededLimit(job: Job, tally: Tally): Verdict | undefined {
  if (tally.failed <= tally.terms.backoffLimit && !exceedsRestarts(job, tally)) return undefined;
  return { succeeded: false, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
}

/** With restart policy OnFailure the restarts of containers in unfinished pods count as failures. */
function exceedsRestarts(job: Job, { counts: { restarts }, terms }: Tally): boolean {
  if (job.spec.template?.spec?.restartPolicy !== 'OnFailure') return false;
  return terms.backoffLimit === 0 ? restarts > 0 : restarts >= terms.backoffLimit;
}
