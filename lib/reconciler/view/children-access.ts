// Storage of children other than pods: view items of their own beside the head, each of one resource. The floor of a resource is among the
// items that the head keeps. Only heads of kinds with such children have any (R3).
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import { childFloorItem, childItem, type ChildFloor, type ChildItem, type HeadItem } from '../../ports/head-items.ts';
import type { Head, HeadChange, Store, ViewItem } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { packChildrenPart, unpackChildrenPart } from '../../wire/children-item.ts';
import type { ChildObservation, ChildrenPart } from '../../wire/words/observations.ts';
import { emptyChildren, joinChildren, mergeChildren, type ChildrenNews } from './children.ts';
import { readItems } from './read-items.ts';

const MOST_TRIES = 20;
/** Children of one item, with parts of some hundred bytes. A write is billed by the whole item. */
const CHILDREN_PER_ITEM = 64;
const MOST_ITEMS = 256;
/** The layout widens when it is too narrow by this factor: children known by then stay where they are, too, and are written twice. */
const WIDENING = 4;
/** Below every era, as in view-access.ts. */
const UNKNOWN_ERA = -1;

const itemsOf = ({ items }: Head, resource: string): ChildItem[] =>
  items.filter((item): item is ChildItem => item.sort === 'children' && item.resource === resource);

/** Undefined: no whole list of this resource has come in this era, so an absent child may still exist (trap 8). */
export const childFloor = ({ items }: Pick<Head, 'items'>, resource: string, era: number): string | undefined =>
  items.reduce<string | undefined>(
    (highest, item) =>
      item.sort === 'floor' && item.resource === resource && item.era === era ? newest(highest ?? item.floor, item.floor) : highest,
    undefined,
  );

/** Resources that the head names items or floors of. */
export function childResourcesIn({ items }: Head): string[] {
  const [named, listed] = [items.filter(({ sort }) => sort === 'children'), items.filter(({ sort }) => sort === 'floor')];
  return [...new Set([...named, ...listed].flatMap((item) => ('resource' in item ? [item.resource] : [])))];
}

/** @returns undefined if the item is missing, unreadable or of an earlier era (R1, R3) */
function partOf(bytes: Uint8Array | undefined, era: number): ChildrenPart | undefined {
  if (!bytes) return undefined;
  try {
    const part = unpackChildrenPart(bytes);
    return part.era < era ? undefined : part;
  } catch {
    return undefined;
  }
}

/** @param present the existing items. @returns the children by resource; and whether an item that the head names is missing (R1) */
export function childrenIn(
  head: Head,
  present: ReadonlyMap<string, ViewItem>,
  era: number,
): { children: ChildrenPart[]; hasMissingItem: boolean } {
  let hasMissingItem = false;
  const children = childResourcesIn(head).map((resource) => {
    const parts = itemsOf(head, resource).map(({ name }) => partOf(present.get(name)?.bytes, era));
    const readable = parts.filter((part) => part !== undefined);
    hasMissingItem ||= readable.length < parts.length;
    return joinChildren(resource, readable, { era, floor: childFloor(head, resource, era) ?? '0' });
  });
  return { children, hasMissingItem };
}

/** The number at the end of a name keeps neighbours together; without one, a hash of the uid. */
function placeOf({ uid, name }: ChildObservation['child']): number {
  const digits = /\d{1,9}$/.exec(name)?.[0];
  if (digits !== undefined) return Math.floor(Number(digits) / CHILDREN_PER_ITEM);
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at++) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export interface WrittenChildren {
  head: Head;
  /** Must go into the head once the items are written: floors, and the names of items of resources that had none. */
  marks: Pick<HeadChange, 'addItems' | 'removeItems'>;
  isNews: boolean;
  observedByPass: boolean;
}

/** Of one resource. */
type Told = ChildrenNews & { resource: string };

/**
 * Merges observations of children into their items. After a whole list the floor of that resource alone rises.
 * @param expected how many children its kind expects, for the layout
 * @returns `marks`, which the caller writes, with another change of the head if one is due
 * @throws StaleWriteError if the head is gone, or too many others wrote at the same time
 */
