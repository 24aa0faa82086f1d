// The failures in a row that a Job's head stores, and when they no longer count. Upstream keeps them in memory.
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { KindBackoff } from '../../rows/planner-row.ts';

export const jobBackoff: KindBackoff<Job, JobStatus> = {
  // Empty if the status shows a later success. Another controller counted it, or a pass that is missing in an old copy of the table.
  // `succeeded`: successes in the status when the failures were stored.
  known({ succeeded, failures, lastFailureTime }, owner) {
    if (typeof succeeded === 'number' && successesIn(owner?.status) > succeeded) return { failures: 0 };
    return { failures, ...(lastFailureTime !== undefined && { lastFailureTime }) };
  },
  toStore: (backoff, owner) => (backoff.failures === 0 ? { ...backoff } : { ...backoff, succeeded: successesIn(owner?.status) }),
  // The status does not count a failure that a policy ignores. Its last write is the patch that removes the finalizer.
  isCountedByStatus: ({ owner, head }, { status, head: { backoff } }) =>
    backoff.failures <= head.backoff.failures || failuresIn(status) > failuresIn(owner.status),
};

const successesIn = (status: JobStatus | undefined): number =>
  (status?.succeeded ?? 0) + (status?.uncountedTerminatedPods?.succeeded?.length ?? 0);

const failuresIn = (status: JobStatus | undefined): number =>
  (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0);
