// The states of many indexes as short texts: runs of equal states, or counts by block where the runs would be too long. Alone, so that a
// page in a browser reads them with the same code.

/** A letter for the state of an index. `-`: it has not started. The worst comes first: it is the one that is seen in a block. */
export const INDEX_STATES = {
  F: 'Failed',
  B: 'BackingOff',
  W: 'Waiting',
  T: 'Terminating',
  P: 'Pending',
  R: 'Running',
  '-': 'NotStarted',
  S: 'Succeeded',
} as const;
export type IndexLetter = keyof typeof INDEX_STATES;
export type IndexState = (typeof INDEX_STATES)[IndexLetter];

export const INDEX_LETTERS = Object.keys(INDEX_STATES) as IndexLetter[];
/** In a `Uint8Array` of states stands the place of its letter. */
export const codeOfLetter = (letter: IndexLetter): number => INDEX_LETTERS.indexOf(letter);

/** How many indexes have each state; absent: none. */
export type StateCounts = Partial<Record<IndexLetter, number>>;

const RADIX = 36;

/** Each run of equal states as its letter and its length, which is left out where it is 1: `S2n8RS`, lengths in base 36, capitals are letters. */
export function packStates(codes: Uint8Array): string {
  const runs: string[] = [];
  for (let at = 0; at < codes.length;) {
    const code = codes[at] ?? 0;
    let end = at + 1;
    while (end < codes.length && codes[end] === code) end += 1;
    runs.push(runText(INDEX_LETTERS[code] ?? '-', end - at));
    at = end;
  }
  return runs.join('');
}

const runText = (letter: IndexLetter, length: number): string => (length === 1 ? letter : `${letter}${length.toString(RADIX)}`);

/** @returns undefined for a text that `packStates` would not have written for so many states */
export function unpackStates(text: string, length: number): Uint8Array | undefined {
  const codes = new Uint8Array(length);
  let at = 0;
  for (const [, letter = '', digits = ''] of text.matchAll(RUN)) {
    const run = digits === '' ? 1 : Number.parseInt(digits, RADIX);
    const code = INDEX_LETTERS.indexOf(letter as IndexLetter);
    if (code < 0 || at + run > length) return undefined;
    codes.fill(code, at, at + run);
    at += run;
  }
  return at === length && ALL_RUNS.test(text) ? codes : undefined;
}

const RUN = /([FBWTPRS-])([0-9a-z]*)/g;
const ALL_RUNS = /^(?:[FBWTPRS-][0-9a-z]*)*$/;

/** For each block of neighbours the counts by state, as runs with a comma between blocks: `Srs,S98F2`. */
export function packBlocks(codes: Uint8Array, size: number): string {
  const blocks: string[] = [];
  for (let from = 0; from < codes.length; from += size)
    blocks.push(
      Object.entries(countStates(codes, { from, to: from + size }))
        .map(([letter, count]) => runText(letter as IndexLetter, count))
        .join(''),
    );
  return blocks.join(',');
}

/** @returns undefined for a text that `packBlocks` would not have written */
export function unpackBlocks(text: string): StateCounts[] | undefined {
  if (text === '') return [];
  const blocks: StateCounts[] = [];
  for (const block of text.split(',')) {
    if (block === '' || !ALL_RUNS.test(block)) return undefined;
    const counts: StateCounts = {};
    for (const [, letter = '', digits = ''] of block.matchAll(RUN))
      counts[letter as IndexLetter] = digits === '' ? 1 : Number.parseInt(digits, RADIX);
    blocks.push(counts);
  }
  return blocks;
}

/** In the order of the letters. */
export function countStates(codes: Uint8Array, { from = 0, to = codes.length }: { from?: number; to?: number } = {}): StateCounts {
  const sums = INDEX_LETTERS.map(() => 0);
  for (let at = from; at < Math.min(to, codes.length); at += 1) sums[codes[at] ?? 0] = (sums[codes[at] ?? 0] ?? 0) + 1;
  return Object.fromEntries(INDEX_LETTERS.flatMap((letter, at) => (sums[at] ? [[letter, sums[at]]] : [])));
}

export interface PackedStates {
  /** As `packStates` writes them; absent where they would be longer than there is room for. */
  ranges?: string;
  /** Instead of ranges: counts by state of `size` indexes each, as `packBlocks` writes them. */
  blocks?: { size: number; counts: string };
}

/** @param bytesMax of the text */
export function packWithin(codes: Uint8Array, bytesMax: number): PackedStates {
  const ranges = packStates(codes);
  if (ranges.length <= bytesMax) return { ranges };
  for (let size = 10; ; size *= 10) {
    const counts = packBlocks(codes, size);
    if (counts.length <= bytesMax || size >= codes.length) return { blocks: { size, counts } };
  }
}