export async function writeChildren(
  store: Store,
  before: Head,
  told: readonly Told[],
  { era, expected }: { era: number; expected: number },
): Promise<WrittenChildren> {
  const touched = told.flatMap((news) => sharesOf(before, news, { era, expected }));
  const known = new Set(before.items.map(({ name }) => name));
  const unnamed = touched.filter(({ item: { name } }) => !known.has(name));
  const unnamedNow = unnamed.flatMap(({ isFirst, item }) => (isFirst ? [] : [item]));
  const head: Head = unnamedNow.length > 0 ? await store.updateHead(before.key, {}, { addItems: unnamedNow }) : before;
  const read = touched.filter(({ item: { name } }) => known.has(name));
  const present = await readItems(
    store,
    head,
    read.map(({ item: { name } }) => name),
  );
  // A missing part would begin anew with these observations, and nothing would show the loss. So write it to the head first (R1). A whole
  // list repairs it.
  if (head.era >= era && read.some(({ item, news }) => !news.whole && partOf(present.get(item.name)?.bytes, era) === undefined))
    await store.updateHead(head.key, {}, { era: UNKNOWN_ERA });
  const shares = touched.flatMap((share) => (share.isNarrower ? knownThere(share, present.get(share.item.name), era) : [share]));
  const written = await Promise.all(
    shares.map(async (share) => await writeItem(store, head, { ...share, present: present.get(share.item.name), era })),
  );
  const floors = told.flatMap((news) => raisedFloorOf(head, news, era) ?? []);
  const addItems = [...unnamed.flatMap(({ isFirst, item }) => (isFirst ? [item] : [])), ...floors.map(({ floor }) => floor)];
  const removeItems = floors.flatMap(({ outdated }) => outdated);
  return {
    head,
    marks: { ...(addItems.length > 0 && { addItems }), ...(removeItems.length > 0 && { removeItems }) },
    isNews: written.some(({ isNews }) => isNews),
    observedByPass: floors.length === 0 && written.every(({ observedByPass }) => observedByPass),
  };
}

/** Observations of one item. */
interface Share {
  item: ChildItem;
  /** The resource has no floor yet, so the head's readers list it live anyway. Its items need no name before they are written. */
  isFirst: boolean;
  /** The item is of a layout that has widened since: it takes observations of children that it holds already, and of no other. */
  isNarrower: boolean;
  news: ChildrenNews;
}

/** The layout's width: it widens, so that no item outgrows its bound when a workload grows. */
function widthOf(named: readonly { width: number }[], wanted: number): number {
  const widest = Math.max(0, ...named.map(({ width }) => width));
  const fitting = Math.min(Math.max(wanted, 1), MOST_ITEMS);
  return widest === 0 || fitting >= widest * WIDENING ? fitting : widest;
}

/** The share of an item of a narrower layout; empty if it holds none of these children. */
function knownThere(share: Share, item: ViewItem | undefined, era: number): Share[] {
  const part = partOf(item?.bytes, era);
  const children = share.news.children.filter(({ child }) => part?.children.has(child.uid));
  return children.length > 0 || share.news.whole ? [{ ...share, news: { ...share.news, children } }] : [];
}

function sharesOf(head: Head, { resource, ...news }: Told, { era, expected }: { era: number; expected: number }): Share[] {
  const named = itemsOf(head, resource);
  const width = widthOf(named, Math.ceil(Math.max(expected, news.children.length) / CHILDREN_PER_ITEM));
  const names = new Set(named.map(({ name }) => name));
  const narrower = [...new Set(named.map((item) => item.width))].filter((one) => one !== width);
  const shares = new Map<string, { item: ChildItem; children: ChildObservation[] }>(
    news.whole ? named.map((item) => [item.name, { item, children: [] }]) : [],
  );
  const add = (item: ChildItem, observation: ChildObservation): void => {
    const share = shares.get(item.name);
    if (share) share.children.push(observation);
    else shares.set(item.name, { item, children: [observation] });
  };
  for (const observation of news.children) {
    const place = placeOf(observation.child);
    add(childItem(resource, width, place % width), observation);
    for (const one of narrower) {
      const item = childItem(resource, one, place % one);
      if (names.has(item.name)) add(item, observation);
    }
  }
  const isFirst = news.whole !== undefined && childFloor(head, resource, era) === undefined;
  return [...shares.values()].map(({ item, children }) => ({
    item,
    isFirst,
    isNarrower: item.width !== width,
    news: { ...news, children },
  }));
}

/** @returns undefined if the list does not raise the floor */
function raisedFloorOf(head: Head, { resource, whole }: Told, era: number): { floor: ChildFloor; outdated: HeadItem[] } | undefined {
  const before = childFloor(head, resource, era);
  if (!whole || (before !== undefined && !isNewer(whole.floor, before))) return undefined;
  const floor = childFloorItem({ era, resource, floor: whole.floor });
  const isOutdated = (item: HeadItem): boolean =>
    item.sort === 'floor' && item.resource === resource && item.era <= era && item.name !== floor.name;
  return { floor, outdated: head.items.filter(isOutdated) };
}

async function writeItem(
  store: Store,
  head: Head,
  { item: { name, resource }, news, present, era }: Share & { present: ViewItem | undefined; era: number },
): Promise<{ isNews: boolean; observedByPass: boolean }> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const before = partOf(current?.bytes, era) ?? emptyChildren(resource, { era, floor: childFloor(head, resource, era) ?? '0' });
    // A writer of a later era has written it since.
    if (before.era > era) return { isNews: false, observedByPass: true };
    const { part, changed, isNews, observedByPass } = mergeChildren(before, news);
    if (!changed && current) return { isNews, observedByPass };
    try {
      await store.putItem(head.key, { name, bytes: packChildrenPart(part) }, current?.version ?? 0);
      return { isNews, observedByPass };
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
