// Forwarded ports of a pod: by SPDY as it is and within a WebSocket, by channels; bytes both ways, many at once, slow readers, ports at which nothing listens.
import { once } from 'node:events';
import { request } from 'node:https';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createWebSocketStream, WebSocket } from 'ws';
import { DICTIONARY, HeaderPacker, HeaderUnpacker } from '../../lib/node-api/spdy-headers.ts';
import { UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { until } from '../claims.ts';
import { NodeUnderTest, runningPod, settled } from './node-under-test.ts';

const PATH = '/portForward/default/a';
const MB = 1024 * 1024;

let under: NodeUnderTest;
/** What listens on the pod's ports: it gives back what it gets, but on the second one it never reads. */
let echo: Server;
let deaf: Server;
let portOf: Record<number, number>;
let connections: Socket[];
const all: Socket[] = [];
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
  echo = createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  deaf = createServer((socket) => void socket.on('error', () => {}).pause()).listen(0, '127.0.0.1');
  await Promise.all([once(echo, 'listening'), once(deaf, 'listening')]);
  portOf = { 80: (echo.address() as AddressInfo).port, 81: (deaf.address() as AddressInfo).port };
  under.tasks = {
    ...under.tasks,
    connect: async ({ uid }, port, signal) => {
      const there = portOf[port];
      if (there === undefined) throw new UnknownOutcomeError(`nothing listens at port ${port} of ${uid}`);
      const socket = connect({ host: '127.0.0.1', port: there, signal, allowHalfOpen: true });
      socket.on('error', () => {});
      await once(socket, 'connect');
      connections.push(socket);
      all.push(socket);
      return socket;
    },
  };
  await under.start();
});
afterAll(async () => {
  await under.stop();
  for (const server of [echo, deaf]) server.close();
  for (const socket of all) socket.destroy();
});
beforeEach(() => {
  under.pods.splice(0, Infinity, runningPod('a'), runningPod('ended', { phase: 'Succeeded' }));
  connections = [];
});

const spdyHeaders = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'portforward.k8s.io' };

