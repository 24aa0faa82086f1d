// Sets of completion indexes and their text (`1,3-5,7`): sorted intervals that are never expanded, for a Job may have a
// hundred thousand indexes and more. Reading is tolerant, as a controller reads a status; `checkIndexes` is strict, as the
// API server checks what is written.
import { LARGEST_INT64 } from './integers.ts';

/** The indexes from `first` to `last`, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** Ascending intervals with at least one index missing between any two. */
export type IndexSet = readonly IndexInterval[];

export const noIndexes: IndexSet = [];

const LONGEST_PLAIN = 15;
/** Digits of the largest int64. */
const LONGEST_INT64 = 19;

/** A decimal integer as Go's `strconv.Atoi` takes it: a sign and leading zeros are fine, blanks and fractions are not. */
export function integerOf(text: string): number | undefined {
  const plain = plainIntegerOf(text);
  if (plain !== undefined) return plain;
  const begin = text.startsWith('-') || text.startsWith('+') ? 1 : 0;
  if (begin === text.length) return undefined;
  // Not `0*([0-9]*)`, which backtracks over every zero: 50 KB of them in an annotation would stop the process for seconds.
  let leading = begin;
  while (text[leading] === '0') leading += 1;
  if (text.length - leading > LONGEST_INT64) return undefined;
  const digits = text.slice(leading);
  if (!/^[0-9]*$/.test(digits)) return undefined;
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value > LARGEST_INT64 || value < -LARGEST_INT64 - 1n ? undefined : Number(value);
}

