// Whether a command printed what its page shows. `…` on a page stands for any text, on a line of its own for any lines. Times, ages, uids,
// generated names and the width of columns are left aside.

/** In the order in which they are replaced. */
const LEFT_ASIDE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, 'UID'],
  [/\b[\da-f]{16}\b/g, 'DIGEST'],
  [/\bpass [\w-]{22}(?![\w-])/g, 'pass ID'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-NAME'],
  [/\b\d+(?:\.\d+)? ms\b/g, 'N ms'],
  [/\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)? ?s\b|\b\d+[mhd]\b/g, 'AGE'],
  [/\s+/g, ' '],
];

const plain = (line: string): string => LEFT_ASIDE.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line).trim();

function matches(shown: string, printed: string): boolean {
  const parts = plain(shown).split('…');
  const pattern = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.*');
  return new RegExp(`^${pattern}$`, 'su').test(plain(printed));
}

/**
 * @param printed with the home folder as `~`
 * @param isOpen more may follow than the page shows
 * @returns undefined where it fits, else a sentence: the first line that does not
 */
export function differenceOf(shown: readonly string[], printed: string, isOpen = false): string | undefined {
  const lines = printed.replace(/\n+$/, '').split('\n');
  if (lines.length === 1 && lines[0] === '') lines.pop();
  const wanted = isOpen ? [...shown, '…'] : shown;
  // How many of the printed lines the first so many of the shown may stand for.
  let reached = new Set([0]);
  for (const line of wanted) {
    const next = new Set<number>();
    for (const at of reached) {
      if (line.trim() === '…') for (let to = at; to <= lines.length; to += 1) next.add(to);
      else if (at < lines.length && matches(line, lines[at] ?? '')) next.add(at + 1);
    }
    if (next.size === 0) {
      const at = Math.min(...reached);
      return `the page shows "${line.trim()}", and printed was ${at < lines.length ? `"${lines[at]?.trim()}"` : 'nothing more'}`;
    }
    reached = next;
  }
  if (reached.has(lines.length)) return undefined;
  return `the page shows no more, and printed was "${lines[Math.max(...reached)]?.trim()}"`;
}
