// Requests whose bodies are too large, or wait to be asked for (`Expect: 100-continue`): over a bare socket, since clients differ in what
// they do while they send.
import { describe, expect, test } from '@jest/globals';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { aConfigMap, core, freshName, freshNamespace } from './objects.ts';
import type { Suite } from './objects.ts';

const largestBody = 3 * 1024 * 1024;
/** Nobody waits longer for an answer or an end. */
const patienceMs = 20_000;

interface Heard {
  /** Status lines, in order. */
  statuses: number[];
  text: string;
  /** Taken from us before the end. */
  sentBytes: number;
}

export function bodiesContract({ api }: Suite): void {
  describe('bodies', () => {
    /** What is said until the connection ends, or until `isEnough` of it. */
    async function exchange(
      head: readonly string[],
      {
        speak = () => undefined,
        isEnough = () => false,
      }: { speak?: (socket: TLSSocket, heard: Heard) => void; isEnough?: (heard: Heard) => boolean },
    ): Promise<Heard> {
      const { server } = api();
      const { port } = new URL(server.url);
      const heard: Heard = { statuses: [], text: '', sentBytes: 0 };
      const socket = connect({ host: '127.0.0.1', port: Number(port), ca: server.caPem, ALPNProtocols: ['http/1.1'] });
      return await new Promise((done, failed) => {
        const timer = setTimeout(() => {
          failed(new Error(`no end after ${patienceMs} ms; heard: ${heard.text}`));
          socket.destroy();
        }, patienceMs);
        const end = (): void => {
          clearTimeout(timer);
          heard.sentBytes = socket.bytesWritten;
          socket.destroy();
          done(heard);
        };
        socket.on('secureConnect', () => {
          socket.write(
            [...head, 'Host: x', `Authorization: Bearer ${server.token}`, 'Content-Type: application/json', '', ''].join('\r\n'),
          );
          speak(socket, heard);
        });
        socket.on('data', (chunk: Buffer) => {
          heard.text += chunk.toString();
          heard.statuses = [...heard.text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
          if (isEnough(heard)) end();
        });
        socket.on('error', () => undefined).on('close', end); // a reset, while we were sending, is an end too
      });
    }

    /** Sends until it is cut off. */
    const endlessly =
      (piece: Buffer) =>
      (socket: TLSSocket): void => {
        const send = (): void => {
          while (!socket.destroyed && socket.write(piece));
          if (!socket.destroyed) socket.once('drain', send);
        };
        send();
      };

    /** Whether the connection ends then is up to how much was sent. */
    const isRefused = ({ text }: Heard): boolean => text.includes('"code":413}');
    const filler = Buffer.alloc(64 * 1024, 'x');

    test('a body that is too large is refused with the limit, and the connection ends, though the client sends on and on', async () => {
      const path = core(await freshNamespace(api()), 'configmaps');
      for (const { how, head, piece } of [
        { how: 'said beforehand', head: ['Content-Length: 1000000000'], piece: filler },
        {
          how: 'in chunks',
          head: ['Transfer-Encoding: chunked'],
          piece: Buffer.concat([Buffer.from('10000\r\n'), filler, Buffer.from('\r\n')]),
        },
      ]) {
        const heard = await exchange([`POST ${path} HTTP/1.1`, ...head], { speak: endlessly(piece) });
        expect({ how, statuses: heard.statuses }).toEqual({ how, statuses: [413] });
        expect(heard.text).toContain(`"message":"Request entity too large: limit is ${largestBody}"`);
        expect(heard.text.toLowerCase()).toContain('connection: close');
        expect(heard.sentBytes).toBeLessThan(64 * 1024 * 1024);
      }
    });

    test('a client that sends all of a body that is too large gets to read why it is refused', async () => {
      const path = core(await freshNamespace(api()), 'configmaps');
      const body = Buffer.alloc(largestBody + 100_000, 'x');
      const heard = await exchange([`PUT ${path}/a HTTP/1.1`, `Content-Length: ${body.length}`], {
        speak: (socket) => socket.write(body),
        isEnough: isRefused,
      });
      expect(heard.statuses).toEqual([413]);
    });

    test('a client that waits to be asked is asked, and then answered', async () => {
      const path = core(await freshNamespace(api()), 'configmaps');
      const body = JSON.stringify(aConfigMap(freshName('asked')));
      const heard = await exchange([`POST ${path} HTTP/1.1`, 'Expect: 100-continue', `Content-Length: ${body.length}`], {
        speak: (socket) => socket.once('data', () => socket.write(body)),
        isEnough: ({ statuses, text }) => (statuses.includes(201) && text.endsWith('}\n')) || text.endsWith('}}'),
      });
      expect(heard.statuses).toEqual([100, 201]);
    });

    test('a client that waits to be asked with a body that is too large is refused, asked or not', async () => {
      const path = core(await freshNamespace(api()), 'configmaps');
      const length = largestBody + 1;
      const heard = await exchange([`POST ${path} HTTP/1.1`, 'Expect: 100-continue', `Content-Length: ${length}`], {
        speak: (socket, so) => socket.once('data', () => so.statuses[0] === 100 && socket.write(Buffer.alloc(length, 'x'))),
        isEnough: isRefused,
      });
      expect(heard.statuses.at(-1)).toBe(413);
      expect(heard.statuses.filter((status) => status !== 100)).toEqual([413]);
    });

    test('an expectation that nobody knows is refused', async () => {
      const path = core(await freshNamespace(api()), 'configmaps');
      const heard = await exchange([`POST ${path} HTTP/1.1`, 'Expect: something', 'Content-Length: 0'], {
        isEnough: ({ statuses }) => statuses.length > 0,
      });
      expect(heard.statuses).toEqual([417]);
    });

    test('who may not ask is told so before a body is read', async () => {
      const heard = await exchange([`POST /api/v1/namespaces HTTP/1.1`, 'Authorization: Bearer wrong', 'Content-Length: 1000000000'], {
        speak: endlessly(filler),
      });
      expect(heard.statuses).toHaveLength(1);
      expect([400, 401, 403]).toContain(heard.statuses[0]);
    });

    test('a long request line and long headers are taken', async () => {
      const namespace = await freshNamespace(api());
      const selector = `app in (${Array.from({ length: 2_000 }, (_, at) => `a${at}`).join(',')})`;
      const { status } = await api().get(`${core(namespace, 'configmaps')}?labelSelector=${encodeURIComponent(selector)}`);
      expect(status).toBe(200);
    });
  });
}
