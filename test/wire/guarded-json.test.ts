// How deep a text is nested is told before it is parsed: brackets within texts, and quotes that do not end them, must not count.
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { parseGuarded } from '../../lib/wire/guarded-json.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('texts that are read', () => {
  const words = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ']', '}', 'a'), maxLength: 12 });
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      words,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(words, tie('value'), { maxKeys: 3 }),
    ),
  }));

  test('are as deep as the value that they stand for', () => {
    fc.assert(
      fc.property(values, (value) => {
        const depth = depthOf(value);
        const text = JSON.stringify(value);
        expect(parseGuarded(text, v.unknown(), 'text', depth)).toEqual(value);
        if (depth > 0) expect(() => parseGuarded(text, v.unknown(), 'text', depth - 1)).toThrow(`nested deeper than ${depth - 1}`);
      }),
    );
  });

  test.each(['"', '"\\', '"\\"', '{"a":"'])('one that ends within a text is no JSON: %s', (text) =>
    expect(() => parseGuarded(text, v.unknown(), 'text')).toThrow('the text is no JSON'),
  );
});
