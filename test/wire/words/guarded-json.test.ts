// How deep a text is nested is told before it is parsed: brackets within texts, and quotes that do not end them, must not count.
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { parseGuarded, valuesIn } from '../../../lib/wire/words/guarded-json.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('texts that are read', () => {
  const words = fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ']', '}', 'a'), maxLength: 12 });
  // Once JSON.parse of Node 24 has seen a key that ends with a backslash, it takes another one, with a quote there, for the same.
  const keys = words.filter((word) => !word.endsWith('\\'));
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      words,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 3 }),
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

  test('have a value for each that JSON.parse makes, and more than the budget are refused before', () => {
    const countOf = (value: unknown): number =>
      1 + (typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, each) => sum + countOf(each), 0) : 0);
    fc.assert(
      fc.property(values, (value) => {
        const [text, count] = [JSON.stringify(value), countOf(value)];
        expect(valuesIn(text)).toBeGreaterThanOrEqual(count);
        expect(parseGuarded(text, v.unknown(), 'text', 64, { left: valuesIn(text) })).toEqual(value);
        expect(() => parseGuarded(text, v.unknown(), 'text', 64, { left: count - 1 })).toThrow('values; at most');
      }),
    );
  });

  test('of one message take from one budget', () => {
    const budget = { left: 3 };
    parseGuarded('[1]', v.unknown(), 'text', 1, budget);
    expect(() => parseGuarded('[1]', v.unknown(), 'second', 1, budget)).toThrow('the second has 2 values; at most 1 are read');
  });

  test.each([
    '{"__proto__":1}',
    '{"a":{"__proto__" \n: {}}}',
    '{"\\u005f_proto__":1}',
    '{"_\\u005Fproto__":1}',
    '{"__\\u0070roto__":1}',
    '{"__pr\\u006fto_\\u005f":1}',
  ])('with a key __proto__ are refused: %s', (text) =>
    expect(() => parseGuarded(text, v.unknown(), 'text')).toThrow('the text has a key "__proto__"'),
  );

  test.each(['{"a":"__proto__"}', '["__proto__"]', '{"a":"\\u0001 \\"__proto__\\":"}', '{"__proto":1}', '{"__PROTO__":1}'])(
    'that only speak of such a key are read: %s',
    (text) => expect(parseGuarded(text, v.unknown(), 'text')).toEqual(JSON.parse(text)),
  );
});
