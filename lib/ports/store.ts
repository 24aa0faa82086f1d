// View and heads: what was observed of each workload, its intents, its delayed wakes. It is a cache with fences, and may be dropped at any
// moment (R1).
import type { WorkloadKey } from '../objects/workload.ts';
import type { HeadItem } from './head-items.ts';
import type { Summaries } from './summaries.ts';

/** The one item of a workload that holds what its passes must know of each other. docs/decisions/0002-table.md says who writes which field. */
export interface Head {
  key: WorkloadKey;
  era: number;
  /** Unix milliseconds, as all times here. */
  bornAtMs: number;
  /**
   * The workload's view items, and how far lists have come. A writer adds an item here before it writes it, so that a missing item shows (R1).
   */
  items: readonly HeadItem[];
  /**
   * resourceVersion of the last whole list of the workload's pods, `0` before the first. Of a kind with other children, their floors stand among
   * `items`, resource by resource: versions of two resources have no order (R3).
   */
  floor: string;
  /** Random id of the pass that acquired the head last. */
  fence: string;
  openedAtMs: number;
  /** Equals `fence` while a wake that follows it is on its way. */
  queued?: string;
  /** Indexed. Present from the moment a wake is sent until a pass commits with nothing queued. */
  pendingSinceMs?: number;
  /** The next delayed wake. Indexed if it lies beyond 15 minutes. */
  wake?: { dueAtMs: number; attempt: number };
  /** Memory that passes keep for each other: intents, digests, ordinal, back-off. JSON, written under the fence. */
  state: string;
  /** The whole view of a small workload, packed. Absent if the view is in items. */
  view?: Uint8Array;
  /** Raised by every write of `view`; 0 when there never was one. */
  viewVersion: number;
}

/** Undefined leaves a field as it is, null removes it. */
export interface HeadChange {
  era?: number;
  addItems?: readonly HeadItem[];
  removeItems?: readonly HeadItem[];
  floor?: string;
  fence?: string;
  openedAtMs?: number;
  queued?: string | null;
  pendingSinceMs?: number | null;
  wake?: { dueAtMs: number; attempt: number } | null;
  state?: string;
  view?: Uint8Array | null;
}

/** A head after a write. */
export interface UpdatedHead extends Head {
  /** The delayed wake that this write removed or replaced. A pass that acquires the head takes its attempt number from it. */
  replacedWake?: Head['wake'];
}

/** One packed part of a view. */
export interface ViewItem {
  name: string;
  /** 1 at the first write, then one more each time. */
  version: number;
  /** Packed by wire/view-item.ts; holds era, floor and entries. At most 300 KB. */
  bytes: Uint8Array;
}

/** A write's condition did not hold. `current` is what is stored instead; undefined: nothing. */
export class StaleWriteError<Current> extends Error {
  readonly current: Current | undefined;
  constructor(message: string, current: Current | undefined) {
    super(message);
    this.name = 'StaleWriteError';
    this.current = current;
  }
}

/** A small document of a cluster: relay marker, write budget. */
export interface Note {
  version: number;
  body: string;
}

export interface Store extends Summaries {
  /** A strong read. So are all reads here but the lists by index. */
  readHead(key: WorkloadKey): Promise<Head | undefined>;
  /** In the order of the keys, with one request; undefined for a workload without a head. @param keys at most 100 */
  readHeads(keys: readonly WorkloadKey[]): Promise<(Head | undefined)[]>;
  read(key: WorkloadKey): Promise<{ head: Head | undefined; items: ViewItem[] }>;
  /** Those of the named items that exist. @param names at most 100 */
  readItems(key: WorkloadKey, names: readonly string[]): Promise<ViewItem[]>;
  /** @returns the head that is stored afterwards: this one, or the one that was there before */
  createHead(head: Head): Promise<Head>;
  /**
   * One conditional write. `ifFence`: the fence must still be that one. `ifViewVersion`: so must the view's version.
   * Writing `view` raises `viewVersion` by one.
   * @returns the head as the write left it
   * @throws StaleWriteError<Head> a condition did not hold, or there is no head
   */
  updateHead(key: WorkloadKey, conditions: { ifFence?: string; ifViewVersion?: number }, change: HeadChange): Promise<UpdatedHead>;
  /** @param expectedVersion 0: there must be no such item. @returns the new version. @throws StaleWriteError<ViewItem> */
  putItem(key: WorkloadKey, item: { name: string; bytes: Uint8Array }, expectedVersion: number): Promise<number>;
  /** Deletes head and items. @throws StaleWriteError<Head> the fence has changed, or a wake that follows it is on its way: its pass will forget */
  forget(key: WorkloadKey, ifFence: string): Promise<void>;
  /**
   * Oldest first. An index may lag, so the caller must read the head before it acts.
   * @param limit 1 to 10,000; at most a megabyte of the index is read
   */
  pendingBefore(timeMs: number, limit: number): Promise<WorkloadKey[]>;
  dueBefore(timeMs: number, limit: number): Promise<WorkloadKey[]>;
  /** Every workload of a cluster, page by page. @param limit 1 to 1,000 */
  workloads(cluster: string, options: { limit: number; after?: string }): Promise<{ keys: WorkloadKey[]; next?: string }>;
  readNote(cluster: string, name: string): Promise<Note | undefined>;
  /** In the order of the names, with one request. @param names at most 100 */
  readNotes(cluster: string, names: readonly string[]): Promise<(Note | undefined)[]>;
  /** @param expectedVersion 0: there must be no such note. @throws StaleWriteError<Note> */
  putNote(cluster: string, name: string, body: string, expectedVersion: number): Promise<number>;
  /**
   * Keeps a part of a relay's answer to commands for about an hour. The pass that waits for it reads it within seconds. Writing a part again
   * changes nothing. @param part from 0. @param bytes at most 300 KB
   */
  putAnswer(cluster: string, id: string, part: number, bytes: Uint8Array): Promise<void>;
  /** A strong read. @returns undefined until that part is there */
  readAnswer(cluster: string, id: string, part: number): Promise<Uint8Array | undefined>;
}

/** Reading single notes needs no more of a store. */
export interface ReadsNotes {
  store: Pick<Store, 'readNote'>;
}
