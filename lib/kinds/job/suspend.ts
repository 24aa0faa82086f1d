// Suspending and resuming: the condition, its event, and what becomes of the start time.
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { trueCondition, withCondition, type NewCondition } from './conditions.ts';

const SUSPENDED: NewCondition = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
const RESUMED: NewCondition = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };

/** Changes the draft where the Job has been suspended or resumed. @returns the event to send, undefined where nothing changed */
export function applySuspension(job: Job, draft: JobStatus, time: string): { reason: string; message: string } | undefined {
  const suspended = job.spec.suspend === true;
  const present = draft.conditions ?? [];
  const conditions = withCondition(present, suspended ? SUSPENDED : RESUMED, time);
  if (conditions === present) return undefined;
  draft.conditions = conditions;
  const resumes = trueCondition(present, 'Suspended') !== undefined;
  if (suspended) delete draft.startTime;
  // The API server lets the start of an unsuspended Job change only as it resumes.
  else if (resumes || job.status?.startTime === undefined) draft.startTime = time;
  return suspended ? { reason: 'Suspended', message: 'Job suspended' } : { reason: 'Resumed', message: 'Job resumed' };
}
