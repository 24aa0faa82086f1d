// Where a view lies: a small one in the head itself, a larger one in items of neighbouring slots beside it.
// Writes are conditional on versions only: an observation is true whoever writes it (R8).
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Head, HeadChange, Store, ViewItem } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import type { ViewPart } from '../wire/observations.ts';
import { packPart, unpackPart } from '../wire/view-item.ts';
import { slotOf } from '../wire/view-layout.ts';
import type { News } from './view.ts';
import { emptyPart, joinParts, mergeNews } from './view.ts';

/** More pods than this leave the head: it stays about 1 KB. */
const PODS_IN_HEAD = 20;
/** About 1 KB an item, since every write is billed by the whole item; larger Jobs take 2 and 8 KB, so that a storm needs fewer requests. */
const SLOTS_PER_SMALL_ITEM = 40;
const SLOTS_PER_ITEM = [
  { jobPods: 2_000, slots: SLOTS_PER_SMALL_ITEM },
  { jobPods: 20_000, slots: 104 },
  { jobPods: Infinity, slots: 400 },
];
/** Foreign pods have no slot of their own: their hash is spread over so many items. */
const HASHED_ITEMS = 16;
const MOST_TRIES = 20;
/** Below every era: the workload is unknown (R1) until a pass has listed it. */
export const UNKNOWN_ERA = -1;
/** Of one read. */
const MOST_NAMES = 100;

export interface View {
  part: ViewPart;
  /** An item that the head names is missing, unreadable or of an earlier era: the workload is unknown (R1). */
  hole: boolean;
}

/** Everything that is known, read after the head. */
export async function readView(store: Store, head: Head, era: number): Promise<View> {
  const parts: ViewPart[] = [];
  let hole = false;
  const take = (bytes: Uint8Array): void => {
    const part = partOf(bytes);
    if (part && part.era >= era) parts.push(part);
    else hole = true;
  };
  if (head.view) take(head.view);
  if (head.items.length > 0) {
    const { items } = await store.read(head.key);
    const present = new Map(items.map((item) => [item.name, item]));
    for (const name of namesIn(head)) {
      const item = present.get(name);
      if (item) take(item.bytes);
      else hole = true;
    }
  }
  return { part: joinParts(parts, era), hole };
}

export interface Written {
  head: Head;
  changed: boolean;
  heardByPass: boolean;
  /** The head change given alongside went into the same write. */
  told: boolean;
}

/** Called before each try of a write that includes the head; may throw to give up. */
export type Alongside = (head: Head) => Promise<{ ifFence?: string; change: HeadChange } | undefined>;

/**
 * Merges news into the view where it lies: the owner, and few pods, in the head; more pods in items beside it. What must be told the
 * head (`alongside`) goes into the head's write, if there is one, after the items'.
 * @throws StaleWriteError when the head is gone, or too many others wrote at the same time
 */
