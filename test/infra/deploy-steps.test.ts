// Steps of a story (test/deploy/steps.ts): in whatever order they are asked for, each runs once, and behind those that it needs.
import { expect, test } from '@jest/globals';
import { stepAfter, type Step } from '../deploy/steps.ts';

function story({ failing }: { failing?: string } = {}) {
  const ran: string[] = [];
  const named = (name: string, needs: readonly Step[]): Step =>
    stepAfter(needs, async () => {
      ran.push(name);
      if (name === failing) throw new Error(`${name} is broken`);
    });
  const made = named('made', []);
  const [used, seen] = [named('used', [made]), named('seen', [made])];
  return { ran, made, used, seen, gone: named('gone', [used, seen]) };
}

test('the last one alone brings about all that it needs', async () => {
  const { gone, ran } = story();
  await gone();
  expect(ran).toEqual(['made', 'used', 'seen', 'gone']);
});

test('in any order each runs once', async () => {
  const { made, used, seen, gone, ran } = story();
  for (const step of [seen, gone, made, used]) await step();
  expect(ran).toEqual(['made', 'seen', 'used', 'gone']);
});

test('one that fails is tried once, fails those that need it with its own words, and no others', async () => {
  const { used, seen, gone, ran } = story({ failing: 'used' });
  await expect(used()).rejects.toThrow('used is broken');
  await seen();
  await expect(gone()).rejects.toThrow('not tried, for a step that it needs has failed: used is broken');
  expect(ran).toEqual(['made', 'used', 'seen']);
});

test('of a chain the step that failed is named, not those between', async () => {
  const { gone } = story({ failing: 'made' });
  await expect(gone()).rejects.toThrow(/^not tried, for a step that it needs has failed: made is broken$/);
});
