// From one type to another, sizes, and the optional values.
import { ownEntry } from '../../../objects/values/untyped-fields.ts';
import { isEqual } from '../equality.ts';
import {
  CelMap,
  Duration,
  EvaluationError,
  List,
  ListOfValues,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  sizeOf,
  typeName,
} from '../values.ts';
import type { Opaque, Value } from '../values.ts';
import type { Line } from './declare.ts';
import { doubleText } from './format.ts';
import { int64 } from './operators.ts';
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

function uintOfText(text: string): Uint {
  const [, digits] = /^0*(\d{1,20})$/.exec(text) ?? [];
  const value = BigInt(digits ?? '0');
  if (digits === undefined || value !== BigInt.asUintN(64, value))
    throw new EvaluationError(`type conversion error from 'string' to 'uint'`);
  return new Uint(value);
}

function doubleOfText(text: string): number {
  const named: Readonly<Record<string, number>> = {
    NaN,
    Inf: Infinity,
    '+Inf': Infinity,
    '-Inf': -Infinity,
    Infinity,
    '-Infinity': -Infinity,
  };
  const value = ownEntry(named, text);
  if (value !== undefined) return value;
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text))
    throw new EvaluationError(`type conversion error from 'string' to 'double'`);
  return Number(text);
}

function boolOfText(text: string): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw new EvaluationError(`type conversion error from 'string' to 'bool'`);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string', { cause });
  }
}

const truncated = (value: bigint, unit: bigint): bigint => (value - (((value % unit) + unit) % unit)) / unit;

const sizes: readonly Line[] = ['string', 'bytes', 'list(A)', 'map(A, B)'].flatMap((type): Line[] => {
  const word = type.replace(/\(.*/, '');
  const run = (value: Value): bigint => BigInt(sizeOf(value));
  return [
    [`size_${word}`, `size(${type}): int`, run],
    [`${word}_size`, `${type} -> size(): int`, run],
  ];
});

const isZero = (value: Value): boolean =>
  value === null ||
  value === false ||
  value === '' ||
  (value instanceof Optional && value.value === undefined) ||
  ((value instanceof List || value instanceof CelMap || value instanceof Uint8Array) && sizeOf(value) === 0) ||
  (value instanceof Duration && value.nanos === 0n) ||
  isEqual(value, 0n);

function valueOf({ value }: Optional): Value {
  if (value === undefined) throw new EvaluationError('optional.none() dereference');
  return value;
}

const unwrapped = (list: List): List =>
  new ListOfValues(list.items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])));

export const conversions: readonly Line[] = [
  ...sizes,
  ['type', 'type(A): type(A)', (value: Value) => new TypeValue(typeName(value))],
  ['to_dyn', 'dyn(A): dyn', (value: Value) => value],

  ['int64_to_int64', 'int(int): int', (value: bigint) => value],
  ['uint64_to_int64', 'int(uint): int', (value: Uint) => int64(value.value)],
  ['double_to_int64', 'int(double): int', intOfDouble],
  ['string_to_int64', 'int(string): int', intOfText],
  ['timestamp_to_int64', 'int(timestamp): int', ({ nanos }: Timestamp) => truncated(nanos, 1_000_000_000n)],
  ['duration_to_int64', 'int(duration): int', ({ nanos }: Duration) => nanos],

  ['uint64_to_uint64', 'uint(uint): uint', (value: Uint) => value],
  ['int64_to_uint64', 'uint(int): uint', (value: bigint) => new Uint(value)],
  [
    'double_to_uint64',
    'uint(double): uint',
    (value: number) => {
      if (!(value >= 0 && value < 2 ** 64)) throw new EvaluationError('unsigned integer overflow');
      return new Uint(BigInt(Math.trunc(value)));
    },
  ],
  ['string_to_uint64', 'uint(string): uint', uintOfText],

  ['double_to_double', 'double(double): double', (value: number) => value],
  ['int64_to_double', 'double(int): double', Number],
  ['uint64_to_double', 'double(uint): double', (value: Uint) => Number(value.value)],
  ['string_to_double', 'double(string): double', doubleOfText],

  ['bool_to_bool', 'bool(bool): bool', (value: boolean) => value],
  ['string_to_bool', 'bool(string): bool', boolOfText],

  ['string_to_string', 'string(string): string', (value: string) => value],
  ['bool_to_string', 'string(bool): string', String],
  ['int64_to_string', 'string(int): string', String],
  ['uint64_to_string', 'string(uint): string', (value: Uint) => String(value.value)],
  ['double_to_string', 'string(double): string', doubleText],
  ['bytes_to_string', 'string(bytes): string', textOfBytes],
  ['timestamp_to_string', 'string(timestamp): string', timestampText],
  ['duration_to_string', 'string(duration): string', durationText],
  ...['net.IP', 'net.CIDR'].map((type): Line => [`${type}_to_string`, `string(${type}): string`, (value: Opaque) => value.text() ?? '']),

  ['bytes_to_bytes', 'bytes(bytes): bytes', (value: Uint8Array) => value],
  ['string_to_bytes', 'bytes(string): bytes', (value: string) => new Uint8Array(Buffer.from(value))],

  ['timestamp_to_timestamp', 'timestamp(timestamp): timestamp', (value: Timestamp) => value],
  ['string_to_timestamp', 'timestamp(string): timestamp', timestampOf],
  ['int64_to_timestamp', 'timestamp(int): timestamp', (seconds: bigint) => new Timestamp(seconds * 1_000_000_000n)],
  ['duration_to_duration', 'duration(duration): duration', (value: Duration) => value],
  ['string_to_duration', 'duration(string): duration', durationOf],

  ['optional_of', 'optional.of(V): optional(V)', (value: Value) => new Optional(value)],
  [
    'optional_ofNonZeroValue',
    'optional.ofNonZeroValue(V): optional(V)',
    (value: Value) => (isZero(value) ? new Optional() : new Optional(value)),
  ],
  ['optional_none', 'optional.none(): optional(V)', () => new Optional()],
  ['optional_value', 'optional(V) -> value(): V', valueOf],
  ['optional_hasValue', 'optional(V) -> hasValue(): bool', ({ value }: Optional) => value !== undefined],
  [
    'optional_or_optional',
    'optional(V) -> or(optional(V)): optional(V)',
    (left: Optional, right: Optional) => (left.value === undefined ? right : left),
  ],
  ['optional_orValue_value', 'optional(V) -> orValue(V): V', (left: Optional, right: Value) => left.value ?? right],
  ['optional_unwrap', 'optional.unwrap(list(optional(V))): list(V)', unwrapped],
  ['optional_unwrapOpt', 'list(optional(V)) -> unwrapOpt(): list(V)', unwrapped],
  ['list_first', 'list(V) -> first(): optional(V)', (list: List) => new Optional(list.items[0])],
  ['list_last', 'list(V) -> last(): optional(V)', (list: List) => new Optional(list.items.at(-1))],
];
