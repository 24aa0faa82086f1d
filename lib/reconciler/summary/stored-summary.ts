// The summary of a workload from what the store has of it now: for workloads that no pass of this version has summed up yet.
import { factsFor } from '../../kinds/facts.ts';
import { shownFor } from '../../kinds/shown.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { decodeState } from '../head/pass-state.ts';
import { livingIn } from '../view/view.ts';
import { readView } from '../view/view-access.ts';
import type { Viewed } from './kind-reasons.ts';
import { summaryOrProblem } from './pass-summary.ts';
import { endedAtMs, type TimedSummary } from './summary.ts';
import { decodeTold, timed } from './told.ts';

/** @param offsetMs how far the cluster's clock is ahead. @returns undefined for a workload without a head */
export async function storedSummary(
  { store, clock, telemetry }: Pick<Ports, 'store' | 'clock' | 'telemetry'>,
  key: WorkloadKey,
  { record, offsetMs = 0 }: { record: ClusterRecord; offsetMs?: number },
): Promise<TimedSummary | undefined> {
  const head = await store.readHead(key);
  if (!head) return undefined;
  const facts = factsFor(key.kind);
  const { part } = await readView(store, head, record.era);
  const state = decodeState(head.state);
  const ownerIs = facts.isOwnerless ? 'none' : part.owner?.deleted ? 'gone' : undefined;
  const viewed: Viewed = {
    row: { facts, shown: shownFor(key.kind) },
    owner: part.owner && !part.owner.deleted ? part.owner.object : undefined,
    ...(ownerIs && { ownerIs }),
    pods: [...livingIn(part)],
    state,
    record,
  };
  const warn = (error: unknown): void => telemetry.error('workload cannot be summed up', { ...key, error });
  const summary = summaryOrProblem(viewed, { nowMs: clock.nowMs(), offsetMs }, warn);
  const told = decodeTold(state?.told);
  return told?.state === summary.state ? timed(summary, told) : { ...summary, sinceMs: endedAtMs(viewed.owner) ?? head.bornAtMs };
}
