// Paints cells on a canvas: shapes tell states apart where colours do not, and the worst of a cell is seen however many are well.
import { INDEX_LETTERS, type IndexLetter } from '../../../objects/detail/packed-states.ts';
import { cellCount, LETTERS, type Cells } from './cells.ts';

export const ROW_PX = 16;
const CELL_PX = 14;
/** Room for the first index of each row. */
export const GUTTER_PX = 60;
/** One failed index of a hundred thousand is seen. */
const LEAST_BAD_PX = 4;
const LEAST_PX = 2;

export interface Colours {
  good: string;
  run: string;
  waiting: string;
  bad: string;
  soft: string;
  edge: string;
  ink: string;
  warn: string;
  card: string;
}

const TOKENS: Readonly<Record<keyof Colours, string>> = {
  good: '--map-good',
  run: '--map-run',
  waiting: '--map-waiting',
  bad: '--map-bad',
  soft: '--soft',
  edge: '--edge',
  ink: '--ink',
  warn: '--warn',
  card: '--card',
};

/** By the stylesheet's own tokens, so that dark and light are followed: a token itself is two colours, and only a property is one of them. */
export function coloursOf(element: HTMLElement): Colours {
  const { color } = element.style;
  const colours = Object.entries(TOKENS).map(([name, token]) => {
    element.style.color = `var(${token})`;
    return [name, getComputedStyle(element).color] as const;
  });
  element.style.color = color;
  return Object.fromEntries(colours) as unknown as Colours;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** From the top of a cell downwards; the others stand on its bottom. */
const BAD: readonly IndexLetter[] = ['F', 'B', 'W'];
const STANDING: readonly IndexLetter[] = ['S', 'R', 'P', 'T'];

export function paintShape(context: CanvasRenderingContext2D, letter: IndexLetter, { x, y, width, height }: Box, colours: Colours): void {
  switch (letter) {
    case 'S':
      context.fillStyle = colours.good;
      context.fillRect(x, y, width, height);
      return;
    case 'R':
      context.fillStyle = colours.run;
      context.fillRect(x, y, Math.ceil(width * 0.6), height);
      return;
    case 'P':
      context.fillStyle = colours.soft;
      context.fillRect(x, y, Math.max(2, Math.floor(width / 4)), height);
      return;
    case 'T':
      context.fillStyle = colours.soft;
      for (let line = y; line < y + height; line += 3) context.fillRect(x, line, width, 1);
      return;
    case 'W':
      context.fillStyle = colours.waiting;
      for (let line = x; line < x + width; line += 4) context.fillRect(line, y, Math.min(2, x + width - line), height);
      return;
    case 'B':
      context.fillStyle = colours.waiting;
      for (let line = y; line < y + height; line += 3) context.fillRect(x, line, width, Math.min(2, y + height - line));
      return;
    case 'F':
      context.fillStyle = colours.bad;
      context.fillRect(x, y, width, height);
      context.fillStyle = colours.card;
      context.beginPath();
      context.moveTo(x + width - 4, y);
      context.lineTo(x + width, y);
      context.lineTo(x + width, y + 4);
      context.fill();
      return;
    case '-':
      context.strokeStyle = colours.edge;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  }
}

export interface Painted {
  cells: Cells;
  columns: number;
  cellPx: number;
  /** Cells in which an index lags. */
  lagging: ReadonlySet<number>;
  /** Letters that are shown; undefined: all. */
  letters: ReadonlySet<string> | undefined;
  /** The cell under the cursor of the keyboard. */
  cursor: number | undefined;
  /** For the first index of a row. */
  font: string;
}

export function paint(canvas: HTMLCanvasElement, { cells, columns, cellPx, lagging, letters, cursor, font }: Painted): void {
  const { shown, counts } = cells;
  const count = cellCount(shown);
  const rows = Math.ceil(count / columns);
  const [width, height] = [GUTTER_PX + columns * cellPx, rows * ROW_PX];
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  const colours = coloursOf(canvas);
  context.scale(ratio, ratio);
  context.font = font;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillStyle = colours.soft;
  for (let row = 0; row < rows; row += 1)
    context.fillText((shown.from + row * columns * shown.size).toLocaleString('en'), GUTTER_PX - 8, row * ROW_PX + CELL_PX / 2);
  const boxOf = (cell: number): Box => ({
    x: GUTTER_PX + (cell % columns) * cellPx,
    y: Math.floor(cell / columns) * ROW_PX,
    width: cellPx - 1,
    height: CELL_PX,
  });
  for (let cell = 0; cell < count; cell += 1) paintCell(context, boxOf(cell), { counts, at: cell * LETTERS, letters }, colours);
  context.lineWidth = 2;
  context.strokeStyle = colours.warn;
  for (const cell of lagging) {
    const { x, y, width: wide, height: high } = boxOf(cell);
    context.strokeRect(x, y, wide, high);
    context.fillStyle = colours.warn;
    context.fillRect(x, y, wide, 4);
  }
  if (cursor === undefined) return;
  context.strokeStyle = colours.ink;
  const { x, y, width: wide, height: high } = boxOf(cursor);
  context.strokeRect(x - 1, y, wide + 2, high);
}

function paintCell(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: Box,
  { counts, at, letters }: { counts: Uint32Array; at: number; letters: ReadonlySet<string> | undefined },
  colours: Colours,
): void {
  const countOf = (letter: IndexLetter): number => counts[at + INDEX_LETTERS.indexOf(letter)] ?? 0;
  const isShown = (letter: IndexLetter): boolean => letters?.has(letter) ?? true;
  let all = 0;
  for (let code = 0; code < LETTERS; code += 1) all += counts[at + code] ?? 0;
  if (all === 0) return;
  const isWhole = (letter: IndexLetter): boolean => countOf(letter) === all;
  const hollow = countOf('-') > 0 || INDEX_LETTERS.some((letter) => !isShown(letter) && countOf(letter) > 0);
  if (hollow) paintShape(context, '-', { x, y, width, height }, colours);
  let [top, bottom] = [y, y + height];
  for (const letter of BAD) {
    const share = countOf(letter);
    if (share === 0 || !isShown(letter)) continue;
    const high = isWhole(letter) ? height : Math.min(Math.max(LEAST_BAD_PX, Math.round((height * share) / all)), bottom - top);
    paintShape(context, letter, { x, y: top, width, height: high }, colours);
    top += high;
  }
  for (const letter of STANDING) {
    const share = countOf(letter);
    if (share === 0 || !isShown(letter) || bottom <= top) continue;
    const high = isWhole(letter) ? height : Math.min(Math.max(LEAST_PX, Math.round((height * share) / all)), bottom - top);
    paintShape(context, letter, { x, y: bottom - high, width, height: high }, colours);
    bottom -= high;
  }
}
