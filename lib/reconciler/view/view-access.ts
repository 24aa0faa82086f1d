// Storage of a view: a small one lies in the head itself, a larger one in items of neighbouring slots beside it. Writes are conditional on
// versions only, because an observation is true, no matter which pass writes it (R8).
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import { formatKey } from '../../objects/workload.ts';
import type { PodChange, PodSet } from '../../kinds/rows/pod-set.ts';
import type { Head, UpdatedHead, HeadChange, Store, ViewItem } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { ChildrenPart, PodEntry, ViewPart } from '../../wire/words/observations.ts';
import { childrenIn, childResourcesIn } from './children-access.ts';
import { hasItems, inRuns, isInRange, itemOf, layoutOf, podItemsIn, spanOf, type PodItem } from './pod-items.ts';
import type { Counted } from '../../objects/upstream-metrics.ts';
import { countsOfChange } from './view-counts.ts';
import { readPart, writePart } from './recent-parts.ts';
import { noteRange, outdatedRanges, toldFloor } from './list-progress.ts';
import { readItems } from './read-items.ts';
import type { News } from './view.ts';
import { adopt, emptyPart, isLater, joinParts, mergeNews } from './view.ts';
import type { JoinedItems, ViewMemory } from './view-memory.ts';

/** With more pods than this, the pods leave the head, so that it stays about 1 KB. */
const PODS_IN_HEAD = 20;
const MOST_TRIES = 20;
/** Below every era: the workload is unknown (R1) until a pass has listed it. */
export const UNKNOWN_ERA = -1;

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
  const missingInHead = head.view !== undefined && inHead === undefined;
  const first = inHead ? [inHead] : [];
  const others = childResourcesIn(head);
  if (!hasItems(head) && others.length === 0) return { part: joinParts(first, era), hasMissingItem: missingInHead, children: [] };
  const { items } = await store.read(head.key);
  const present = new Map(items.map((item) => [item.name, item]));
  const { children, hasMissingItem: missingInChildren } = childrenIn(head, present, era);
  const named = podItemsIn(head).map(({ name }) => present.get(name));
  const found = named.filter((item) => item !== undefined);
  if (memory && !missingInHead && found.length === named.length) {
    const view = rememberedView(memory, head, { inHead, found, era });
    if (view) return { ...view, hasMissingItem: missingInChildren, children, items: present };
  }
  const parts = named.map((item) => partOf(item?.bytes, era));
  const readable = parts.filter((part) => part !== undefined);
  const hasMissingItem = missingInHead || missingInChildren || readable.length < parts.length;
  return { part: joinParts([...first, ...readable], era), hasMissingItem, children, items: present };
}

/** The same with remembered parts of unchanged items; undefined if something is missing or lies in two items. */
function rememberedView(
  memory: ViewMemory,
  head: Head,
  { inHead, found, era }: { inHead: ViewPart | undefined; found: readonly ViewItem[]; era: number },
): Omit<View, 'children'> | undefined {
  let joined: JoinedItems | undefined;
  try {
    joined = memory.join(formatKey(head.key), found, readPart);
  } catch {
    return undefined;
  }
  if (!joined || joined.parts.some((part) => part.era < era)) return undefined;
  const { entries } = joined;
  const part = joinParts(
    [...joined.parts, ...(inHead ? [inHead] : [])].map((one) => ({ ...one, pods: new Map<string, PodEntry>() })),
    era,
  );
  const changes: PodChange[] = [];
  for (const [uid, entry] of inHead?.pods ?? []) {
    const known = entries.get(uid);
    if (known && !isLater(entry, known)) continue;
    entries.set(uid, entry);
    const [was, now] = [known, entry].map((one) => (one && !one.deleted ? one.pod : undefined));
    if (was ?? now) changes.push({ was, now });
  }
  return { part: { ...part, pods: entries }, hasMissingItem: false, pods: joined.pods.with(changes) };
}

