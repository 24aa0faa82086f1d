// `'%d of %s'.format([…])`, and how each value is written.
import { Duration, EvaluationError, Timestamp, Uint, isList, isMap, textOfBytes, typeText } from '../values/values.ts';
import type { CelMap, List, Value } from '../values/values.ts';
import { countSteps } from '../values/work.ts';
import { durationText, timestampText } from './time.ts';

/** As string() and %s write a double: the shortest decimal, with an exponent from a million on and below 1e-4. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return exponential(value);
  return String(value);
}

/** Two digits of exponent at least, as Go has it. */
const exponential = (value: number, places?: number): string => value.toExponential(places).replace(/e([-+])(\d)$/, 'e$10$2');

function shown(value: Value): string {
  countSteps();
  if (isList(value)) return `[${value.map(nested).join(', ')}]`;
  if (isMap(value)) return mapText(value);
  if (value === null) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return doubleText(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return textOfBytes(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return (
    typeText(value) ??
    refused('string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps')
  );
}

/** A long text takes as long as many values. */
const charactersOfStep = 64;

/** Within a list or a map, text is quoted and the rest is written as CEL would read it. */
function nested(value: Value): string {
  if (typeof value === 'string') {
    countSteps(Math.ceil(value.length / charactersOfStep));
    return JSON.stringify(value);
  }
  if (value instanceof Uint8Array) return `b${JSON.stringify(textOfBytes(value))}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(timestampText(value))})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(durationText(value))})`;
  if (typeof value === 'number') return Number.isFinite(value) ? sixPlaces(value) : JSON.stringify(doubleText(value));
  return shown(value);
}

/** JavaScript would write a large number with an exponent. */
function sixPlaces(value: number): string {
  if (Object.is(value, -0)) return '-0.000000';
  return Math.abs(value) < 1e21 ? value.toFixed(6) : `${BigInt(value)}.000000`;
}

/** With as many decimals, the last one rounded to even where it lies in the middle, and thousands apart. */
function fixedText(value: number, places: number): string {
  if (Math.abs(value) >= 1e21) return `${grouped(BigInt(value).toString())}${places === 0 ? '' : `.${'0'.repeat(places)}`}`;
  // A double has no more than these many digits that could distinguish it from the middle.
  const exact = value.toFixed(Math.min(100, places + 25));
  const cut = places === 0 ? exact.indexOf('.') : exact.indexOf('.') + places + 1;
  const [kept, rest] = [exact.slice(0, cut), exact.slice(cut).replace('.', '')];
  const isMiddle = /^50*$/.test(rest) && /[02468]$/.test(kept);
  const [whole = '', decimals] = (isMiddle ? kept : value.toFixed(places)).split('.');
  return `${grouped(whole)}${decimals === undefined ? '' : `.${decimals}`}`;
}

function grouped(digits: string): string {
  const leading = digits.length % 3 || 3;
  return [digits.slice(0, leading), ...(digits.slice(leading).match(/\d{3}/g) ?? [])].join(',');
}

function mapText(map: CelMap): string {
  const entries = [...map].map(([key, value]) => `${nested(key)}:${nested(value)}`);
  return `{${entries.toSorted((left, right) => (left < right ? -1 : 1)).join(', ')}}`;
}

type Clause = (value: Value, places: number) => string;

const refused = (sentence: string): never => {
  throw new EvaluationError(`error during formatting: ${sentence}`);
};

const wholeNumber = (value: Value): bigint | undefined =>
  value instanceof Uint ? value.value : typeof value === 'bigint' ? value : undefined;

function doubleOf(value: Value, word: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  return refused(`${word} clause can only be used on doubles`);
}

const notFinite = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞';

function hexadecimal(value: Value): string {
  const whole = wholeNumber(value);
  if (whole !== undefined) return whole.toString(16);
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return refused('only integers, byte buffers, and strings can be formatted as hex');
}

const clauses: Readonly<Record<string, Clause>> = {
  s: shown,
  d: (value) => wholeNumber(value)?.toString() ?? refused('decimal clause can only be used on integers'),
  f(value, places) {
    const double = doubleOf(value, 'fixed-point');
    return notFinite(double) ?? fixedText(double, places);
  },
  e(value) {
    const double = doubleOf(value, 'scientific');
    const infinite = notFinite(double);
    if (infinite !== undefined) return infinite;
    const [mantissa = '', exponent = ''] = exponential(double, defaultPlaces).split('e');
    return `${mantissa}×10${exponent.replace('+', '').replaceAll(/./g, (digit) => superscripts[digit] ?? '')}`;
  },
  b: (value) =>
    typeof value === 'boolean'
      ? String(Number(value))
      : (wholeNumber(value)?.toString(2) ?? refused('only integers and bools can be formatted as binary')),
  x: hexadecimal,
  X: (value) => hexadecimal(value).toUpperCase(),
  o: (value) => wholeNumber(value)?.toString(8) ?? refused('octal clause can only be used on integers'),
};

const superscripts: Readonly<Record<string, string>> = {
  '-': '⁻',
  ...Object.fromEntries(Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹').map((sign, digit) => [String(digit), sign])),
};

const defaultPlaces = 6;
const mostPlaces = 100;

const clausePattern = /%(?:%|(?:\.(\d+))?(.?))/g;

/** The letters of a text's clauses, in order. @throws EvaluationError for an invalid one */
export function clausesOf(text: string): string[] {
  return [...text.matchAll(clausePattern)].flatMap(([whole, , letter = '']) => {
    if (whole === '%%') return [];
    if (letter in clauses) return [letter];
    const why = letter === '' ? 'unexpected end of string' : `unrecognized formatting clause "${letter}"`;
    throw new EvaluationError(`could not parse formatting clause: ${why}`);
  });
}

/** @throws EvaluationError for a clause that does not fit its argument */
export function formatted(text: string, args: List): string {
  clausesOf(text);
  let next = 0;
  return text.replaceAll(clausePattern, (whole, places: string | undefined, letter = '') => {
    if (whole === '%%') return '%';
    const value = args[next];
    if (value === undefined) throw new EvaluationError(`index ${next} out of range`);
    next += 1;
    if (Number(places) > mostPlaces) throw new EvaluationError(`error during formatting: more than ${mostPlaces} decimal places`);
    return clauses[letter]?.(value, places === undefined ? defaultPlaces : Number(places)) ?? '';
  });
}
