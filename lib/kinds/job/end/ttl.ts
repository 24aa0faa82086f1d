// When a finished Job is deleted: `ttlSecondsAfterFinished` after the end in its status. Only Jobs that Farloop manages. The cluster's own TTL
// controller deletes those of other managers; it does not look at `managedBy`.
import type { Condition, Job } from '../../../objects/kubernetes.ts';
import { secondsOf, timeOf } from '../../../objects/pods/pod-facts.ts';
import { JOBS } from '../../../objects/resources.ts';
import type { Action } from '../../rows/plan.ts';

/** The Job has no time of expiry; the message says why. */
export class NoExpiryError extends Error {
  override readonly name = 'NoExpiryError';
}

export interface Expiry {
  /** Unix milliseconds. */
  finishedAtMs: number;
  expiresAtMs: number;
  /** Time until it expires; 0 or less: it has expired. */
  remainingMs: number;
  /** The end in the status is in the future: the clocks differ. */
  isAheadOfClock: boolean;
}

/** Whether it is finished, has a TTL, and is not being deleted already. */
export const needsCleanup = ({ metadata, spec, status }: Job): boolean =>
  metadata.deletionTimestamp === undefined && spec.ttlSecondsAfterFinished !== undefined && endOf(status) !== undefined;

/** @throws NoExpiryError it should not be cleaned up, or its status does not say when it finished */
export function expiryOf(job: Job, now: Date): Expiry {
  const { metadata, spec, status } = job;
  const name = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const end = endOf(status);
  if (!needsCleanup(job) || end === undefined || spec.ttlSecondsAfterFinished === undefined)
    throw new NoExpiryError(`job ${name} should not be cleaned up`);
  const finishedAt = secondsOf(end.lastTransitionTime);
  if (finishedAt === undefined) throw new NoExpiryError(`unable to find the time when the Job ${name} finished`);
  const finishedAtMs = finishedAt * 1000;
  const expiresAtMs = finishedAtMs + spec.ttlSecondsAfterFinished * 1000;
  const remainingMs = expiresAtMs - now.getTime();
  return { finishedAtMs, expiresAtMs, remainingMs, isAheadOfClock: finishedAtMs > now.getTime() };
}

export interface Cleanup {
  actions: Action[];
  /** Time until it expires; absent if it has expired. */
  waitMs?: number;
  why: string[];
}

/** The deletion of a finished Job with a TTL, or the wait until then; undefined without a TTL. @throws NoExpiryError */
export function cleanupOf(job: Job, now: Date): Cleanup | undefined {
  if (!needsCleanup(job)) return undefined;
  const { finishedAtMs, expiresAtMs, remainingMs, isAheadOfClock } = expiryOf(job, now);
  const skew = isAheadOfClock ? ['its status tells of an end that is still to come: a clock is wrong'] : [];
  const times = `ttlSecondsAfterFinished ${job.spec.ttlSecondsAfterFinished}, finished at ${timeOf(finishedAtMs / 1000)}`;
  if (remainingMs > 0) {
    return { actions: [], waitMs: remainingMs, why: [...skew, `is deleted at ${timeOf(expiresAtMs / 1000)} (${times})`] };
  }
  const { name = '', namespace = '', uid = '', resourceVersion } = job.metadata;
  const action: Action = {
    verb: 'delete',
    resource: JOBS,
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespace,
    name,
    uid,
    active: true,
    // A precondition: a TTL raised at the last moment saves the Job (R8).
    ...(resourceVersion !== undefined && { resourceVersion }),
    propagationPolicy: 'Foreground',
    why: `its time after finishing is over: ${times}`,
  };
  return { actions: [action], why: [...skew, 'its time after finishing is over'] };
}

/** The first terminal condition that is True. */
const endOf = (status: Job['status']): Condition | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');
