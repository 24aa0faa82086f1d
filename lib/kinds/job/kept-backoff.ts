// What a Job's head keeps of its failures in a row, which upstream keeps in memory, and when that holds no more.
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import type { KindBackoff } from '../planner-row.ts';

export const jobBackoff: KindBackoff<Job, JobStatus> = {
  // Empty where the status tells of a later success: another controller counted it, or a pass of which an old copy of the table knows nothing.
  // `succeeded`: successes in the status when it was stored.
  known({ succeeded, failures, lastFailureTime }, owner) {
    if (typeof succeeded === 'number' && successesIn(owner?.status) > succeeded) return { failures: 0 };
    return { failures, ...(lastFailureTime !== undefined && { lastFailureTime }) };
  },
  toStore: (backoff, owner) => (backoff.failures === 0 ? { ...backoff } : { ...backoff, succeeded: successesIn(owner?.status) }),
  // Of a failure that a policy ignores no status tells: the last write for it takes its finalizer off.
  isCountedByStatus: ({ owner, head }, { status, head: { backoff } }) =>
    backoff.failures <= head.backoff.failures || failuresIn(status) > failuresIn(owner.status),
};

const successesIn = (status: JobStatus | undefined): number =>
  (status?.succeeded ?? 0) + (status?.uncountedTerminatedPods?.succeeded?.length ?? 0);

const failuresIn = (status: JobStatus | undefined): number =>
  (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0);
