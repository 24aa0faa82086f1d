// Arithmetic, comparison and access: what the signs of the language do.
import { compare, isEqual } from '../equality.ts';
import { Duration, EvaluationError, List, ListOfValues, MapOfValues, Optional, Timestamp, Uint, keyText } from '../values.ts';
import type { CelMap, Value } from '../values.ts';
import type { Line } from './declare.ts';

/** @throws EvaluationError for a number beyond 64 bits */
export function int64(value: bigint): bigint {
  if (value >= -(2n ** 63n) && value < 2n ** 63n) return value;
  throw new EvaluationError('integer overflow');
}

const uint64 = (value: bigint): Uint => new Uint(value);

function divided(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new EvaluationError('division by zero');
  return left / right;
}

function remainder(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new EvaluationError('modulus by zero');
  return left % right;
}

/** A set takes only what it lacks; a list with keys takes the other's elements in place of its own of the same key. */
export function concatenated(left: List, right: List): List {
  const { identity } = left;
  if (!identity) return new ListOfValues([...left.items, ...right.items]);
  const merged = new Map(left.items.map((item) => [identity.keyOf(item), item]));
  for (const item of right.items) if (identity.kind === 'map' || !merged.has(identity.keyOf(item))) merged.set(identity.keyOf(item), item);
  return new ListOfValues([...merged.values()], identity);
}

function indexOf(list: List, index: Value): number {
  const whole = index instanceof Uint ? index.value : index;
  if (typeof whole === 'bigint') return Number(whole);
  if (typeof whole === 'number' && Number.isInteger(whole)) return whole;
  throw new EvaluationError(`unsupported index value of type '${typeof whole}' in list`);
}

export function elementAt(list: List, index: Value): Value {
  const at = indexOf(list, index);
  const found = list.items[at];
  if (found === undefined) throw new EvaluationError(`index out of bounds: ${at}`);
  return found;
}

export function entryAt(map: CelMap, key: Value): Value {
  const found = map.get(key);
  if (found === undefined) throw new EvaluationError(`no such key: ${shownKey(key)}`);
  return found;
}

export const shownKey = (key: Value): string => keyText(key).slice(1);

const within = (container: Optional, read: (value: Value) => Value | undefined): Optional =>
  container.value === undefined ? container : new Optional(read(container.value));

const maybeElement = (list: List, index: Value): Value | undefined => list.items[indexOf(list, index)];

const ordered: readonly string[] = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const numbers: readonly string[] = ['int', 'uint', 'double'];

/** Of two values of one type, and of two numbers of different types. */
function comparison(name: string, word: string, holds: (order: number) => boolean): Line[] {
  const run = (left: Value, right: Value): boolean => !isNotANumber(left) && !isNotANumber(right) && holds(compare(left, right));
  const ids: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' };
  const idOf = (type: string): string => ids[type] ?? type;
  return [
    ...ordered.map((type): Line => [`${word}_${idOf(type)}`, `${name}(${type}, ${type}): bool`, run]),
    ...numbers.flatMap((left) =>
      numbers
        .filter((right) => right !== left)
        .map((right): Line => [`${word}_${idOf(left)}_${idOf(right)}`, `${name}(${left}, ${right}): bool`, run]),
    ),
  ];
}

const isNotANumber = (value: Value): boolean => typeof value === 'number' && Number.isNaN(value);

