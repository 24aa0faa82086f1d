// What is wrong with an address, in good time whatever is given for one.
import { expect, test } from '@jest/globals';
import { problemsOfIpAddress } from '../../lib/objects/names.ts';

test.each(['10.9.8.7', '2001:db8::ffff', '::ffff:0:10.0.0.1', '64:ff9b::10.0.0.1', '::'])('%s is an address', (text) => {
  expect(problemsOfIpAddress(text)).toEqual([]);
});

test.each(['', '10.0.0', '10.0.0.1.', '10.0.0.256', 'a.b.c.d', '::1::', '1:2:3:4:5:6:7:8:9', '10.0.0.1::', '1:10.0.0.1', 'fe80::1%eth0'])(
  '%j is none',
  (text) => {
    expect(problemsOfIpAddress(text)).toEqual([expect.stringContaining('must be a valid IP address')]);
  },
);

test('a text of a hundred thousand dots is none, and holds nobody up', () => {
  expect(problemsOfIpAddress(`${'.'.repeat(100_000)}:`)).toHaveLength(1);
});
