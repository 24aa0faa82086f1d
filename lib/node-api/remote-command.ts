// The streams of a command over a WebSocket, as kubectl and other clients speak it through an API server: one channel a stream, its number in
// the first byte of each message (versions 4 and 5 of the protocol).
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { fieldsOf, jsonIn } from '../objects/values/untyped-fields.ts';
import type { ExecRequest } from '../ports/provider.ts';
import type { ExecQuery } from './exec-query.ts';
import { badRequest, NodeRefusalError } from './refusal.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const RESIZE = 4;
/** Version 5: the stream whose number follows has ended. */
const CLOSE = 255;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const MESSAGE_BYTES_MAX = 1024 * 1024;
/** Messages of standard input that wait for a command which does not read: then the caller is not read either. */
const MOST_WAITING = 16;
/**
 * Of a caller that is not read nothing shows that it has gone, until something is sent to it: a pong, which asks for no answer. Answers would pile
 * up behind what the caller cannot send.
 */
const BEAT_EVERY_MS = 10_000;

export type ExecStreams = Omit<ExecRequest, 'container'>;

interface Size {
  columns: number;
  rows: number;
}

export interface Upgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  query: ExecQuery;
}

export class RemoteCommands {
  readonly #beatEveryMs: number;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });

  constructor({ beatEveryMs = BEAT_EVERY_MS }: { beatEveryMs?: number }) {
    this.#beatEveryMs = beatEveryMs;
  }

  /** Resolves once the caller has how the command ended. @throws NodeRefusalError nothing was upgraded */
  async run(
    { request, socket, head, query }: Upgrade,
    start: (streams: ExecStreams, signal: AbortSignal) => Promise<{ exitCode: number }>,
  ): Promise<void> {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      throw new NodeRefusalError(
        400,
        'commands are run over a WebSocket here, not over SPDY: use a client and an API server that speak it to nodes',
      );
    if (!offered.some((each) => PROTOCOLS.includes(each))) throw badRequest(`expected one of the protocols ${PROTOCOLS.join(', ')}`);
    const connection = await new Promise<WebSocket>((resolve) => this.#server.handleUpgrade(request, socket, head, resolve));
    const ending = new AbortController();
    const stdin = new Waiting<Uint8Array>(connection);
    const sizes = new Latest<Size>();
    const beats = setInterval(() => {
      if (connection.bufferedAmount === 0) connection.pong();
    }, this.#beatEveryMs).unref();
    const end = (): void => {
      clearInterval(beats);
      ending.abort();
      stdin.end();
      sizes.end();
    };
    connection.on('close', end);
    connection.on('error', end);
    connection.on('message', (data: Buffer) => {
      const [channel, about] = data;
      if (channel === STDIN && query.stdin) stdin.put(data.subarray(1));
      else if (channel === RESIZE && query.tty) sizes.put(sizeIn(data.subarray(1)));
      else if (channel === CLOSE && about === STDIN) stdin.end();
    });
    const send = async (channel: number, bytes: Uint8Array): Promise<void> =>
      await new Promise((resolve) => connection.send(Buffer.concat([Buffer.of(channel), bytes]), () => resolve()));
    const output =
      (channel: number) =>
      async (bytes: Uint8Array): Promise<void> => {
        for (let at = 0; at < bytes.length; at += MESSAGE_BYTES_MAX / 2)
          await send(channel, bytes.subarray(at, at + MESSAGE_BYTES_MAX / 2));
      };
    // Clients wait for a first message to know that the command has begun.
    await send(query.stdout ? STDOUT : query.stderr ? STDERR : STATUS, Buffer.alloc(0));
    const status = await start(
      {
        command: query.command,
        tty: query.tty,
        ...(query.stdin && { stdin }),
        ...(query.stdout && { stdout: output(STDOUT) }),
        ...(query.stderr && { stderr: output(STDERR) }),
        ...(query.tty && { sizes }),
      },
      ending.signal,
    ).then(({ exitCode }) => statusOf(exitCode), failure);
    // What the caller still sends goes to nobody, and must not keep its goodbye from being read.
    stdin.drop();
    sizes.end();
    await send(STATUS, Buffer.from(JSON.stringify(status)));
    connection.close(1000);
  }
}

/** An answer to a request to upgrade that is not upgraded. */
export function refuseUpgrade(socket: Socket, status: number, message: string): void {
  const body = Buffer.from(message);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${message}`,
  );
}

const statusOf = (exitCode: number): object =>
  exitCode === 0
    ? { metadata: {}, status: 'Success' }
    : {
        metadata: {},
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: `command terminated with non-zero exit code: exit status ${exitCode}`,
        details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
      };

const failure = (error: unknown): object => ({
  metadata: {},
  status: 'Failure',
  reason: 'InternalError',
  message: error instanceof Error ? error.message : String(error),
  code: 500,
});

function sizeIn(bytes: Uint8Array): Size | undefined {
  const { Width, Height } = fieldsOf(jsonIn(Buffer.from(bytes).toString()));
  const isSize = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
  return isSize(Width) && isSize(Height) ? { columns: Width, rows: Height } : undefined;
}

/** What came and was not read yet. While too much waits, nothing more is read of the connection. */
class Waiting<Item> implements AsyncIterable<Item> {
  readonly #connection: WebSocket;
  readonly #items: Item[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(connection: WebSocket) {
    this.#connection = connection;
  }

  put(item: Item | undefined): void {
    if (item === undefined || this.#hasEnded) return;
    this.#items.push(item);
    if (this.#items.length >= MOST_WAITING) this.#connection.pause();
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  drop(): void {
    this.end();
    this.#items.length = 0;
    this.#connection.resume();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        if (this.#items.length < MOST_WAITING) this.#connection.resume();
        yield item;
      } else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The last one alone: a terminal that has grown since has no use for the sizes between, and one that nobody reads holds up nothing. */
class Latest<Item> implements AsyncIterable<Item> {
  #item: Item | undefined;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  put(item: Item | undefined): void {
    if (item === undefined) return;
    this.#item = item;
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Item> {
    for (;;) {
      const item = this.#item;
      this.#item = undefined;
      if (item !== undefined) yield item;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
