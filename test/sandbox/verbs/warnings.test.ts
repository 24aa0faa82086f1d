// Warnings of the sandbox, the header that carries them, and lists so long that looking at them twice would be noticed.
import { expect, test } from '@jest/globals';
import { compare } from '../../../lib/sandbox/ownership/comparison.ts';
import { deployments, networkPolicies } from '../../../lib/sandbox/rows/kept.ts';
import { schemaOf } from '../../../lib/sandbox/schema/notation.ts';
import { Version } from '../../../lib/sandbox/storage/version.ts';
import { warningHeader, warningsOf } from '../../../lib/sandbox/verbs/warnings.ts';

const podOf = (spec: object): Parameters<typeof warningsOf>[1] => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } });

/** Each name twice, and how often somebody has looked at one. */
function namesTwice(count: number): { env: object[]; looks: () => number } {
  let looks = 0;
  const env = Array.from({ length: count }, (_, index) => ({
    get name(): string {
      looks++;
      return `N${index % (count / 2)}`;
    },
  }));
  return { env, looks: () => looks };
}

const LOOKS_AT_EACH = 10;

test('owners of names that are given twice are found without looking at all the others for each', () => {
  const { env, looks } = namesTwice(1_000);
  const { written } = compare(schemaOf('Pod'), undefined, podOf({ containers: [{ name: 'main', env }] }));
  expect(JSON.stringify(written).match(/"k:{\\"name\\":\\"N\d+\\"}":{}/g)).toHaveLength(500);
  expect(looks()).toBeLessThan(env.length * LOOKS_AT_EACH);
});

test('one with a control character is not told: a header cannot carry it', () => {
  expect(warningHeader(['a\u007f', 'b', 'c\nd'])).toEqual({ Warning: '299 - "b"' });
  expect(warningHeader(['\u0000'])).toEqual({});
});

test.each([
  [deployments, { template: { spec: { containers: [] } } }, 'runs no pods of it'],
  [networkPolicies, { podSelector: {} }, 'cuts nothing off'],
])('who writes $kind is told that nothing works on it, each time', (row, spec, why) => {
  const object = { metadata: { name: 'a', generation: 1 }, spec };
  const told = [expect.stringContaining(why)];
  expect(warningsOf(row, object)).toEqual(told);
  expect(warningsOf(row, object, new Version('a', 1, { object }))).toEqual(told);
});
