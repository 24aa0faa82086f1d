// A hundred clusters, one dead and one flooding: the others see no more of it than twice the lag of a quiet run, on virtual time and with
// few slots, so that who takes more than its share takes it from somebody. `npm run bench fairness` shows it for minutes on real time.
import { describe, expect, test } from '@jest/globals';
import { DEAD, FLOODING, quantile } from './crowd.ts';
import { runVirtually } from './virtual-run.ts';

/** Of the flooding cluster's budget its flood takes five times as much as there is. */
const OPTIONS = { everyMs: 10_000, fromMs: 8_000, untilMs: 30_000, writesPerSecond: 1 };
/** An eighth of what is deployed by default. */
const SLOTS = { ingest: 2, reconcile: 6, timers: 1 };

describe('R14: a hundred clusters', () => {
  test('R14: one dead and one flooding: the lag p99 of the others stays within twice that of the quiet run', async () => {
    const quiet = await runVirtually({ ...OPTIONS, isStormy: false }, SLOTS);
    const stormy = await runVirtually({ ...OPTIONS, isStormy: true }, SLOTS);
    for (const { unfinished } of [quiet, stormy]) expect(unfinished).toBe(0);
    for (const part of ['creation', 'completion'] as const) {
      expect(stormy.lags[part].length).toBe(quiet.lags[part].length);
      expect(quantile(stormy.lags[part], 0.99)).toBeLessThanOrEqual(2 * quantile(quiet.lags[part], 0.99));
    }
    // It flooded indeed: with ten times the Jobs, and what its budget did not allow waited without asking all the time.
    expect(stormy.jobs).toBeGreaterThan(quiet.jobs + 10);
    expect(stormy.flooding.creation.length).toBeGreaterThan(10);
    expect(stormy.passesByCluster.get(FLOODING)).toBeLessThan(250);
    // The dead one is probed by one pass at a time.
    expect(stormy.passesByCluster.get(DEAD)).toBeLessThan(100);
  }, 300_000);
});
