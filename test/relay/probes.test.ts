// What a kubelet is answered.
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { startProbes } from '../../lib/relay/probes.ts';

test('alive from the start, ready once the lists are through, unwell with its reason; nothing else is told', async () => {
  let [fault, isReady]: [string | undefined, boolean] = [undefined, false];
  const probes = await startProbes(0, { fault: () => fault, isReady: () => isReady });
  const ask = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${probes.port}${path}`, { method })).status;
  try {
    expect([await ask('/healthz'), await ask('/readyz')]).toEqual([200, 503]);
    isReady = true;
    expect(await ask('/readyz')).toBe(200);
    fault = 'it is stuck';
    expect(await ask('/healthz')).toBe(503);
    expect([await ask('/'), await ask('/healthz', 'POST')]).toEqual([404, 405]);
    // What fetch would tidy up.
    const socket = connect(probes.port, '127.0.0.1');
    socket.end('GET // HTTP/1.1\r\nhost: probes\r\nconnection: close\r\n\r\n');
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    await expect(startProbes(probes.port, { fault: () => undefined, isReady: () => true })).rejects.toThrow('EADDRINUSE');
  } finally {
    await probes.stop();
  }
});
