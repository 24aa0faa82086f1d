// Resource quantities (`1.5Gi`, `100m`, `1e3`), exact: whole numbers of billionths in a BigInt, never floating point.
import { LARGEST_INT64 } from './integers.ts';

type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** Billionths. Finer amounts are rounded away from zero, so that a small request does not become nothing. */
  readonly nanos: bigint;
  /** The format of the text that was read, which `formatQuantity` uses again. */
  readonly format: QuantityFormat;
}

/** An invalid quantity; the message is the API server's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const nanosPerOne = 10n ** 9n;
const nanosPerMilli = 10n ** 6n;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const largestExponent = 1000;
/** Far beyond any real amount. Limits the cost of a hostile text. */
const longestText = 1000;

/**
 * Reads a quantity as the API server does. A JSON number is read by its decimal text.
 * @throws QuantityError the quantity is invalid
 */
export const parseQuantity = (value: string | number): Quantity => readQuantity(String(value).trim());

/** Pods of a cluster ask for few different amounts, again and again. Both bounds keep hostile texts from filling the memory. */
const MOST_REMEMBERED = 1_000;
const LONGEST_REMEMBERED = 20;

/** The same function, which does not work out again what it lately did. */
function remembering<Value>(read: (text: string) => Value): (text: string) => Value {
  const lately = new Map<string, Value>();
  return (text) => {
    const known = lately.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (text.length > LONGEST_REMEMBERED) return value;
    if (lately.size >= MOST_REMEMBERED) lately.clear();
    lately.set(text, value);
    return value;
  };
}

const readQuantity = remembering((text): Quantity => {
  const { sign, whole, fraction, exponent, format, shift } = partsOf(text);
  const digits = BigInt(whole + fraction);
  // digits × 10^(exponent − fraction digits) × 2^shift, in billionths
  const scale = exponent - fraction.length + 9;
  let nanos = digits << BigInt(shift);
  if (scale >= 0) nanos *= 10n ** BigInt(scale);
  else nanos = dividedUp(nanos, 10n ** BigInt(-scale));
  if (format === 'BinarySI' && nanos > LARGEST_INT64 * nanosPerOne) nanos = LARGEST_INT64 * nanosPerOne;
  return { nanos: sign === '-' ? -nanos : nanos, format };
});

/** Whether a value can be read by `parseQuantity`. */
export function isQuantity(value: unknown): value is string | number {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  try {
    parseQuantity(value);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. @throws QuantityError one of them is invalid */
export function compareQuantities(a: string | number | Quantity, b: string | number | Quantity): number {
  const [left, right] = [nanosOf(a), nanosOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The sum, written in the first one's format. */
export const sumOfQuantities = (a: Quantity, b: Quantity): Quantity => ({ nanos: a.nanos + b.nanos, format: a.format });

/** Rounded away from zero to whole thousandths, as the API server does with resource lists. */
function roundedToMillis({ nanos, format }: Quantity): Quantity {
  const rounded = dividedUp(nanos < 0n ? -nanos : nanos, nanosPerMilli) * nanosPerMilli;
  return { nanos: nanos < 0n ? -rounded : rounded, format };
}

/** The canonical text: no fraction, the largest suffix that keeps the amount exact. Binary amounts below 1024 are decimal. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const isLarge = nanos >= 1024n * nanosPerOne || nanos <= -1024n * nanosPerOne;
  if (format === 'BinarySI' && isLarge && nanos % nanosPerOne === 0n) return binaryText(nanos / nanosPerOne);
  return decimalText(nanos, format);
}

/**
 * A quantity of a resource list as the API server returns it: canonical, unless it has a form that the server keeps (`1.500`, `1E3`).
 * @throws QuantityError the quantity is invalid
 */
export const admittedQuantity = (value: string | number): string => admittedText(String(value).trim());

const admittedText = remembering((text) => (isKept(text) ? text : formatQuantity(roundedToMillis(parseQuantity(text)))));

const nanosOf = (value: string | number | Quantity): bigint => (typeof value === 'object' ? value.nanos : parseQuantity(value).nanos);

const dividedUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

function partsOf(text: string): {
  sign: string;
  whole: string;
  fraction: string;
  suffix: string;
  exponent: number;
  shift: number;
  format: QuantityFormat;
} {
  const match =
    text === '' || text.length > longestText
      ? null
      : /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*)((?:[+-][0-9]*|(?<![0-9])[0-9]+)?)$/.exec(text);
  if (match === null)
    throw new QuantityError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  // The server's own reader accepts an amount without digits, and reads it as 0.
  const [, sign = '', whole = '', fraction = '', letters = '', digits = ''] = match;
  const number = { sign, whole, fraction, suffix: letters + digits };
  const decimal = decimalSuffixes.indexOf(letters);
  const binary = binarySuffixes.indexOf(letters);
  if (digits === '' && decimal >= 0) return { ...number, exponent: (decimal - 3) * 3, shift: 0, format: 'DecimalSI' };
  if (digits === '' && binary >= 0) return { ...number, exponent: 0, shift: binary * 10, format: 'BinarySI' };
  const exponent = Number(digits);
  if ((letters === 'e' || letters === 'E') && /[0-9]/.test(digits) && Math.abs(exponent) <= largestExponent) {
    return { ...number, exponent, shift: 0, format: 'DecimalExponent' };
  }
  throw new QuantityError("unable to parse quantity's suffix");
}

/** The API server keeps the text of an amount that needed no arithmetic: of few digits, in thousands, not ending in 000. */
function isKept(text: string): boolean {
  if (text === '0') return true;
  const { whole, fraction, exponent, shift, format } = partsOf(text);
  const significant = whole.replace(/^0+/, '') || '0';
  const shifted = significant + fraction;
  if (format === 'BinarySI') {
    const precision = 15 - significant.length - Math.trunc((shift * 3) / 10) - 1;
    return fraction === '' && precision >= 0 && (BigInt(shifted) & 7n) !== 0n;
  }
  const scale = exponent - fraction.length;
  return shifted.length <= 18 && scale >= -3 && scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
}

function binaryText(amount: bigint): string {
  let power = 0;
  let rest = amount;
  for (; rest % 1024n === 0n && power < binarySuffixes.length - 1; power += 1) rest /= 1024n;
  return `${rest}${binarySuffixes[power] ?? ''}`;
}

function decimalText(nanos: bigint, format: QuantityFormat): string {
  let exponent = -9;
  let rest = nanos;
  const largest = format === 'DecimalExponent' ? largestExponent : 18;
  for (; rest % 1000n === 0n && exponent < largest; exponent += 3) rest /= 1000n;
  if (format !== 'DecimalExponent') return `${rest}${decimalSuffixes[exponent / 3 + 3] ?? ''}`;
  return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
}
