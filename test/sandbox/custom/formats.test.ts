import { expect, test } from '@jest/globals';
import { formatIn, isOfFormat } from '../../../lib/sandbox/custom/formats.ts';
import { formatCases } from '../../contracts/custom-values/format-cases.ts';

test.each(formatCases)('$format', ({ format, takes, refuses }) => {
  expect(takes.filter((text) => !isOfFormat(text, format))).toEqual([]);
  expect(refuses.filter((text) => isOfFormat(text, format))).toEqual([]);
});

test('a format means something to the values of some types only', () => {
  expect(formatIn('string', 'date-time')).toBe('date-time');
  expect(formatIn(undefined, 'date')).toBe('date');
  expect(formatIn('integer', 'date')).toBe('');
  expect(formatIn('integer', 'int32')).toBe('int32');
  expect(formatIn('number', 'int32')).toBe('');
  expect(formatIn('object', 'date')).toBe('');
});

test('texts made to keep a check busy are answered at once', () => {
  const started = performance.now();
  const long = 'a'.repeat(50_000);
  for (const { format } of formatCases)
    for (const text of [
      `${long}!`,
      `${'a.'.repeat(25_000)}!`,
      `${'1 '.repeat(25_000)}!`,
      `"${long}`,
      '('.repeat(50_000),
      `${' '.repeat(50_000)}a`,
      `http://[::1${'%25'.repeat(50_000)}\u2028]/`,
    ])
      isOfFormat(text, format);
  expect(performance.now() - started).toBeLessThan(1500);
});
