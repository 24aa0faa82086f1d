// Tables: as wide as their cells where a program reads them, no wider than the terminal where a person does.

export interface TableLook {
  /** Of the terminal, in characters. Absent: nothing is cut or left out. */
  width?: number | undefined;
  /** Titles of columns whose cells may be cut in the middle. Numbers must not be. */
  cut?: readonly string[];
  /** Title of the column of states: its first word is never cut, the bracket behind it late. */
  state?: string;
  /** Titles of columns that are cut before any other is cut or left out. */
  yielding?: readonly string[];
  /** Titles of columns that a narrow terminal does without, the first one first. */
  spared?: readonly string[];
  /** Colours a cell. A colour must only repeat the text. */
  paint?: (title: string, cell: string) => string;
}

/** Of the columns that are shown: where they stand in a row, and how wide they are. */
export interface Layout {
  columns: { at: number; title: string; width: number }[];
  gap: number;
}

const GAP = 3;
const NARROW_GAP = 2;
/** As long as most names remain readable when they are cut. */
const READABLE = 16;

/** Columns as wide as their widest cell. @param rows each as long as the header */
export function tableText(header: readonly string[], rows: readonly (readonly string[])[], look: TableLook = {}): string {
  const layout = layoutOf(header, rows, look);
  return [lineOf(layout, header), ...rows.map((row) => lineOf(layout, row, look))].join('\n');
}

/** @param atLeast of an earlier layout of the same header, which grows only */
export function layoutOf(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width, cut = [], yielding = [], state, spared = [] }: TableLook,
  atLeast?: Layout,
): Layout {
  const before = new Map(atLeast?.columns.map((column) => [column.at, column.width]));
  let columns = header.map((title, at) => ({
    at,
    title,
    width: rows.reduce((widest, row) => Math.max(widest, lengthOf(row[at] ?? '')), Math.max(lengthOf(title), before.get(at) ?? 0)),
  }));
  const over = (gap: number): number => (width === undefined ? 0 : columns.reduce((sum, column) => sum + column.width + gap, -gap) - width);
  if (over(GAP) <= 0) return { columns, gap: GAP };
  const shrink = (titles: readonly string[], least: (column: { at: number; title: string }) => number): void => {
    while (over(NARROW_GAP) > 0) {
      const shrinkable = columns.filter((column) => titles.includes(column.title) && column.width > least(column));
      const [widest] = shrinkable.toSorted((one, other) => other.width - one.width);
      if (!widest) return;
      widest.width -= 1;
    }
  };
  const readable = ({ title }: { title: string }): number => Math.max(READABLE, lengthOf(title));
  shrink(yielding, readable);
  for (const title of spared) if (over(NARROW_GAP) > 0) columns = columns.filter((column) => column.title !== title);
  shrink(cut, readable);
  shrink(state === undefined ? [] : [state], ({ at, title }) =>
    rows.reduce((longest, row) => Math.max(longest, lengthOf(wordOf(row[at] ?? ''))), lengthOf(title)),
  );
  shrink(cut, ({ title }) => lengthOf(title));
  // Figures, from the right: names and states say most.
  for (const column of columns.toReversed())
    if (over(NARROW_GAP) > 0 && column.title !== state && !cut.includes(column.title))
      columns = columns.filter((other) => other !== column);
  return { columns, gap: NARROW_GAP };
}

export function lineOf({ columns, gap }: Layout, cells: readonly string[], { state, paint = (_, cell) => cell }: TableLook = {}): string {
  const last = columns.length - 1;
  return columns
    .map(({ at, title, width }, place) => {
      const whole = cells[at] ?? '';
      const cell = title === state ? cutState(whole, width) : cutMiddle(whole, width);
      const blanks = place === last ? '' : ' '.repeat(Math.max(width - lengthOf(cell), 0) + gap);
      return { text: `${paint(title, cell)}${blanks}`, isBlank: cell === '' };
    })
    .reduceRight((line, { text, isBlank }) => (line === '' && isBlank ? '' : line === '' ? text.trimEnd() : `${text}${line}`), '');
}

const lengthOf = (text: string): number => text.length;
const wordOf = (text: string): string => /^\S*/.exec(text)?.[0] ?? '';

/** `a-long-n…-of-job`: how a name ends tells it from others that begin alike. */
export function cutMiddle(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  const kept = Math.max(width - 1, 0);
  const head = Math.ceil(kept / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

/** `Waiting (Image…ackOff)`; at last the word alone. */
function cutState(text: string, width: number): string {
  if (lengthOf(text) <= width) return text;
  const word = wordOf(text);
  const inner = text.slice(word.length).trim().replace(/^\(/, '').replace(/\)$/, '');
  const left = width - word.length - ' ()'.length;
  return left < 3 || inner === '' ? word : `${word} (${cutMiddle(inner, left)})`;
}
