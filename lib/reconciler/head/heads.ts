// What a workload begins with, by whoever hears of it first.
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { encodeState, initialState } from './pass-state.ts';
import { wake } from './wake.ts';

/** A head that nothing was heard of yet, as it is created. */
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

/** @returns the new head, or the one that somebody else made first */
export const createHead = async (ports: Pick<Ports, 'store' | 'clock'>, key: WorkloadKey, record: ClusterRecord): Promise<Head> =>
  await ports.store.createHead(newHead(ports, key, record));

/** Heads of one read. */
const HEADS_AT_ONCE = 100;

/** What stands of each workload, by its key, in few requests; an absent entry was not read: where that fails, each reads its own (R13). */
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
 * Wakes the workload, and begins its head anew where the table has lost it.
 * @returns true when it was lost
 */
export async function wakeAnew(ports: Pick<Ports, 'store' | 'queue' | 'clock'>, key: WorkloadKey, record: ClusterRecord): Promise<boolean> {
  const isLost = (await ports.store.readHead(key)) === undefined;
  if (isLost) await createHead(ports, key, record);
  await wake(ports, key);
  return isLost;
}
