// Suspending and resuming: the condition, its event, and the start time.
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import { withCondition, type NewCondition } from '../terms/conditions.ts';
import { trueCondition } from '../../rows/usual-reasons.ts';

const SUSPENDED: NewCondition = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
const RESUMED: NewCondition = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };

/** Changes the draft if the Job was suspended or resumed. @returns the event to emit; undefined if nothing changed */
export function applySuspension(job: Job, draft: JobStatus, time: string): { reason: string; message: string } | undefined {
  const suspended = job.spec.suspend === true;
  const present = draft.conditions ?? [];
  const conditions = withCondition(present, suspended ? SUSPENDED : RESUMED, time);
  if (conditions === present) return undefined;
  draft.conditions = conditions;
  const resumes = trueCondition(present, 'Suspended') !== undefined;
  if (suspended) delete draft.startTime;
  // The API server lets the start time of an unsuspended Job change only when it resumes.
  else if (resumes || job.status?.startTime === undefined) draft.startTime = time;
  return suspended ? { reason: 'Suspended', message: 'Job suspended' } : { reason: 'Resumed', message: 'Job resumed' };
}
