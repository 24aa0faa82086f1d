// Numbers of 64 bits in JSON, and texts that look like them.
import { expect, test } from '@jest/globals';
import { jsonText } from '../../../lib/objects/values/json-text.ts';

test('the largest number of 64 bits is written as that one, and so is the least', () => {
  expect(jsonText({ a: 2 ** 63, b: [2 ** 63, 1], c: { d: 2 ** 63 } })).toBe(
    '{"a":9223372036854775807,"b":[9223372036854775807,1],"c":{"d":9223372036854775807}}',
  );
  expect(jsonText({ a: -(2 ** 63), b: [-(2 ** 63), 2 ** 63] })).toBe(
    '{"a":-9223372036854775808,"b":[-9223372036854775808,9223372036854775807]}',
  );
});

test.each([
  { text: 'a:9223372036854776000,' },
  { text: '[-9223372036854776000]' },
  { '9223372036854776000': '"9223372036854776000' },
  { text: '\\"', more: ':9223372036854776000}' },
  { less: 2 ** 63 - 1024, more: 2 ** 64, negative: 1024 - 2 ** 63, below: -(2 ** 64), large: 1e30, fraction: 0.5 },
])('all else stays as it is: %j', (value) => expect(jsonText(value)).toBe(JSON.stringify(value)));
