import { expect, test } from '@jest/globals';
import { Turns } from '../../lib/simulated-node/turns.ts';

const any = (_item: string): boolean => true;

const takeAll = (turns: Turns, canBeTaken = any): string[] => {
  const taken: string[] = [];
  for (;;) {
    const next = turns.take(canBeTaken);
    if (next === undefined) return taken;
    taken.push(next);
  }
};

test('owners take turns: one pod of a small workload does not wait for all pods of a large one', () => {
  const turns = new Turns();
  for (const nth of [0, 1, 2, 3]) turns.add(`large-${nth}`, 'large');
  turns.add('small-0', 'small');
  expect(takeAll(turns)).toEqual(['large-0', 'small-0', 'large-1', 'large-2', 'large-3']);
});

test('whose turn was comes last, also when more of it becomes due', () => {
  const turns = new Turns();
  turns.add('a-0', 'a');
  turns.add('b-0', 'b');
  turns.add('a-1', 'a');
  expect(turns.take(any)).toBe('a-0');
  turns.add('a-2', 'a');
  expect(takeAll(turns)).toEqual(['b-0', 'a-1', 'a-2']);
});

test('what cannot be taken yet stays due, once, and keeps nobody waiting', () => {
  const turns = new Turns();
  turns.add('a-0', 'a');
  turns.add('a-0', 'a');
  turns.add('b-0', 'b');
  expect(takeAll(turns, (item) => item !== 'a-0')).toEqual(['b-0']);
  expect(takeAll(turns)).toEqual(['a-0']);
});

test('what is deleted is due no more', () => {
  const turns = new Turns();
  turns.add('a-0', 'a');
  turns.add('a-1', 'a');
  turns.delete('a-0');
  turns.delete('unknown');
  expect(takeAll(turns)).toEqual(['a-1']);
  turns.add('b-0', 'b');
  turns.clear();
  expect(takeAll(turns)).toEqual([]);
});
