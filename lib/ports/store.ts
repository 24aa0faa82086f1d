// View and heads: what is known of each workload, its intents, its timers. A cache with fences: it may be dropped at any moment (R1).
import type { WorkloadKey } from '../objects/workload.ts';

/** The one item of a workload that holds what its passes must know of each other (design: section 4's table). */
export interface Head {
  key: WorkloadKey;
  era: number;
  /** Unix milliseconds, as all times here. */
  bornAtMs: number;
  /** Names of the workload's view items, runs as one (wire/view-layout.ts), the head being told before an item is written; and which ranges of a list have come. */
  items: readonly string[];
  /** resourceVersion of the last whole list of the workload, `0` before the first. */
  floor: string;
  /** Random id of the pass that opened the head last. */
  fence: string;
  openedAtMs: number;
  /** Equals `fence` while a wake that follows it is on its way. */
  queued?: string;
  /** Indexed. Present from a wake's sending until a pass closes with nothing queued. */
  pendingSinceMs?: number;
  /** The next delayed wake; indexed when it lies beyond 15 minutes. */
  wake?: { dueAtMs: number; attempt: number };
  /** What passes keep: intents, digests, ordinal, back-off. JSON, written under the fence. */
  state: string;
  /** The whole view of a small workload, packed; absent when it lies in items. */
  view?: Uint8Array;
  /** Raised by every write of `view`; 0 when there never was one. */
  viewVersion: number;
}

/** Undefined leaves a field as it is, null takes it away. */
export interface HeadChange {
  era?: number;
  addItems?: readonly string[];
  removeItems?: readonly string[];
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
  /** The delayed wake that the write took off or replaced: an opening pass counts its tries by it. */
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

/** A lost condition, with what stands there instead (undefined: nothing). */
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

export interface Store {
  /** Strong reads, all of them but the lists by index. */
  readHead(key: WorkloadKey): Promise<Head | undefined>;
  /** In their order, one request for all; undefined where there is none. @param keys at most 100 */
  readHeads(keys: readonly WorkloadKey[]): Promise<(Head | undefined)[]>;
  read(key: WorkloadKey): Promise<{ head: Head | undefined; items: ViewItem[] }>;
  /** The named items that exist. @param names at most 100 */
  readItems(key: WorkloadKey, names: readonly string[]): Promise<ViewItem[]>;
  /** @returns the head that stands there afterwards: this one, or the one that was there before */
  createHead(head: Head): Promise<Head>;
  /**
   * One conditional write. `ifFence`: the fence must still be that; `ifViewVersion`: so must the view's version.
   * Writing `view` raises `viewVersion` by one.
   * @returns the head as it stands after the write
   * @throws StaleWriteError<Head> a condition did not hold, or there is no head
   */
  updateHead(key: WorkloadKey, conditions: { ifFence?: string; ifViewVersion?: number }, change: HeadChange): Promise<UpdatedHead>;
  /** @param expectedVersion 0 where there must be none. @returns the new version. @throws StaleWriteError<ViewItem> */
  putItem(key: WorkloadKey, item: { name: string; bytes: Uint8Array }, expectedVersion: number): Promise<number>;
  /** Head and items. @throws StaleWriteError<Head> the fence has changed, or a wake that follows it is on its way: its pass forgets */
  forget(key: WorkloadKey, ifFence: string): Promise<void>;
  /** By index, so perhaps late: who acts on it reads the head first. Oldest first. @param limit 1 to 10,000; more than a megabyte of an index is not read */
  pendingBefore(timeMs: number, limit: number): Promise<WorkloadKey[]>;
  dueBefore(timeMs: number, limit: number): Promise<WorkloadKey[]>;
  /** Every workload of a cluster, page by page. @param limit 1 to 1,000 */
  workloads(cluster: string, options: { limit: number; after?: string }): Promise<{ keys: WorkloadKey[]; next?: string }>;
  readNote(cluster: string, name: string): Promise<Note | undefined>;
  /** @param expectedVersion 0 where there must be none. @throws StaleWriteError<Note> */
  putNote(cluster: string, name: string, body: string, expectedVersion: number): Promise<number>;
  /**
   * Keeps a part of what a relay answers to commands, for about an hour: whoever waits for it reads it within seconds. Writing it again
   * changes nothing. @param part from 0. @param bytes at most 300 KB
   */
  putAnswer(cluster: string, id: string, part: number, bytes: Uint8Array): Promise<void>;
  /** A strong read. @returns undefined while there is no such part */
  readAnswer(cluster: string, id: string, part: number): Promise<Uint8Array | undefined>;
}
