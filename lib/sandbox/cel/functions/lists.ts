// Functions of lists and sets.
import { compare, isEqual } from '../equality.ts';
import { Duration, EvaluationError, List, ListOfValues, Uint, typeName } from '../values.ts';
import type { Value } from '../values.ts';
import type { Line } from './declare.ts';
import { countWork } from '../work.ts';
import { int64 } from './operators.ts';

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

const isSorted = ({ items }: List): boolean => items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0);

function extreme(name: string, { items }: List, sign: number): Value {
  const [first, ...rest] = items;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  let best = first;
  for (const item of rest) if (compare(item, best) * sign > 0) best = item;
  return best;
}

const sums: readonly Line[] = [
  ['list_int_sum_int', 'list(int) -> sum(): int', ({ items }: List) => (items as bigint[]).reduce((sum, item) => int64(sum + item), 0n)],
  [
    'list_uint_sum_uint',
    'list(uint) -> sum(): uint',
    ({ items }: List) => (items as Uint[]).reduce((sum, item) => new Uint(sum.value + item.value), new Uint(0n)),
  ],
  [
    'list_double_sum_double',
    'list(double) -> sum(): double',
    ({ items }: List) => (items as number[]).reduce((sum, item) => sum + item, 0),
  ],
  [
    'list_duration_sum_duration',
    'list(duration) -> sum(): duration',
    ({ items }: List) => (items as Duration[]).reduce((sum, item) => new Duration(sum.nanos + item.nanos), new Duration(0n)),
  ],
];

/** @param keys as many as there are elements. @throws EvaluationError for keys of different types */
function sortedBy(list: List, keys: List): List {
  const [first] = keys.items;
  if (first === undefined) return list;
  if (keys.items.some((key) => typeName(key) !== typeName(first))) throw new EvaluationError('list elements must have the same type');
  const order = keys.items.map((key, index) => ({ key, index })).toSorted((left, right) => compare(left.key, right.key));
  return new ListOfValues(order.map(({ index }) => list.items[index] ?? null));
}

function slice({ items }: List, start: bigint, end: bigint): List {
  const refused = (why: string): EvaluationError => new EvaluationError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) throw refused('negative indexes not supported');
  if (start > end) throw refused('start index must be less than or equal to end index');
  if (end > items.length) throw refused(`list is length ${items.length}`);
  return new ListOfValues(items.slice(Number(start), Number(end)));
}

function flattened({ items }: List, depth: bigint): Value[] {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  return items.flatMap((item) => {
    countWork();
    return item instanceof List && depth > 0n ? flattened(item, depth - 1n) : [item];
  });
}

function distinct({ items }: List): List {
  const seen: Value[] = [];
  for (const item of items) if (!seen.some((other) => isEqual(item, other))) seen.push(item);
  return new ListOfValues(seen);
}

const longestRange = 1_000_000n;

function range(count: bigint): List {
  if (count > longestRange) throw new EvaluationError(`lists.range of more than ${longestRange} elements`);
  return new ListOfValues(Array.from({ length: Number(count < 0n ? 0n : count) }, (_, index) => BigInt(index)));
}

const has = (list: List, value: Value): boolean => list.items.some((item) => isEqual(item, value));
const hasAll = (list: List, part: List): boolean => part.items.every((item) => has(list, item));

export const lists: readonly Line[] = [
  ...comparable.flatMap((type): Line[] => [
    [`list_${type}_is_sorted_bool`, `list(${type}) -> isSorted(): bool`, isSorted],
    [`list_${type}_max_${type}`, `list(${type}) -> max(): ${type}`, (list: List) => extreme('max', list, 1)],
    [`list_${type}_min_${type}`, `list(${type}) -> min(): ${type}`, (list: List) => extreme('min', list, -1)],
    [`list_${type}_sort`, `list(${type}) -> sort(): list(${type})`, (list: List) => sortedBy(list, list)],
    [`list_${type}_sortByAssociatedKeys`, `list(T) -> @sortByAssociatedKeys(list(${type})): list(T)`, sortedBy],
  ]),
  ...sums,
  [
    'list_a_index_of_int',
    'list(A) -> indexOf(A): int',
    ({ items }: List, value: Value) => BigInt(items.findIndex((item) => isEqual(item, value))),
  ],
  [
    'list_a_last_index_of_int',
    'list(A) -> lastIndexOf(A): int',
    ({ items }: List, value: Value) => BigInt(items.findLastIndex((item) => isEqual(item, value))),
  ],
  ['list_slice', 'list(T) -> slice(int, int): list(T)', slice],
  ['list_flatten', 'list(list(T)) -> flatten(): list(T)', (list: List) => new ListOfValues(flattened(list, 1n))],
  ['list_flatten_int', 'list(dyn) -> flatten(int): list(dyn)', (list: List, depth: bigint) => new ListOfValues(flattened(list, depth))],
  ['lists_range', 'lists.range(int): list(int)', range],
  ['list_reverse', 'list(T) -> reverse(): list(T)', ({ items }: List) => new ListOfValues(items.toReversed())],
  ['list_distinct', 'list(T) -> distinct(): list(T)', distinct],
  ['list_sets_contains_list', 'sets.contains(list(T), list(T)): bool', hasAll],
  [
    'list_sets_equivalent_list',
    'sets.equivalent(list(T), list(T)): bool',
    (left: List, right: List) => hasAll(left, right) && hasAll(right, left),
  ],
  [
    'list_sets_intersects_list',
    'sets.intersects(list(T), list(T)): bool',
    (left: List, right: List) => left.items.some((item) => has(right, item)),
  ],
];
