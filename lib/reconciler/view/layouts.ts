// Where the children of one resource lie beside the head. A head names the items in such a way that every writer finds the same item for a
// child. Pods, of which there are many, lie by slot; other children by the number in their name.
import { factsFor } from '../../kinds/facts.ts';
import type { ChildState } from '../../objects/child-state.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { newest } from '../../objects/values/resource-version.ts';
import { childItem, hashedPods, podItems, type ChildItem, type HeadItem, type PodItem, type PodItems } from '../../ports/head-items.ts';
import type { Head } from '../../ports/store.ts';
import { isOfPods, POD_RESOURCE } from '../../wire/packing/codecs.ts';
import type { AnyChild, ViewPart, WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS, hashOf, slotOf } from '../../wire/words/view-layout.ts';
import { floorIn } from './floors.ts';
import { toldFloor, type Span } from './list-progress.ts';

/** One item beside the head. */
export type Item = PodItem | ChildItem;

export interface Layout<Child extends AnyChild> {
  readonly resource: string;
  /** The items that the head names, each once. */
  readonly named: readonly Item[];
  /** Its items need no name before they are written: without a floor, readers of the head list the resource live anyway. */
  readonly isNamedLater: boolean;
  /** The item that holds the child; and named items of a layout that has widened since, which may hold it, too. */
  itemsOf(child: Child): readonly Item[];
  /** Whether the item takes children that it does not hold yet. */
  takesNew(item: Item): boolean;
  /** Whether its pods lie there by their kind's own slots. */
  isBySlot(item: Item): boolean;
  /** Whether a list of these slots covers the item. */
  covers(item: Item, whole: WholeList): boolean;
  /** The floor of an item that is not there yet. @param head the latest one known: a list may have come since the layout was made */
  floorOf(item: Item, head: Head): string;
  /** How the head names these items. */
  namesOf(items: readonly Item[]): readonly HeadItem[];
}

/**
 * About 1 KB an item, because every write is billed by the whole item. Larger workloads take 2 and 8 KB, so that a storm needs fewer
 * requests.
 */
const SLOTS_PER_SMALL_ITEM = 40;
const SLOTS_PER_NAMED_ITEM = 104;
const SLOTS_PER_ITEM = [
  { most: 2_000, slots: SLOTS_PER_SMALL_ITEM },
  { most: 20_000, slots: SLOTS_PER_NAMED_ITEM },
  { most: Infinity, slots: 400 },
];
/** Foreign pods have no slot of their own. Their hash spreads them over this many items. */
const HASHED_ITEMS = 16;
/** Items that a head names one by one: each name makes it longer, and a write is billed by the whole head. */
const MOST_ITEMS = 256;

/** Slots per item: taken from the head's items, else from the workload's size. */
function slotsPerItem({ key, items }: Head, { owner, children }: ViewPart): number {
  const widest = items.reduce((most, item) => ('slots' in item ? Math.max(most, item.slots) : most), 0);
  if (widest > 0) return widest;
  const facts = factsFor(key.kind);
  const expected = Math.max(owner ? facts.expectedChildren(owner.object) : 0, children.size);
  const wanted = SLOTS_PER_ITEM.find(({ most }) => expected <= most)?.slots ?? SLOTS_PER_SMALL_ITEM;
  // The head names such items one by one.
  return facts.pods?.slotOf ? Math.max(wanted, SLOTS_PER_NAMED_ITEM) : wanted;
}

/** @param part the pods in the head, and those that come */
export function podLayout(head: Head, part: ViewPart, era: number): Layout<PodFacts> {
  const slots = slotsPerItem(head, part);
  const named = podItemsIn(head);
  const { slotOf: ownSlotOf } = factsFor(head.key.kind).pods ?? {};
  const names = new Set(named.map(({ name }) => name));
  return {
    resource: POD_RESOURCE,
    named,
    isNamedLater: false,
    itemsOf(pod) {
      const byNumber = podItemOf(pod, slots);
      if (!ownSlotOf) return [byNumber];
      const own = podItemAt(ownSlotOf(pod), pod, slots);
      // A build before this one put all pods of such a kind beside each other.
      return byNumber.name !== own.name && names.has(byNumber.name) ? [own, byNumber] : [own];
    },
    takesNew: (item) => !ownSlotOf || item.sort === 'hashedPods',
    isBySlot: (item) => ownSlotOf !== undefined && item.sort === 'hashedPods',
    covers: (item, whole) => isWithin(spanOf(item), whole),
    floorOf: (item, latest) => newest(floorIn(latest, POD_RESOURCE, era) ?? '0', toldFloor(latest, era, spanOf(item))),
    namesOf: inRuns,
  };
}

