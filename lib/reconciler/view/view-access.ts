// Where a view lies: a small one in the head itself, a larger one in items of neighbouring slots beside it.
// Writes are conditional on versions only: an observation is true whoever writes it (R8).
import { isNewer, newest } from '../../objects/resource-version.ts';
import { formatKey } from '../../objects/workload.ts';
import type { PodChange, PodSet } from '../../kinds/pod-set.ts';
import type { Head, UpdatedHead, HeadChange, Store, ViewItem } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { ChildrenPart, PodEntry, ViewPart } from '../../wire/observations.ts';
import { packNames } from '../../wire/view-layout.ts';
import { childrenIn, childResourcesIn } from './children-access.ts';
import { hasItems, isInRange, itemOf, layoutOf, namesIn, spanOf } from './item-names.ts';
import type { Counted } from '../../objects/reference-metrics.ts';
import { countsOfChange } from '../report/view-counts.ts';
import { readPart, writePart } from './recent-parts.ts';
import { noteRange, outdatedMarks, toldFloor } from './list-progress.ts';
import type { News } from './view.ts';
import { adopt, emptyPart, isLater, joinParts, mergeNews } from './view.ts';
import type { JoinedItems, ViewMemory } from './view-memory.ts';

/** More pods than this leave the head: it stays about 1 KB. */
const PODS_IN_HEAD = 20;
const MOST_TRIES = 20;
/** Below every era: the workload is unknown (R1) until a pass has listed it. */
export const UNKNOWN_ERA = -1;
/** Of one read. */
const MOST_NAMES = 100;

export interface View {
  part: ViewPart;
  /** An item that the head names is missing, unreadable or of an earlier era: the workload is unknown (R1). */
  hole: boolean;
  /** The pods that are there, where a memory helped. */
  pods?: PodSet;
  /** Children other than pods, by resource; of a kind that has none: none. */
  children: readonly ChildrenPart[];
  /** The items as they were read, by name: whoever writes soon after need not read them again. */
  items?: ReadonlyMap<string, ViewItem>;
}

/** Everything that is known, read after the head. @param memory of earlier readings by this process */
export async function readView(store: Store, head: Head, era: number, memory?: ViewMemory): Promise<View> {
  const inHead = head.view && partInHead(head, era);
  const holeInHead = head.view !== undefined && inHead === undefined;
  const first = inHead ? [inHead] : [];
  const others = childResourcesIn(head);
  if (!hasItems(head) && others.length === 0) return { part: joinParts(first, era), hole: holeInHead, children: [] };
  const { items } = await store.read(head.key);
  const present = new Map(items.map((item) => [item.name, item]));
  const { children, hole: holeInChildren } = childrenIn(head, present, era);
  const named = namesIn(head).map((name) => present.get(name));
  const found = named.filter((item) => item !== undefined);
  if (memory && !holeInHead && found.length === named.length) {
    const view = rememberedView(memory, head, { inHead, found, era });
    if (view) return { ...view, hole: holeInChildren, children, items: present };
  }
  const parts = named.map((item) => partOf(item?.bytes, era));
  const readable = parts.filter((part) => part !== undefined);
  const hole = holeInHead || holeInChildren || readable.length < parts.length;
  return { part: joinParts([...first, ...readable], era), hole, children, items: present };
}

/** The same, with what is remembered of items that have not changed; undefined where something is missing or lies twice. */
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
  return { part: { ...part, pods: entries }, hole: false, pods: joined.pods.with(changes) };
}

export interface Written {
  head: UpdatedHead;
  changed: boolean;
  heardByPass: boolean;
  /** The head change given alongside went into the same write. */
  told: boolean;
  /** What the change of the view counts. */
  counted: readonly Counted[];
  /** What the news was merged into, as it then stands; undefined where it is of an era that is over. */
  part: ViewPart | undefined;
}

/** Called before each try of a write that includes the head, with what goes into the view; may throw to give up. */
export type Alongside = (head: Head, part: ViewPart) => Promise<{ ifFence?: string; change: HeadChange } | undefined>;

