// Text from a cluster drives neither a terminal nor a browser: each character that would act is shown as an escape.
import { describe, expect, test } from '@jest/globals';
import { shownData, shownLines, shownText, withoutFilePaths } from '../../../lib/objects/values/shown-text.ts';

const cases = [
  { name: 'an escape sequence', text: '\u001B[31mred', shown: '\\u001b[31mred' },
  { name: 'a window title', text: '\u001B]0;root@host\u0007', shown: '\\u001b]0;root@host\\u0007' },
  { name: 'a C1 control, which some terminals take as ESC [', text: '\u009B2J', shown: '\\u009b2J' },
  { name: 'DEL and backspace', text: 'a\u007F\b', shown: 'a\\u007f\\u0008' },
  { name: 'a right-to-left override', text: 'gpj.\u202Eexe', shown: 'gpj.\\u202eexe' },
  { name: 'isolates and marks', text: '\u2066\u2069\u200E\u200F\u061C', shown: '\\u2066\\u2069\\u200e\\u200f\\u061c' },
  { name: 'line ends of every kind', text: 'a\r\nb\u2028c\u2029d\u0085e', shown: 'a\\r\\nb\\u2028c\\u2029d\\u0085e' },
  { name: 'a tab', text: 'a\tb', shown: 'a\\tb' },
  { name: 'what people write, in any script', text: 'Zürich 東京 שלום 👩‍🚀 C:\\new', shown: 'Zürich 東京 שלום 👩‍🚀 C:\\new' },
];

for (const { name, text, shown } of cases)
  test(`${name} is shown as what it is, and stays that when it is shown again`, () => {
    expect(shownText(text)).toBe(shown);
    expect(shownText(shown)).toBe(shown);
  });

/** Every character of the first plane; surrogates in pairs only. */
const everyCharacter = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .join('');

test('of all characters none acts afterwards; in lines that we compose, line feeds alone', () => {
  // Spelled out on purpose, code by code: the property of Unicode that the function asks must be these and no others.
  const acting =
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;
  expect(everyCharacter).toMatch(acting);
  expect(shownText(everyCharacter)).not.toMatch(acting);
  expect(shownLines(everyCharacter).replace('\n', '')).not.toMatch(acting);
  expect(shownLines('a\nb')).toBe('a\nb');
});

test('JSON stays equal JSON, indented or not', () => {
  const data = { [everyCharacter]: [everyCharacter, { nested: '\u202E' }] };
  for (const indent of [undefined, 2]) expect(JSON.parse(shownLines(JSON.stringify(data, null, indent)))).toEqual(data);
});

describe('data', () => {
  test('is shown text by text, keys too; numbers, absent fields and lists stay what they are', () => {
    expect(shownData({ 'a\u001B': ['b\n', 1, null, undefined, true, { c: '\u202E' }] })).toEqual({
      'a\\u001b': ['b\\n', 1, null, undefined, true, { c: '\\u202e' }],
    });
  });

  test('that names __proto__ keeps it as a field', () => {
    const shown = shownData<object>(JSON.parse('{"__proto__": {"a": "\\u001b"}}'));
    expect(Object.entries(shown)).toEqual([['__proto__', { a: '\\u001b' }]]);
  });
});

test('a failure for somebody elsewhere names no file of this machine, and keeps addresses and what is in fractions', () => {
  for (const [message, told] of [
    ["ENOENT: no such file or directory, open '/var/lib/x/store.db'", "ENOENT: no such file or directory, open '…'"],
    ['cannot open /var/lib/x/store.db: damaged', 'cannot open …: damaged'],
    ['at C:\\state\\store.db', 'at …'],
    ['https://10.0.0.1:6443/api/v1/pods answered 500', 'https://10.0.0.1:6443/api/v1/pods answered 500'],
    ['job default/demo: 3/5 succeeded and/or failed', 'job default/demo: 3/5 succeeded and/or failed'],
  ] as const)
    expect(withoutFilePaths(message)).toBe(told);
});
