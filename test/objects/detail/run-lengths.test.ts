// How long runs took: a median within a tenth, in a text that does not grow with the runs.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  countOfRuns,
  medianSecondsOf,
  NO_RUN_LENGTHS,
  readRunLengths,
  runLengthsText,
  withRuns,
} from '../../../lib/objects/detail/run-lengths.ts';

const lengths = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 300 });

test('the median is right within a tenth', () => {
  fc.assert(
    fc.property(lengths, (seconds) => {
      const sorted = seconds.toSorted((a, b) => a - b);
      const median = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
      const told = medianSecondsOf(withRuns(NO_RUN_LENGTHS, seconds)) ?? 0;
      expect(Math.abs(told / median - 1)).toBeLessThan(0.1);
    }),
  );
});

test('they are counted alike, one by one or at once, and come out of their text', () => {
  fc.assert(
    fc.property(lengths, fc.integer({ min: 0, max: 300 }), (seconds, at) => {
      const once = withRuns(NO_RUN_LENGTHS, seconds);
      const twice = withRuns(withRuns(NO_RUN_LENGTHS, seconds.slice(0, at)), seconds.slice(at));
      expect(runLengthsText(twice)).toBe(runLengthsText(once));
      expect(readRunLengths(runLengthsText(once))).toEqual(once);
      expect(countOfRuns(once)).toBe(seconds.length);
    }),
  );
});

test('a million runs of every length take 240 characters, and lose none', () => {
  const steps = Array.from({ length: 105 }, (_, at) => 2 ** (at / 4));
  let all = NO_RUN_LENGTHS;
  for (let each = 0; each < 100; each += 1) all = withRuns(all, steps);
  all = { ...all, counts: all.counts.map((count) => count * 100) };
  const text = runLengthsText(all);
  expect(text.length).toBeLessThanOrEqual(240);
  const read = readRunLengths(text);
  expect(read && countOfRuns(read)).toBe(countOfRuns(all));
  expect(Math.abs(((read && medianSecondsOf(read)) ?? 0) / 2 ** 13 - 1)).toBeLessThan(0.5);
});

test('without runs there is no median, and what is none of ours is not read', () => {
  expect(medianSecondsOf(NO_RUN_LENGTHS)).toBeUndefined();
  for (const text of ['', '4/0', '3/0:1', '4/0:1e9', '4/999:1', `4/0:${'9'.repeat(30)}`, 'x'.repeat(9_000)])
    expect(readRunLengths(text)).toBeUndefined();
});
