// Which worked case of the Job's behaviour is defended where: each of the 164 is a test named by its number.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const MOST = 164;

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
  test('each one is a test', () => {
    const all = Array.from({ length: MOST }, (_, at) => at + 1);
    expect(all.filter((number) => !found.has(number))).toEqual([]);
  });

  test('of the Job, each policy is one file with a table of cases', () => {
    const policies = [
      'backoff',
      'backoff-limit',
      'deadline',
      'failure-policy',
      'indexes',
      'managed-by',
      'ownership',
      'per-index-backoff',
      'pod-replacement',
      'removal-order',
      'success-policy',
      'suspend',
      'tracking',
      'ttl',
    ];
    // Whose Job it is, the relay asks too.
    const planners = ['planners/job', 'objects'].flatMap((folder) => readdirSync(join(here, '../lib', folder)));
    expect(policies.filter((policy) => !planners.includes(`${policy}.ts`))).toEqual([]);
    expect(policies.filter((policy) => !files.includes(`planners/job/${policy}.test.ts`))).toEqual([]);
  });
});
