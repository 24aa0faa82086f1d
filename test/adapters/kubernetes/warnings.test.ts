// Warnings as API servers write them into a header.
import { expect, test } from '@jest/globals';
import { warningsIn } from '../../../lib/adapters/kubernetes/warnings.ts';
import { warningHeader } from '../../../lib/sandbox/verbs/warnings.ts';

test('each warning of a header, with quotes, commas and letters of any alphabet', () => {
  const warnings = ['unknown field "spec.foo"', 'a, b: 299 - "c"', 'back\\slash', 'größer als 3 → 2'];
  expect(warningsIn(warningHeader(warnings).Warning)).toEqual(warnings);
});

test('no header, and what is none, are no warnings', () => {
  for (const header of [undefined, '', 'nonsense', '299 - "unfinished']) expect(warningsIn(header)).toEqual([]);
});
