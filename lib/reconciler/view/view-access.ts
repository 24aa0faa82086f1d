// Storage of a view: a small one lies in the head itself, a larger one in items of neighbouring slots beside it. Writes are conditional on
// versions only, because an observation is true, no matter which pass writes it (R8).
import type { PodChange, PodSet } from '../../kinds/rows/pod-set.ts';
import type { ChildState } from '../../objects/child-state.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Counted } from '../../objects/upstream-metrics.ts';
import { isNewer } from '../../objects/values/resource-version.ts';
import { formatKey } from '../../objects/workload.ts';
import type { Head, UpdatedHead, HeadChange, Store, ViewItem } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { POD_RESOURCE } from '../../wire/packing/codecs.ts';
import type { AnyChild, ChildrenPart, PodEntry, ViewPart } from '../../wire/words/observations.ts';
import { bothChanges, childResourcesIn, floorIn, raisedFloor } from './floors.ts';
import { childLayout, hasPodItems, itemsIn, podLayout } from './layouts.ts';
import { noteRange, outdatedRanges } from './list-progress.ts';
import { partOf, readItems } from './read-items.ts';
import { readPart, writePart } from './recent-parts.ts';
import { emptyPart, isLater, joinParts, mergeNews, type Merged, type News } from './view.ts';
import { countsOfChange } from './view-counts.ts';
import type { JoinedItems, ViewMemory } from './view-memory.ts';
import { MOST_TRIES, namesTouched, noteMissingItem, writeItems } from './write-items.ts';

/** With more pods than this, the pods leave the head, so that it stays about 1 KB. */
const PODS_IN_HEAD = 20;

export interface View {
  part: ViewPart;
  /** An item that the head names is missing, unreadable or of an earlier era: the workload is unknown (R1). */
  hasMissingItem: boolean;
  /** The existing pods, if the memory could help. */
  pods?: PodSet;
  /** Children other than pods, by resource; empty for a kind without such children. */
  children: readonly ChildrenPart[];
  /** The items as read, by name. A writer that follows soon need not read them again. */
  items?: ReadonlyMap<string, ViewItem>;
}

/** The whole view, read after the head. @param memory of earlier reads by this process */
export async function readView(store: Store, head: Head, era: number, memory?: ViewMemory): Promise<View> {
  const inHead = head.view && partInHead(head, era);
  const isMissingInHead = head.view !== undefined && inHead === undefined;
  const first = inHead ? [inHead] : [];
  const others = childResourcesIn(head);
  const start = { era, floor: '0' };
  if (!hasPodItems(head) && others.length === 0)
    return { part: joinParts(POD_RESOURCE, first, start), hasMissingItem: isMissingInHead, children: [] };
  const read = await store.read(head.key);
  const items = new Map(read.items.map((item) => [item.name, item]));
  const known = others.map((resource) => {
    const { parts, isMissing } = partsIn<ChildState>(head, items, resource, era);
    return { isMissing, part: joinParts(resource, parts, { era, floor: floorIn(head, resource, era) ?? '0' }) };
  });
  const children = known.map(({ part }) => part);
  const isMissingInOthers = known.some(({ isMissing }) => isMissing);
  const named = itemsIn(head, POD_RESOURCE);
  const found = named.flatMap(({ name }) => items.get(name) ?? []);
  if (memory && !isMissingInHead && found.length === named.length) {
    const view = rememberedView(memory, head, { inHead, found, era });
    if (view) return { ...view, hasMissingItem: isMissingInOthers, children, items };
  }
  const { parts, isMissing } = partsIn<PodFacts>(head, items, POD_RESOURCE, era);
  const hasMissingItem = isMissingInHead || isMissingInOthers || isMissing;
  return { part: joinParts(POD_RESOURCE, [...first, ...parts], start), hasMissingItem, children, items };
}

