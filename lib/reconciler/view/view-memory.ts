// What the items of large workloads came to when they were read last, for as long as this process lives: of an item that still has the
// very same bytes nothing is unpacked or counted again. A cache of a cache: what it holds is always what those bytes say.
import { PodSet, type PodChange } from '../../kinds/pod-set.ts';
import type { ViewItem } from '../../ports/store.ts';
import type { PodEntry, ViewPart } from '../../wire/observations.ts';

/** Pods remembered in all; one workload with more is remembered alone. */
const MOST_PODS = 120_000;
/** Smaller workloads are unpacked faster than they are compared. */
const FEWEST_ITEMS = 4;

interface RememberedItem {
  bytes: Uint8Array;
  part: ViewPart;
}

interface Remembered {
  items: ReadonlyMap<string, RememberedItem>;
  entries: ReadonlyMap<string, PodEntry>;
  pods: PodSet;
}

/** The items' pods, joined. `entries` is a copy for the caller to change. */
export interface JoinedItems {
  parts: ViewPart[];
  entries: Map<string, PodEntry>;
  pods: PodSet;
}

export class ViewMemory {
  /** By workload, least recently read first. */
  readonly #workloads = new Map<string, Remembered>();

  /**
   * @param items all items that the workload's head names
   * @param unpack throws where an item cannot be read
   * @returns undefined where a pod lies in two items: whoever joins them decides which counts
   */
  join(workload: string, items: readonly ViewItem[], unpack: (bytes: Uint8Array) => ViewPart): JoinedItems | undefined {
    if (items.length < FEWEST_ITEMS) return undefined;
    const before = this.#workloads.get(workload);
    this.#workloads.delete(workload);
    const now = new Map<string, RememberedItem>();
    for (const { name, bytes } of items) {
      const known = before?.items.get(name);
      now.set(name, known && Buffer.compare(known.bytes, bytes) === 0 ? known : { bytes, part: unpack(bytes) });
    }
    const entries = new Map(before?.entries);
    const changes: PodChange[] = [];
    for (const [name, { part }] of before?.items ?? []) {
      if (now.get(name)?.part === part) continue;
      for (const [uid, { deleted, pod }] of part.pods) {
        entries.delete(uid);
        if (!deleted) changes.push({ was: pod });
      }
    }
    for (const [name, { part }] of now) {
      if (before?.items.get(name)?.part === part) continue;
      for (const [uid, entry] of part.pods) {
        if (entries.has(uid)) return undefined;
        entries.set(uid, entry);
        if (!entry.deleted) changes.push({ now: entry.pod });
      }
    }
    const pods = before ? before.pods.with(changes) : PodSet.byPlace(changes.flatMap((change) => change.now ?? []));
    this.#workloads.set(workload, { items: now, entries, pods });
    this.#forgetBeyond();
    return { parts: [...now.values()].map(({ part }) => part), entries: new Map(entries), pods };
  }

  #forgetBeyond(): void {
    let total = 0;
    for (const { entries } of this.#workloads.values()) total += entries.size;
    for (const [workload, { entries }] of this.#workloads) {
      if (total <= MOST_PODS || this.#workloads.size === 1) return;
      this.#workloads.delete(workload);
      total -= entries.size;
    }
  }
}
