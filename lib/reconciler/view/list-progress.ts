// A whole list that is too long for one message comes in ranges, in any order and through any number of functions (R19). The head's floor
// may rise only when all ranges have come. The head keeps the ranges that have come as marks among its item names, a set to which several
// writers may add at once: `list/<era>/<floor>/<from>-<to>`. Only marks of the newest list are kept.
import { compareResourceVersions, isNewer, newest } from '../../objects/values/resource-version.ts';
import type { Head, HeadChange, Store } from '../../ports/store.ts';
import type { WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS } from '../../wire/words/view-layout.ts';

/** Slots from (included) to (excluded). */
export interface Span {
  from: number;
  to: number;
}

interface Mark extends Span {
  name: string;
  era: number;
  floor: string;
}

const ALL_SLOTS: Span = { from: 0, to: END_OF_SLOTS };
const MARK = /^list\/(-?\d+)\/(\d+)\/(\d+)-(\d+)$/;

/** Whether a name among the head's items is a mark rather than an item of the view. */
export const isMark = (name: string): boolean => MARK.test(name);

const nameOf = ({ era, floor, from, to }: Omit<Mark, 'name'>): string => `list/${era}/${floor}/${from}-${to}`;

const marksOf = ({ items }: Pick<Head, 'items'>): Mark[] =>
  items.flatMap((name) => {
    const [, era, floor, from, to] = MARK.exec(name) ?? [];
    return era === undefined || floor === undefined ? [] : [{ name, era: Number(era), floor, from: Number(from), to: Number(to) }];
  });

/** Whether the marks together cover every slot of the span. */
function cover(marks: readonly Span[], { from, to }: Span): boolean {
  let until = from;
  for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
    if (mark.from > until) break;
    until = Math.max(until, mark.to);
  }
  return until >= to;
}

/** The floor that the ranges so far prove for these slots, which no item holds yet; `0` if no range has covered them. */
export function toldFloor(head: Pick<Head, 'items'>, era: number, span: Span): string {
  const byFloor = Map.groupBy(
    marksOf(head).filter((mark) => mark.era === era),
    ({ floor }) => floor,
  );
  return [...byFloor].reduce((highest, [floor, marks]) => (cover(marks, span) ? newest(highest, floor) : highest), '0');
}

/** Marks that are obsolete once the head's floor is that high. */
export const outdatedMarks = (head: Pick<Head, 'items'>, { era, floor }: { era: number; floor: string }): string[] =>
  marksOf(head)
    .filter((mark) => mark.era < era || (mark.era === era && !isNewer(mark.floor, floor)))
    .map(({ name }) => name);

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
  const known = marksOf(head);
  // There is a mark of a later era or of a list that began later. That list will be completed, or another will follow it.
  if (known.some((mark) => mark.era > era || (mark.era === era && isNewer(mark.floor, floor)))) return head;
  const name = nameOf({ era, floor, ...slots });
  const older = known.filter((mark) => mark.era < era || compareResourceVersions(mark.floor, floor) < 0).map((mark) => mark.name);
  const told = known.some((mark) => mark.name === name)
    ? head
    : await store.updateHead(head.key, {}, { addItems: [name], ...(older.length > 0 && { removeItems: older }) });
  const ofThisList = marksOf(told).filter((mark) => mark.era === era && mark.floor === floor);
  if (!cover(ofThisList, ALL_SLOTS)) return told;
  const removeItems = outdatedMarks(told, { era, floor });
  if (told.era < era || isNewer(floor, told.floor)) return await raise(told, { floor, removeItems });
  return await store.updateHead(head.key, {}, { removeItems });
}
