// Suggestions: words that are only a slip away.

/** A third of the letters may be wrong, three at most. */
const MOST_SLIPS = 3;

/** The candidates nearest to the word, none when nothing comes near; capital letters make no difference. */
function similarTo(word: string, candidates: readonly string[]): string[] {
  const slips = candidates.map((candidate) => ({ candidate, count: slipsBetween(word.toLowerCase(), candidate.toLowerCase()) }));
  const fewest = Math.min(...slips.map(({ count }) => count));
  const isNear = ({ count }: { count: number }): boolean => count === fewest && count <= Math.min(MOST_SLIPS, Math.ceil(word.length / 3));
  return slips.filter(isNear).map(({ candidate }) => candidate);
}

/** `(Did you mean jobs?)` with a space before, or nothing. */
export function suggestionText(word: string, candidates: readonly string[]): string {
  const similar = similarTo(word, candidates);
  if (similar.length === 0) return '';
  return ` (Did you mean ${similar.length === 1 ? similar[0] : `one of ${similar.slice(0, 3).join(', ')}`}?)`;
}

/** Letters to insert, leave out, replace or swap with their neighbour. */
function slipsBetween(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const isSame = one[at - 1] === other[to - 1];
      let slips = Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isSwapped) slips = Math.min(slips, (before[to - 2] ?? 0) + 1);
      next.push(slips);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
