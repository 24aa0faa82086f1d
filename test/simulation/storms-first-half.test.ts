// The first half of the storms that `npm test` runs.
import { describe, expect, test } from '@jest/globals';
import { HALF_MS, SEEDS_OF_A_HALF, stormHalf } from './slice.ts';

describe('storms', () => {
  test(
    `${SEEDS_OF_A_HALF} seeds violate nothing`,
    async () => {
      const { failed, seeds, struck } = await stormHalf('first');
      expect(failed).toEqual([]);
      expect(seeds).toBe(SEEDS_OF_A_HALF);
      expect(struck).toBeGreaterThan(SEEDS_OF_A_HALF);
    },
    HALF_MS,
  );
});
