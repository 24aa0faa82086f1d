// The layout of a view's items of pods. A head lists them in such a way that every writer finds the same item for a pod.
import { factsFor } from '../../kinds/facts.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { hashedPods, podItems, type HashedPods, type HeadItem, type OtherItem, type PodItems } from '../../ports/head-items.ts';
import type { Head } from '../../ports/store.ts';
import type { ViewPart, WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS, slotOf } from '../../wire/words/view-layout.ts';
import type { Span } from './list-progress.ts';

/** One item of pods. */
export type PodItem = PodItems | HashedPods | OtherItem;

/**
 * About 1 KB an item, because every write is billed by the whole item. Larger workloads take 2 and 8 KB, so that a storm needs fewer
 * requests.
 */
const SLOTS_PER_SMALL_ITEM = 40;
const SLOTS_PER_ITEM = [
  { most: 2_000, slots: SLOTS_PER_SMALL_ITEM },
  { most: 20_000, slots: 104 },
  { most: Infinity, slots: 400 },
];
/** Foreign pods have no slot of their own. Their hash spreads them over this many items. */
const HASHED_ITEMS = 16;

function slotsPerItem(kind: string, { owner, pods }: ViewPart): number {
  const expected = Math.max(owner ? factsFor(kind).expectedChildren(owner.object) : 0, pods.size);
  return SLOTS_PER_ITEM.find(({ most }) => expected <= most)?.slots ?? SLOTS_PER_SMALL_ITEM;
}

/** @param slots per item */
export function itemOf(pod: PodFacts, slots: number): PodItem {
  const isKnown = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  if (!isKnown) return hashedPods(slots, slot % HASHED_ITEMS);
  const at = Math.floor(slot / slots);
  return podItems({ slots, first: at, last: at });
}

const isOfPods = (item: HeadItem): item is PodItem => item.sort === 'pods' || item.sort === 'hashedPods' || item.sort === 'other';

/** The items beside the head that hold pods, each once. */
export function podItemsIn({ items }: Pick<Head, 'items'>): PodItem[] {
  const single = new Map<string, PodItem>();
  for (const item of items) {
    if (!isOfPods(item)) continue;
    if (item.sort !== 'pods' || item.first === item.last) single.set(item.name, item);
    else
      for (let at = item.first; at <= item.last; at++) {
        const each = podItems({ slots: item.slots, first: at, last: at });
        single.set(each.name, each);
      }
  }
  return [...single.values()];
}

/** Joins neighbours, because a head names them as one. @param items single ones of one layout */
export function inRuns(items: readonly PodItem[]): HeadItem[] {
  const runs: PodItems[] = [];
  for (const { slots, first, last } of items.filter((item) => item.sort === 'pods').toSorted((a, b) => a.first - b.first)) {
    const before = runs.at(-1);
    if (before && first === before.last + 1) runs[runs.length - 1] = podItems({ slots, first: before.first, last });
    else runs.push(podItems({ slots, first, last }));
  }
  return [...runs, ...items.filter((item) => item.sort !== 'pods')];
}

/** Whether the view has outgrown the head. */
export const hasItems = ({ items }: Head): boolean => items.some(isOfPods);

/** Slots per item: taken from the head's items, else from the workload's size. */
export function layoutOf({ key, items }: Head, part: ViewPart): number {
  const widest = items.reduce((most, item) => ('slots' in item ? Math.max(most, item.slots) : most), 0);
  return widest || slotsPerItem(key.kind, part);
}

/** Whether a list of these slots covers the item. */
export function isInRange(item: PodItem, { slots }: WholeList): boolean {
  if (slots === 'all') return true;
  const { from, to } = spanOf(item);
  return from < slots.to && to > slots.from;
}

/** The slots that an item may hold. An item of hashes may hold any. */
export function spanOf(item: PodItem): Span {
  if (item.sort !== 'pods') return { from: 0, to: END_OF_SLOTS };
  return { from: item.first * item.slots, to: (item.last + 1) * item.slots };
}
