// Times as the API server writes them are read without the calendar; they must come out as the calendar has them.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { secondsOf, timeOf } from '../../lib/objects/pods/pod-facts.ts';
import { shareOf, strideOf } from '../storm-share.ts';

const calendar = (text: string): number | undefined => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
};
const DAY = 86_400;

describe('Unix seconds of an RFC 3339 text', () => {
  test('every day from 1970 to 2400, at its beginning and end', () => {
    const wrong: string[] = [];
    for (let at = 0; at < 430 * 365.25 * DAY; at += strideOf(11) * DAY)
      for (const seconds of [at, at + DAY - 1]) if (secondsOf(timeOf(seconds)) !== seconds) wrong.push(timeOf(seconds));
    expect(wrong).toEqual([]);
  });

  test('any moment of any year', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
        expect(secondsOf(timeOf(seconds))).toBe(seconds);
      }),
    );
  });

  test('what only looks like a time is what the calendar says of it', () => {
    const part = fc.constantFrom(
      '00',
      '01',
      '02',
      '04',
      '12',
      '13',
      '20',
      '24',
      '28',
      '29',
      '30',
      '31',
      '59',
      '60',
      '61',
      '99',
      'x0',
      '0 ',
      '-1',
    );
    fc.assert(
      fc.property(
        fc.tuple(part, part, part, part, part, part, part),
        fc.constantFrom('Z', 'z', '.5Z', '+02:00', '', '0'),
        fc.constantFrom('T', ' ', 't'),
        ([century, year, month, day, hour, minute, second], end, between) => {
          const text = `${century}${year}-${month}-${day}${between}${hour}:${minute}:${second}${end}`;
          expect(secondsOf(text)).toBe(calendar(text));
        },
      ),
      { numRuns: shareOf(3_000, 6) },
    );
  });

  test('one letter changed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 19 }), fc.constantFrom('0', '3', '9', ':', '-', 'T', 'Z', '/', ' '), (at, letter) => {
        const text = '2024-02-28T23:59:59Z';
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        expect(secondsOf(changed)).toBe(calendar(changed));
      }),
      { numRuns: 500 },
    );
  });

  test.each([undefined, null, '', 'soon'])('%p is none', (text) => {
    expect(secondsOf(text)).toBeUndefined();
  });
});
