// The decision about rules, tests and mutants says what is so: no row is empty, nothing in it is unknown, nothing is missing.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { INVARIANT_NAMES } from '../simulation/invariants/table.ts';
import { editsOf, MUTANTS } from './mutants.ts';
import { declarationsIn, placeOf } from './places.ts';
import { DECISION, rowsOf, RULES, rulesIn, UNTRIPPED } from './tables.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, DECISION), 'utf8');
const names = new Set(MUTANTS.map(({ name }) => name));

describe('every rule', () => {
  const rows = rowsOf(text, 'rule');

  test('has its row, with tests and mutants', () => {
    expect(rows.map(([rule]) => rule?.split(':')[0])).toEqual(RULES);
    expect(rows.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([]);
  });

  test('names test files that are there and speak of it', () => {
    const silent = rows.flatMap(([rule = '', tests = '']) =>
      [...tests.matchAll(/`([^`]+)`/g)]
        .map(([, path = '']) => join(root, 'test', `${path}.test.ts`))
        .filter((path) => !existsSync(path) || !new RegExp(`\\b${rule.split(':')[0]}\\b`).test(readFileSync(path, 'utf8')))
        .map((path) => `${rule}: ${path}`),
    );
    expect(silent).toEqual([]);
  });

  test('names the invariants and mutants that there are (npm run mutants -- --write)', () => {
    expect(rows).toEqual(rulesIn(text));
  });
});

describe('every invariant', () => {
  const rows = rowsOf(text, 'invariant');

  test('has its row: mutants that trip it, or why none does', () => {
    expect(rows.map(([name]) => name)).toEqual(INVARIANT_NAMES);
    for (const [name = '', mutants = ''] of rows) {
      const reason = UNTRIPPED[name];
      if (mutants.startsWith('none: ')) expect(mutants).toBe(`none: ${reason}`);
      else expect(mutants.split('; ').filter((each) => !names.has(each))).toEqual([]);
    }
  });
});

describe('the mutants', () => {
  test('are thirty at least, each with a name of its own, each in one place', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
    expect(names.size).toBe(MUTANTS.length);
    const declarations = declarationsIn(root);
    const lost = MUTANTS.flatMap((mutant) =>
      editsOf(mutant).flatMap((edit) => {
        try {
          placeOf(declarations, edit);
          return [];
        } catch (error) {
          return [`${mutant.name}: ${(error as Error).message}`];
        }
      }),
    );
    expect(lost).toEqual([]);
  });
});
