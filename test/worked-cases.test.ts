// Which worked case of the Job's behaviour is defended where: each of the 164 is a test named by its number.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MOST, PAGE, workedCases } from './worked-cases.ts';

const here = import.meta.dirname;
const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.test.ts') && name !== 'worked-cases.test.ts',
);

/** Numbers in `case 5` and `cases 5, 7 and 9`, which stand in the names of tests: in no comment, and no range stands for several. */
const casesIn = (text: string): number[] =>
  [...text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '').matchAll(/\bcases? ((?:\d+(?:, | and )?)+)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/\d+/g)].map(Number),
  );

const found = new Map<number, string[]>();
const disabled: string[] = [];
for (const file of files) {
  const text = readFileSync(join(here, file), 'utf8');
  if (/\b(?:describe|test|it)\.(?:skip|todo|only)\b|\bx(?:describe|test|it)\(/.test(text)) disabled.push(file);
  for (const number of casesIn(text)) found.set(number, [...(found.get(number) ?? []), file]);
}

describe('the worked cases', () => {
  test('each one is a test', () => {
    const all = Array.from({ length: MOST.jobs }, (_, at) => at + 1);
    expect(all.filter((number) => !found.has(number))).toEqual([]);
  });

  test('each stands on its page, with what it claims (node test/worked-cases.ts writes it anew)', () => {
    const page = readFileSync(join(here, '..', PAGE), 'utf8');
    expect(page).toBe(workedCases(MOST));
    expect(page.split('\n').filter((line) => /^\| \w+ \| +\|/.test(line))).toEqual([]);
  });

  test('none of them, nor any other test, is skipped', () => expect(disabled).toEqual([]));

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
    const planners = ['kinds/job', 'admission/job', 'objects'].flatMap((folder) =>
      readdirSync(join(here, '../lib', folder), { recursive: true, encoding: 'utf8' }),
    );
    const tables = files.filter((file) => file.startsWith('kinds/job/'));
    const isAmong = (names: readonly string[], name: string): boolean => names.some((file) => basename(file) === name);
    expect(policies.filter((policy) => !isAmong(planners, `${policy}.ts`))).toEqual([]);
    expect(policies.filter((policy) => !isAmong(tables, `${policy}.test.ts`))).toEqual([]);
  });
});
