// R15: what a function may dial, checked in the record and again for every address a name resolves to.
import { describe, expect, test } from '@jest/globals';
import { Connection } from '../../../lib/adapters/kubernetes/connection.ts';
import { isForbiddenAddress } from '../../../lib/adapters/cluster-record/registered-access.ts';

describe('R15: addresses that are not dialled', () => {
  const forbidden = [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.170.2',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::169.254.169.254',
    'fe80::1%eth0',
    'no address',
  ];
  for (const address of forbidden) test(`not ${address}`, () => expect(isForbiddenAddress(address, { allowLoopback: false })).toBe(true));

  for (const address of ['10.0.0.1', '192.168.1.1', '203.0.113.9', '2001:db8::1', 'fd12::1', '64:ff9b::203.0.113.9', '::ffff:10.0.0.1'])
    test(`but ${address} is`, () => expect(isForbiddenAddress(address, { allowLoopback: false })).toBe(false));

  test('a test stage may dial the loopback, and still no metadata service', () => {
    expect(isForbiddenAddress('127.0.0.1', { allowLoopback: true })).toBe(false);
    expect(isForbiddenAddress('169.254.169.254', { allowLoopback: true })).toBe(true);
  });

  test('a name that resolves to one is refused before anything is sent', async () => {
    const access = {
      server: 'https://localhost:1',
      auth: { kind: 'none' },
      refuses: (address: string) => isForbiddenAddress(address, { allowLoopback: false }),
    } as const;
    const connection = new Connection(access, { connections: 1, timeoutMs: 2_000, answerBytesMax: 1_000 });
    const call = connection.call({ method: 'GET', path: '/', isTooLate: () => false });
    await expect(call).rejects.toMatchObject({
      name: 'NotDoneError',
      message: expect.stringContaining('resolves to an address that is not dialled'),
    });
    connection.close();
  });
});
