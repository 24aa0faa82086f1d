// Metrics that confirmed writes of a Job count, under upstream's names.
import { isJobFinished } from '../terms/owner-facts.ts';
import type { Job, JobStatus } from '../../../objects/kubernetes.ts';
import type { Counted } from '../../../objects/upstream-metrics.ts';
import type { Resource } from '../../../objects/resources.ts';
import type { KindMetrics } from '../../rows/planner-row.ts';
import { completionModeOf, countsOfCleanup, countsOfStrip, countsOfWrite, isSync } from './counts.ts';

export const jobMetrics: KindMetrics<Job, JobStatus> = {
  syncOf(plan, owner) {
    if (isJobFinished(owner) || !isSync(plan, owner)) return undefined;
    return { completion_mode: completionModeOf(owner), action: plan.syncAction ?? 'reconciling' };
  },
  ofSync({ completion_mode = '', action = '' }, { isGood, seconds }) {
    const labels = { completion_mode, result: isGood ? 'success' : 'error', action };
    return [
      { metric: 'job_controller_job_syncs_total', value: 1, labels },
      { metric: 'job_controller_job_sync_duration_seconds', value: seconds, labels },
    ];
  },
  ofStatus: countsOfWrite,
  ofCreate: ({ creationReason: reason = 'new' }, status) => [
    { metric: 'job_controller_job_pods_creation_total', value: 1, labels: { reason, status } },
  ],
  ofPatch: ({ purpose }, { owner, pod }) => (purpose === 'strip' ? countsOfStrip(owner, pod) : []),
  ofOwnerDelete: countsOfCleanup,
  ofStaleRead,
};

export function ofStaleRead({ apiVersion, plural }: Resource): Counted[] {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return [{ metric: 'job_controller_stale_sync_skips_total', value: 1, labels: { group, resource: plural } }];
}