export interface Written {
  head: UpdatedHead;
  changed: boolean;
  observedByPass: boolean;
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
  news: News,
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
  news: News,
  {
    era,
    alongside,
    known: knownItems = new Map(),
  }: { era: number; alongside: Alongside | undefined; known: ReadonlyMap<string, ViewItem> | undefined },
): Promise<Written> {
  const inHead = partInHead(before, era) ?? emptyPart({ era, floor: floorOf(before, era) });
  const layout = layoutOf(before, mergeNews(inHead, news).part);
  const items = await readItems(store, before, namesTouched(before, news, layout), knownItems);
  const parts = [inHead, ...[...items.values()].flatMap(({ bytes }) => partOf(bytes, era) ?? [])];
  // A writer of an era that is over may not change this one (R3).
  if (parts.some((part) => part.era > era))
    return { head: before, changed: false, observedByPass: true, told: false, counted: [], part: undefined };
  const known = joinParts(parts, era);
  const { part, changed, observedByPass } = mergeNews(known, news);
  // Its items may contain a list that the head does not show yet: the list's writer was overtaken, or died, before it wrote the head.
  const raises = news.whole?.slots === 'all' && isNewer(news.whole.floor, floorOf(before, era));
  if (!changed && !raises) return { head: before, changed, observedByPass, told: false, counted: [], part };
  const counted = countsOfChange(before.key.kind, { known, merged: part, news });
  await noteMissingItem(store, before, { items, layout, news, era });

  // Observations of few pods stay in the head, whose write is due anyway. When the head gets crowded, all pods move to their items. A crash
  // in between leaves them in both, and readers join the two.
  const fresh = news.pods.filter(({ pod: { uid } }) => part.pods.get(uid) !== known.pods.get(uid));
  const pods = !hasItems(before) ? part.pods : withFresh(inHead.pods, fresh, part.pods);
  const isListed = news.whole !== undefined && hasItems(before);
  const leaves = isListed || pods.size > PODS_IN_HEAD;
  // A list must reach its items whole, because an unnamed pod there is gone.
  const leaving: Leaving = { moved: [...inHead.pods.values()], news: { ...news, pods: news.whole ? news.pods : fresh } };
  const head = leaves ? await writeItems(store, before, leaving, { items, layout, era }) : before;
  const ownerIsNew = part.owner !== inHead.owner;
  // A whole list raises the head's floor, so write the view with it. Otherwise an observation from before the list that another writer puts
  // there meanwhile would seem gone.
  if (leaves && !ownerIsNew && inHead.pods.size === 0 && news.whole?.slots !== 'all')
    return { head, changed, observedByPass, told: false, counted, part };

  const told = await alongside?.(head, part);
  // Use the version of the head that was read. The write that named new items may have returned a later head, whose pods would be lost.
  const conditions = { ifViewVersion: before.viewVersion, ...(told?.ifFence !== undefined && { ifFence: told.ifFence }) };
  const raised = news.whole?.slots === 'all' ? floorChange(head, news.whole.floor, era) : undefined;
  const view: ViewPart = {
    era,
    floor: raised?.floor ?? inHead.floor,
    ...(part.owner && { owner: part.owner }),
    pods: leaves ? new Map() : pods,
  };
  return {
    head: await store.updateHead(head.key, conditions, { ...bothChanges(told?.change, raised), view: writePart(view) }),
    changed,
    observedByPass,
    told: told !== undefined,
    counted,
    part,
  };
}

/**
 * A missing or unreadable part would begin anew with these observations, and nothing would show the loss. So write it to the head first
 * (R1).
 */
async function noteMissingItem(
  store: Store,
  head: Head,
  { items, layout, news, era }: { items: Map<string, ViewItem>; layout: number; news: News; era: number },
): Promise<void> {
  // A whole list repairs it. If the head is of an earlier era, everything counts as missing, and the head shows that.
  if (news.whole?.slots === 'all' || head.era < era) return;
  const isMissing = (bytes: Uint8Array | undefined): boolean => partOf(bytes, era) === undefined;
  const touched = new Set(news.pods.map(({ pod }) => itemOf(pod, layout).name));
  const suspects = podItemsIn(head).flatMap(({ name }) => (touched.has(name) && isMissing(items.get(name)?.bytes) ? [name] : []));
  // The writer that named an item a moment ago may only just have written it.
  const again = suspects.length > 0 ? await readItems(store, head, suspects) : items;
  const hasMissingItem = (head.view && isMissing(head.view)) || suspects.some((name) => isMissing(again.get(name)?.bytes));
  if (hasMissingItem) await store.updateHead(head.key, {}, { era: UNKNOWN_ERA });
}

/** The pods in the head, and the observed pods that changed something. */
function withFresh(inHead: ViewPart['pods'], fresh: News['pods'], after: ViewPart['pods']): ViewPart['pods'] {
  const pods = new Map(inHead);
  for (const { pod } of fresh) {
    const entry = after.get(pod.uid);
    if (entry) pods.set(pod.uid, entry);
  }
  return pods;
}

/** Both changes may remove items. */
function bothChanges(one: HeadChange = {}, other: HeadChange = {}): HeadChange {
  const removeItems = [...(one.removeItems ?? []), ...(other.removeItems ?? [])];
  return { ...one, ...other, ...(removeItems.length > 0 && { removeItems }) };
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
  const inHead = head.view ? partInHead(head, era) : emptyPart({ era, floor: change.floor });
  // A head view of an earlier era counts as missing, whatever its floor.
  if (!inHead) return await store.updateHead(head.key, {}, change);
  const leaving: Leaving = { moved: [...inHead.pods.values()], news: { pods: [], byPass: false } };
  if (leaving.moved.length > 0) await writeItems(store, head, leaving, { items: new Map(), layout: layoutOf(head, inHead), era });
  const view = writePart({ ...inHead, floor: change.floor, pods: new Map() });
  return await store.updateHead(head.key, { ifViewVersion: head.viewVersion }, { ...change, view });
}