/** @param items the existing ones. @returns the readable ones that the head names of that resource; and whether any other is named (R1) */
function partsIn<Child extends AnyChild>(
  head: Head,
  items: ReadonlyMap<string, ViewItem>,
  resource: string,
  era: number,
): { parts: ViewPart<Child>[]; isMissing: boolean } {
  const named = itemsIn(head, resource);
  const parts = named.flatMap(({ name }) => partOf<Child>(items.get(name)?.bytes, resource, era) ?? []);
  return { parts, isMissing: parts.length < named.length };
}

/** The same with remembered parts of unchanged items; undefined if something is missing or lies in two items. */
function rememberedView(
  memory: ViewMemory,
  head: Head,
  { inHead, found, era }: { inHead: ViewPart | undefined; found: readonly ViewItem[]; era: number },
): Omit<View, 'children'> | undefined {
  let joined: JoinedItems | undefined;
  try {
    joined = memory.join(formatKey(head.key), found, readPart<PodFacts>);
  } catch {
    return undefined;
  }
  if (!joined || joined.parts.some((part) => part.era < era)) return undefined;
  const { entries } = joined;
  const part = joinParts<PodFacts>(
    POD_RESOURCE,
    [...joined.parts, ...(inHead ? [inHead] : [])].map((one) => ({ ...one, children: new Map() })),
    { era, floor: '0' },
  );
  const changes: PodChange[] = [];
  for (const [uid, entry] of inHead?.children ?? []) {
    const known = entries.get(uid);
    if (known && !isLater(entry, known)) continue;
    entries.set(uid, entry);
    const [was, now] = [known, entry].map((one) => (one?.presence === 'there' ? one.child : undefined));
    if (was ?? now) changes.push({ was, now });
  }
  return { part: { ...part, children: entries }, hasMissingItem: false, pods: joined.pods.with(changes) };
}

export interface Written extends Merged {
  head: UpdatedHead;
  /** The head change given as `alongside` went into the same write. */
  told: boolean;
  /** The metrics that the change of the view counts. */
  counted: readonly Counted[];
  /** The view after the merge; undefined if the observations are of an era that is over. */
  part: ViewPart | undefined;
}

/** Called before each try of a write that includes the head, with the part that goes into the view. It may throw to give up. */
export type Alongside = (head: Head, part: ViewPart) => Promise<{ ifFence?: string; change: HeadChange } | undefined>;

/**
 * Merges observations into the view where they belong: the owner, and few pods, into the head; more pods into items beside it. The head
 * change of `alongside` goes into the head's write, if there is one, after the items' writes.
 * @param options.items as they were read with the head. If an item has changed since, its write is refused and the merge repeated
 * @throws StaleWriteError if the head is gone, or too many others wrote at the same time
 */
export async function writeView(
  store: Store,
  before: Head,
  news: News<PodFacts>,
  { era, alongside, items }: { era: number; alongside?: Alongside; items?: ReadonlyMap<string, ViewItem> | undefined },
): Promise<Written> {
  let head = before;
  let written: Written | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      // If only the floor's write was refused, do not merge again: the view holds the observations already, so a second merge would find no
      // change.
      if (!written) {
        written = await tryToWrite(store, head, news, { era, alongside, known: attempt === 1 ? items : undefined });
        head = written.head;
      }
      const { whole } = news;
      if (!whole) return written;
      return { ...written, head: await noteRange(store, head, { whole, era, raise: (...told) => raiseFloor(store, ...told, era) }) };
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      const current = await store.readHead(head.key);
      if (!current) throw error;
      head = current;
    }
  }
}