/** Nearly all are digits that a number holds exactly: these need no large integers. */
function plainIntegerOf(text: string): number | undefined {
  if (text === '' || text.length > LONGEST_PLAIN) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * The set that a text of a status means. Items that do not parse are skipped; the first one that starts at `completions` or
 * above ends the reading; the end of a range is cut to `completions - 1`. An empty text is the empty set.
 */
export function parseIndexes(text: string, completions: number): IndexSet {
  if (text === '') return noIndexes;
  const intervals: IndexInterval[] = [];
  for (const item of text.split(',')) {
    const [from = '', to] = item.split('-');
    const first = integerOf(from);
    if (first === undefined || first < 0) continue;
    if (first >= completions) break;
    const last = to === undefined ? first : integerOf(to);
    if (last === undefined || last < first) continue;
    intervals.push({ first, last: Math.min(last, completions - 1) });
  }
  return normalized(intervals);
}

/** The set as text: ascending; three or more consecutive indexes as `a-b`, exactly two as `a,b`. */
export function formatIndexes(set: IndexSet): string {
  return set.map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`)).join(',');
}

/** How many indexes the set holds. */
export function countIndexes(set: IndexSet): number {
  return set.reduce((count, { first, last }) => count + last - first + 1, 0);
}

/** Whether the set holds this index; logarithmic in the number of intervals. */
export function hasIndex(set: IndexSet, index: number): boolean {
  let [low, high] = [0, set.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const interval = set[middle];
    if (interval === undefined) return false;
    if (index < interval.first) high = middle - 1;
    else if (index > interval.last) low = middle + 1;
    else return true;
  }
  return false;
}

/** The set of some single indexes, in any order, repeated or not. */
export function indexSetOf(indexes: readonly number[]): IndexSet {
  return normalized(indexes.map((index) => ({ first: index, last: index })));
}

/** The indexes in either set; linear in the number of intervals. */
export function unionOfIndexes(a: IndexSet, b: IndexSet): IndexSet {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged: IndexInterval[] = [];
  let [inA, inB] = [0, 0];
  for (;;) {
    const [nextA, nextB] = [a[inA], b[inB]];
    if (nextA === undefined && nextB === undefined) return merged;
    if (nextB === undefined || (nextA !== undefined && nextA.first <= nextB.first)) {
      if (nextA !== undefined) appendInterval(merged, nextA);
      inA += 1;
    } else {
      appendInterval(merged, nextB);
      inB += 1;
    }
  }
}

/** The set with some single indexes added, in any order. */
export const withIndexes = (set: IndexSet, indexes: readonly number[]): IndexSet => unionOfIndexes(set, indexSetOf(indexes));

/** How many indexes are in both sets. */
export function countCommonIndexes(a: IndexSet, b: IndexSet): number {
  let [inA, inB, count] = [0, 0, 0];
  for (;;) {
    const [nextA, nextB] = [a[inA], b[inB]];
    if (nextA === undefined || nextB === undefined) return count;
    count += Math.max(0, Math.min(nextA.last, nextB.last) - Math.max(nextA.first, nextB.first) + 1);
    if (nextA.last < nextB.last) inA += 1;
    else inB += 1;
  }
}

/** The lowest indexes below `completions` that none of the sets holds, `count` at most, ascending. */
export function lowestMissingIndexes(sets: readonly IndexSet[], { count, completions }: { count: number; completions: number }): number[] {
  const missing: number[] = [];
  const read = sets.map(() => 0);
  for (let candidate = 0; candidate < completions && missing.length < count;) {
    let next = candidate;
    for (let which = 0; which < sets.length; which += 1) {
      const set = sets[which] ?? noIndexes;
      let at = read[which] ?? 0;
      while (at < set.length && (set[at]?.last ?? next) < next) at += 1;
      read[which] = at;
      const interval = set[at];
      if (interval !== undefined && interval.first <= next) next = interval.last + 1;
    }
    if (next === candidate) {
      missing.push(candidate);
      next += 1;
    }
    candidate = next;
  }
  return missing;
}

/**
 * The strict reading: how many indexes a text names, or in the API server's words what is wrong with it. Repeated or
 * descending indexes, and those at `completions` or above, are wrong.
 */
export function checkIndexes(text: string, completions: number): { count: number } | { problem: string } {
  if (text === '') return { count: 0 };
  let [count, previous] = [0, Number.NEGATIVE_INFINITY];
  for (const item of text.split(',')) {
    const interval = strictInterval(item, completions);
    if ('problem' in interval) return interval;
    if (previous >= interval.first) return { problem: `non-increasing order, previous: ${previous}, current: ${interval.first}` };
    count += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return { count };
}

/** The first index that two texts of a status share, without items that do not parse; undefined if they share no index. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const [intervalsA, intervalsB] = [strictIntervals(a, completions), strictIntervals(b, completions)];
  let [inA, inB] = [0, 0];
  for (;;) {
    const [nextA, nextB] = [intervalsA[inA], intervalsB[inB]];
    if (nextA === undefined || nextB === undefined) return undefined;
    if (nextA.first <= nextB.last && nextB.first <= nextA.last) return Math.max(nextA.first, nextB.first);
    if (nextA.first <= nextB.first) inA += 1;
    else inB += 1;
  }
}

function strictIntervals(text: string, completions: number): IndexInterval[] {
  const intervals = text.split(',').map((item) => strictInterval(item, completions));
  return intervals.filter((interval) => 'first' in interval);
}

function strictInterval(item: string, completions: number): IndexInterval | { problem: string } {
  const limits = item.split('-');
  if (limits.length > 2) {
    return {
      problem: `the fragment ${JSON.stringify(item)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const value = integerOf(limit);
    if (value === undefined) return { problem: `cannot convert string to integer for index: ${JSON.stringify(limit)}` };
    if (value >= completions) return { problem: `too large index: ${JSON.stringify(limit)}` };
    numbers.push(value);
  }
  const [first = 0, last = first] = numbers;
  if (limits.length === 2 && first >= last) return { problem: `non-increasing order, previous: ${first}, current: ${last}` };
  return { first, last };
}

function normalized(intervals: IndexInterval[]): IndexSet {
  const merged: IndexInterval[] = [];
  const isAscending = intervals.every(({ first }, at) => at === 0 || (intervals[at - 1]?.first ?? 0) <= first);
  for (const interval of isAscending ? intervals : intervals.toSorted((a, b) => a.first - b.first)) appendInterval(merged, interval);
  return merged;
}

/** Puts an interval behind the others, or into the last one where they touch. It starts at or after that one's start. */
function appendInterval(intervals: IndexInterval[], interval: IndexInterval): void {
  const end = intervals.at(-1);
  if (end === undefined || end.last + 1 < interval.first) intervals.push(interval);
  else if (end.last < interval.last) intervals[intervals.length - 1] = { first: end.first, last: interval.last };
}
