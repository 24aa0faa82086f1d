// References in values, commands and arguments: the worked cases by their numbers (docs/virtual-node.md), with one source and with two.
import { describe, expect, test } from '@jest/globals';
import { expanded } from '../../../lib/objects/environment/expansion.ts';

const VARIABLES = { VAR_A: 'A', VAR_B: 'B', VAR_C: 'C', VAR_REF: '$(VAR_A)', VAR_EMPTY: '' };
const all = new Map(Object.entries(VARIABLES));
const isFirst = (name: string): boolean => name === 'VAR_A' || name === 'VAR_EMPTY';
const two = [true, false].map((first) => new Map([...all].filter(([name]) => isFirst(name) === first)));

const CASES: [number: number, input: string, output?: string][] = [
  [1, '$(VAR_A)', 'A'],
  [2, '$(VAR_A)-$(VAR_A)', 'A-A'],
  [3, '$(VAR_A)-1', 'A-1'],
  [4, '___$(VAR_B)___', '___B___'],
  [5, '___$(VAR_C)', '___C'],
  [6, '$(VAR_A)_$(VAR_B)_$(VAR_C)', 'A_B_C'],
  [7, '$$(VAR_B)_$(VAR_A)', '$(VAR_B)_A'],
  [8, '$$(VAR_A)_$$(VAR_B)', '$(VAR_A)_$(VAR_B)'],
  [9, 'f000-$$VAR_A', 'f000-$VAR_A'],
  [10, 'foo\\$(VAR_C)bar', 'foo\\Cbar'],
  [11, 'foo\\\\$(VAR_C)bar', 'foo\\\\Cbar'],
  [12, 'foo\\\\\\\\$(VAR_A)bar', 'foo\\\\\\\\Abar'],
  [13, '$(VAR_A$(VAR_B))'],
  [14, '$(VAR_A$(VAR_B)'],
  [15, '$(VAR_REF)', '$(VAR_A)'],
  [16, '%%$(VAR_REF)--$(VAR_REF)%%', '%%$(VAR_A)--$(VAR_A)%%'],
  [17, 'foo$(VAR_EMPTY)bar', 'foobar'],
  [18, 'foo$(VAR_Awhoops!'],
  [19, 'f00__(VAR_A)__'],
  [20, '$?_boo_$!'],
  [21, '$VAR_A'],
  [22, '$(VAR_DNE)'],
  [23, '$$$$$$(BIG_MONEY)', '$$$(BIG_MONEY)'],
  [24, '$$$$$$(VAR_A)', '$$$(VAR_A)'],
  [25, '$$$$$$$(GOOD_ODDS)', '$$$$(GOOD_ODDS)'],
  [26, '$$$$$$$(VAR_A)', '$$$A'],
  [27, '$VAR_A)'],
  [28, '${VAR_A}'],
  [29, '$(VAR_B)_______$(A', 'B_______$(A'],
  [30, '$(VAR_C)_______$(', 'C_______$('],
  [31, '$(VAR_A)foobarzab$', 'Afoobarzab$'],
  [32, 'foo-\\$(VAR_A'],
  [33, '--$($($($($--'],
  [34, '$($($($($--foo$('],
  [35, 'foo0--$($($($('],
  [36, '$(foo$$var)'],
  [37, '\n'],
];

describe.each(CASES)('case %i: %j', (_number, input, output = input) => {
  test('with one source', () => expect(expanded(input, all)).toBe(output));
  test('with two', () => expect(expanded(input, ...two)).toBe(output));
});

test('values that are expanded in order are not expanded again', () => {
  const known = new Map([['FOO', 'bar']]);
  for (const [name, value] of [
    ['ZOO', '$(FOO)-1'],
    ['BLU', '$(ZOO)-2'],
  ] as const)
    known.set(name, expanded(value, known));
  expect([...known.values()]).toEqual(['bar', 'bar-1', 'bar-1-2']);
});
