// Functions of lists and sets.
import { compare, isEqual } from '../values/equality.ts';
import { Duration, EvaluationError, Uint, int64, isList } from '../values/values.ts';
import type { List, Value } from '../values/values.ts';
import { countSteps } from '../values/work.ts';
import type { Line } from './line.ts';

const comparable = ['int', 'uint', 'double', 'bool', 'Duration', 'Timestamp', 'string', 'bytes'] as const;

const isSorted = (items: List): boolean => items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0);

function extreme(name: string, items: List, sign: number): Value {
  const [first, ...rest] = items;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  let best = first;
  for (const item of rest) if (compare(item, best) * sign > 0) best = item;
  return best;
}

const sums: readonly Line[] = [
  ['list<int>.sum(): int', (items: List) => (items as bigint[]).reduce((sum, item) => int64(sum + item), 0n)],
  ['list<uint>.sum(): uint', (items: List) => (items as Uint[]).reduce((sum, item) => new Uint(sum.value + item.value), new Uint(0n))],
  ['list<double>.sum(): double', (items: List) => (items as number[]).reduce((sum, item) => sum + item, 0)],
  [
    'list<Duration>.sum(): Duration',
    (items: List) => (items as Duration[]).reduce((sum, item) => new Duration(sum.nanos + item.nanos), new Duration(0n)),
  ],
];

const isOneKind = (left: Value, right: Value): boolean =>
  typeof left === typeof right && (left === null || right === null || left.constructor === right.constructor);

/** @param keys as many as there are elements. @throws EvaluationError for keys of different types */
export function sortedBy(list: List, keys: List): List {
  const [first] = keys;
  if (first === undefined) return list;
  if (keys.some((key) => !isOneKind(key, first))) throw new EvaluationError('list elements must have the same type');
  const order = keys.map((key, index) => ({ key, index })).toSorted((left, right) => compare(left.key, right.key));
  return order.map(({ index }) => list[index] ?? null);
}

function slice(items: List, start: bigint, end: bigint): List {
  const refused = (why: string): EvaluationError => new EvaluationError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) throw refused('negative indexes not supported');
  if (start > end) throw refused('start index must be less than or equal to end index');
  if (end > items.length) throw refused(`list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}

function flattened(items: List, depth: bigint): Value[] {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  return items.flatMap((item) => {
    countSteps();
    return isList(item) && depth > 0n ? flattened(item, depth - 1n) : [item];
  });
}

function distinct(items: List): List {
  const seen: Value[] = [];
  for (const item of items) if (!seen.some((other) => isEqual(item, other))) seen.push(item);
  return seen;
}

const longestRange = 1_000_000n;

function range(count: bigint): List {
  if (count > longestRange) throw new EvaluationError(`lists.range of more than ${longestRange} elements`);
  return Array.from({ length: Number(count < 0n ? 0n : count) }, (_, index) => BigInt(index));
}

const has = (list: List, value: Value): boolean => list.some((item) => isEqual(item, value));
const hasAll = (list: List, part: List): boolean => part.every((item) => has(list, item));

export const lists: readonly Line[] = [
  ...comparable.flatMap((type): Line[] => [
    [`list<${type}>.isSorted(): bool`, isSorted],
    [`list<${type}>.max(): ${type}`, (list: List) => extreme('max', list, 1)],
    [`list<${type}>.min(): ${type}`, (list: List) => extreme('min', list, -1)],
    [`list<${type}>.sort(): list<${type}>`, (list: List) => sortedBy(list, list)],
  ]),
  ...sums,
  ['list<A>.indexOf(A): int', (items: List, value: Value) => BigInt(items.findIndex((item) => isEqual(item, value)))],
  ['list<A>.lastIndexOf(A): int', (items: List, value: Value) => BigInt(items.findLastIndex((item) => isEqual(item, value)))],
  ['list<T>.slice(int, int): list<T>', slice],
  ['list<list<T>>.flatten(): list<T>', (list: List) => flattened(list, 1n)],
  ['list<dyn>.flatten(int): list<dyn>', (list: List, depth: bigint) => flattened(list, depth)],
  ['lists.range(int): list<int>', range],
  ['list<T>.reverse(): list<T>', (items: List) => items.toReversed()],
  ['list<T>.distinct(): list<T>', distinct],
  ['sets.contains(list<T>, list<T>): bool', hasAll],
  ['sets.equivalent(list<T>, list<T>): bool', (left: List, right: List) => hasAll(left, right) && hasAll(right, left)],
  ['sets.intersects(list<T>, list<T>): bool', (left: List, right: List) => left.some((item) => has(right, item))],
];
