// The reasons of a workload by its kind's row, from its view and its head alone.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import { EMPTY_HEAD } from '../../kinds/rows/plan.ts';
import type { Pods } from '../../kinds/rows/pod-set.ts';
import { lettingGoReason, obstaclesOf, type Circumstances, type Reason } from '../../kinds/rows/reasons.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { PassState } from '../head/pass-state.ts';
import { planHeadOf } from '../planning/planning.ts';

export interface Viewed {
  row: { facts: KindFacts; shown: KindShown };
  owner: WorkloadObject | undefined;
  /** Why the workload has no owner, if known. */
  ownerIs?: 'gone' | 'none' | undefined;
  pods: Pods;
  /** Undefined if it cannot be read. */
  state: PassState | undefined;
  record: Pick<ClusterRecord, 'manages' | 'options'>;
}

/** @param times by our clock; `offsetMs`: how far the cluster's clock is ahead of it (R12) */
export function reasonsByKind(
  { row: { shown }, owner, ownerIs, pods, state, record }: Viewed,
  circumstances: Circumstances,
  { nowMs, offsetMs }: { nowMs: number; offsetMs: number },
): Reason[] {
  // Report this on a drained cluster too: its orphans are still released.
  if (ownerIs) {
    const held = [...pods].filter(({ tracked }) => tracked);
    return [...obstaclesOf({ ...circumstances, isDrained: false }), lettingGoReason(held, shown.lettingGoText(held, ownerIs))];
  }
  if (!owner) return [...obstaclesOf(circumstances), { code: 'NotYetSeen', text: 'nothing is known of it yet' }];
  const head = state ? planHeadOf({ state, owner, pods }, nowMs + offsetMs, shown.knownBackoff(state.backoff, owner)) : EMPTY_HEAD;
  const { manages, options } = record;
  const known = { owner, pods, head, manages, ...(options && { options }), ...(state?.kept && { kept: state.kept }) };
  return shown.reasonsOf(known, new Date(nowMs + offsetMs), circumstances);
}

/** For as long as the park lasts. */
export function parkedIn(state: PassState | undefined, nowMs: number): Pick<Circumstances, 'parked'> {
  const park = state?.park;
  if (!park) return {};
  if (park.untilChanged === true) return { parked: { reason: park.reason } };
  return park.untilMs > nowMs ? { parked: { reason: park.reason, remainingMs: park.untilMs - nowMs } } : {};
}
