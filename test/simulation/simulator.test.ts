// The simulator itself. Its storms run in storms-*.test.ts, the whole of them as npm run simulate and npm run enumerate.
import { describe, expect, test } from '@jest/globals';
import { singlesOf, survey } from './enumerate.ts';
import { FAULT_NAMES, parsePlan, planText } from './faults.ts';
import { INVARIANT_NAMES } from './invariants/table.ts';
import { scenarioOf, SCENARIOS } from './scenarios.ts';
import type { Run } from './simulation.ts';
import { replayOf, simulate, stormOf, tell, withAccess } from './storms.ts';

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
      // A wider bound than this sees no loop that takes its time.
      expect(scenario.withinMs / (result.endedAtMs ?? 0)).toBeLessThanOrEqual(1.5);
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
    const result = await simulate({ scenario, seed: 3, plan: [], storm, jitter: true, limitMs: 3_600_000 });
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

  test('R12: a function whose clock is two minutes ahead from a call on tells no Job a wrong end', async () => {
    const scenario = scenarioOf('expires');
    if (!scenario) throw new Error('that story is told no more');
    const plans = singlesOf(await survey(scenario)).filter(({ fault }) => fault === 'clockIsAhead');
    expect(plans.length).toBeGreaterThan(50);
    for (const planned of plans) {
      const result = await simulate({ scenario, seed: 1, plan: [planned], jitter: false, limitMs: 1_800_000 });
      expect({ planned, violations: result.violations }).toEqual({ planned, violations: [] });
    }
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
