// Which worked case and which correction of training jobs is defended where: each is a test named by its number.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MOST, NO_TRAINING_CASES } from '../../worked-cases.ts';

const CORRECTIONS = 46;

const here = import.meta.dirname;
const files = globSync('**/*.test.ts', { cwd: here }).filter((name) => name !== 'worked-cases.test.ts');

/** `case 5`, `cases 5, 7 and 9`, `B-05` and `B-05, B-07` in names of tests: in no comment, and no range stands for several. */
const numbersIn = (text: string): string[] => {
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const cases = [...code.matchAll(/\bcases? ((?:\d+(?:, | and )?)+)/g)].flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
  return [...cases.map((number) => `case ${number}`), ...(code.match(/\bB-\d\d\b/g) ?? [])];
};

const found = new Set(files.flatMap((file) => numbersIn(readFileSync(join(here, file), 'utf8'))));
const all = [
  ...Array.from({ length: MOST.training }, (_, at) => `case ${at + 1}`),
  ...Array.from({ length: CORRECTIONS }, (_, at) => `B-${String(at + 1).padStart(2, '0')}`),
];

test('each worked case and each correction is a test, or is left out for a reason', () => {
  expect(all.filter((number) => !found.has(number) && !Object.hasOwn(NO_TRAINING_CASES, number))).toEqual([]);
  expect(Object.keys(NO_TRAINING_CASES).filter((number) => found.has(number))).toEqual([]);
});

test('no test names a case that there is none of', () => {
  expect([...found].filter((number) => !all.includes(number))).toEqual([]);
});

test('the page tells of each correction once, in order', () => {
  const page = readFileSync(join(here, '../../../docs/training-jobs.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (B-\d\d) \| \S.* \| \S.* \|$/gm)].map(([, number]) => number);
  expect(rows).toEqual(all.filter((number) => number.startsWith('B-')));
});
