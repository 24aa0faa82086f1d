// Where a provider on this machine tells which of its pods have changed: an address of this process alone, behind a path that nobody guesses.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonIn } from '../../objects/values/untyped-fields.ts';

/** Of one pod. */
const BYTES_MAX = 1024 * 1024;

export class Notifications {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  }

  /** @param told called with each body that is JSON */
  static async open(told: (body: unknown) => void): Promise<Notifications> {
    const path = `/notify/${randomBytes(18).toString('base64url')}`;
    // Loaded here: functions need no server.
    const server = process.getBuiltinModule('node:http').createServer((request, response) => {
      if (request.method !== 'POST' || request.url !== path) return void response.writeHead(404).end();
      textOf(request).then(
        (text) => {
          const body = jsonIn(text);
          if (body !== undefined) told(body);
          response.writeHead(body === undefined ? 400 : 200).end(body === undefined ? 'expected a pod as JSON' : '');
        },
        () => response.destroy(),
      );
    });
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new Notifications(server, path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** @throws Error for more than may be read */
async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new Error(`more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
