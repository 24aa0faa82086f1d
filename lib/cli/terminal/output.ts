// How commands print: data on standard output as text, JSON or YAML; logs on standard error; colour only where a person reads.
import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { isActing, shownData, shownLines, shownText } from '../../objects/values/shown-text.ts';

export type OutputFormat = 'text' | 'json' | 'yaml';

export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how data is printed').choices(['text', 'json', 'yaml']).default('text');

/**
 * @param text takes the data as it may be shown to people: with escapes instead of characters that act (shown-text.ts). Made only when
 * it is asked for; ends without a line break
 */
export async function print<Data>(data: Data, format: OutputFormat, text: (shown: Data) => string): Promise<void> {
  if (format === 'json') printLines(JSON.stringify(data, null, 2));
  else if (format === 'yaml') process.stdout.write(await yamlText(data));
  else printLines(text(shownData(data)));
}

/** Data as YAML. Texts with characters that act are spelled as in JSON, with escapes; YAML reads them as the same texts. */
export async function yamlText(data: unknown): Promise<string> {
  const { dump } = await import('js-yaml');
  const spelled: string[] = [];
  // Through JSON once: absent fields are left out, as there.
  const json = JSON.stringify(data);
  let mark = 'text-with-escapes-';
  while (json.includes(mark)) mark += '-';
  const marked = (value: unknown): unknown => {
    if (typeof value === 'string') return needsSpelling(value) ? `${mark}${spelled.push(value) - 1};` : value;
    if (Array.isArray(value)) return value.map(marked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [marked(key), marked(part)]));
  };
  const text = dump(marked(JSON.parse(json)), { lineWidth: -1, noRefs: true });
  const marks = new RegExp(`${mark}(\\d+);`, 'g');
  return text.replaceAll(marks, (_, at) => shownLines(JSON.stringify(spelled[Number(at)])));
}

/** YAML itself has a way to write a line end. */
const needsSpelling = (text: string): boolean => isActing(text.replaceAll('\n', ''));

/** Of this process alone: text from elsewhere cannot hold it, so a colour behind it is one of `paint`. */
const OURS = `\u001B${randomBytes(12).toString('hex')}`;
const OUR_COLOURS = new RegExp(`${OURS}(\\[\\d{1,2}m)`);

/** Lines on standard output that hold text from elsewhere. Where its line ends must not show as ours, give it through `shownText`. */
export function printLines(text: string): void {
  const parts = text.split(OUR_COLOURS).map((part, at) => (at % 2 === 1 ? `\u001B${part}` : shownLines(part)));
  process.stdout.write(`${parts.join('')}\n`);
}

/**
 * Text that takes the place of what a terminal shows, cut at its height; elsewhere it follows, with an empty line between. On a terminal each
 * line is written over the one before it, so that what stays the same does not flicker.
 */
export function printInstead(text: string, isFirst: boolean): void {
  const { isTTY } = process.stdout;
  const rows = process.stdout.rows || 24;
  if (!isTTY) return printLines(isFirst ? text : `\n${text}`);
  const lines = text.split('\n');
  const shown = lines.length < rows ? lines : [...lines.slice(0, rows - 2), paint(`… ${lines.length - rows + 2} more lines`, 'dim')];
  process.stdout.write(isFirst ? '\u001B[2J\u001B[H' : '\u001B[H');
  for (const line of shown) {
    process.stdout.write('\u001B[2K');
    printLines(line);
  }
  process.stdout.write('\u001B[J');
}

/** A piece of a text from elsewhere, as it comes: it may end within a line. */
export const printPiece = (text: string): void => void process.stdout.write(shownLines(text));

/** One line on standard output. */
export function printLine(text: string): void {
  process.stdout.write(`${shownText(text)}\n`);
}

/** One line on standard error. @param problem with the name of the speaker before it, as in `farloop: …` */
export function printProblem(problem: string): void {
  process.stderr.write(`${shownText(problem)}\n`);
}

export { tableText } from './table.ts';

const USUAL_COLUMNS = 80;

/** Of the terminal, in characters; undefined where a program reads, which gets all. A terminal that was never told its size says 0. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns || USUAL_COLUMNS : undefined);

const COLOURS = { green: 32, red: 31, yellow: 33, magenta: 35, cyan: 36, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof COLOURS;

/**
 * For `printLines`, which lets no colours pass but these. Colour repeats what the text says; it is left away where nobody sees it, or where
 * NO_COLOR is set.
 */
export const paint = (text: string, colour: Colour | undefined): string => painted(text, colour, OURS);

/** As a terminal takes it. @param text as it may be shown */
export const coloured = (text: string, colour: Colour | undefined): string => painted(text, colour, '\u001B');

function painted(text: string, colour: Colour | undefined, before: string): string {
  const { isTTY } = process.stdout;
  if (colour === undefined || !isTTY || process.env['NO_COLOR'] || process.env['TERM'] === 'dumb') return text;
  return `${before}[${COLOURS[colour]}m${text}${before}[0m`;
}

/** `12s`, `3m`, `2h`, `5d`. */
export function spanText(ms: number): string {
  const seconds = Math.max(Math.round(ms / 1000), 0);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
