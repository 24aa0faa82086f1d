// Times at which something is due: the active deadline, and the end of a finished job's stay.
import { secondsOf } from '../../../objects/values/unix-seconds.ts';
import type { RunPolicy, TrainingStatus } from '../terms/job-types.ts';

export const deadlineMessage = (job: string): string => `Job ${job} has failed because it was active longer than specified deadline`;
export const NO_COMPLETION_TIME = 'job completion time is nil, cannot cleanup';

/** Seconds until the active deadline; 0 or less: it has passed; undefined: the job has no deadline. */
export function secondsToDeadline({ activeDeadlineSeconds }: RunPolicy, startTime: string | undefined, nowMs: number): number | undefined {
  const started = secondsOf(startTime);
  if (activeDeadlineSeconds === undefined || started === undefined) return undefined;
  return started + activeDeadlineSeconds - nowMs / 1000;
}

/** Seconds until a finished job is deleted, 0 or less: now. A problem: it can never be. Undefined: it stays. */
export function secondsToDeletion(
  { ttlSecondsAfterFinished, suspend }: RunPolicy,
  { completionTime }: TrainingStatus,
  nowMs: number,
): number | { problem: string } | undefined {
  if (ttlSecondsAfterFinished === undefined || suspend === true) return undefined;
  const completed = secondsOf(completionTime);
  if (completed === undefined) return { problem: NO_COMPLETION_TIME };
  return completed + ttlSecondsAfterFinished - nowMs / 1000;
}
