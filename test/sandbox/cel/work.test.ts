// A rule by somebody who may write definitions or policies keeps the process for half a second at most.
import { expect, test } from '@jest/globals';
import { compiled } from '../../../lib/sandbox/cel/program.ts';
import { environment } from '../../../lib/sandbox/cel/environment.ts';
import type { Value } from '../../../lib/sandbox/cel/values/values.ts';

const OVER_BUDGET = 'operation cancelled: actual cost limit exceeded';
/** Half a second for the rule, and as much for a machine that is busy; without the bounds each takes from 5 s to for ever. */
const MOST_MS = 4_000;

const variables = environment.clone().registerVariable('s', 'string').registerVariable('t', 'string');

function outcomeOf(text: string, values: Readonly<Record<string, Value>> = {}): string {
  const began = performance.now();
  const program = compiled(text, variables);
  const outcome = 'problem' in program ? undefined : program.run(new Map(Object.entries(values)));
  expect(performance.now() - began).toBeLessThan(MOST_MS);
  if ('problem' in program) return program.problem;
  return outcome !== undefined && 'error' in outcome ? outcome.error.message : 'a value';
}

const nested = (levels: number, around: (inner: string, level: number) => string, inner: string): string =>
  Array.from({ length: levels }, (_, level) => level).reduce(around, inner);

const LONG = 'a'.repeat(1_000_000);

test.each([
  ['loops in loops', nested(40, (inner, level) => `[1].map(x${level}, ${inner})`, '1'), {}, 'a value'],
  [
    'a macro that repeats its target',
    nested(40, (inner, level) => `${inner}.optMap(x${level}, x${level})`, 'optional.of(1)'),
    {},
    'a value',
  ],
  ['a text that grows beyond all bounds', 's.replace("a", t)', { s: LONG, t: LONG }, OVER_BUDGET],
  ['a text between any two characters', 's.replace("", t)', { s: LONG, t: LONG }, OVER_BUDGET],
  ['comparisons of long lists', 's.split("").all(x, [s, s, s] == [t, t, t] || true)', { s: LONG, t: `${LONG.slice(1)}b` }, OVER_BUDGET],
  ['searches that find nothing', 't.split("").map(x, s.indexOf("b")).size() > 0', { s: LONG, t: 'ab'.repeat(50_000) }, OVER_BUDGET],
  ['steps that cost next to nothing', 's.split("").all(x, duration("1s") < duration("2s"))', { s: LONG }, OVER_BUDGET],
  ['a long text many times over', 'lists.range(1000).map(x, s).join("") == s', { s: LONG }, OVER_BUDGET],
  ['a long text written many times over', '"%s".format([lists.range(1000).map(x, s)]) == s', { s: LONG }, OVER_BUDGET],
  ['one name many times in a query', 'url(s).getQuery().size() > 0', { s: `http://a/?${'a&'.repeat(60_000)}` }, 'a value'],
  ['many names in a query', 'url(s).getQuery().size() > 0', { s: `http://a/?${'a=1&'.repeat(40_000)}` }, 'a value'],
  ['a host of colons', 'isURL(s)', { s: `http://[${':'.repeat(500_000)}]:1/` }, 'a value'],
  ['a host of dots', 'isURL(s)', { s: `http://${'a.'.repeat(500_000)}` }, 'a value'],
])('%s', (_, text, values, outcome) => {
  expect(outcomeOf(text, values)).toBe(outcome);
});
