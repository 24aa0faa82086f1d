// A slice of the storms, in two halves: each of jest's two workers waits for one, so that no third process takes time from both.
import { join } from 'node:path';
import { inParallelProcesses } from './workers.ts';

/** 2,000 in all. */
export const SEEDS_OF_A_HALF = 1_000;

/** On a machine that has other work too. */
export const HALF_MS = 240_000;

interface Share {
  seeds: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

/** @returns what became of its seeds, in a process of its own: jest's would be slower */
export async function stormHalf(half: 'first' | 'second'): Promise<Share> {
  const from = half === 'first' ? 1 : 1 + SEEDS_OF_A_HALF;
  const [share] = await inParallelProcesses<Share>(join(import.meta.dirname, 'run.ts'), [{ from, seeds: SEEDS_OF_A_HALF }]);
  if (!share) throw new Error('nothing was told of the storms');
  return share;
}
