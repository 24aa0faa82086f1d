// Where a view lies: a small one in the head itself, a larger one in items of neighbouring slots beside it.
// Writes are conditional on versions only: an observation is true whoever writes it (R8).
import type { Job } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Head, HeadChange, Store, ViewItem } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import type { PodObservation, ViewPart } from '../wire/observations.ts';
import { packPart, unpackPart } from '../wire/view-item.ts';
import { slotOf } from '../wire/view-layout.ts';
import type { News } from './view.ts';
import { emptyPart, joinParts, mergeNews } from './view.ts';

/** More pods than this leave the head. */
const PODS_IN_HEAD = 12;
/** A Job of at most this many pods keeps about 1 KB an item; a larger one 8 KB, since a storm touches neighbours together. */
const SMALL_JOB_PODS = 2_000;
const SLOTS_PER_SMALL_ITEM = 40;
const SLOTS_PER_LARGE_ITEM = 400;
/** Foreign pods have no slot of their own: their hash is spread over so many items. */
const HASHED_ITEMS = 16;
const MOST_TRIES = 20;
const OWNER_ITEM = 'owner';

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
    for (const name of head.items) {
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
 * Merges news into the view where it lies. In a small workload view and head are one item, so that what must be told the head
 * (`alongside`) goes into the same write.
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
      if (head.items.length > 0) return await writeItems(store, head, news, era);
      const { part, changed, heardByPass } = mergeNews(partOf(head.view, era) ?? emptyPart({ era, floor: head.floor }), news);
      if (!changed) return { head, changed, heardByPass, told: false };
      if (part.pods.size > PODS_IN_HEAD) {
        head = await spill(store, head, part);
        return { ...(await writeItems(store, head, news, era)), changed: true, heardByPass };
      }
      const told = await alongside?.(head);
      const conditions = { ifViewVersion: head.viewVersion, ...(told?.ifFence !== undefined && { ifFence: told.ifFence }) };
      const floor = news.whole && news.whole.slots === 'all' ? { floor: part.floor } : {};
      head = await store.updateHead(head.key, conditions, { ...told?.change, ...floor, view: packPart(part) });
      return { head, changed, heardByPass, told: told !== undefined };
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      const current = await store.readHead(head.key);
      if (!current) throw error;
      head = current;
    }
  }
}

/** The view that a new head begins with; undefined where the news is too large for the head. */
export function firstView(head: Head, news: News, era: number): Uint8Array | undefined {
  const { part } = mergeNews(emptyPart({ era, floor: head.floor }), news);
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

/** The view leaves the head for items of its own. The head names them first; a crash in between leaves both, which a reader joins. */
async function spill(store: Store, head: Head, part: ViewPart): Promise<Head> {
  const slots = slotsPerItem(part);
  const news: News = { ...(part.owner && { owner: part.owner }), pods: [...part.pods.values()], byPass: false };
  const names = [...new Set([OWNER_ITEM, ...news.pods.map(({ pod }) => itemOf(pod, slots))])];
  const named = await store.updateHead(head.key, { ifViewVersion: head.viewVersion }, { addItems: names });
  await writeItems(store, named, news, part.era);
  return await store.updateHead(head.key, { ifViewVersion: head.viewVersion }, { view: null });
}

function slotsPerItem(part: ViewPart): number {
  const spec: Partial<Job['spec']> = part.owner?.object.spec ?? {};
  const expected = Math.max(spec.completions ?? 0, spec.parallelism ?? 0, part.pods.size);
  return expected > SMALL_JOB_PODS ? SLOTS_PER_LARGE_ITEM : SLOTS_PER_SMALL_ITEM;
}

/** `pods/<slots per item>/<which>`, so that every writer finds the same item from the names that the head holds. */
function itemOf(pod: PodFacts, slots: number): string {
  const known = (pod.index !== undefined && /^\d{1,9}$/.test(pod.index)) || pod.number !== undefined;
  const slot = slotOf(pod);
  return known ? `pods/${slots}/${Math.floor(slot / slots)}` : `pods/${slots}/h${slot % HASHED_ITEMS}`;
}

const slotsOf = (names: readonly string[]): number => Math.max(...names.map((name) => Number(/^pods\/(\d+)\//.exec(name)?.[1] ?? 0)));

async function writeItems(store: Store, before: Head, news: News, era: number): Promise<Written> {
  const slots = slotsOf(before.items) || SLOTS_PER_SMALL_ITEM;
  const shares = new Map<string, { owner?: News['owner']; pods: PodObservation[] }>();
  if (news.owner) shares.set(OWNER_ITEM, { owner: news.owner, pods: [] });
  for (const observation of news.pods) {
    const name = itemOf(observation.pod, slots);
    const share = shares.get(name);
    if (share) share.pods.push(observation);
    else shares.set(name, { pods: [observation] });
  }
  // A whole list speaks of the items it names nothing in, too.
  if (news.whole) for (const name of before.items) if (isInRange(name, news.whole) && !shares.has(name)) shares.set(name, { pods: [] });

  const unnamed = [...shares.keys()].filter((name) => !before.items.includes(name));
  let head = unnamed.length > 0 ? await store.updateHead(before.key, {}, { addItems: unnamed }) : before;
  const present = new Map<string, ViewItem>();
  const names = [...shares.keys()];
  for (let at = 0; at < names.length; at += 100)
    for (const item of await store.readItems(head.key, names.slice(at, at + 100))) present.set(item.name, item);

  let changed = false;
  let heardByPass = true;
  const results = await Promise.all(
    [...shares].map(([name, share]) => {
      // The owner is not a child: a list of its pods says nothing of it.
      const whole = name === OWNER_ITEM ? {} : { ...(news.whole && { whole: news.whole }) };
      const fresh: News = { ...(share.owner && { owner: share.owner }), pods: share.pods, ...whole, byPass: news.byPass };
      return writeItem(store, head, { name, present: present.get(name), news: fresh, era });
    }),
  );
  for (const result of results) {
    changed ||= result.changed;
    heardByPass &&= result.heardByPass;
  }
  if (news.whole?.slots === 'all' && head.floor !== news.whole.floor)
    head = await store.updateHead(head.key, {}, { floor: news.whole.floor });
  return { head, changed, heardByPass, told: false };
}

function isInRange(name: string, { slots }: NonNullable<News['whole']>): boolean {
  if (name === OWNER_ITEM) return false;
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
): Promise<{ changed: boolean; heardByPass: boolean }> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const { part, changed, heardByPass } = mergeNews(partOf(current?.bytes, era) ?? emptyPart({ era, floor: head.floor }), news);
    if (!changed && current) return { changed, heardByPass };
    try {
      await store.putItem(head.key, { name, bytes: packPart(part) }, current?.version ?? 0);
      return { changed, heardByPass };
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
