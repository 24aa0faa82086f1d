// Functions of text. Positions count characters, not UTF-16 units.
import { BudgetError, EvaluationError } from '../values/values.ts';
import type { List } from '../values/values.ts';
import { formatted } from './format.ts';
import type { Line } from './line.ts';
import { compiledPattern } from './patterns.ts';

/** Characters of a text that is made here; ten times what a request may hold. */
const longestResult = 30_000_000;

const charactersOf = (text: string): string[] => Array.from(text);

const outOfRange = (index: bigint): EvaluationError => new EvaluationError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const characters = charactersOf(text);
  if (index < 0n || index > characters.length) throw outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, from = 0n): bigint {
  if (part === '') return from;
  if (from < 0n) throw outOfRange(from);
  const characters = charactersOf(text);
  if (from >= characters.length) return -1n;
  const start = characters.slice(0, Number(from)).join('').length;
  const found = text.indexOf(part, start);
  return found < 0 ? -1n : BigInt(charactersOf(text.slice(0, found)).length);
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const characters = charactersOf(text);
  if (part === '') return from ?? BigInt(characters.length);
  if (from !== undefined && from < 0n) throw outOfRange(from);
  if (from !== undefined && from >= characters.length) return -1n;
  const last = from === undefined ? Infinity : characters.slice(0, Number(from)).join('').length;
  const found = text.lastIndexOf(part, last);
  return found < 0 ? -1n : BigInt(charactersOf(text.slice(0, found)).length);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = charactersOf(text);
  if (end !== undefined && start > end) throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  for (const index of end === undefined ? [start] : [start, end]) if (index < 0n || index > characters.length) throw outOfRange(index);
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('');
}

/** Each place where a part stands, an empty part between any two characters; a negative limit means all. */
function replaced(text: string, part: string, by: string, limit: bigint): string {
  const pieces = part === '' ? ['', ...charactersOf(text), ''] : text.split(part);
  // The cost knows the text alone, not how often it holds the part, nor how long the other one is.
  if (text.length + pieces.length * by.length > longestResult) throw new BudgetError();
  if (limit < 0n) return pieces.join(by);
  const count = Number(limit < BigInt(pieces.length) ? limit : BigInt(pieces.length - 1));
  return `${pieces.slice(0, count + 1).join(by)}${pieces
    .slice(count + 1)
    .map((piece) => part + piece)
    .join('')}`;
}

function split(text: string, separator: string, limit = -1n): List {
  if (limit === 0n) return [];
  const pieces = separator === '' ? charactersOf(text) : text.split(separator);
  if (limit < 0n || limit >= pieces.length) return pieces;
  const kept = Number(limit) - 1;
  return [...pieces.slice(0, kept), pieces.slice(kept).join(separator)];
}

function joined(list: List, separator: string): string {
  const texts = list.map((item) => {
    if (typeof item === 'string') return item;
    throw new EvaluationError('join: the list must hold texts alone');
  });
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  if (length > longestResult) throw new BudgetError();
  return texts.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': String.raw`\\`,
  '"': String.raw`\"`,
};

const quoted = (text: string): string =>
  `"${charactersOf(text)
    .map((character) => escapes[character] ?? character)
    .join('')}"`;

const matches = (text: string, pattern: string): boolean => compiledPattern(pattern).matcher(text).find();

function findAll(text: string, pattern: string, limit = -1n): List {
  const found: string[] = [];
  const matcher = compiledPattern(pattern).matcher(text);
  const most = limit < 0n ? Infinity : Number(limit);
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function find(text: string, pattern: string): string {
  const matcher = compiledPattern(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

export const strings: readonly Line[] = [
  ['string.contains(string): bool', (text: string, part: string) => text.includes(part)],
  ['string.startsWith(string): bool', (text: string, part: string) => text.startsWith(part)],
  ['string.endsWith(string): bool', (text: string, part: string) => text.endsWith(part)],
  ['matches(string, string): bool', matches],
  ['string.matches(string): bool', matches],
  ['string.find(string): string', find],
  ['string.findAll(string): list<string>', findAll],
  ['string.findAll(string, int): list<string>', findAll],

  ['string.charAt(int): string', charAt],
  ['string.indexOf(string): int', indexOf],
  ['string.indexOf(string, int): int', indexOf],
  ['string.lastIndexOf(string): int', lastIndexOf],
  ['string.lastIndexOf(string, int): int', lastIndexOf],
  ['string.lowerAscii(): string', (text: string) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())],
  ['string.upperAscii(): string', (text: string) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())],
  ['string.replace(string, string): string', (text: string, part: string, by: string) => replaced(text, part, by, -1n)],
  ['string.replace(string, string, int): string', replaced],
  ['string.split(string): list<string>', split],
  ['string.split(string, int): list<string>', split],
  ['string.substring(int): string', substring],
  ['string.substring(int, int): string', substring],
  ['string.trim(): string', (text: string) => text.trim()],
  ['list<string>.join(): string', (list: List) => joined(list, '')],
  ['list<string>.join(string): string', joined],
  ['string.format(list<dyn>): string', formatted],
  ['strings.quote(string): string', quoted],
];
