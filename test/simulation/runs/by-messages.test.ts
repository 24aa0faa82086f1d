// Runs that functions drive meet every single fault of store, provider, wakes and timers, one at each call, and storms of them from a seed.
import { describe, expect, test } from '@jest/globals';
import { seededBits } from '../../../lib/adapters/embedded/seeded-chance.ts';
import { FAULTS, type Fault } from './run-calls.ts';
import { STORIES } from './run-stories.ts';
import { tellSingles } from './run-singles.ts';
import { tell } from './run-story.ts';
import { strideOf } from '../../storm-share.ts';

const SEED = Number(process.env['SEED'] ?? 1);
/** Then the storm is over, and every run comes to its end. */
const CALM_AFTER_CALLS = 300;
const STORMS = Number(process.env['RUN_STORMS'] ?? 10);

/** Functions reach no cluster of a run. */
const BY_MESSAGES = STORIES.filter(({ cluster }) => !cluster);

describe.each(BY_MESSAGES.map((story) => [story.name, story] as const))('by messages: %s', (_, story) => {
  test('without faults it ends as told, and nothing runs while it waits', async () => {
    const { violations, invocations } = await tell(story, { by: 'messages' });
    expect(violations).toEqual([]);
    expect(invocations).toBeLessThan(12);
  });

  test('every single fault, at every call: it ends as told, soon, and each command runs once', async () => {
    expect((await tellSingles(story, 'messages', { from: 0, every: strideOf(11) })).wrong).toEqual([]);
  }, 120_000);

  test(`storms of faults, seed ${SEED}`, async () => {
    const wrong: string[] = [];
    for (let storm = 0; storm < STORMS; storm += 1) {
      const seed = SEED * 1_000 + storm;
      const bits = seededBits(seed);
      const chance = (): number => bits() / 2 ** 32;
      // A provider that fails again and again ends a pod rightly: failures of calls are as rare as single ones.
      let failures = 2;
      const faultAt = (at: number, call: string): Fault | undefined => {
        if (at > CALM_AFTER_CALLS || chance() > 0.1) return undefined;
        const fault = FAULTS[Math.floor(chance() * FAULTS.length)];
        if (call.startsWith('queue.')) return fault;
        const isFailure = fault === 'not done' || fault === 'throttled' || fault?.startsWith('unknown') === true;
        if (isFailure && failures-- <= 0) return 'killed after';
        return fault;
      };
      const { violations } = await tell(story, { seed, by: 'messages', faultAt });
      wrong.push(...violations.map((violation) => `SEED=${SEED} storm ${storm}: ${violation}`));
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