/**
 * Merges news into the view where it lies: the owner, and few pods, in the head; more pods in items beside it. What must be told the
 * head (`alongside`) goes into the head's write, if there is one, after the items'.
 * @param options.items as they were read with the head: where they have changed since, their writes are refused, and merged again
 * @throws StaleWriteError when the head is gone, or too many others wrote at the same time
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
      // Once it lies there it is not merged again, which would find nothing new in it: only the floor's write was refused.
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
  // Whoever still works in an era that is over has nothing to tell to this one (R3).
  if (parts.some((part) => part.era > era))
    return { head: before, changed: false, heardByPass: true, told: false, counted: [], part: undefined };
  const known = joinParts(parts, era);
  const { part, changed, heardByPass } = mergeNews(known, news);
  // Its items may know a list that the head does not yet: whoever wrote them was overtaken, or died, before he told it.
  const raises = news.whole?.slots === 'all' && isNewer(news.whole.floor, floorOf(before, era));
  if (!changed && !raises) return { head: before, changed, heardByPass, told: false, counted: [], part };
  const counted = countsOfChange(before.key.kind, { known, merged: part, news });
  await tellOfHole(store, before, { items, layout, news, era });

  // What few pods tell stays in the head, whose write is due anyway; when it gets crowded there, all of them leave for their items.
  // A crash in between leaves both, which a reader joins.
  const fresh = news.pods.filter(({ pod: { uid } }) => part.pods.get(uid) !== known.pods.get(uid));
  const pods = !hasItems(before) ? part.pods : withFresh(inHead.pods, fresh, part.pods);
  const isListed = news.whole !== undefined && hasItems(before);
  const leaves = isListed || pods.size > PODS_IN_HEAD;
  // A list must reach its items whole: what it does not name there is gone.
  const leaving: Leaving = { moved: [...inHead.pods.values()], news: { ...news, pods: news.whole ? news.pods : fresh } };
  const head = leaves ? await writeItems(store, before, leaving, { items, layout, era }) : before;
  const ownerIsNew = part.owner !== inHead.owner;
  // A whole list raises the head's floor: with the view, or what another writes there meanwhile, told before that list, would seem gone.
  if (leaves && !ownerIsNew && inHead.pods.size === 0 && news.whole?.slots !== 'all')
    return { head, changed, heardByPass, told: false, counted, part };

  const told = await alongside?.(head, part);
  // Of the head that was read: naming new items may have shown a later one, whose pods would be lost.
  const conditions = { ifViewVersion: before.viewVersion, ...(told?.ifFence !== undefined && { ifFence: told.ifFence }) };
  const raised = news.whole?.slots === 'all' ? floorChange(head, news.whole.floor, era) : undefined;
  const view: ViewPart = {
    era,
    floor: raised?.floor ?? inHead.floor,
    ...(part.owner && { owner: part.owner }),
    pods: leaves ? new Map() : pods,
  };
  return {
    head: await store.updateHead(head.key, conditions, { ...told?.change, ...raised, view: writePart(view) }),
    changed,
    heardByPass,
    told: told !== undefined,
    counted,
    part,
  };
}

/** A part that is missing or unreadable begins anew with what the news tells, and would not show any more: the head says so first (R1). */
async function tellOfHole(
  store: Store,
  head: Head,
  { items, layout, news, era }: { items: Map<string, ViewItem>; layout: number; news: News; era: number },
): Promise<void> {
  // A whole list mends it; and of an earlier era everything is missing, which the head shows.
  if (news.whole?.slots === 'all' || head.era < era) return;
  const isHole = (bytes: Uint8Array | undefined): boolean => partOf(bytes, era) === undefined;
  const touched = new Set(news.pods.map(({ pod }) => itemOf(pod, layout)));
  const suspects = namesIn(head).filter((name) => touched.has(name) && isHole(items.get(name)?.bytes));
  // Whoever named one a moment ago may only just have written it.
  const again = suspects.length > 0 ? await readItems(store, head, suspects) : items;
  const hasHole = (head.view && isHole(head.view)) || suspects.some((name) => isHole(again.get(name)?.bytes));
  if (hasHole) await store.updateHead(head.key, {}, { era: UNKNOWN_ERA });
}

/** The pods that the head holds, and those of the news that changed something. */
function withFresh(inHead: ViewPart['pods'], fresh: News['pods'], after: ViewPart['pods']): ViewPart['pods'] {
  const pods = new Map(inHead);
  for (const { pod } of fresh) {
    const entry = after.get(pod.uid);
    if (entry) pods.set(pod.uid, entry);
  }
  return pods;
}

/** A list that came in ranges, and is not younger, is no more waited for. */
function floorChange(head: Head, floor: string, era: number): { floor: string; removeItems?: readonly string[] } {
  const removeItems = outdatedMarks(head, { era, floor });
  return { floor, ...(removeItems.length > 0 && { removeItems }) };
}

/**
 * With what lies in the head, which goes to its items first: of what was told before that list nothing else can say whether it named it.
 * @throws StaleWriteError somebody has written there meanwhile
 */
async function raiseFloor(store: Store, head: Head, change: HeadChange & { floor: string }, era: number): Promise<Head> {
  const inHead = head.view ? partInHead(head, era) : emptyPart({ era, floor: change.floor });
  // Of an earlier era it counts as missing, whatever its floor.
  if (!inHead) return await store.updateHead(head.key, {}, change);
  const leaving: Leaving = { moved: [...inHead.pods.values()], news: { pods: [], byPass: false } };
  if (leaving.moved.length > 0) await writeItems(store, head, leaving, { items: new Map(), layout: layoutOf(head, inHead), era });
  const view = writePart({ ...inHead, floor: change.floor, pods: new Map() });
  return await store.updateHead(head.key, { ifViewVersion: head.viewVersion }, { ...change, view });
}

