// Writes observations into the items of a view, whatever their resource. Writes are conditional on the item's version only, because an
// observation is true, no matter which pass writes it (R8).
import type { HeadItem } from '../../ports/head-items.ts';
import type { Head, Store, ViewItem } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { AnyChild, Entry, Observation } from '../../wire/words/observations.ts';
import { UNKNOWN_ERA } from './floors.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { Item, Layout } from './layouts.ts';
import { partOf, readItems } from './read-items.ts';
import { writePart } from './recent-parts.ts';
import { adopt, emptyPart, mergeNews, type Merged, type News } from './view.ts';

export const MOST_TRIES = 20;
/** Items are packed before they are written: of a hundred at once, others would wait for all. */
const ITEMS_AT_ONCE = 16;

/** Goes into the items of one resource: observations, and entries that lay in the head until now, unchanged. */
export interface Leaving<Child extends AnyChild> {
  layout: Layout<Child>;
  moved?: readonly Entry<Child>[];
  news: News<Child>;
}

/** The observations that go into one item. */
interface Share<Child extends AnyChild> extends Pick<Leaving<Child>, 'layout'> {
  item: Item;
  moved: Entry<Child>[];
  news: News<Child> & { children: Observation<Child>[] };
}

function sharesOf<Child extends AnyChild>({ layout, moved = [], news }: Leaving<Child>): Map<string, Share<Child>> {
  const shares = new Map<string, Share<Child>>();
  const shareOf = (item: Item): Share<Child> => {
    const known = shares.get(item.name);
    if (known) return known;
    const { whole, byPass, isByName, resource } = news;
    const covered = whole && layout.covers(item, whole) ? { whole } : {};
    const share: Share<Child> = { layout, item, moved: [], news: { resource, children: [], byPass, isByName, ...covered } };
    shares.set(item.name, share);
    return share;
  };
  for (const entry of moved) for (const item of layout.itemsOf(entry.child)) shareOf(item).moved.push(entry);
  for (const observation of news.children)
    for (const item of layout.itemsOf(observation.child)) shareOf(item).news.children.push(observation);
  // A whole list also covers items in which it names nothing.
  if (news.whole) for (const item of layout.named) if (layout.covers(item, news.whole)) shareOf(item);
  return shares;
}

/** Names of the items that the observations touch and the head names. */
export function namesTouched<Child extends AnyChild>({ layout, news }: Leaving<Child>): string[] {
  const shares = sharesOf({ layout, news });
  return layout.named.flatMap(({ name }) => (shares.has(name) ? [name] : []));
}

/**
 * A missing or unreadable part would begin anew with these observations, and nothing would show the loss. So write it to the head first
 * (R1).
 * @param given.items as read
 */
export async function noteMissingItem<Child extends AnyChild>(
  store: Store,
  head: Head,
  leaving: readonly Leaving<Child>[],
  { items, era, isMissingInHead = false }: { items: ReadonlyMap<string, ViewItem>; era: number; isMissingInHead?: boolean },
): Promise<void> {
  // If the head is of an earlier era, everything counts as missing, and the head shows that.
  if (head.era < era) return;
  const suspects = leaving.flatMap(({ layout, news }) => {
    // A whole list repairs it.
    if (news.whole?.slots === 'all') return [];
    const touched = sharesOf({ layout, news: { ...news, whole: undefined } });
    const isMissing = ({ name }: Item, among: ReadonlyMap<string, ViewItem>): boolean =>
      partOf(among.get(name)?.bytes, layout.resource, era) === undefined;
    return layout.named.filter((item) => touched.has(item.name) && isMissing(item, items)).map((item) => ({ item, isMissing }));
  });
  // The writer that named an item a moment ago may only just have written it.
  const again =
    suspects.length > 0
      ? await readItems(
          store,
          head,
          suspects.map(({ item }) => item.name),
        )
      : items;
  if (isMissingInHead || suspects.some(({ item, isMissing }) => isMissing(item, again)))
    await store.updateHead(head.key, {}, { era: UNKNOWN_ERA });
}

export interface WrittenItems extends Omit<Merged, 'changed'> {
  /** The head, which names the new items; `before` without new items. */
  head: Head;
  /** Written items that the head has yet to name. */
  unnamed: readonly HeadItem[];
}

/**
 * Merges observations into their items. New items are named in the head first.
 * @param given.items as read; others that are needed are read here
 * @throws StaleWriteError if the head is gone, or too many others wrote at the same time
 */
export async function writeItems<Child extends AnyChild>(
  store: Store,
  before: Head,
  leaving: readonly Leaving<Child>[],
  { items, era }: { items: ReadonlyMap<string, ViewItem>; era: number },
): Promise<WrittenItems> {
  const [now, later]: [HeadItem[], HeadItem[]] = [[], []];
  const unread: string[] = [];
  const shares = leaving.flatMap((each) => {
    const { layout, news } = each;
    const named = new Set(layout.named.map(({ name }) => name));
    const own = [...sharesOf(each).values()];
    const unnamed = own.flatMap(({ item }) => (named.has(item.name) ? [] : [item]));
    (layout.isNamedLater && news.whole ? later : now).push(...layout.namesOf(unnamed));
    for (const { item } of own) if (named.has(item.name) && !items.has(item.name)) unread.push(item.name);
    return own;
  });
  const head = now.length > 0 ? await store.updateHead(before.key, {}, { addItems: now }) : before;
  const present = new Map([...items, ...(await readItems(store, before, unread))]);
  const written: Omit<Merged, 'changed'>[] = [];
  await inParallel(shares, ITEMS_AT_ONCE, async (share) => {
    written.push(await writeItem(store, head, share, { present: present.get(share.item.name), era }));
  });
  return {
    head,
    unnamed: later,
    isNews: written.some(({ isNews }) => isNews),
    observedByPass: written.every(({ observedByPass }) => observedByPass),
  };
}

async function writeItem<Child extends AnyChild>(
  store: Store,
  head: Head,
  { layout, item, moved, news }: Share<Child>,
  { present, era }: { present: ViewItem | undefined; era: number },
): Promise<Omit<Merged, 'changed'>> {
  let current = present;
  for (let attempt = 1; ; attempt++) {
    const before =
      partOf<Child>(current?.bytes, layout.resource, era) ?? emptyPart<Child>(layout.resource, { era, floor: layout.floorOf(item, head) });
    // A writer of a later era has written it since.
    if (before.era > era) return { isNews: false, observedByPass: true };
    const isTaken = ({ child }: Pick<Entry<Child>, 'child'>): boolean => layout.takesNew(item) || before.children.has(child.uid);
    const [children, taken] = [news.children.filter(isTaken), moved.filter(isTaken)];
    if (children.length === 0 && taken.length === 0 && !news.whole) return { isNews: false, observedByPass: true };
    const adopted = adopt(before, taken);
    const { part, changed, ...merged } = mergeNews(adopted, { ...news, children });
    if (!changed && adopted === before && current) return merged;
    try {
      const bytes = writePart(part, { replaced: current?.bytes, isBySlot: layout.isBySlot(item) });
      await store.putItem(head.key, { name: item.name, bytes }, current?.version ?? 0);
      return merged;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === MOST_TRIES) throw error;
      current = error.current as ViewItem | undefined;
    }
  }
}
