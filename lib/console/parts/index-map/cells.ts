// From states of indexes to cells of one or many of them: levels, windows, counts.
import { countStates, INDEX_LETTERS, unpackBlocks, unpackStates, type StateCounts } from '../../../objects/detail/packed-states.ts';
import type { IndexMap } from '../../state/answers.ts';

/** So many rows are taken in at a glance. */
const MOST_ROWS = 20;
const ROWS_OF_A_WINDOW = 10;
/** Of a cell that may stay narrower than a finger: the field and the table are other ways in. */
const WIDE_PX = 1_000;
const MIDDLE_PX = 520;

/** States of neighbours as an answer tells them. */
export interface Told {
  from: number;
  to: number;
  /** One for each index, or one count for each block of `size`. */
  codes?: Uint8Array;
  blocks?: { size: number; counts: readonly StateCounts[] };
}

/** @returns undefined for an answer that cannot be read */
export function toldIn({ from, to, states: { ranges, blocks } }: Pick<IndexMap, 'from' | 'to' | 'states'>): Told | undefined {
  if (ranges !== undefined) {
    const codes = unpackStates(ranges, to - from);
    return codes && { from, to, codes };
  }
  const counts = blocks && unpackBlocks(blocks.counts);
  return counts && { from, to, blocks: { size: blocks.size, counts } };
}

/** The part of the indexes that is shown, and how many of them are one cell. */
export interface Shown {
  from: number;
  to: number;
  size: number;
}

export const columnsFor = (widthPx: number): number => (widthPx >= WIDE_PX ? 100 : widthPx >= MIDDLE_PX ? 50 : 25);

/** The finest level, by tens, that fits. @param least of blocks, that cannot be told apart further */
export function sizeFor(count: number, columns: number, least = 1): number {
  let size = 1;
  while (size < least || count > size * columns * MOST_ROWS) size *= 10;
  return size;
}

/** The window around an index in which a cell is of that size. @returns undefined: all of them */
export function windowAround(
  index: number,
  { size, columns, total }: { size: number; columns: number; total: number },
): { from: number; to: number } | undefined {
  const span = size * columns * ROWS_OF_A_WINDOW;
  if (size < 1 || span >= total) return undefined;
  const from = Math.floor(index / span) * span;
  return { from, to: Math.min(from + span, total) };
}

export const cellCount = ({ from, to, size }: Shown): number => Math.ceil((to - from) / size);

export interface Cells {
  shown: Shown;
  /** Of each cell as many numbers as there are letters, in their order. */
  counts: Uint32Array;
}

export const LETTERS = INDEX_LETTERS.length;

/** One pass over what is shown. */
export function cellsOf(told: Told, shown: Shown): Cells {
  const counts = new Uint32Array(cellCount(shown) * LETTERS);
  const { codes, blocks } = told;
  if (codes)
    for (let index = shown.from; index < shown.to; index += 1) {
      const at = Math.floor((index - shown.from) / shown.size) * LETTERS + (codes[index - told.from] ?? 0);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  else if (blocks)
    for (const [block, sums] of blocks.counts.entries()) {
      const first = told.from + block * blocks.size;
      if (first < shown.from || first >= shown.to) continue;
      const cell = Math.floor((first - shown.from) / shown.size) * LETTERS;
      for (const [code, letter] of INDEX_LETTERS.entries()) counts[cell + code] = (counts[cell + code] ?? 0) + (sums[letter] ?? 0);
    }
  return { shown, counts };
}

/** The first index of a cell, and the one behind its last. */
export function indexesOf({ from, to, size }: Shown, cell: number): { first: number; behind: number } {
  const first = from + cell * size;
  return { first, behind: Math.min(first + size, to) };
}

/** Neighbours of one state: `from` up to the one before `behind`. */
export interface Range {
  from: number;
  behind: number;
}

/** By letter. @param most of one letter; the others are counted */
export function rangesOf({ from, codes }: Told, most: number): { letter: string; ranges: Range[]; leftOut: number }[] {
  const found = INDEX_LETTERS.map((letter) => ({ letter, ranges: [] as Range[], leftOut: 0 }));
  if (!codes) return [];
  for (let at = 0; at < codes.length;) {
    let behind = at + 1;
    while (behind < codes.length && codes[behind] === codes[at]) behind += 1;
    const of = found[codes[at] ?? 0];
    if (of && of.ranges.length < most) of.ranges.push({ from: from + at, behind: from + behind });
    else if (of) of.leftOut += 1;
    at = behind;
  }
  return found.filter(({ ranges }) => ranges.length > 0);
}

export const countsOf = ({ codes, blocks }: Told): StateCounts => {
  if (codes) return countStates(codes);
  const sums: StateCounts = {};
  for (const block of blocks?.counts ?? [])
    for (const letter of INDEX_LETTERS) if (block[letter]) sums[letter] = (sums[letter] ?? 0) + block[letter];
  return sums;
};
