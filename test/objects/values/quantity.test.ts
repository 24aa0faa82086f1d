// Quantities: in canonical form, compared exactly, refused where they are none.
import { describe, expect, test } from '@jest/globals';
import { admittedQuantity, compareQuantities, isQuantity, parseQuantity, QuantityError } from '../../../lib/objects/values/quantity.ts';

describe('what the API server gives back', () => {
  const cases: [text: string | number, canonical: string][] = [
    ['1.5Gi', '1536Mi'],
    ['1024Mi', '1Gi'],
    ['1000Mi', '1000Mi'],
    ['512Ki', '512Ki'],
    ['0.5Ki', '512'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['0.1', '100m'],
    ['2', '2'],
    [2, '2'],
    [0.5, '500m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['2000', '2k'],
    ['1500', '1500'],
    ['1E', '1E'],
    ['0', '0'],
    ['0Gi', '0'],
    ['0.0001', '1m'],
    ['1u', '1m'],
    ['-5', '-5'],
    ['.', '0'],
    ['e3', '0'],
    ['Gi', '0'],
    ['10Ei', '9223372036854775807'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ];
  for (const [text, canonical] of cases) test(`${text} → ${canonical}`, () => expect(admittedQuantity(text)).toBe(canonical));
});

describe('comparing is exact', () => {
  const cases: [a: string, b: string, sign: number][] = [
    ['1Gi', '1024Mi', 0],
    ['1G', '1Gi', -1],
    ['0.1', '100m', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['1e3', '1k', 0],
    ['-1', '1n', -1],
    ['0.3', '0.1', 1],
  ];
  for (const [a, b, sign] of cases) test(`${a} and ${b}`, () => expect(compareQuantities(a, b)).toBe(sign));

  test('billionths round up', () => expect(parseQuantity('0.0000000001').nanos).toBe(1n));
});

describe('what is none', () => {
  for (const text of ['', 'one', '1 Gi', '1KI', '1ki', '1.2.3', '1e', '1e1.5', '0x10', '1e99999999999', '--1']) {
    test(`${JSON.stringify(text)} is refused`, () => {
      expect(() => parseQuantity(text)).toThrow(QuantityError);
      expect(isQuantity(text)).toBe(false);
    });
  }
});

test('a text without end is refused at once', () => {
  const before = process.cpuUsage();
  expect(isQuantity('1'.repeat(1_000_000))).toBe(false);
  // Of a processor's time: a busy machine takes longer by the clock.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