/** The view that a new head begins with; undefined where the news is too large for the head. */
export function firstView(head: Head, news: News, era: number): Uint8Array | undefined {
  const { part } = mergeNews(emptyPart({ era, floor: floorOf(head, era) }), news);
  return part.pods.size > PODS_IN_HEAD || news.whole !== undefined ? undefined : writePart(part);
}

/** The bytes as a part; undefined when absent, unreadable or of an earlier era: such a part counts as missing (R1, R3). */
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
 * What the head itself holds; undefined when absent, unreadable or of an earlier era. An earlier build raised the head's floor without its
 * view when a whole list went to the items: what lies here from before it was told by that list, or is gone.
 */
function partInHead(head: Head, era: number): ViewPart | undefined {
  const part = partOf(head.view, era);
  const floor = floorOf(head, era);
  if (!part || !isNewer(floor, part.floor)) return part;
  const asListed = (entry: PodEntry): PodEntry => (isNewer(floor, entry.heardAt) ? { ...entry, deleted: true, byPass: false } : entry);
  return { ...part, floor, pods: new Map([...part.pods].map(([uid, entry]) => [uid, asListed(entry)])) };
}

/** A floor of an earlier era tells nothing of this one (R3). */
const floorOf = (head: Head, era: number): string => (head.era < era ? '0' : head.floor);

/** Names of the items that news touches, as far as the head names them. */
function namesTouched(head: Head, { pods, whole }: News, layout: number): string[] {
  const touched = new Set(pods.map(({ pod }) => itemOf(pod, layout)));
  return namesIn(head).filter((name) => touched.has(name) || (whole && isInRange(name, whole)));
}

/** Those of them that exist. @param known need not be read */
async function readItems(
  store: Store,
  head: Head,
  names: readonly string[],
  known: ReadonlyMap<string, ViewItem> = new Map(),
): Promise<Map<string, ViewItem>> {
  const present = new Map<string, ViewItem>();
  const unknown: string[] = [];
  for (const name of names) {
    const item = known.get(name);
    if (item) present.set(name, item);
    else unknown.push(name);
  }
  for (let at = 0; at < unknown.length; at += MOST_NAMES)
    for (const item of await store.readItems(head.key, unknown.slice(at, at + MOST_NAMES))) present.set(item.name, item);
  return present;
}

/** What goes into items: entries that lay in the head until now, as they are, and news. */
interface Leaving {
  moved: readonly PodEntry[];
  news: News;
}

/** Merges pods into their items; the head is told of new items first. @returns the head as it then stands */
async function writeItems(
  store: Store,
  before: Head,
  { moved, news }: Leaving,
  { items, layout, era }: { items: Map<string, ViewItem>; layout: number; era: number },
): Promise<Head> {
  const shares = new Map<string, { moved: PodEntry[]; pods: News['pods'][number][] }>();
  const shareOf = (name: string): { moved: PodEntry[]; pods: News['pods'][number][] } => {
    const share = shares.get(name) ?? { moved: [], pods: [] };
    shares.set(name, share);
    return share;
  };
  for (const entry of moved) shareOf(itemOf(entry.pod, layout)).moved.push(entry);
  for (const observation of news.pods) shareOf(itemOf(observation.pod, layout)).pods.push(observation);
  const { whole, byPass } = news;
  const named = new Set(namesIn(before));
  // A whole list speaks of the items it names nothing in, too.
  if (whole) for (const name of named) if (isInRange(name, whole)) shareOf(name);
  const unnamed = [...shares.keys()].filter((name) => !named.has(name));
  const head = unnamed.length > 0 ? await store.updateHead(before.key, {}, { addItems: packNames(unnamed) }) : before;
  // Of the entries that move, nothing had asked for their items.
  const unread = [...shares.keys()].filter((name) => named.has(name) && !items.has(name));
  const present = new Map([...items, ...(await readItems(store, before, unread))]);
  await Promise.all(
    [...shares].map(([name, share]) => {
      const told: News = { pods: share.pods, byPass, ...(whole && isInRange(name, whole) && { whole }) };
      return writeItem(store, head, { name, present: present.get(name), leaving: { moved: share.moved, news: told }, era });
    }),
  );
  return head;
}

async function writeItem(
  store: Store,
  head: Head,
  { name, present, leaving, era }: { name: string; present: ViewItem | undefined; leaving: Leaving; era: number },
): Promise<void> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const before = partOf(current?.bytes, era) ?? emptyPart({ era, floor: newest(floorOf(head, era), toldFloor(head, era, spanOf(name))) });
    // Written since by somebody of a later era.
    if (before.era > era) return;
    const adopted = adopt(before, leaving.moved);
    const { part, changed } = mergeNews(adopted, leaving.news);
    if (!changed && adopted === before && current) return;
    try {
      await store.putItem(head.key, { name, bytes: writePart(part) }, current?.version ?? 0);
      return;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
