// Any JSON, any of its fields, and ways to write the same: for tests of readers.
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { WantedFields } from '../../../lib/objects/field-mask.ts';

/** What is meant by wanted fields, said simply. */
export function wantedOf(value: unknown, fields: WantedFields): unknown {
  if (typeof value !== 'object' || value === null || fields === true) return value;
  if (fields === false) return undefined;
  if (Array.isArray(value)) return value.map((item) => wantedOf(item, fields));
  const below = (key: string): WantedFields => (key !== '*' && Object.hasOwn(fields, key) ? fields[key] : fields['*']) ?? false;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => below(key) !== false)
      .map(([key, field]) => [key, wantedOf(field, below(key))]),
  );
}

export const trickyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc
    .array(fc.constantFrom('"', '\\', '[', ']', '{', '}', ':', ',', '\\"', '"a":[', '\0', 'ä€😀', '\n', '\u2028', '\ud800'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);
export const keys = fc.oneof(fc.constantFrom('a', 'b', 'ab', 'c', '__proto__', 'constructor', '', '1', '0', 'ä'), trickyText);
export const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      trickyText,
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
export const { fields: anyFields } = fc.letrec<{ fields: WantedFields }>((tie) => ({
  fields: fc.oneof(
    { depthSize: 'small' },
    fc.boolean(),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c', 'constructor', '1', '*'), tie('fields'), { maxKeys: 5 }),
  ),
}));

/** Some of the ways in which the same may be written. */
export const writings: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, undefined, '\t '),
  (value) =>
    ` \r\n${JSON.stringify(value).replaceAll(/(?<=")[ab](?=")|[ä€]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)} `,
];
/** As it is written, which tells no zeros apart and leaves out what is undefined. */
export function asWritten(value: unknown): unknown {
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asWritten);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, asWritten(field)]));
}

/** Of the same fields in the same order. Jest's own would take a field named `constructor` for a type. */
export function expectSame(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toStrictEqual(expected);
  expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
}

export const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;