async function tryToWrite(
  store: Store,
  before: Head,
  news: News<PodFacts>,
  {
    era,
    alongside,
    known: knownItems = new Map(),
  }: { era: number; alongside: Alongside | undefined; known: ReadonlyMap<string, ViewItem> | undefined },
): Promise<Written> {
  const inHead = partInHead(before, era) ?? emptyPart(POD_RESOURCE, { era, floor: floorIn(before, POD_RESOURCE, era) ?? '0' });
  const layout = podLayout(before, mergeNews(inHead, news).part, era);
  const items = await readItems(store, before, namesTouched({ layout, news }), knownItems);
  const parts = [inHead, ...[...items.values()].flatMap(({ bytes }) => partOf<PodFacts>(bytes, POD_RESOURCE, era) ?? [])];
  // A writer of an era that is over may not change this one (R3).
  if (parts.some((part) => part.era > era))
    return { head: before, changed: false, isNews: false, observedByPass: true, told: false, counted: [], part: undefined };
  const known = joinParts(POD_RESOURCE, parts, { era, floor: '0' });
  const { part, ...merged } = mergeNews(known, news);
  // Its items may contain a list that the head does not show yet: the list's writer was overtaken, or died, before it wrote the head.
  const raises = news.whole?.slots === 'all' && isNewer(news.whole.floor, floorIn(before, POD_RESOURCE, era) ?? '0');
  if (!merged.changed && !raises) return { head: before, ...merged, told: false, counted: [], part };
  const counted = countsOfChange(before.key.kind, { known, merged: part, news });
  const isMissingInHead = news.whole?.slots !== 'all' && before.view !== undefined && partOf(before.view, POD_RESOURCE, era) === undefined;
  await noteMissingItem(store, before, [{ layout, news }], { items, era, isMissingInHead });

  // Observations of few pods stay in the head, whose write is due anyway. When the head gets crowded, all pods move to their items. A crash
  // in between leaves them in both, and readers join the two.
  const fresh = news.children.filter(({ child: { uid } }) => part.children.get(uid) !== known.children.get(uid));
  const pods = !hasPodItems(before) ? part.children : withFresh(inHead.children, fresh, part.children);
  const isListed = news.whole !== undefined && hasPodItems(before);
  const leaves = isListed || pods.size > PODS_IN_HEAD;
  // A list must reach its items whole, because an unnamed pod there is gone.
  const leaving = { layout, moved: [...inHead.children.values()], news: { ...news, children: news.whole ? news.children : fresh } };
  const { head } = leaves ? await writeItems(store, before, [leaving], { items, era }) : { head: before };
  const ownerIsNew = part.owner !== inHead.owner;
  // A whole list raises the head's floor, so write the view with it. Otherwise an observation from before the list that another writer puts
  // there meanwhile would seem gone.
  if (leaves && !ownerIsNew && inHead.children.size === 0 && news.whole?.slots !== 'all')
    return { head, ...merged, told: false, counted, part };

  const told = await alongside?.(head, part);
  // Use the version of the head that was read. The write that named new items may have returned a later head, whose pods would be lost.
  const conditions = { ifViewVersion: before.viewVersion, ...(told?.ifFence !== undefined && { ifFence: told.ifFence }) };
  const raised = news.whole?.slots === 'all' ? floorChange(head, news.whole.floor, era) : undefined;
  const view: ViewPart = {
    ...emptyPart(POD_RESOURCE, { era, floor: raised?.floor ?? inHead.floor }),
    ...(part.owner && { owner: part.owner }),
    ...(!leaves && { children: pods }),
  };
  return {
    head: await store.updateHead(head.key, conditions, { ...bothChanges(told?.change, raised), view: writePart(view) }),
    ...merged,
    told: told !== undefined,
    counted,
    part,
  };
}

/** The pods in the head, and the observed pods that changed something. */
function withFresh(inHead: ViewPart['children'], fresh: News<PodFacts>['children'], after: ViewPart['children']): ViewPart['children'] {
  const pods = new Map(inHead);
  for (const { child } of fresh) {
    const entry = after.get(child.uid);
    if (entry) pods.set(child.uid, entry);
  }
  return pods;
}

/** A list that came in ranges and is not younger than this one is no longer awaited. */
function floorChange(head: Head, floor: string, era: number): HeadChange & { floor: string } {
  const removeItems = outdatedRanges(head, { era, floor });
  return { floor, ...(removeItems.length > 0 && { removeItems }) };
}