export async function writeView(
  store: Store,
  before: Head,
  news: News,
  { era, alongside }: { era: number; alongside?: Alongside },
): Promise<Written> {
  let head = before;
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToWrite(store, head, news, { era, alongside });
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
  { era, alongside }: { era: number; alongside: Alongside | undefined },
): Promise<Written> {
  const inHead = partOf(before.view, era) ?? emptyPart({ era, floor: floorOf(before, era) });
  const layout = layoutOf(before, mergeNews(inHead, news).part);
  const items = await readItems(store, before, news, layout);
  const known = joinParts([inHead, ...[...items.values()].flatMap(({ bytes }) => partOf(bytes, era) ?? [])], era);
  const { part, changed, heardByPass } = mergeNews(known, news);
  if (!changed) return { head: before, changed, heardByPass, told: false };
  await tellOfHole(store, before, { items, layout, news, era });

  // What few pods tell stays in the head, whose write is due anyway; when it gets crowded there, all of them leave for their items.
  // A crash in between leaves both, which a reader joins.
  const pods = before.items.length === 0 ? part.pods : withFresh(inHead.pods, { before: known.pods, after: part.pods, news });
  const isListed = news.whole !== undefined && before.items.length > 0;
  const leaves = isListed || pods.size > PODS_IN_HEAD;
  // A list must reach its items whole: what it does not name there is gone.
  const leaving = isListed ? [...inHead.pods.values(), ...news.pods] : [...pods.values()];
  const head = leaves ? await writeItems(store, before, { ...news, pods: leaving }, { items, layout, era }) : before;
  const ownerIsNew = part.owner !== inHead.owner;
  if (leaves && !ownerIsNew && inHead.pods.size === 0)
    return { head: await raiseFloor(store, head, news), changed, heardByPass, told: false };

  const told = await alongside?.(head);
  // Of the head that was read: naming new items may have shown a later one, whose pods would be lost.
  const conditions = { ifViewVersion: before.viewVersion, ...(told?.ifFence !== undefined && { ifFence: told.ifFence }) };
  const floor = news.whole?.slots === 'all' ? { floor: news.whole.floor } : {};
  const view: ViewPart = {
    era,
    floor: floor.floor ?? inHead.floor,
    ...(part.owner && { owner: part.owner }),
    pods: leaves ? new Map() : pods,
  };
  return {
    head: await store.updateHead(head.key, conditions, { ...told?.change, ...floor, view: packPart(view) }),
    changed,
    heardByPass,
    told: told !== undefined,
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
  const hasHole = (head.view && isHole(head.view)) || head.items.some((name) => touched.has(name) && isHole(items.get(name)?.bytes));
  if (hasHole) await store.updateHead(head.key, {}, { era: UNKNOWN_ERA });
}

/** The pods that the head holds, and those of the news that changed something. */
function withFresh(
  inHead: ViewPart['pods'],
  { before, after, news }: { before: ViewPart['pods']; after: ViewPart['pods']; news: News },
): ViewPart['pods'] {
  const pods = new Map(inHead);
  for (const { pod } of news.pods) {
    const entry = after.get(pod.uid);
    if (entry && entry !== before.get(pod.uid)) pods.set(pod.uid, entry);
  }
  return pods;
}

const raiseFloor = async (store: Store, head: Head, { whole }: News): Promise<Head> =>
  whole?.slots === 'all' && head.floor !== whole.floor ? await store.updateHead(head.key, {}, { floor: whole.floor }) : head;

/** The view that a new head begins with; undefined where the news is too large for the head. */
export function firstView(head: Head, news: News, era: number): Uint8Array | undefined {
  const { part } = mergeNews(emptyPart({ era, floor: floorOf(head, era) }), news);
  return part.pods.size > PODS_IN_HEAD || news.whole !== undefined ? undefined : packPart(part);
}

/** The bytes as a part; undefined when absent, unreadable or of an earlier era: such a part counts as missing (R1, R3). */
function partOf(bytes: Uint8Array | undefined, era = 0): ViewPart | undefined {
  if (!bytes) return undefined;
  try {
    const part = unpackPart(bytes);
    return part.era < era ? undefined : part;
  } catch {
    return undefined;
  }
}

/** A floor of an earlier era tells nothing of this one (R3). */
const floorOf = (head: Head, era: number): string => (head.era < era ? '0' : head.floor);

function slotsPerItem(part: ViewPart): number {
  const spec: Partial<Job['spec']> = part.owner?.object.spec ?? {};
  const expected = Math.max(spec.completions ?? 0, spec.parallelism ?? 0, part.pods.size);
  return SLOTS_PER_ITEM.find(({ jobPods }) => expected <= jobPods)?.slots ?? SLOTS_PER_SMALL_ITEM;
}

/** `pods/<slots per item>/<which>`, so that every writer finds the same item from the names that the head holds. */
function itemOf(pod: PodFacts, slots: number): string {
  const known = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  return known ? `pods/${slots}/${Math.floor(slot / slots)}` : `pods/${slots}/h${slot % HASHED_ITEMS}`;
}

/** The head names neighbours together, `pods/104/0-5`, so that it stays small. */
function namesIn({ items }: Head): string[] {
  const names = new Set<string>();
  for (const item of items) {
    const run = /^(pods\/\d+\/)(\d+)-(\d+)$/.exec(item);
    if (!run) names.add(item);
    else for (let at = Number(run[2]); at <= Number(run[3]); at++) names.add(`${run[1]}${at}`);
  }
  return [...names];
}

function runsOf(names: readonly string[]): string[] {
  const numbers = names.flatMap((name) => /^pods\/\d+\/(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  const prefix = /^pods\/\d+\//.exec(names[0] ?? '')?.[0] ?? '';
  const runs: { from: number; to: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && number === last.to + 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  const others = names.filter((name) => !/^pods\/\d+\/\d+$/.test(name));
  return [...runs.map(({ from, to }) => `${prefix}${from === to ? from : `${from}-${to}`}`), ...others];
}

/** Slots per item: what the head's names tell, else what the workload's size asks for. */
function layoutOf(head: Head, part: ViewPart): number {
  const widths = head.items.map((name) => Number(/^pods\/(\d+)\//.exec(name)?.[1] ?? 0));
  return Math.max(0, ...widths) || slotsPerItem(part);
}

/** The items that news touches, as far as they exist. */
async function readItems(store: Store, head: Head, news: News, layout: number): Promise<Map<string, ViewItem>> {
  const touched = new Set(news.pods.map(({ pod }) => itemOf(pod, layout)));
  const named = namesIn(head);
  if (news.whole) for (const name of named) if (isInRange(name, news.whole)) touched.add(name);
  const names = named.filter((name) => touched.has(name));
  const present = new Map<string, ViewItem>();
  for (let at = 0; at < names.length; at += MOST_NAMES)
    for (const item of await store.readItems(head.key, names.slice(at, at + MOST_NAMES))) present.set(item.name, item);
  return present;
}

/** Merges pods into their items; the head is told of new items first. @returns the head as it then stands */
async function writeItems(
  store: Store,
  before: Head,
  news: News,
  { items, layout, era }: { items: Map<string, ViewItem>; layout: number; era: number },
): Promise<Head> {
  const shares = new Map<string, News['pods'][number][]>();
  for (const observation of news.pods) {
    const name = itemOf(observation.pod, layout);
    const share = shares.get(name);
    if (share) share.push(observation);
    else shares.set(name, [observation]);
  }
  // A whole list speaks of the items it names nothing in, too.
  const named = new Set(namesIn(before));
  if (news.whole) for (const name of named) if (isInRange(name, news.whole) && !shares.has(name)) shares.set(name, []);
  const unnamed = [...shares.keys()].filter((name) => !named.has(name));
  const head = unnamed.length > 0 ? await store.updateHead(before.key, {}, { addItems: runsOf(unnamed) }) : before;
  const { whole, byPass } = news;
  await Promise.all(
    [...shares].map(([name, pods]) =>
      writeItem(store, head, { name, present: items.get(name), news: { pods, ...(whole && { whole }), byPass }, era }),
    ),
  );
  return head;
}

function isInRange(name: string, { slots }: NonNullable<News['whole']>): boolean {
  if (slots === 'all') return true;
  const match = /^pods\/(\d+)\/(\d+)$/.exec(name);
  if (!match) return false;
  const [width, at] = [Number(match[1]), Number(match[2])];
  return at * width < slots.to && (at + 1) * width > slots.from;
}

async function writeItem(
  store: Store,
  head: Head,
  { name, present, news, era }: { name: string; present: ViewItem | undefined; news: News; era: number },
): Promise<void> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const { part, changed } = mergeNews(partOf(current?.bytes, era) ?? emptyPart({ era, floor: floorOf(head, era) }), news);
    if (!changed && current) return;
    try {
      await store.putItem(head.key, { name, bytes: packPart(part) }, current?.version ?? 0);
      return;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
