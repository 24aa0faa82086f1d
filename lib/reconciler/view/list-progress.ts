// A whole list that is too long for one message comes in ranges, in any order and through any number of functions (R19). The head's floor
// may rise only when all ranges have come. The head keeps the ranges that have come among its items, a set to which several writers may add
// at once. Only those of the newest list are kept.
import { compareResourceVersions, isNewer, newest } from '../../objects/values/resource-version.ts';
import { listedRange, type ListedRange } from '../../ports/head-items.ts';
import type { Head, HeadChange, Store } from '../../ports/store.ts';
import type { WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS } from '../../wire/words/view-layout.ts';

/** Slots from (included) to (excluded). */
export interface Span {
  from: number;
  to: number;
}

const ALL_SLOTS: Span = { from: 0, to: END_OF_SLOTS };

const rangesIn = ({ items }: Pick<Head, 'items'>): ListedRange[] => items.filter((item) => item.sort === 'listed');

/** Whether the ranges together cover every slot of the span. */
function cover(ranges: readonly Span[], { from, to }: Span): boolean {
  let until = from;
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    if (range.from > until) break;
    until = Math.max(until, range.to);
  }
  return until >= to;
}

/** The floor that the ranges so far prove for these slots, which no item holds yet; `0` if no range has covered them. */
export function toldFloor(head: Pick<Head, 'items'>, era: number, span: Span): string {
  const byFloor = Map.groupBy(
    rangesIn(head).filter((range) => range.era === era),
    ({ floor }) => floor,
  );
  return [...byFloor].reduce((highest, [floor, ranges]) => (cover(ranges, span) ? newest(highest, floor) : highest), '0');
}

/** Ranges that are obsolete once the head's floor is that high. */
export const outdatedRanges = (head: Pick<Head, 'items'>, { era, floor }: { era: number; floor: string }): ListedRange[] =>
  rangesIn(head).filter((range) => range.era < era || (range.era === era && !isNewer(range.floor, floor)));

/**
 * Notes that a range of a whole list is in the view. If it was the last missing range, the head's floor rises to the list's.
 * @param raise writes the floor, and the rest of the change, to the given head
 * @returns the head after that. @throws StaleWriteError if the head is gone; anything that `raise` throws
 */
export async function noteRange(
  store: Store,
  head: Head,
  { whole, era, raise }: { whole: WholeList; era: number; raise: (head: Head, change: HeadChange & { floor: string }) => Promise<Head> },
): Promise<Head> {
  const { floor, slots } = whole;
  if (slots === 'all' || head.era > era || (head.era === era && !isNewer(floor, head.floor))) return head;
  const known = rangesIn(head);
  // There is a range of a later era or of a list that began later. That list will be completed, or another will follow it.
  if (known.some((range) => range.era > era || (range.era === era && isNewer(range.floor, floor)))) return head;
  const come = listedRange({ era, floor, ...slots });
  const older = known.filter((range) => range.era < era || compareResourceVersions(range.floor, floor) < 0);
  const told = known.some(({ name }) => name === come.name)
    ? head
    : await store.updateHead(head.key, {}, { addItems: [come], ...(older.length > 0 && { removeItems: older }) });
  const ofThisList = rangesIn(told).filter((range) => range.era === era && range.floor === floor);
  if (!cover(ofThisList, ALL_SLOTS)) return told;
  const removeItems = outdatedRanges(told, { era, floor });
  if (told.era < era || isNewer(floor, told.floor)) return await raise(told, { floor, removeItems });
  return await store.updateHead(head.key, {}, { removeItems });
}