/** The view that a new head begins with; undefined if the observations are too large for the head. */
export function firstView(head: Head, news: News, era: number): Uint8Array | undefined {
  const { part } = mergeNews(emptyPart({ era, floor: floorOf(head, era) }), news);
  return part.pods.size > PODS_IN_HEAD || news.whole !== undefined ? undefined : writePart(part);
}

/** The bytes as a part; undefined if absent, unreadable or of an earlier era. Such a part counts as missing (R1, R3). */
function partOf(bytes: Uint8Array | undefined, era = 0): ViewPart | undefined {
  if (!bytes) return undefined;
  try {
    const part = readPart(bytes);
    return part.era < era ? undefined : part;
  } catch {
    return undefined;
  }
}

/**
 * The part in the head itself; undefined if absent, unreadable or of an earlier era. An earlier build raised the head's floor without its
 * view when a whole list went to the items. So an entry here from before that list was reported by the list, or is gone.
 */
function partInHead(head: Head, era: number): ViewPart | undefined {
  const part = partOf(head.view, era);
  const floor = floorOf(head, era);
  if (!part || !isNewer(floor, part.floor)) return part;
  const asListed = (entry: PodEntry): PodEntry => (isNewer(floor, entry.heardAt) ? { ...entry, deleted: true, byPass: false } : entry);
  return { ...part, floor, pods: new Map([...part.pods].map(([uid, entry]) => [uid, asListed(entry)])) };
}

/** A floor of an earlier era says nothing about this one (R3). */
const floorOf = (head: Head, era: number): string => (head.era < era ? '0' : head.floor);

/** Names of the items that the observations touch and the head names. */
function namesTouched(head: Head, { pods, whole }: News, layout: number): string[] {
  const touched = new Set(pods.map(({ pod }) => itemOf(pod, layout).name));
  return podItemsIn(head).flatMap((item) => (touched.has(item.name) || (whole && isInRange(item, whole)) ? [item.name] : []));
}

/** Goes into items: entries that lay in the head until now, unchanged, and observations. */
interface Leaving {
  moved: readonly PodEntry[];
  news: News;
}

/** Observations and moved entries of one item. */
interface Share {
  item: PodItem;
  moved: PodEntry[];
  pods: News['pods'][number][];
}

/** Merges pods into their items. New items are named in the head first. @returns the head after that */
async function writeItems(
  store: Store,
  before: Head,
  { moved, news }: Leaving,
  { items, layout, era }: { items: Map<string, ViewItem>; layout: number; era: number },
): Promise<Head> {
  const shares = new Map<string, Share>();
  const shareOf = (item: PodItem): Share => {
    const share = shares.get(item.name) ?? { item, moved: [], pods: [] };
    shares.set(item.name, share);
    return share;
  };
  for (const entry of moved) shareOf(itemOf(entry.pod, layout)).moved.push(entry);
  for (const observation of news.pods) shareOf(itemOf(observation.pod, layout)).pods.push(observation);
  const { whole, byPass } = news;
  const named = new Map(podItemsIn(before).map((item) => [item.name, item]));
  // A whole list also covers items in which it names nothing.
  if (whole) for (const item of named.values()) if (isInRange(item, whole)) shareOf(item);
  const unnamed = [...shares.values()].flatMap(({ item }) => (named.has(item.name) ? [] : [item]));
  const head = unnamed.length > 0 ? await store.updateHead(before.key, {}, { addItems: inRuns(unnamed) }) : before;
  // The items of entries that move have not been read yet.
  const unread = [...shares.keys()].filter((name) => named.has(name) && !items.has(name));
  const present = new Map([...items, ...(await readItems(store, before, unread))]);
  await Promise.all(
    [...shares].map(([name, { item, ...share }]) => {
      const told: News = { pods: share.pods, byPass, ...(whole && isInRange(item, whole) && { whole }) };
      return writeItem(store, head, { item, present: present.get(name), leaving: { moved: share.moved, news: told }, era });
    }),
  );
  return head;
}

async function writeItem(
  store: Store,
  head: Head,
  { item, present, leaving, era }: { item: PodItem; present: ViewItem | undefined; leaving: Leaving; era: number },
): Promise<void> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const before = partOf(current?.bytes, era) ?? emptyPart({ era, floor: newest(floorOf(head, era), toldFloor(head, era, spanOf(item))) });
    // A writer of a later era has written it since.
    if (before.era > era) return;
    const adopted = adopt(before, leaving.moved);
    const { part, changed } = mergeNews(adopted, leaving.news);
    if (!changed && adopted === before && current) return;
    try {
      await store.putItem(head.key, { name: item.name, bytes: writePart(part) }, current?.version ?? 0);
      return;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
