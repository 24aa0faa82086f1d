// Ages as kubectl shows them.
import { expect, test } from '@jest/globals';
import { ageOf, humanDuration } from '../../../lib/sandbox/rows/human-duration.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-5, '<invalid>'],
  [-0.5, '0s'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [2 * minute + 5, '2m5s'],
  [10 * minute + 59, '10m'],
  [179 * minute, '179m'],
  [3 * hour + 12 * minute, '3h12m'],
  [8 * hour + 59 * minute, '8h'],
  [47 * hour, '47h'],
  [50 * hour, '2d2h'],
  [9 * day + hour, '9d'],
  [729 * day, '729d'],
  [800 * day, '2y70d'],
  [3000 * day, '8y'],
])('%s seconds are %s', (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});

test('no time is unknown', () => {
  expect(ageOf(undefined, 0)).toBe('<unknown>');
});
