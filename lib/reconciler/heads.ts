// What a workload begins with, by whoever hears of it first.
import type { WorkloadKey } from '../objects/workload.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { encodeState, initialState } from './pass-state.ts';
import { wake } from './wake.ts';

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
