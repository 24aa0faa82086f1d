import { expect, test } from '@jest/globals';
import { compareResourceVersions, isNewer, newest } from '../../../lib/objects/values/resource-version.ts';

const ASCENDING = [
  '0',
  '1',
  '9',
  '10',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(40),
];

test('R3: resourceVersions are ordered as integers of any length, neither as texts nor as numbers', () => {
  for (const [at, one] of ASCENDING.entries())
    for (const [before, other] of ASCENDING.entries()) {
      expect(Math.sign(compareResourceVersions(one, other))).toBe(Math.sign(at - before));
      expect(isNewer(one, other)).toBe(at > before);
      expect(newest(one, other)).toBe(ASCENDING[Math.max(at, before)]);
    }
});
