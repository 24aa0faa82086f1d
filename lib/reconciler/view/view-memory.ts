// The parts of large workloads' items as read last, for as long as this process lives. An item with the very same bytes is neither unpacked
// nor counted again. A cache of a cache: an entry always agrees with its bytes.
import { PodSet, type PodChange } from '../../kinds/rows/pod-set.ts';
import type { ViewItem } from '../../ports/store.ts';
import type { PodEntry, ViewPart } from '../../wire/words/observations.ts';

/** Pods remembered in total. A workload with more is remembered alone. */
const MOST_PODS = 120_000;
/** Unpacking a smaller workload is faster than comparing its items. */
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

/** The items' pods, joined. The caller may change `entries`, which is a copy. */
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
   * @param unpack throws if an item cannot be read
   * @returns undefined if a pod lies in two items; the caller then decides which entry counts
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
      for (const [uid, { presence, child }] of part.children) {
        entries.delete(uid);
        if (presence === 'there') changes.push({ was: child });
      }
    }
    for (const [name, { part }] of now) {
      if (before?.items.get(name)?.part === part) continue;
      for (const [uid, entry] of part.children) {
        if (entries.has(uid)) return undefined;
        entries.set(uid, entry);
        if (entry.presence === 'there') changes.push({ now: entry.child });
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
