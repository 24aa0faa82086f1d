// Which worked case of admission and preemption is defended where: each is a test named by its number.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const MOST = { P: 41, Q: 28, C: 12, N: 7, R: 8, U: 1, D: 6, S: 6, M: 6, H: 14, A: 24, E: 14 };
/** Cases of parts that there are none of here. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  Q27: 'the resources of a whole pod always count: no switch takes them away',
  C12: 'nothing asks for the source of a pod by its name',
  U1: 'a text of log lines about updates of pods, which no node is sent here',
};

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
  const all = Object.entries(MOST).flatMap(([letter, most]) => Array.from({ length: most }, (_, at) => `${letter}${at + 1}`));
  expect(all.filter((number) => !found.has(number) && !Object.hasOwn(LEFT_OUT, number))).toEqual([]);
  expect(Object.keys(LEFT_OUT).filter((number) => found.has(number))).toEqual([]);
});