async function asSpdy(): Promise<Duplex> {
  const asking = request(under.options(PATH, { method: 'POST', headers: spdyHeaders }));
  asking.end();
  const [response, socket] = (await once(asking, 'upgrade')) as [{ headers: Record<string, string> }, Socket];
  expect(response.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' });
  return socket;
}

function asWebSocket(path: string, protocol: string): WebSocket {
  const { cert, key } = under.options('/') as { cert: string; key: string };
  return new WebSocket(`wss://127.0.0.1:${under.port}${path}`, [protocol], { cert, key, rejectUnauthorized: false });
}

/** In a WebSocket, with the handshake by hand for the protocol's sake. */
async function asTunnel(): Promise<Duplex> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Protocol': 'SPDY/3.1+portforward.k8s.io',
  };
  const asking = request(under.options(PATH, { headers }));
  asking.end();
  const [response, socket, head] = (await once(asking, 'upgrade')) as [{ headers: Record<string, string> }, Socket, Buffer];
  expect(response.headers).toMatchObject({ 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' });
  const connection = Reflect.construct(WebSocket, [null, undefined, { autoPong: true }]) as WebSocket;
  // It was made as servers make theirs.
  Reflect.set(connection, '_isServer', false);
  (connection as unknown as { setSocket: (socket: Socket, head: Buffer, options: object) => void }).setSocket(socket, head, {
    maxPayload: 16 * MB,
    skipUTF8Validation: false,
  });
  return createWebSocketStream(connection);
}

interface Forwarded {
  bytes: Buffer[];
  hasEnded: boolean;
  error: string;
}

/** As kubectl: the end of SPDY that opens streams. */
class Client {
  readonly #connection: Duplex;
  readonly #packer = new HeaderPacker();
  readonly #unpacker = new HeaderUnpacker();
  readonly #streams = new Map<number, (bytes: Buffer, isEnd: boolean) => void>();
  readonly replies: object[] = [];
  readonly pongs: number[] = [];
  bytes = 0;
  #next = 1;

  constructor(connection: Duplex) {
    this.#connection = connection;
    connection.on('error', () => {});
    this.#read().catch(() => {});
  }

  async #read(): Promise<void> {
    let waiting: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#connection) {
      waiting = Buffer.concat([waiting, chunk as Buffer]);
      while (waiting.length >= 8 && waiting.length >= 8 + waiting.readUIntBE(5, 3)) {
        const [head, flags, body] = [waiting.readUInt32BE(0), waiting.readUInt8(4), waiting.subarray(8, 8 + waiting.readUIntBE(5, 3))];
        waiting = waiting.subarray(8 + body.length);
        this.bytes += body.length;
        if (head < 0x80000000) this.#streams.get(head)?.(Buffer.from(body), (flags & 1) === 1);
        else if ((head & 0xffff) === 2) this.replies.push(await this.#unpacker.unpack(body.subarray(4)));
        else if ((head & 0xffff) === 6) this.pongs.push(body.readUInt32BE(0));
      }
    }
  }

  send(type: number, flags: number, body: Uint8Array): boolean {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(type < 0 ? -type : (0x80030000 | type) >>> 0);
    head.writeUInt32BE(body.length, 4);
    head.writeUInt8(flags, 4);
    return this.#connection.write(Buffer.concat([head, body]));
  }

  data(id: number, text: string | Uint8Array, isEnd = false): boolean {
    return this.send(-id, isEnd ? 1 : 0, Buffer.from(text as string));
  }

  async open(headers: Record<string, string>, take: (bytes: Buffer, isEnd: boolean) => void, isEnd = false): Promise<number> {
    const id = this.#next;
    this.#next += 2;
    this.#streams.set(id, take);
    const numbers = Buffer.alloc(10);
    numbers.writeUInt32BE(id);
    this.send(1, isEnd ? 1 : 0, Buffer.concat([numbers, await this.#packer.pack(headers)]));
    return id;
  }

  async forward(port: number, requestId: number, order: ('data' | 'error')[] = ['error', 'data']): Promise<{ id: number; got: Forwarded }> {
    const got: Forwarded = { bytes: [], hasEnded: false, error: '' };
    let data = 0;
    for (const streamtype of order) {
      const headers = { streamtype, port: String(port), requestid: String(requestId) };
      if (streamtype === 'error') await this.open(headers, (bytes) => void (got.error += bytes.toString()), true);
      else
        data = await this.open(headers, (bytes, isEnd) => {
          got.bytes.push(bytes);
          got.hasEnded ||= isEnd;
        });
    }
    return { id: data, got };
  }

  end(): void {
    this.#connection.destroy();
  }
}

const textOf = ({ bytes }: Forwarded): string => Buffer.concat(bytes).toString();

test('the dictionary is the one of the protocol', () => expect(DICTIONARY).toHaveLength(1_423));

describe.each([
  ['SPDY', asSpdy],
  ['SPDY within a WebSocket', asTunnel],
])('%s', (_name, open) => {
  test('carries several connections at once, each to its end, in whatever order their streams come', async () => {
    const client = new Client(await open());
    const forwarded: Awaited<ReturnType<Client['forward']>>[] = [];
    for (let at = 0; at < 8; at += 1) forwarded.push(await client.forward(80, at, at % 2 === 0 ? ['error', 'data'] : ['data', 'error']));
    for (const [at, { id }] of forwarded.entries()) client.data(id, `hello ${at}, `);
    for (const [at, { id }] of forwarded.entries()) client.data(id, `bye ${at}`, true);
    await until('all have ended', () => forwarded.every(({ got }) => got.hasEnded));
    expect(forwarded.map(({ got }) => textOf(got))).toEqual(forwarded.map((_, at) => `hello ${at}, bye ${at}`));
    expect(forwarded.map(({ got }) => got.error).join('')).toBe('');
    client.end();
  });

  test('tells of a port at which nothing listens, and goes on with others', async () => {
    const client = new Client(await open());
    const [none, fine] = [await client.forward(9, 0), await client.forward(80, 1)];
    await until('it is told', () => none.got.error !== '');
    expect(none.got.error).toBe('nothing listens at port 9 of uid-a');
    client.data(fine.id, 'still there', true);
    await until('the other one has ended', () => fine.got.hasEnded);
    expect(textOf(fine.got)).toBe('still there');
    const zero = await client.forward(0, 2);
    await until('it is refused', () => zero.got.error === 'expected a port from 1 to 65535');
    client.end();
  });

  test('answers pings, and ends what the caller breaks off', async () => {
    const client = new Client(await open());
    const { id } = await client.forward(80, 0);
    await until('it is connected', () => connections.length === 1);
    client.send(6, 0, Buffer.of(0, 0, 0, 7));
    await until('the ping is answered', () => client.pongs.includes(7));
    client.send(3, 0, Buffer.of(0, 0, 0, id, 0, 0, 0, 5));
    await until('the connection is closed', () => connections[0]?.destroyed === true);
    expect([client.pongs, client.replies]).toEqual([[7], [{}, {}]]);
    client.end();
  });

  test('ends all connections with the caller', async () => {
    const client = new Client(await open());
    await client.forward(80, 0);
    await client.forward(81, 1);
    await until('they are connected', () => connections.length === 2);
    client.end();
    await until('they are closed', () => connections.every(({ destroyed }) => destroyed));
    expect(connections).toHaveLength(2);
  });

  test('reads no further ahead of a pod that does not read than buffers hold', async () => {
    const connection = await open();
    const client = new Client(connection);
    const { id } = await client.forward(81, 0);
    await until('it is connected', () => connections.length === 1);
    let sent = 0;
    const more = (): void => {
      while (sent < 200 * MB && client.data(id, Buffer.alloc(64 * 1024))) sent += 64 * 1024;
    };
    connection.on('drain', more);
    more();
    expect(await settled('what was sent', () => sent)).toBeLessThan(60 * MB);
    client.end();
  });
});

test('a frame that is far too long, and another version, end the connection', async () => {
  for (const bytes of [
    [0, 0, 0, 1, 0, 0xff, 0xff, 0xff],
    [0x80, 2, 0, 1, 0, 0, 0, 0],
    [0x80, 3, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2],
  ]) {
    const socket = await asSpdy();
    socket.on('error', () => {});
    socket.resume();
    socket.write(Buffer.from(bytes));
    await until('it is ended', () => socket.destroyed || socket.readableEnded);
    expect(connections).toEqual([]);
  }
});

test('two channels for each port, as other clients ask for them', async () => {
  const socket = asWebSocket(`${PATH}?port=80&port=9`, 'v4.channel.k8s.io');
  const got = new Map<number, Buffer>();
  socket.on('message', (data: Buffer) => {
    const [channel = 0] = data;
    got.set(channel, Buffer.concat([got.get(channel) ?? Buffer.alloc(0), data.subarray(1)]));
  });
  await once(socket, 'open');
  socket.send(Buffer.concat([Buffer.of(0), Buffer.from('hello')]));
  await until('it is given back', () => got.get(0)?.length === 7);
  expect([...(got.get(0) ?? [])].slice(0, 2)).toEqual([80, 0]);
  expect(got.get(0)?.subarray(2).toString()).toBe('hello');
  await until('the other one is told of', () => (got.get(3)?.length ?? 0) > 2);
  expect(got.get(3)?.subarray(2).toString()).toBe('nothing listens at port 9 of uid-a');
  socket.close();
  await until('the connection is closed', () => connections.every(({ destroyed }) => destroyed));
});

describe('is refused', () => {
  const refused = async (path: string, headers: Record<string, string>): Promise<{ status: number | undefined; text: string }> => {
    const asking = request(under.options(path, { headers }));
    asking.end();
    const [response] = (await once(asking, 'response')) as [Readable & { statusCode?: number }];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
  };
  const channels = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Protocol': 'v4.channel.k8s.io',
  };

  test.each([
    ['a pod that is not there', '/portForward/default/none', spdyHeaders, 404, 'pod "none_default" does not exist'],
    [
      'a pod that has ended',
      '/portForward/default/ended',
      spdyHeaders,
      400,
      'unable to forward port because pod is not running. Current status=Succeeded',
    ],
    ['channels without a port', PATH, channels, 400, 'query parameter "port" is required: numbers from 1 to 65535'],
    ['a port that is none', `${PATH}?port=65536`, channels, 400, 'query parameter "port" is required: numbers from 1 to 65535'],
    [
      'another protocol',
      PATH,
      { ...channels, 'Sec-WebSocket-Protocol': 'v5.channel.k8s.io' },
      400,
      /^expected SPDY\/3\.1, or a WebSocket with one of the protocols/,
    ],
    ['a request without an upgrade', PATH, {}, 400, /expected a request to upgrade/],
  ] as const)('%s', async (_name, path, headers, status, text) => {
    const answer = await refused(path, headers);
    expect(answer.status).toBe(status);
    expect(answer.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });
});
