// The first storms of `npm run simulate`, so that a break shows before the thousands of .ci/run.
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { inParallelProcesses } from './workers.ts';

const SEEDS = 8;

interface Share {
  seeds: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

test(`${SEEDS} seeds violate nothing`, async () => {
  // In a process of its own: jest's would be slower. One, for jest's other workers have the other core.
  const [share] = await inParallelProcesses<Share>(join(import.meta.dirname, 'run.ts'), [{ from: 1, seeds: SEEDS }]);
  expect(share?.failed).toEqual([]);
  expect(share?.seeds).toBe(SEEDS);
  expect(share?.struck).toBeGreaterThan(SEEDS);
}, 240_000);
