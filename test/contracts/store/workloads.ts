// A store that a contract is run on, and the workloads that its tests write.
import { expect } from '@jest/globals';
import type { WriteMeter } from '../../../lib/adapters/dynamodb/write-units.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { headItemOf, type HeadItem } from '../../../lib/ports/head-items.ts';
import { StaleWriteError, type Head, type Note, type Store, type ViewItem } from '../../../lib/ports/store.ts';
import { failureOf } from '../../claims.ts';

export interface StoreUnderTest {
  store: Store & { meter: WriteMeter };
  nowMs: () => number;
  close: () => Promise<void>;
  /** Has a field of what stands there hold what no version of a store writes. */
  damage: (place: DamagedPlace, field: DamagedField) => Promise<void>;
}

export type DamagedPlace = { key: WorkloadKey; item?: string } | { cluster: string; note: string };
export type DamagedField = Exclude<keyof Head, 'key' | 'pendingSinceMs'> | keyof Omit<ViewItem, 'name'> | keyof Note;

/** What a peer does otherwise; what is asserted instead stands at each. Printed with the suite. */
export interface StoreDifferences {
  /** Reports other capacity than the service bills: asserted instead on the meter, which counts by the size of items. */
  consumedCapacity?: string;
  /** Removes expired items within a minute, where the service takes days: nothing may depend on it either way. */
  timeToLive?: string;
  /** Its indexes are never late: the suite asserts each claim on an index again until it holds. */
  indexesAreNeverLate?: string;
}

let workloads = 0;

/** A key that no other test uses, also not in another run on the same table. */
export const aKey = (change: Partial<WorkloadKey> = {}): WorkloadKey => {
  const unique = `${Date.now().toString(36)}-${process.pid}-${workloads++}`;
  return { cluster: `cluster-${unique}`, kind: 'Job', namespace: 'default', name: `job-${unique}`, uid: `uid-${unique}`, ...change };
};

export const aHead = (key: WorkloadKey, change: Partial<Head> = {}): Head => ({
  key,
  era: 0,
  bornAtMs: 1_700_000_000_000,
  items: [],
  floor: '0',
  fence: 'fence-0',
  openedAtMs: 1_700_000_000_000,
  state: '{}',
  viewVersion: 0,
  ...change,
});

/** Entries of a head, as a store reads them. */
export const named = (...names: string[]): HeadItem[] => names.map(headItemOf);
export const namesIn = (head: Pick<Head, 'items'> | undefined): string[] | undefined => head?.items.map(({ name }) => name);

/** What stands there instead, of a write that must come too late. */
export const staleOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await failureOf(call);
  expect(error).toBeInstanceOf(StaleWriteError);
  return error instanceof StaleWriteError ? error.current : undefined;
};

export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
export const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();
