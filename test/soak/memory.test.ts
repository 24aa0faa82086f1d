// The soak's judgement over memory: a leak is seen in a run of two minutes, and garbage that comes and goes is none.
import { describe, expect, test } from '@jest/globals';
import type { Sample } from './memory.ts';
import { memoryFaults } from './memory.ts';

/** The last third of two minutes. */
const SPARED_SECONDS = 40;

/** Looked at every half second from its start on. */
const life = (seconds: number, mebibytes: (second: number) => number): Sample[] =>
  Array.from({ length: seconds * 2 }, (_, at) => ({ ageMs: at * 500, mebibytes: mebibytes(at / 2) }));

const sawtooth = (second: number): number => 120 + (second % 7) * 4;

describe('memory of a life that is spared', () => {
  test('garbage that comes and goes is no growth', () => {
    expect(memoryFaults(life(20, sawtooth), life(SPARED_SECONDS, sawtooth))).toEqual([]);
  });

  test.each([3, 20])('a leak of %i MB a second is seen, though each life begins anew with none of it', (perSecond) => {
    const leaking = (second: number): number => sawtooth(second) + perSecond * second;
    expect(memoryFaults(life(20, leaking), life(SPARED_SECONDS, leaking))).toEqual([expect.stringContaining('grew while it lived')]);
  });

  test('a life that begins with what others left is seen', () => {
    expect(
      memoryFaults(
        life(20, sawtooth),
        life(SPARED_SECONDS, (second) => sawtooth(second) * 1.5),
      ),
    ).toEqual([expect.stringContaining('from its first life to its last')]);
  });

  test.each([
    ['nothing was measured', life(20, sawtooth), []],
    ['the first life was killed too soon', life(10, sawtooth), life(SPARED_SECONDS, sawtooth)],
    ['the last life was too short', life(20, sawtooth), life(30, sawtooth)],
  ])('%s: no verdict is no pass', (_, first, last) => {
    expect(memoryFaults(first, last)).toHaveLength(1);
  });
});