function podItemOf(pod: PodFacts, slots: number): Item {
  const isKnown = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  if (!isKnown) return hashedPods(slots, slot % HASHED_ITEMS);
  const at = Math.floor(slot / slots);
  return podItems({ slots, first: at, last: at });
}

/**
 * Of a kind whose pods share numbers: each counts how often its slot was filled. A list comes in ranges of numbers, so the item may be in any
 * of them, like one of hashes.
 */
const podItemAt = (slot: number | undefined, { uid }: PodFacts, slots: number): Item =>
  hashedPods(slots, slot === undefined ? hashOf(uid) % HASHED_ITEMS : Math.floor(slot / slots) % MOST_ITEMS);

const isPodItem = (item: HeadItem): item is PodItem => item.sort === 'pods' || item.sort === 'hashedPods' || item.sort === 'other';

/** Whether pods have outgrown the head. */
export const hasPodItems = ({ items }: Head): boolean => items.some(isPodItem);

/** The items of these pods, each once. */
function podItemsIn({ items }: Pick<Head, 'items'>): PodItem[] {
  const single = new Map<string, PodItem>();
  for (const item of items) {
    if (!isPodItem(item)) continue;
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
function inRuns(items: readonly Item[]): HeadItem[] {
  const runs: PodItems[] = [];
  for (const { slots, first, last } of items.filter((item) => item.sort === 'pods').toSorted((a, b) => a.first - b.first)) {
    const before = runs.at(-1);
    if (before && first === before.last + 1) runs[runs.length - 1] = podItems({ slots, first: before.first, last });
    else runs.push(podItems({ slots, first, last }));
  }
  return [...runs, ...items.filter((item) => item.sort !== 'pods')];
}

/** The slots that an item may hold. An item of hashes may hold any. */
function spanOf(item: Item): Span {
  if (item.sort !== 'pods') return { from: 0, to: END_OF_SLOTS };
  return { from: item.first * item.slots, to: (item.last + 1) * item.slots };
}

const isWithin = ({ from, to }: Span, { slots }: WholeList): boolean => slots === 'all' || (from < slots.to && to > slots.from);

/** Children of one item, with parts of some hundred bytes. A write is billed by the whole item. */
const CHILDREN_PER_ITEM = 64;
/** The layout widens when it is too narrow by this factor: children known by then stay where they are, too, and are written twice. */
const WIDENING = 4;

/** @param expected how many children of the resource there may be */
export function childLayout(head: Head, resource: string, { era, expected }: { era: number; expected: number }): Layout<ChildState> {
  const named = childItemsIn(head, resource);
  const width = widthOf(named, Math.ceil(expected / CHILDREN_PER_ITEM));
  const byName = new Map(named.map((item) => [item.name, item]));
  const narrower = [...new Set(named.map((item) => item.width))].filter((one) => one !== width);
  return {
    resource,
    named,
    isNamedLater: floorIn(head, resource, era) === undefined,
    itemsOf(child) {
      const place = placeOf(child);
      return [
        childItem(resource, width, place % width),
        ...narrower.flatMap((one) => byName.get(childItem(resource, one, place % one).name) ?? []),
      ];
    },
    takesNew: (item) => !('width' in item) || item.width === width,
    isBySlot: () => false,
    covers: () => true,
    floorOf: (_item, latest) => floorIn(latest, resource, era) ?? '0',
    namesOf: (items) => items,
  };
}

const childItemsIn = ({ items }: Pick<Head, 'items'>, resource: string): ChildItem[] =>
  items.filter((item): item is ChildItem => item.sort === 'children' && item.resource === resource);

/** The layout's width: it widens, so that no item outgrows its bound when a workload grows. */
function widthOf(named: readonly ChildItem[], wanted: number): number {
  const widest = Math.max(0, ...named.map(({ width }) => width));
  const fitting = Math.min(Math.max(wanted, 1), MOST_ITEMS);
  return widest === 0 || fitting >= widest * WIDENING ? fitting : widest;
}

/** The number at the end of a name keeps neighbours together; without one, a hash of the uid. */
function placeOf({ uid, name }: ChildState): number {
  const digits = /\d{1,9}$/.exec(name)?.[0];
  return digits === undefined ? hashOf(uid) : Math.floor(Number(digits) / CHILDREN_PER_ITEM);
}

/** The items of these children that the head names, each once. */
export const itemsIn = (head: Pick<Head, 'items'>, resource: string): readonly Item[] =>
  isOfPods(resource) ? podItemsIn(head) : childItemsIn(head, resource);
