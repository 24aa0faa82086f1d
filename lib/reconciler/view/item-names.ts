// The layout of a view's items and the names by which a head lists them. Names make every writer find the same item for a pod.
import { factsFor } from '../../kinds/facts.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Head } from '../../ports/store.ts';
import type { ViewPart, WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS, slotOf, unpackNames } from '../../wire/words/view-layout.ts';
import { isOfChildren } from './children-access.ts';
import { isMark, type Span } from './list-progress.ts';

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

/** `pods/<slots per item>/<which>`, so that every writer finds the same item from the names that the head holds. */
export function itemOf(pod: PodFacts, slots: number): string {
  const known = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  return known ? `pods/${slots}/${Math.floor(slot / slots)}` : `pods/${slots}/h${slot % HASHED_ITEMS}`;
}

const isOfPods = (name: string): boolean => !isMark(name) && !isOfChildren(name);

/** The items beside the head that hold pods. */
export const namesIn = ({ items }: Head): string[] => unpackNames(items.filter(isOfPods));

/** Whether the view has outgrown the head. */
export const hasItems = ({ items }: Head): boolean => items.some(isOfPods);

/** Slots per item: taken from the head's names, else from the workload's size. */
export function layoutOf(head: Head, part: ViewPart): number {
  const widths = head.items.map((name) => Number(/^pods\/(\d+)\//.exec(name)?.[1] ?? 0));
  return Math.max(0, ...widths) || slotsPerItem(head.key.kind, part);
}

/** Whether a list of these slots covers the item. */
export function isInRange(name: string, { slots }: WholeList): boolean {
  if (slots === 'all') return true;
  const { from, to } = spanOf(name);
  return from < slots.to && to > slots.from;
}

/** The slots that an item may hold. An item of hashes may hold any. */
export function spanOf(name: string): Span {
  const match = /^pods\/(\d+)\/(\d+)$/.exec(name);
  if (!match) return { from: 0, to: END_OF_SLOTS };
  const [width, at] = [Number(match[1]), Number(match[2])];
  return { from: at * width, to: (at + 1) * width };
}
