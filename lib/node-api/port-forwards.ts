// Ports of pods that a caller forwards to itself: by SPDY/3.1, which kubectl speaks within a WebSocket and API servers as it is, or by a WebSocket with
// two channels a port, as other clients do.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream, WebSocketServer, type WebSocket } from 'ws';
import { badRequest } from './refusal.ts';
import { SpdySession, type SpdyStream } from './spdy-session.ts';

const SPDY = 'SPDY/3.1';
const VERSION = 'portforward.k8s.io';
const TUNNEL = `${SPDY}+${VERSION}`;
const CHANNELS = 'v4.channel.k8s.io';
const MESSAGE_BYTES_MAX = 1024 * 1024;
const MOST_PORTS = 64;

/** @throws Error one sentence, where nothing listens there */
export type Connect = (port: number, signal: AbortSignal) => Promise<Duplex>;

export interface ForwardUpgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  query: URLSearchParams;
}

const OPTIONS = { noServer: true, maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false };

export class PortForwards {
  readonly #channels = new WebSocketServer({ ...OPTIONS, handleProtocols: () => CHANNELS });
  readonly #tunnels = new WebSocketServer(OPTIONS).on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${TUNNEL}`));

  /** Resolves once the caller has gone, or all its ports have ended. @throws NodeRefusalError nothing was upgraded */
  async run({ request, socket, head, query }: ForwardUpgrade, connect: Connect): Promise<void> {
    if (request.headers.upgrade?.toLowerCase() === SPDY.toLowerCase()) {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${SPDY}\r\nX-Stream-Protocol-Version: ${VERSION}\r\n\r\n`,
      );
      if (head.length > 0) socket.unshift(head);
      return await overSpdy(socket, connect);
    }
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    const isTunnel = offered.includes(TUNNEL);
    if (request.headers.upgrade?.toLowerCase() !== 'websocket' || (!isTunnel && !offered.includes(CHANNELS)))
      throw badRequest(`expected ${SPDY}, or a WebSocket with one of the protocols ${TUNNEL}, ${CHANNELS}`);
    const ports = isTunnel ? [] : portsIn(query);
    // A slash stands in no name of a protocol, so the server of WebSockets would refuse it.
    if (isTunnel) delete request.headers['sec-websocket-protocol'];
    const server = isTunnel ? this.#tunnels : this.#channels;
    const connection = await new Promise<WebSocket>((resolve) => server.handleUpgrade(request, socket, head, resolve));
    if (isTunnel) await overSpdy(createWebSocketStream(connection), connect);
    else await overChannels(connection, ports, connect);
  }
}

/** @throws NodeRefusalError 400 */
function portsIn(query: URLSearchParams): number[] {
  const ports = query
    .getAll('port')
    .flatMap((each) => each.split(','))
    .map((text) => portIn(text));
  if (ports.length === 0 || ports.includes(undefined)) throw badRequest('query parameter "port" is required: numbers from 1 to 65535');
  if (ports.length > MOST_PORTS) throw badRequest(`at most ${MOST_PORTS} ports are forwarded at once`);
  return ports.filter((port) => port !== undefined);
}

function portIn(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Two streams for each connection to a port: its bytes, and the error that it may end with. They come in any order. */
async function overSpdy(connection: Duplex, connect: Connect): Promise<void> {
  connection.on('error', () => {});
  const ending = new AbortController();
  const halves = new Map<string, SpdyStream>();
  const session = new SpdySession(connection, (stream) => {
    const { streamtype: type, requestid: id = '', port } = stream.headers;
    if (type !== 'data' && type !== 'error') return void stream.destroy();
    const key = `${id} ${port}`;
    const other = halves.get(key);
    if (!other || other.headers['streamtype'] === type) {
      halves.set(key, stream);
      stream.once('close', () => halves.get(key) === stream && halves.delete(key));
      return;
    }
    halves.delete(key);
    const [data, error] = type === 'data' ? [stream, other] : [other, stream];
    error.resume();
    void forward({ data, error, port: portIn(port), signal: ending.signal }, connect);
  });
  await session.run();
  ending.abort();
}

interface Forwarded {
  data: Duplex;
  error: Duplex;
  port: number | undefined;
  signal: AbortSignal;
}

async function forward({ data, error, port, signal }: Forwarded, connect: Connect): Promise<void> {
  try {
    if (port === undefined) throw new Error('expected a port from 1 to 65535');
    const there = await connect(port, signal);
    there.on('error', () => {});
    // Each direction ends by itself; a fault in one ends both.
    await Promise.all([pipeline(data, there, { signal }), pipeline(there, data, { signal })]).catch(() => {
      there.destroy();
      data.destroy();
    });
    error.end();
  } catch (fault) {
    data.destroy();
    error.end((fault as Error).message);
  }
}

/** Channel 2n has the bytes of the port of that place, 2n + 1 its error. Each begins with the port's number. */
async function overChannels(connection: WebSocket, ports: readonly number[], connect: Connect): Promise<void> {
  const ending = new AbortController();
  const closed = new Promise<void>((resolve) => void connection.once('close', () => resolve()));
  connection.on('error', () => connection.terminate());
  void closed.then(() => ending.abort());
  const send = async (channel: number, bytes: Uint8Array): Promise<void> =>
    await new Promise((resolve) => connection.send(Buffer.concat([Buffer.of(channel), bytes]), () => resolve()));
  const inputs = new Map<number, Duplex>();
  const early = new Map<number, Buffer[]>();
  connection.on('message', (message: Buffer) => {
    const [channel = 0] = message;
    const there = inputs.get(channel);
    const bytes = message.subarray(1);
    if (!there) {
      early.get(channel)?.push(bytes);
      connection.pause();
    } else if (!there.destroyed && !there.write(bytes)) {
      connection.pause();
      there.once('drain', () => connection.resume());
    }
  });
  for (const at of ports.keys()) early.set(at * 2, []);
  await Promise.all(
    ports.map(async (port, at) => {
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      await send(at * 2, number);
      await send(at * 2 + 1, number);
      try {
        const there = await connect(port, ending.signal);
        there.on('error', () => {});
        for (const bytes of early.get(at * 2) ?? []) there.write(bytes);
        inputs.set(at * 2, there);
        connection.resume();
        ending.signal.addEventListener('abort', () => there.destroy(), { once: true });
        for await (const bytes of there) await send(at * 2, bytes as Buffer);
      } catch (fault) {
        await send(at * 2 + 1, Buffer.from((fault as Error).message));
        connection.resume();
      }
    }),
  );
  connection.close(1000);
  await closed;
}
