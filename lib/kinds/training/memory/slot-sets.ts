// Sets of slots as texts, for the head and an annotation: as index ranges, or as bits where that is shorter.
import { formatIndexes, indexSetOf, parseIndexes, type IndexSet } from '../../../objects/values/index-text.ts';
import { MOST_INDEXES, numberOfSlot } from '../names/slots.ts';

/** Characters: bits of some 49,000 slots. */
export const LONGEST_SET = 8_192;

/**
 * A set of slot numbers, from its text: `0:0;1:0-3,7` is index 0 of the first type, and 0 to 3 and 7 of the second; `1:*jw` is the same set of the
 * second type as bits, the lowest index first. Other texts are empty sets.
 */
export function slotSetIn(text: string | undefined): ReadonlySet<number> {
  const slots = new Set<number>();
  for (const part of (text ?? '').split(';')) {
    const [role = '', indexes = ''] = part.split(':');
    if (!/^\d{1,2}$/.test(role)) continue;
    for (const { first, last } of indexes.startsWith(BITS)
      ? indexesInBits(indexes.slice(BITS.length))
      : parseIndexes(indexes, MOST_INDEXES))
      for (let index = first; index <= last && slots.size < MOST_SLOTS; index += 1) slots.add(numberOfSlot(Number(role), index));
  }
  return slots;
}

/** An annotation is anybody's to write. */
const MOST_SLOTS = 100_000;

/** As index ranges, which people read too. */
export const slotText = (slots: Iterable<number>): string => textByRole(slots, (indexes) => formatIndexes(indexSetOf(indexes)));

/** As index ranges, or as bits where the indexes are so scattered that ranges take more room. */
export const packedSlots = (slots: Iterable<number>): string =>
  textByRole(slots, (indexes) => {
    const set = indexSetOf(indexes);
    const ranges = formatIndexes(set);
    const bytes = Math.floor((set.at(-1)?.last ?? 0) / 8) + 1;
    const bitsLength = BITS.length + Math.ceil((bytes * 4) / 3);
    return bitsLength < ranges.length ? `${BITS}${bitsOf(set, bytes)}` : ranges;
  });

/** Begins a set that is written as bits, in base64url. */
const BITS = '*';

function bitsOf(set: IndexSet, bytes: number): string {
  const bits = Buffer.alloc(bytes);
  for (const { first, last } of set) for (let index = first; index <= last; index += 1) bits[index >> 3]! |= 1 << (index & 7);
  return bits.toString('base64url');
}

function indexesInBits(text: string): IndexSet {
  const indexes: number[] = [];
  for (const [at, byte] of Buffer.from(text.slice(0, LONGEST_SET), 'base64url').entries())
    for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) indexes.push(at * 8 + bit);
  return indexSetOf(indexes);
}

function textByRole(slots: Iterable<number>, textOf: (indexes: number[]) => string): string {
  const byRole = Map.groupBy(slots, (slot) => Math.floor(slot / MOST_INDEXES));
  return [...byRole]
    .toSorted(([a], [b]) => a - b)
    .map(([role, own]) => `${role}:${textOf(own.map((slot) => slot % MOST_INDEXES))}`)
    .join(';');
}

/** From the first index to the last of each type. */
export const stretchesOf = (slots: Iterable<number>): string =>
  textByRole(slots, (indexes) => formatIndexes([{ first: Math.min(...indexes), last: Math.max(...indexes) }]));
