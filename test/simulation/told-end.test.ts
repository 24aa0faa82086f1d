// How a workload ended stands in lists, wherever the pass that tells it dies: nothing comes after an end that would tell it again.
import { expect, test } from '@jest/globals';
import { singlesOf, survey } from './enumerate.ts';
import { scenarioOf } from './scenarios.ts';
import { simulate } from './storms.ts';

/** One Job a cluster: nobody asks for anything once both have ended. */
const STORY = 'two-clusters';

test('R1: of a Job that ended, a pass that is lost at one of its writes to the table leaves no list that says it runs', async () => {
  const scenario = scenarioOf(STORY);
  if (!scenario) throw new Error('the story is gone');
  const calm = await survey(scenario);
  const writes = new Set(
    calm.log.filter(({ call }) => call.method === 'putSummary' || call.method === 'updateHead').map(({ call }) => call.number),
  );
  const plans = singlesOf(calm).filter(({ call, fault }) => fault === 'diesTakenForDone' && writes.has(call));
  expect(plans.length).toBeGreaterThan(5);
  const violated: string[] = [];
  for (const planned of plans) {
    const { violations } = await simulate({ scenario, seed: 1, plan: [planned], jitter: false, limitMs: 1_800_000 });
    for (const { says } of violations) violated.push(`${planned.fault}@${planned.call}: ${says}`);
  }
  expect(violated).toEqual([]);
});
