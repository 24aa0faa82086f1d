// Another controller that writes the same status: seen in managedFields, parked, not fought.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { PassState } from '../head/pass-state.ts';

/** One write of another hand is a workload that changed hands; so many, one after another's, are a fight. */
const STRIKES = 3;
const FORGIVEN_AFTER_MS = 300_000;
/** Whoever wrote last so long ago does not fight now. */
const QUIET_AFTER_MS = 30_000;
const OURS = 'farloop';

export interface ForeignWriter {
  manager: string;
  /** Strikes so far; the workload is parked from STRIKES on. */
  state: NonNullable<PassState['foreign']>;
  isFight: boolean;
}

/**
 * @param times by the cluster's time. `sinceMs`: of our own last write, or of the first sight of the workload before there was one
 * @returns undefined while nobody else wrote the status since then
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
