// A provider that lets in nobody without its token: the example in Node, behind a door.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startExampleProvider, type ExampleProvider } from '../example-provider.ts';

export interface GuardedProvider extends ExampleProvider {
  /** Requests that showed no token, or another one. */
  refused: () => number;
}

export async function startGuardedProvider(token: string): Promise<GuardedProvider> {
  const example = await startExampleProvider(process.execPath, 'examples/virtual-node/provider/provider.mjs');
  let refused = 0;
  const door = createServer((incoming, outgoing) => {
    if (incoming.headers.authorization !== `Bearer ${token}`) {
      refused += 1;
      outgoing.writeHead(401).end('show your token');
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request(`${example.address}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    address: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    pods: example.pods,
    refused: () => refused,
    stop: async () => {
      door.closeAllConnections();
      door.close();
      await example.stop();
    },
  };
}
