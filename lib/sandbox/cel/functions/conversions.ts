// From one type to another, sizes, and the optional values.
import { Optional } from '@marcbachmann/cel-js';
import { isEqual } from '../values/equality.ts';
import { Duration, EvaluationError, Timestamp, int64, isList, isMap, textOfBytes } from '../values/values.ts';
import type { List, Opaque, Uint, Value } from '../values/values.ts';
import { doubleText } from './format.ts';
import type { Line } from './line.ts';
import { durationOf, durationText, timestampOf, timestampText } from './time.ts';

function intOfDouble(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function intOfText(text: string): bigint {
  const [, sign = '', digits] = /^([+-]?)0*(\d{1,19})$/.exec(text) ?? [];
  const value = BigInt(`${sign === '-' ? '-' : ''}${digits ?? '0'}`);
  if (digits === undefined || value !== BigInt.asIntN(64, value)) throw new EvaluationError(`type conversion error from 'string' to 'int'`);
  return value;
}

function boolOfText(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw new EvaluationError(`type conversion error from 'string' to 'bool'`);
}

const truncated = (value: bigint, unit: bigint): bigint => (value - (((value % unit) + unit) % unit)) / unit;

const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  (value instanceof Optional && !value.hasValue()) ||
  (isMap(value) && value.size === 0) ||
  ((isList(value) || value instanceof Uint8Array) && value.length === 0) ||
  (value instanceof Duration && value.nanos === 0n) ||
  isEqual(value, 0n);

const unwrapped = (list: List): List =>
  list.flatMap((item) => (item instanceof Optional && item.hasValue() ? [item.value() as Value] : []));

export const conversions: readonly Line[] = [
  ['int(int): int', (value: bigint) => value],
  ['int(uint): int', (value: Uint) => int64(value.value)],
  ['int(double): int', intOfDouble],
  ['int(string): int', intOfText],
  ['int(Timestamp): int', ({ nanos }: Timestamp) => truncated(nanos, 1_000_000_000n)],
  ['int(Duration): int', ({ nanos }: Duration) => nanos],

  ['bool(bool): bool', (value: boolean) => value],
  ['bool(string): bool', boolOfText],

  ['string(string): string', (value: string) => value],
  ['string(bool): string', String],
  ['string(int): string', String],
  ['string(uint): string', (value: Uint) => String(value.value)],
  ['string(double): string', doubleText],
  ['string(bytes): string', textOfBytes],
  ['string(Timestamp): string', timestampText],
  ['string(Duration): string', durationText],
  ...['net.IP', 'net.CIDR'].map((type): Line => [`string(${type}): string`, ({ identity }: Opaque) => identity]),

  ['timestamp(Timestamp): Timestamp', (value: Timestamp) => value],
  ['timestamp(string): Timestamp', timestampOf],
  ['timestamp(int): Timestamp', (seconds: bigint) => new Timestamp(seconds * 1_000_000_000n)],
  ['duration(Duration): Duration', (value: Duration) => value],
  ['duration(string): Duration', durationOf],

  ['optional.ofNonZeroValue(V): optional<V>', (value: Value) => (isZero(value) ? Optional.none() : Optional.of(value))],
  ['optional.unwrap(list<optional<V>>): list<V>', unwrapped],
  ['list<optional<V>>.unwrapOpt(): list<V>', unwrapped],
  ['list<V>.first(): optional<V>', (list: List) => Optional.of(list[0])],
  ['list<V>.last(): optional<V>', (list: List) => Optional.of(list.at(-1))],
];
