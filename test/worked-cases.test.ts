// Which worked case of the Job's behaviour is defended where: each of the 164 is a test named by its number, or stands here with a reason.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const MOST = 164;

/** Of machinery that Farloop does not have: what they are for is defended by the tests named. */
const MACHINERY: Record<number, { why: string; tests: string }> = {
  25: { why: 'what is expected never lapses by time: it is looked up (R4)', tests: 'reconciler/rules/creating.test.ts' },
  146: { why: 'a create is seen by the next pass as it settles; its wake waits for company (R9)', tests: 'reconciler/rules/wakes.test.ts' },
  147: { why: 'a deletion is seen in the view, not counted down (R4)', tests: 'reconciler/rules/creating.test.ts' },
  148: { why: 'a finalizer that is off is seen in the view (R4)', tests: 'reconciler/rules/counting.test.ts' },
  149: { why: 'the same version again changes no view (R2)', tests: 'reconciler/view.test.ts' },
  150: { why: 'the relay reports a pod that changes its owner to both', tests: 'relay/relay.test.ts' },
  151: { why: 'the relay reports an orphan to the Job whose labels it carries', tests: 'relay/relay.test.ts' },
  153: { why: 'a mere status waits a second for company (R9)', tests: 'reconciler/rules/wakes.test.ts' },
};

const here = import.meta.dirname;
const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.test.ts') && name !== 'worked-cases.test.ts',
);

/** Numbers in `case 5`, `cases 5, 7 and 9` and `cases 5–9`, by file. */
function casesIn(text: string): number[] {
  const numbers: number[] = [];
  for (const [, list = ''] of text.matchAll(/\bcases? ((?:\d+(?:[–-]\d+)?(?:, | and )?)+)/g))
    for (const [, first = '', last = first] of list.matchAll(/(\d+)(?:[–-](\d+))?/g))
      for (let number = Number(first); number <= Number(last); number += 1) numbers.push(number);
  return numbers;
}

const found = new Map<number, string[]>();
for (const file of files)
  for (const number of casesIn(readFileSync(join(here, file), 'utf8'))) found.set(number, [...(found.get(number) ?? []), file]);

describe('the worked cases', () => {
  test('each one is a test, or named as machinery with a reason', () => {
    const all = Array.from({ length: MOST }, (_, at) => at + 1);
    expect(all.filter((number) => !found.has(number) && !(number in MACHINERY))).toEqual([]);
    expect(all.filter((number) => found.has(number) && number in MACHINERY)).toEqual([]);
  });

  test.each(Object.entries(MACHINERY))('case %s: what defends it is there', (_, { tests, why }) => {
    expect(files).toContain(tests);
    expect(why).not.toBe('');
  });

  test('of the Job, each policy is one file with a table of cases', () => {
    const policies = [
      'backoff',
      'failure-policy',
      'finish',
      'indexes',
      'numbers',
      'ownership',
      'per-index-backoff',
      'removal-order',
      'success-policy',
      'suspend',
      'tracking',
      'ttl',
    ];
    const planners = readdirSync(join(here, '../lib/planners/job'));
    expect(policies.filter((policy) => !planners.includes(`${policy}.ts`))).toEqual([]);
  });
});
