// `activeDeadlineSeconds`: how long the Job may run.
import type { Job } from '../../../objects/kubernetes.ts';
import { secondsOf } from '../../../objects/pods/pod-facts.ts';
import { durationSecondsOf } from '../../../objects/values/time.ts';
import type { Verdict } from '../terms/verdict.ts';

export interface Deadline {
  /** Since its start; undefined while it has no deadline or is suspended, as is the other. */
  runningMs: number | undefined;
  /** 0 or less: it is over. */
  remainingMs: number | undefined;
}

/** @param nowMs by the cluster's clock, as `startTime` is (R12) */
export function deadlineOf({ spec, status }: Job, nowMs: number): Deadline {
  if (spec.activeDeadlineSeconds === undefined || spec.suspend === true) return { runningMs: undefined, remainingMs: undefined };
  const startedAt = secondsOf(status?.startTime);
  const runningMs = startedAt === undefined ? 0 : nowMs - startedAt * 1000;
  return { runningMs, remainingMs: durationSecondsOf(spec.activeDeadlineSeconds) * 1000 - runningMs };
}

/** The end of a Job that ran for too long. */
export const missedDeadline = ({ remainingMs }: Deadline): Verdict | undefined =>
  remainingMs === undefined || remainingMs > 0
    ? undefined
    : { succeeded: false, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
