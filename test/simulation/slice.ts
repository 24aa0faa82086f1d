// A slice of the storms, in two halves: each of jest's two workers waits for one, so that no third process takes time from both.
import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { inParallelProcesses } from './workers.ts';

/** 2,000 in all. */
const SEEDS_OF_A_HALF = 1_000;

/** On a machine that has other work too. */
const HALF_MS = 240_000;

interface Share {
  seeds: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

/** @returns what became of its seeds, in a process of its own: jest's would be slower */
async function shareFrom(from: number): Promise<Share> {
  const [share] = await inParallelProcesses<Share>(join(import.meta.dirname, 'run.ts'), [{ from, seeds: SEEDS_OF_A_HALF }]);
  if (!share) throw new Error('nothing was told of the storms');
  return share;
}

/** The test of one half, in a file of its own. */
export function stormsContract(half: 'first' | 'second'): void {
  describe('storms', () => {
    test(
      `${SEEDS_OF_A_HALF} seeds violate nothing`,
      async () => {
        const { failed, seeds, struck } = await shareFrom(half === 'first' ? 1 : 1 + SEEDS_OF_A_HALF);
        expect(failed).toEqual([]);
        expect(seeds).toBe(SEEDS_OF_A_HALF);
        expect(struck).toBeGreaterThan(SEEDS_OF_A_HALF);
      },
      HALF_MS,
    );
  });
}