/**
 * Raises the head's floor. Pods in the head move to their items first: for an observation from before the list, nothing else shows
 * whether the list named it.
 * @throws StaleWriteError another writer has changed the head's view meanwhile
 */
async function raiseFloor(store: Store, head: Head, change: HeadChange & { floor: string }, era: number): Promise<Head> {
  const inHead = head.view ? partInHead(head, era) : emptyPart<PodFacts>(POD_RESOURCE, { era, floor: change.floor });
  // A head view of an earlier era counts as missing, whatever its floor.
  if (!inHead) return await store.updateHead(head.key, {}, change);
  const moved = [...inHead.children.values()];
  const news = { resource: POD_RESOURCE, children: [], byPass: false };
  const leaving = { layout: podLayout(head, inHead, era), moved, news };
  if (moved.length > 0) await writeItems(store, head, [leaving], { items: new Map(), era });
  const view = writePart<PodFacts>({ ...inHead, floor: change.floor, children: new Map() });
  return await store.updateHead(head.key, { ifViewVersion: head.viewVersion }, { ...change, view });
}

/** The view that a new head begins with; undefined if the observations are too large for the head. */
export function firstView(head: Head, news: News<PodFacts>, era: number): Uint8Array | undefined {
  const { part } = mergeNews(emptyPart(POD_RESOURCE, { era, floor: floorIn(head, POD_RESOURCE, era) ?? '0' }), news);
  return part.children.size > PODS_IN_HEAD || news.whole !== undefined ? undefined : writePart(part);
}

/**
 * The part in the head itself; undefined if absent, unreadable or of an earlier era. An earlier build raised the head's floor without its
 * view when a whole list went to the items. So an entry here from before that list was reported by the list, or is gone.
 */
function partInHead(head: Head, era: number): ViewPart | undefined {
  const part = partOf<PodFacts>(head.view, POD_RESOURCE, era);
  const floor = floorIn(head, POD_RESOURCE, era) ?? '0';
  if (!part || !isNewer(floor, part.floor)) return part;
  const asListed = (entry: PodEntry): PodEntry =>
    isNewer(floor, entry.heardAt) ? { ...entry, presence: 'deleted', byPass: false } : entry;
  return { ...part, floor, children: new Map([...part.children].map(([uid, entry]) => [uid, asListed(entry)])) };
}

export interface WrittenChildren extends Omit<Merged, 'changed'> {
  head: Head;
  /** Must go into the head once the items are written: floors, and the names of items of resources that had none. */
  marks: Pick<HeadChange, 'addItems' | 'removeItems'>;
}

/**
 * Merges observations of children other than pods into their items. After a whole list the floor of that resource alone rises.
 * @param given.expected how many children its kind expects, for the layout
 * @returns `marks`, which the caller writes, with another change of the head if one is due
 * @throws StaleWriteError if the head is gone, or too many others wrote at the same time
 */
export async function writeChildren(
  store: Store,
  before: Head,
  told: readonly News<ChildState>[],
  { era, expected }: { era: number; expected: number },
): Promise<WrittenChildren> {
  const leaving = told.map((news) => {
    const { resource, children } = news;
    return { layout: childLayout(before, resource, { era, expected: Math.max(expected, children.length) }), news };
  });
  const items = await readItems(store, before, leaving.flatMap(namesTouched));
  await noteMissingItem(store, before, leaving, { items, era });
  const { head, unnamed, isNews, observedByPass } = await writeItems(store, before, leaving, { items, era });
  const floors = told.map((news) => raisedFloor(head, news, era)).filter(({ addItems }) => addItems);
  const marks = floors.reduce(bothChanges, bothChanges({ addItems: unnamed }));
  return { head, marks, isNews, observedByPass: observedByPass && floors.length === 0 };
}
