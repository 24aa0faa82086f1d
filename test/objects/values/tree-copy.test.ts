// Copies of trees as JSON has them.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { treeCopy } from '../../../lib/objects/values/tree-copy.ts';

test('a copy is the same and shares nothing', () => {
  const shared = (one: unknown, other: unknown): boolean =>
    typeof one === 'object' &&
    one !== null &&
    (one === other || Object.entries(one).some(([key, value]) => shared(value, Reflect.get(Object(other), key))));
  fc.assert(
    fc.property(fc.jsonValue(), (tree) => {
      const copy = treeCopy(tree);
      expect(copy).toEqual(tree);
      expect(shared(tree, copy)).toBe(false);
    }),
  );
});

test('a key named __proto__ is a key like any other', () => {
  const copy = treeCopy(JSON.parse('{"__proto__": {"a": 1}}') as object);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});
