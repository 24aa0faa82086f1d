// Paths into objects, as the columns of definitions hold them.
import { describe, expect, test } from '@jest/globals';
import { jsonPath, JsonPathError } from '../../../lib/sandbox/definitions/json-path.ts';

const object = {
  metadata: { annotations: { 'example.com/a.b': 'dotted' }, labels: {} },
  spec: {
    color: 'red',
    list: ['a', 'b', 'c'],
    parts: [
      { name: 'x', size: 1 },
      { name: 'y', size: 3, deep: { name: 'z' } },
    ],
  },
  status: {
    conditions: [
      { type: 'Created', status: 'True' },
      { type: 'Ready', status: 'False' },
    ],
  },
};

describe('a path leads to', () => {
  const cases: [string, unknown[]][] = [
    ['.spec.color', ['red']],
    ['.spec.none', []],
    ['.spec.color.none', []],
    ['.', [object]],
    ['.spec.list[0]', ['a']],
    ['.spec.list[-1]', ['c']],
    ['.spec.list[9]', []],
    ['.spec.list[1:]', ['b', 'c']],
    ['.spec.list[-1:]', ['c']],
    ['.spec.list[*]', ['a', 'b', 'c']],
    ['.spec.parts[*].name', ['x', 'y']],
    ["['spec']['color']", ['red']],
    [String.raw`.metadata.annotations.example\.com/a\.b`, ['dotted']],
    ['.metadata.annotations["example.com/a.b"]', ['dotted']],
    ['.status.conditions[?(@.type=="Ready")].status', ['False']],
    [".status.conditions[?(@.type == 'Ready')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].status', ['True']],
    ['.status.conditions[-1:].type', ['Ready']],
    ['.spec.parts[?(@.deep)].name', ['y']],
    ['.spec.constructor', []],
  ];
  test.each(cases)('%s', (path, found) => expect(jsonPath(path)(object)).toEqual(found));
});

describe('no path is', () => {
  test.each(['spec', '.spec[', '.spec[a]', '.spec[?(@.a==b)]', '.spec[]', '.a[0:1:2]', '.a..b', '.a[0,1]'])('%s', (path) =>
    expect(() => jsonPath(path)).toThrow(JsonPathError),
  );
});
