// Another controller writes the same status. Farloop sees it in managedFields and parks the workload instead of fighting.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { PassState } from '../head/pass-state.ts';

/** One write by another manager is a workload that changed hands. This many, one after another, are a fight. */
const STRIKES = 3;
const FORGIVEN_AFTER_MS = 300_000;
/** A manager whose last write is older than this does not fight now. */
const QUIET_AFTER_MS = 30_000;
const OURS = 'farloop';

export interface ForeignWriter {
  manager: string;
  /** Strikes so far. From STRIKES on the workload is parked. */
  state: NonNullable<PassState['foreign']>;
  isFight: boolean;
}

/**
 * @param times by the cluster's time. `sinceMs`: when we wrote last, or, before our first write, when the workload was first seen
 * @returns undefined if no other manager has written the status since then
 */
export function foreignWriterOf(
  owner: WorkloadObject,
  { foreign }: Pick<PassState, 'foreign'>,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): ForeignWriter | undefined {
  const entries = (owner.metadata.managedFields ?? []).filter(({ subresource, manager }) => subresource === 'status' && manager !== OURS);
  const latest = entries
    .map((entry) => ({ manager: entry.manager ?? 'unknown', atMs: Date.parse(entry.time ?? '') || 0 }))
    .toSorted((a, b) => b.atMs - a.atMs)[0];
  if (!latest || latest.atMs < sinceMs || latest.atMs === foreign?.seenAtMs) return undefined;
  const strikes = foreign && latest.atMs - foreign.seenAtMs < FORGIVEN_AFTER_MS ? foreign.strikes + 1 : 1;
  const isFight = strikes >= STRIKES && nowMs - latest.atMs < QUIET_AFTER_MS;
  return { manager: latest.manager, state: { strikes, seenAtMs: latest.atMs }, isFight };
}
