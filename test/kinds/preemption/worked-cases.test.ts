// Which worked case of admission and preemption is defended where: each is a test named by its number.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MOST, NO_PREEMPTION_CASES } from '../../worked-cases.ts';

const here = import.meta.dirname;
const files = globSync(['**/*.test.ts', '../virtual-pod/*.test.ts', '../../objects/pods/qos-class.test.ts'], { cwd: here }).filter(
  (name) => name !== 'worked-cases.test.ts',
);
const found = new Set(
  files.flatMap((file) => {
    const code = readFileSync(join(here, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
    return [...code.matchAll(/(?:^\s*|['"`\s([,{])([PQCNRUDSMHAE][1-9]\d?)(?=['"`:,\s])/gm)].map(([, number = '']) => number);
  }),
);

test('each worked case is a test, or is left out for a reason', () => {
  const all = Object.entries(MOST.preemption).flatMap(([letter, most]) => Array.from({ length: most }, (_, at) => `${letter}${at + 1}`));
  expect(all.filter((number) => !found.has(number) && !Object.hasOwn(NO_PREEMPTION_CASES, number))).toEqual([]);
  expect(Object.keys(NO_PREEMPTION_CASES).filter((number) => found.has(number))).toEqual([]);
});
