// How commands print: colour is for people at a terminal, and only repeats what the text says.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { paint, spanText, tableText } from '../../lib/cli/output.ts';

describe('colour', () => {
  const before = { isTTY: process.stdout.isTTY, noColor: process.env['NO_COLOR'], term: process.env['TERM'] };
  const setTo = (name: string, value: string | undefined): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };

  beforeEach(() => {
    process.stdout.isTTY = true;
    setTo('NO_COLOR', undefined);
    setTo('TERM', 'xterm');
  });

  afterEach(() => {
    process.stdout.isTTY = before.isTTY;
    setTo('NO_COLOR', before.noColor);
    setTo('TERM', before.term);
  });

  test('is there at a terminal', () => {
    expect(paint('Failed', 'red')).toBe('\u001B[31mFailed\u001B[0m');
  });

  test('is left away where it is no terminal', () => {
    process.stdout.isTTY = false;
    expect(paint('Failed', 'red')).toBe('Failed');
  });

  for (const { name, value } of [
    { name: 'NO_COLOR', value: '1' },
    { name: 'TERM', value: 'dumb' },
  ])
    test(`is left away with ${name}=${value}`, () => {
      setTo(name, value);
      expect(paint('Failed', 'red')).toBe('Failed');
    });

  test('is there with an empty NO_COLOR, which says nothing', () => {
    setTo('NO_COLOR', '');
    expect(paint('Failed', 'red')).not.toBe('Failed');
  });
});

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  expect(
    tableText(
      ['NAME', 'STATE'],
      [
        ['a-long-name', ''],
        ['b', 'Complete'],
      ],
    ).split('\n'),
  ).toEqual(['NAME          STATE', 'a-long-name', 'b             Complete']);
});

test('spans are told in the unit that fits', () => {
  expect([-5, 119_000, 120_000, 7_200_000, 172_800_000].map(spanText)).toEqual(['0s', '119s', '2m', '2h', '2d']);
});
