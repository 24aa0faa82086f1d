// The beginning of a workload's head, in whichever function observes the workload first.
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { encodeState, initialState } from './pass-state.ts';
import { wake } from './wake.ts';

/** A new head, before any observation. */
export const newHead = ({ clock }: Pick<Ports, 'clock'>, key: WorkloadKey, record: ClusterRecord): Head => ({
  key,
  era: record.era,
  bornAtMs: clock.nowMs(),
  items: [],
  floor: '0',
  fence: clock.randomId(),
  openedAtMs: 0,
  state: encodeState(initialState()),
  viewVersion: 0,
});

/** @returns the new head, or the one that another function created first */
export const createHead = async (ports: Pick<Ports, 'store' | 'clock'>, key: WorkloadKey, record: ClusterRecord): Promise<Head> =>
  await ports.store.createHead(newHead(ports, key, record));

/** Heads in one read. */
const HEADS_AT_ONCE = 100;

/**
 * The heads of the workloads, by key, in few requests. An absent entry was not read: if a common read fails, each caller reads its own
 * (R13).
 */
export async function readHeadsOf(
  { store, telemetry }: Pick<Ports, 'store' | 'telemetry'>,
  keys: readonly WorkloadKey[],
): Promise<Map<string, { head: Head | undefined }>> {
  const found = new Map<string, { head: Head | undefined }>();
  for (let at = 0; at < keys.length; at += HEADS_AT_ONCE) {
    const some = keys.slice(at, at + HEADS_AT_ONCE);
    try {
      const heads = await store.readHeads(some);
      for (const [each, key] of some.entries()) found.set(formatKey(key), { head: heads[each] });
    } catch (error) {
      telemetry.debug('heads not read together', { heads: some.length, error });
    }
  }
  return found;
}

/**
 * Wakes the workload, and creates a new head if the table has lost the old one.
 * @returns true if it was lost
 */
export async function wakeAnew(ports: Pick<Ports, 'store' | 'queue' | 'clock'>, key: WorkloadKey, record: ClusterRecord): Promise<boolean> {
  const isLost = (await ports.store.readHead(key)) === undefined;
  if (isLost) await createHead(ports, key, record);
  await wake(ports, key);
  return isLost;
}
