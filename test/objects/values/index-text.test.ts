// Completed and failed indexes as texts: read, written, checked.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkIndexes,
  countCommonIndexes,
  countIndexes,
  firstCommonIndex,
  formatIndexes,
  hasIndex,
  indexSetOf,
  integerOf,
  lowestMissingIndexes,
  parseIndexes,
  unionOfIndexes,
  withIndexes,
} from '../../../lib/objects/values/index-text.ts';

const expand = (text: string, completions: number): number[] =>
  Array.from({ length: completions }, (_, index) => index).filter((index) => hasIndex(parseIndexes(text, completions), index));

test('R13: a megabyte of zeros is read as fast as any other text', () => {
  const zeros = '0'.repeat(1_000_000);
  expect([zeros, `${zeros}7`, `-${zeros}7`, `${zeros}x`, `${zeros} `, '-', '+', ''].map(integerOf)).toEqual([
    0,
    7,
    -7,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(checkIndexes(`1,${zeros}x`, 5)).toHaveProperty('problem');
});

describe('reading a status', () => {
  const cases: [text: string, completions: number, indexes: number[]][] = [
    ['', 5, []],
    ['0-2,4', 5, [0, 1, 2, 4]],
    ['0-2,4,8-12', 10, [0, 1, 2, 4, 8, 9]],
    ['3', 2, []],
    ['1,2,a,4', 10, [1, 2, 4]],
    ['1,-3,4', 10, [1, 4]],
    ['+1,007', 10, [1, 7]],
    ['1.0,0x1, 2,3', 10, [3]],
    ['5-3,1', 10, [1]],
    ['2,9,3', 5, [2]],
    ['4,1-2', 10, [1, 2, 4]],
    ['9223372036854775808,1', 10, [1]],
  ];
  for (const [text, completions, indexes] of cases) {
    test(`${JSON.stringify(text)} of ${completions}`, () => expect(expand(text, completions)).toEqual(indexes));
  }

  test('adjoining intervals become one', () => {
    expect(parseIndexes('0-1,2-3', 4)).toEqual([{ first: 0, last: 3 }]);
    expect(formatIndexes(parseIndexes('0-1,2-3', 4))).toBe('0-3');
  });
});

describe('writing', () => {
  const cases: [indexes: number[], text: string][] = [
    [[], ''],
    [[1, 3, 4, 5, 7], '1,3-5,7'],
    [[1, 0], '0,1'],
    [[7, 7, 6, 5, 4, 9], '4-7,9'],
  ];
  for (const [indexes, text] of cases)
    test(`{${indexes.join()}} is ${JSON.stringify(text)}`, () => expect(formatIndexes(indexSetOf(indexes))).toBe(text));
});

const missing = (text: string, count: number, completions: number): number[] =>
  lowestMissingIndexes([parseIndexes(text, completions)], { count, completions });

test('choosing the lowest missing indexes', () => {
  expect(missing('', 3, 5)).toEqual([0, 1, 2]);
  expect(missing('0,1', 3, 5)).toEqual([2, 3, 4]);
  expect(missing('', 5, 3)).toEqual([0, 1, 2]);
  expect(missing('0-2,3,5,6,8-10', 6, 20)).toEqual([4, 7, 11, 12, 13, 14]);
  expect(missing('0,2', 4, 4)).toEqual([1, 3]);
  expect(missing('0-4', 4, 5)).toEqual([]);
});

describe('the strict reading, in the words of the API server', () => {
  const cases: [text: string, problem: string][] = [
    ['0-2-3', `the fragment "0-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`],
    ['a', 'cannot convert string to integer for index: "a"'],
    ['0-b', 'cannot convert string to integer for index: "b"'],
    ['7', 'too large index: "7"'],
    ['3-7', 'too large index: "7"'],
    ['3-3', 'non-increasing order, previous: 3, current: 3'],
    ['3,2', 'non-increasing order, previous: 3, current: 2'],
    ['0-2,2', 'non-increasing order, previous: 2, current: 2'],
  ];
  for (const [text, problem] of cases) test(`refuses ${text}`, () => expect(checkIndexes(text, 5)).toEqual({ problem }));

  test('counts what is right', () => {
    expect(checkIndexes('', 5)).toEqual({ count: 0 });
    expect(checkIndexes('0-2,4', 5)).toEqual({ count: 4 });
  });

  test('names the first index that two texts share', () => {
    expect(firstCommonIndex('0-2,5', '3,4', 10)).toBeUndefined();
    expect(firstCommonIndex('0-2,5', 'x,5-7', 10)).toBe(5);
    expect(firstCommonIndex('', '', 10)).toBeUndefined();
  });
});

describe('for any two sets', () => {
  const indexes = fc.array(fc.nat(60), { maxLength: 40 });

  test('union, count, common count, membership and text agree with plain sets', () => {
    fc.assert(
      fc.property(indexes, indexes, (a, b) => {
        const [setA, setB] = [indexSetOf(a), indexSetOf(b)];
        const union = new Set([...a, ...b]);
        expect(countIndexes(unionOfIndexes(setA, setB))).toBe(union.size);
        expect(countCommonIndexes(setA, setB)).toBe(new Set(a.filter((index) => b.includes(index))).size);
        expect(formatIndexes(withIndexes(setA, b))).toBe(formatIndexes(indexSetOf([...union])));
        for (let index = 0; index <= 60; index += 1) expect(hasIndex(setA, index)).toBe(a.includes(index));
        expect(parseIndexes(formatIndexes(setA), 61)).toEqual(setA);
        expect(checkIndexes(formatIndexes(setA), 61)).toEqual({ count: new Set(a).size });
      }),
    );
  });
});

test('a hundred thousand indexes take milliseconds, and a billion no more than three', () => {
  const every2nd = Array.from({ length: 50_000 }, (_, at) => at * 2);
  const before = process.cpuUsage();
  const text = formatIndexes(indexSetOf(every2nd));
  const set = parseIndexes(text, 100_000);
  expect(countIndexes(set)).toBe(50_000);
  expect(countIndexes(withIndexes(set, [1, 3, 5]))).toBe(50_003);
  expect(lowestMissingIndexes([set], { count: 3, completions: 100_000 })).toEqual([1, 3, 5]);
  expect(countCommonIndexes(set, parseIndexes('0-999999999', 1_000_000_000))).toBe(50_000);
  expect(countIndexes(parseIndexes('0-999999999', 1_000_000_000))).toBe(1_000_000_000);
  // Of a processor's time: a busy machine takes longer by the clock.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
