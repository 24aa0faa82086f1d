// The simulator itself, and a slice of its storms. The whole of it runs as npm run simulate and npm run enumerate.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FAULT_NAMES, parsePlan, planText } from './faults.ts';
import { INVARIANT_NAMES } from './invariants/table.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Run } from './simulation.ts';
import { replayOf, simulate, stormOf, tell, withAccess } from './storms.ts';
import { inParallelProcesses } from './workers.ts';

const SEEDS = 2_000;

interface Share {
  seeds: number;
  steps: number;
  struck: number;
  failed: { seed: number; invariant: string; says: string }[];
}

describe('the simulator', () => {
  test('has stories, faults and invariants enough', () => {
    expect(SCENARIOS.length).toBeGreaterThanOrEqual(12);
    expect(INVARIANT_NAMES.length).toBeGreaterThanOrEqual(25);
    expect(new Set(INVARIANT_NAMES).size).toBe(INVARIANT_NAMES.length);
    expect(FAULT_NAMES.length).toBeGreaterThanOrEqual(40);
  });

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    'without faults the story %s ends in its time',
    async (_, scenario) => {
      const result = await simulate({ scenario, seed: 1, plan: [], jitter: false, limitMs: scenario.withinMs });
      expect(result.violations).toEqual([]);
    },
  );

  test('a seed gives the same run each time, and its faults as a plan give it again', async () => {
    const run = { ...stormOf(104), traced: true };
    const [one, other] = [await simulate(run), await simulate(run)];
    expect(other.timeline).toEqual(one.timeline);
    expect(one.struck.length).toBeGreaterThan(0);
    const again = await simulate(replayOf(run, parsePlan(planText(one.struck))));
    expect(again.timeline).toEqual(one.timeline);
  });

  test('a queue whose clock is set back again and again is waited for before anything counts as left over', async () => {
    const storm = { faults: ['clockJumpsBack'] as const, most: 5, chance: 0.05 };
    const scenario = SCENARIOS.find(({ name }) => name === 'small-budget');
    if (!scenario) throw new Error('that story is told no more');
    const result = await simulate({ scenario, seed: 50_426, plan: [], storm, jitter: true, limitMs: 3_600_000 });
    expect(result.struck.length).toBeGreaterThan(2);
    expect(result.violations).toEqual([]);
  });

  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    'without faults the story %s ends in its time through relays, too',
    async (_, scenario) => {
      const result = await simulate({ scenario, seed: 1, plan: [], jitter: false, limitMs: scenario.withinMs, access: 'relayed' });
      expect(result.violations).toEqual([]);
    },
  );

  test('with relayed access a seed gives the same run each time', async () => {
    const run: Run = { ...withAccess(stormOf(104), 'relayed'), traced: true };
    const [one, other] = [await simulate(run), await simulate(run)];
    expect(other.timeline).toEqual(one.timeline);
    expect(one.timeline.some((line) => line.includes('send relay-west commands:'))).toBe(true);
    const again = await simulate(replayOf(run, parsePlan(planText(one.struck))));
    expect(again.timeline).toEqual(one.timeline);
  });

  test('a story is told for people', async () => {
    const run = replayOf(stormOf(104), parsePlan('isReset@40'));
    const text = await tell({ run, result: await simulate(run) });
    expect(text).toContain('SEED=104');
    expect(text).toContain('PLAN=isReset@40');
  });

  test('a plan that cannot be read is refused by name', () => {
    expect(() => parsePlan('isRest@40')).toThrow('"isRest@40" is no fault of a plan');
  });
});

describe('storms', () => {
  test(`${SEEDS} seeds violate nothing`, async () => {
    const cores = Math.min(2, availableParallelism());
    const size = SEEDS / cores;
    const parts = Array.from({ length: cores }, (_, core) => ({ from: 1 + core * size, seeds: size }));
    const shares = await inParallelProcesses<Share>(join(import.meta.dirname, 'run.ts'), parts);
    expect(shares.flatMap(({ failed }) => failed)).toEqual([]);
    expect(shares.reduce((sum, { seeds }) => sum + seeds, 0)).toBe(SEEDS);
    expect(shares.reduce((sum, { struck }) => sum + struck, 0)).toBeGreaterThan(SEEDS);
  }, 240_000);
});
