// What a workload begins with, by whoever hears of it first.
import type { WorkloadKey } from '../objects/workload.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { encodeState, initialState } from './pass-state.ts';

/** @returns the new head, or the one that somebody else made first */
export async function createHead({ store, clock }: Pick<Ports, 'store' | 'clock'>, key: WorkloadKey, record: ClusterRecord): Promise<Head> {
  return await store.createHead({
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
}