export const operators: readonly Line[] = [
  ['equals', '_==_(A, A): bool', isEqual],
  ['not_equals', '_!=_(A, A): bool', (left: Value, right: Value) => !isEqual(left, right)],
  ...comparison('_<_', 'less', (order) => order < 0),
  ...comparison('_<=_', 'less_equals', (order) => order <= 0),
  ...comparison('_>_', 'greater', (order) => order > 0),
  ...comparison('_>=_', 'greater_equals', (order) => order >= 0),

  // The evaluation takes these two and the choice into its own hands: they need not look at all their arguments.
  ['logical_and', '_&&_(bool, bool): bool', (left: boolean, right: boolean) => left && right],
  ['logical_or', '_||_(bool, bool): bool', (left: boolean, right: boolean) => left || right],
  ['conditional', '_?_:_(bool, A, A): A', (condition: boolean, yes: Value, no: Value) => (condition ? yes : no)],
  ['logical_not', '!_(bool): bool', (value: boolean) => !value],
  ['not_strictly_false', '@not_strictly_false(bool): bool', (value: boolean) => value],

  ['negate_int64', '-_(int): int', (value: bigint) => int64(-value)],
  ['negate_double', '-_(double): double', (value: number) => -value],

  ['add_int64', '_+_(int, int): int', (left: bigint, right: bigint) => int64(left + right)],
  ['add_uint64', '_+_(uint, uint): uint', (left: Uint, right: Uint) => uint64(left.value + right.value)],
  ['add_double', '_+_(double, double): double', (left: number, right: number) => left + right],
  ['add_string', '_+_(string, string): string', (left: string, right: string) => left + right],
  ['add_bytes', '_+_(bytes, bytes): bytes', (left: Uint8Array, right: Uint8Array) => new Uint8Array([...left, ...right])],
  ['add_list', '_+_(list(A), list(A)): list(A)', concatenated],
  [
    'add_timestamp_duration',
    '_+_(timestamp, duration): timestamp',
    (left: Timestamp, right: Duration) => new Timestamp(left.nanos + right.nanos, left.offsetMinutes),
  ],
  [
    'add_duration_timestamp',
    '_+_(duration, timestamp): timestamp',
    (left: Duration, right: Timestamp) => new Timestamp(left.nanos + right.nanos, right.offsetMinutes),
  ],
  [
    'add_duration_duration',
    '_+_(duration, duration): duration',
    (left: Duration, right: Duration) => new Duration(left.nanos + right.nanos),
  ],

  ['subtract_int64', '_-_(int, int): int', (left: bigint, right: bigint) => int64(left - right)],
  ['subtract_uint64', '_-_(uint, uint): uint', (left: Uint, right: Uint) => uint64(left.value - right.value)],
  ['subtract_double', '_-_(double, double): double', (left: number, right: number) => left - right],
  [
    'subtract_timestamp_timestamp',
    '_-_(timestamp, timestamp): duration',
    (left: Timestamp, right: Timestamp) => new Duration(left.nanos - right.nanos),
  ],
  [
    'subtract_timestamp_duration',
    '_-_(timestamp, duration): timestamp',
    (left: Timestamp, right: Duration) => new Timestamp(left.nanos - right.nanos, left.offsetMinutes),
  ],
  [
    'subtract_duration_duration',
    '_-_(duration, duration): duration',
    (left: Duration, right: Duration) => new Duration(left.nanos - right.nanos),
  ],

  ['multiply_int64', '_*_(int, int): int', (left: bigint, right: bigint) => int64(left * right)],
  ['multiply_uint64', '_*_(uint, uint): uint', (left: Uint, right: Uint) => uint64(left.value * right.value)],
  ['multiply_double', '_*_(double, double): double', (left: number, right: number) => left * right],
  ['divide_int64', '_/_(int, int): int', (left: bigint, right: bigint) => int64(divided(left, right))],
  ['divide_uint64', '_/_(uint, uint): uint', (left: Uint, right: Uint) => uint64(divided(left.value, right.value))],
  ['divide_double', '_/_(double, double): double', (left: number, right: number) => left / right],
  ['modulo_int64', '_%_(int, int): int', remainder],
  ['modulo_uint64', '_%_(uint, uint): uint', (left: Uint, right: Uint) => uint64(remainder(left.value, right.value))],

  ['in_list', '@in(A, list(A)): bool', (value: Value, list: List) => list.items.some((item) => isEqual(item, value))],
  ['in_map', '@in(A, map(A, B)): bool', (key: Value, map: CelMap) => map.get(key) !== undefined],

  ['index_list', '_[_](list(A), int): A', elementAt],
  ['index_map', '_[_](map(A, B), A): B', entryAt],
  [
    'optional_list_index_int',
    '_[_](optional(list(V)), int): optional(V)',
    (list: Optional, index: Value) => within(list, (value) => (value instanceof List ? maybeElement(value, index) : undefined)),
  ],
  [
    'optional_map_index_value',
    '_[_](optional(map(K, V)), K): optional(V)',
    (map: Optional, key: Value) => within(map, (value) => (value as CelMap).get(key)),
  ],
  ['list_optindex_optional_int', '_[?_](list(V), int): optional(V)', (list: List, index: Value) => new Optional(maybeElement(list, index))],
  [
    'optional_list_optindex_optional_int',
    '_[?_](optional(list(V)), int): optional(V)',
    (list: Optional, index: Value) => within(list, (value) => (value instanceof List ? maybeElement(value, index) : undefined)),
  ],
  ['map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)', (map: CelMap, key: Value) => new Optional(map.get(key))],
  [
    'optional_map_optindex_optional_value',
    '_[?_](optional(map(K, V)), K): optional(V)',
    (map: Optional, key: Value) => within(map, (value) => (value as CelMap).get(key)),
  ],

  [
    '@mapInsert_map_key_value',
    'cel.@mapInsert(map(K, V), K, V): map(K, V)',
    (map: CelMap, key: Value, value: Value) => inserted(map, [[key, value]]),
  ],
  [
    '@mapInsert_map_map',
    'cel.@mapInsert(map(K, V), map(K, V)): map(K, V)',
    (map: CelMap, other: CelMap) => inserted(map, entriesOf(other)),
  ],
];

const entriesOf = (map: CelMap): [Value, Value][] => map.keys().map((key) => [key, map.get(key) ?? null]);

function inserted(map: CelMap, entries: readonly [Value, Value][]): CelMap {
  const taken = entries.find(([key]) => map.get(key) !== undefined);
  if (taken) throw new EvaluationError(`insert failed: key ${shownKey(taken[0])} already exists`);
  return new MapOfValues([...entriesOf(map), ...entries]);
}
