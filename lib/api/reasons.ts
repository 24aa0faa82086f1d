// Why a workload stands where it stands, from what the table knows of it.
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Job } from '../objects/kubernetes.ts';
import { reasonsOf, type Circumstances, type Reason } from '../planners/job/reasons.ts';
import { EMPTY_HEAD } from '../planners/plan.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { PassRecord } from '../ports/recorder.ts';
import type { PassState } from '../reconciler/pass-state.ts';

export interface Seen {
  owner: Job | undefined;
  pods: readonly PodFacts[];
  state: PassState | undefined;
  record: ClusterRecord;
  latest: PassRecord | undefined;
}

/** @param times by our clock, and how far the cluster's is ahead of it (R12) */
export function workloadReasons({ owner, pods, state, record, latest }: Seen, times: { nowMs: number; offsetMs: number }): Reason[] {
  const { nowMs, offsetMs } = times;
  const circumstances: Circumstances = {
    ...(state?.park && state.park.untilMs > nowMs && { parked: { reason: state.park.reason, remainingMs: state.park.untilMs - nowMs } }),
    ...(latest?.outcome === 'unreachable' && { unreachable: latest.error ?? 'no answer' }),
  };
  if (!owner) return [{ code: 'NotYetSeen', text: 'nothing is known of it yet' }];
  const { backoff, hold } = state ?? {};
  const head = {
    ...EMPTY_HEAD,
    ...(backoff && {
      backoff: { failures: backoff.failures, ...(backoff.lastFailureTime !== undefined && { lastFailureTime: backoff.lastFailureTime }) },
    }),
    ...(hold && hold.generation === (owner.metadata.generation ?? 0) && { holdUntilMs: hold.untilMs }),
  };
  return reasonsOf({ owner, pods, head, manage: record.manage }, new Date(nowMs + offsetMs), circumstances);
}
