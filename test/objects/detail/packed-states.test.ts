// States of indexes as short texts: what is packed comes out again, and a hundred thousand take 12 KB at most.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  codeOfLetter,
  countStates,
  INDEX_LETTERS,
  packBlocks,
  packStates,
  packWithin,
  unpackBlocks,
  unpackStates,
} from '../../../lib/objects/detail/packed-states.ts';

const code = fc.integer({ min: 0, max: INDEX_LETTERS.length - 1 });
const codes = fc
  .array(fc.record({ code, length: fc.integer({ min: 1, max: 90 }) }), { maxLength: 60 })
  .map((runs) => Uint8Array.from(runs.flatMap((run) => Array.from({ length: run.length }, () => run.code))));

test('states come out as they went in', () => {
  fc.assert(fc.property(codes, (states) => expect(unpackStates(packStates(states), states.length)).toEqual(states)));
});

test('blocks hold the counts of their indexes', () => {
  fc.assert(
    fc.property(codes, fc.constantFrom(1, 10, 100), (states, size) => {
      const blocks = unpackBlocks(packBlocks(states, size));
      expect(blocks).toHaveLength(Math.ceil(states.length / size));
      for (const [at, counts] of (blocks ?? []).entries())
        expect(counts).toEqual(countStates(states, { from: at * size, to: (at + 1) * size }));
    }),
  );
});

test('runs of neighbours are told once', () => {
  const states = new Uint8Array(100_000).fill(codeOfLetter('S'));
  states[4_711] = codeOfLetter('R');
  expect(packStates(states)).toBe('S3mvRS21iw');
});

describe('a text that was not packed so is refused', () => {
  test.each([
    ['an unknown letter', 'X3'],
    ['too few', 'S2'],
    ['too many', 'S4'],
    ['a run of any length', 'Szzzzzzzz'],
    ['something in between', 'S1 R2'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(unpackStates(text, 3)).toBeUndefined();
  });

  test('as blocks', () => {
    expect(unpackBlocks('S2,,F')).toBeUndefined();
    expect(unpackBlocks('S2;F')).toBeUndefined();
  });
});

describe('a hundred thousand', () => {
  const shuffled = (letters: string): Uint8Array =>
    Uint8Array.from({ length: 100_000 }, (_, at) => codeOfLetter(letters.charAt((at * 2_654_435_761) % letters.length) as 'S'));

  test('in runs, as a Job works its way through them, are told index by index', () => {
    const states = new Uint8Array(100_000).fill(codeOfLetter('-'));
    states.fill(codeOfLetter('S'), 0, 81_204);
    for (let at = 0; at < 400; at += 1) states[81_000 + at * 3] = codeOfLetter('R');
    for (let at = 0; at < 11; at += 1) states[at * 7_001] = codeOfLetter('F');
    const packed = packWithin(states, 12_000);
    expect(packed.ranges?.length).toBeLessThan(2_000);
    expect(unpackStates(packed.ranges ?? '', 100_000)).toEqual(states);
  });

  test.each(['SF', 'SFRBW-', 'SFRBW-PT'])('mixed as %s are told in blocks', (letters) => {
    const { ranges, blocks } = packWithin(shuffled(letters), 12_000);
    expect(ranges).toBeUndefined();
    expect(blocks?.counts.length).toBeLessThanOrEqual(12_000);
    expect(unpackBlocks(blocks?.counts ?? '')).toHaveLength(100_000 / (blocks?.size ?? 0));
  });
});
