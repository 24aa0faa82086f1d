// Commands in containers: where an upgrade leads, that every byte of either side reaches the other and what it is refused with.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { withoutMixedFrames } from '../../../lib/sandbox/nodes/frame-boundaries.ts';
import { until } from '../../claims.ts';
import {
  accountWith,
  addNode,
  addPod,
  ask,
  callerOf,
  clientAuthorityOf,
  startSandbox,
  startStandIn,
  upgrade,
  websocket,
  heldUp,
  writeMany,
} from './node-stand-in.ts';
import type { Opened, Sandbox, StandIn } from './node-stand-in.ts';

const PODS = '/api/v1/namespaces/default/pods';
const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';

let sandbox: Sandbox;
let node: StandIn;
/** What the node was asked for, and its side of the stream. */
let asked: IncomingMessage | undefined;
let given: Buffer[];
let nodeSide: Duplex | undefined;
let refusal: [status: number, text: string] | undefined;
/** Sent in one piece with the head of its answer. */
let first = '';

const head = (incoming: IncomingMessage, protocol: string): string =>
  [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${createHash('sha1')
      .update(`${incoming.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')}`,
    `Sec-WebSocket-Protocol: ${protocol}`,
    '\r\n',
  ].join('\r\n');

beforeAll(async () => {
  sandbox = await startSandbox();
  node = await startStandIn({
    caPem: await clientAuthorityOf(sandbox),
    upgrade: (incoming, socket, early) => {
      asked = incoming;
      nodeSide = socket;
      socket.on('error', () => undefined);
      if (refusal) {
        const [status, text] = refusal;
        return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`);
      }
      if (early.length > 0) socket.unshift(early);
      socket.write(head(incoming, incoming.headers['sec-websocket-protocol']?.split(', ')[0] ?? '') + first);
      socket.on('data', (chunk: Buffer) => given.push(chunk));
    },
  });
  await addNode(sandbox, 'edge', node.port);
  await addNode(sandbox, 'down', 1);
  await addNode(sandbox, 'plain', 0);
  for (const [name, on] of [
    ['p', 'edge'],
    ['lost', 'down'],
    ['played', 'plain'],
    ['unplaced', undefined],
  ] as const)
    await addPod(sandbox, name, on);
  await addPod(sandbox, 'two', 'edge', ['a', 'b']);
});
afterAll(async () => {
  await sandbox.stop();
  await node.close();
});
beforeEach(() => {
  [asked, given, nodeSide, refusal, first] = [undefined, [], undefined, undefined, ''];
});

const open = async (path: string, more: { headers?: Record<string, string>; method?: string; token?: string } = {}): Promise<Opened> =>
  await upgrade(sandbox, `${PODS}/${path}`, { headers: websocket(`${V5}, ${V4}`), ...more });

/** As a server sends one. */
function frameOf(payload: Buffer): Buffer {
  const { length } = payload;
  const size = Buffer.alloc(length < 126 ? 1 : length < 65_536 ? 3 : 9);
  size.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.of(0x82), size, payload]);
}

/** Both sides of a stream that the node took. */
async function joined(
  path = 'p/exec?command=sh&stdin=true&stdout=true',
  headers = websocket(V4),
): Promise<{ client: Duplex; far: Duplex }> {
  const { socket } = await open(path, { headers });
  if (!socket || !nodeSide) throw new Error('not joined');
  socket.on('error', () => undefined);
  return { client: socket, far: nodeSide };
}

describe('an upgrade leads', () => {
  test.each([
    [
      'p/exec?command=sh&command=-c&command=a%20%26%20b&stdin=true&stdout=true&stderr=1',
      '/exec/default/p/main?command=sh&command=-c&command=a+%26+b&input=1&output=1&error=1',
    ],
    ['two/exec?container=b&command=sh&stdout=true&tty=true&stderr=false', '/exec/default/two/b?command=sh&output=1&tty=1'],
    ['p/attach?stdout=true&command=no', '/attach/default/p/main?output=1'],
    ['p/portforward?ports=80&ports=443', '/portForward/default/p?port=80%2C443'],
  ])('%s to %s of the node, with its own key, version and protocols', async (path, on) => {
    const { status, headers, socket } = await open(path, {
      headers: websocket(`${V5}, base64url.bearer.authorization.k8s.io.c2VjcmV0, ${V4}`),
    });
    expect([status, headers['sec-websocket-protocol'], headers['sec-websocket-accept']]).toEqual([101, V5, 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=']);
    expect(asked?.url).toBe(on);
    expect(asked?.headers).toMatchObject({ 'sec-websocket-version': '13', 'sec-websocket-protocol': `${V5}, ${V4}`, upgrade: 'websocket' });
    expect(asked?.headers.authorization).toBeUndefined();
    expect(asked && callerOf(asked)).toBe('system:masters/kube-apiserver-kubelet-client');
    socket?.destroy();
  });
});

describe('bytes pass', () => {
  test.each([V4, V5])('%s: frames in both directions, the close of either side', async (protocol) => {
    const { client, far } = await joined('p/exec?command=sh&stdin=1&stdout=1', websocket(protocol));
    const masked = Buffer.from([0x82, 0x83, 1, 2, 3, 4, 0 ^ 1, 0x68 ^ 2, 0x69 ^ 3]);
    const closing = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
    client.write(masked);
    await until('the frame on the node', () => Buffer.concat(given).equals(masked));
    let got = Buffer.alloc(0);
    let isEnded = false;
    client.on('data', (chunk: Buffer) => (got = Buffer.concat([got, chunk]))).on('end', () => (isEnded = true));
    const output = Buffer.from([0x82, 0x03, 1, 0x6f, 0x6b]);
    far.write(output);
    client.write(closing);
    await until('the close on the node', () => Buffer.concat(given).equals(Buffer.concat([masked, closing])));
    far.end(Buffer.from([0x88, 0x02, 0x03, 0xe8]));
    await until('the end of the stream', () => isEnded);
    expect(got).toEqual(Buffer.concat([output, Buffer.from([0x88, 0x02, 0x03, 0xe8])]));
  });

  test('frames that come in one piece leave each alone: clients that wait on the socket see all of them', async () => {
    const { client, far } = await joined();
    const frames = ['one', 'x'.repeat(200), '', 'four'].map((text) => frameOf(Buffer.from(text)));
    const got: Buffer[] = [];
    client.on('data', (chunk: Buffer) => got.push(chunk));
    far.write(Buffer.concat(frames));
    await until('all frames', () => Buffer.concat(got).equals(Buffer.concat(frames)));
    expect(got).toEqual(frames);
    client.destroy();
  });

  test('bytes that come in one piece with the request, or with its answer', async () => {
    first = 'from the node';
    const headers = Object.entries({ Host: 'sandbox', Authorization: `Bearer ${sandbox.token}`, ...websocket(V5) });
    const lines = [`GET ${PODS}/p/exec?command=sh&stdin=1 HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '\r\n'];
    const client = connect({ host: '127.0.0.1', port: sandbox.port, ca: sandbox.caPem });
    client.write(`${lines.join('\r\n')}from the client`);
    let text = '';
    client.setEncoding('utf8').on('data', (more: string) => (text += more));
    await until('both first bytes', () => text.endsWith('\r\n\r\nfrom the node') && Buffer.concat(given).toString() === 'from the client');
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    client.destroy();
  });

  test('the client leaves, and the node side ends', async () => {
    const { client, far } = await joined();
    let isOver = false;
    far.on('close', () => (isOver = true)).on('end', () => far.end());
    client.destroy();
    await until('the end on the node', () => isOver);
    expect(isOver).toBe(true);
  });

  test('the node breaks off, and the client ends', async () => {
    const { client, far } = await joined();
    let isOver = false;
    client.resume().on('close', () => (isOver = true));
    far.destroy();
    await until('the end at the client', () => isOver);
    expect(isOver).toBe(true);
  });

  test('a side that does not read holds up the other, and gets all in the end', async () => {
    const { client, far } = await joined();
    const [size, chunk] = [48, frameOf(Buffer.alloc(1024 * 1024, 'y'))];
    expect(await heldUp(writeMany(far, { chunk, times: size }))).toBeLessThan(size / 2);
    let got = 0;
    for await (const part of client as AsyncIterable<Buffer>) got += part.length;
    expect(got).toBe(size * chunk.length);
  });

  test('a server that stops ends what it has joined', async () => {
    const other = await startSandbox();
    await addNode(other, 'edge', node.port);
    await addPod(other, 'p', 'edge');
    const { socket } = await upgrade(other, `${PODS}/p/exec?command=sh&stdout=1`, { headers: websocket(V4) });
    let isOver = false;
    socket
      ?.resume()
      .on('error', () => undefined)
      .on('close', () => (isOver = true));
    await other.stop();
    await until('the end at the client', () => isOver);
    expect(isOver).toBe(true);
  });
});

test('frames of any length, cut anywhere, lose nothing and are not mixed', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.info(`frames: seed ${seed}`);
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
  const frames = Array.from({ length: 200 }, (_, at) => frameOf(Buffer.alloc(below([4, 130, 70_000][at % 3] ?? 4), at)));
  const all = Buffer.concat(frames);
  const ends = new Set(
    frames.map(
      (
        (end) => (frame: Buffer) =>
          (end += frame.length)
      )(0),
    ),
  );
  const cut = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < all.length;) yield all.subarray(at, (at += 1 + below(below(2) ? 12 : 40_000)));
  };
  const pieces: Buffer[] = [];
  for await (const piece of withoutMixedFrames(cut())) pieces.push(piece);
  expect(Buffer.concat(pieces).equals(all)).toBe(true);
  let at = 0;
  for (const { length } of pieces) {
    for (let inside = at + 1; inside < at + length; inside += 1)
      if (ends.has(inside)) throw new Error(`a frame ends within a piece at ${inside}`);
    at += length;
  }
});

describe('refusals', () => {
  test.each([
    ['two/exec?command=sh&stdout=1', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['p/exec?container=x&command=sh&stdout=1', 400, 'container x is not valid for pod p'],
    ['absent/exec?command=sh&stdout=1', 404, 'pods "absent" not found'],
    ['unplaced/exec?command=sh&stdout=1', 400, 'pod unplaced does not have a host assigned'],
    ['lost/exec?command=sh&stdout=1', 500, 'error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused'],
    [
      'played/exec?command=sh&stdout=1',
      400,
      'exec needs a node that runs containers: pod played is on plain, whose Node names no address and port to dial',
    ],
  ])('%s: %i %s', async (path, status, message) => {
    expect(await open(path)).toMatchObject({ status, message });
  });

  test.each([
    [400, 'container "main" in pod "p" does not run\n', 400, 'container "main" in pod "p" does not run'],
    [501, 'not implemented', 501, 'not implemented'],
    [403, '', 403, 'the node answered with the status code 403'],
    [200, 'page', 500, 'invalid upgrade response: status code 200'],
  ])('a node that answers %i %j: %i %s', async (given_, text, status, message) => {
    refusal = [given_, text];
    expect(await open('p/exec?command=sh&stdout=1')).toMatchObject({ status, message });
  });

  const spdy = { method: 'POST', headers: { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': V4 } };

  test('SPDY: a sentence, after what is wrong with the request; then what a WebSocket was refused with just before', async () => {
    const sentence =
      'the sandbox takes exec over WebSockets, not over SPDY/3.1: use kubectl 1.31 or newer, and leave KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false out of its environment';
    expect(await open('p/exec?command=ls&stdout=1', spdy)).toMatchObject({ status: 400, message: sentence });
    expect(await open('two/exec?command=ls&stdout=1', spdy)).toMatchObject({
      message: expect.stringContaining('a container name must be'),
    });
    refusal = [404, 'container not found'];
    await open('p/exec?command=ls&stdout=1');
    expect(await open('p/exec?command=ls&stdout=1', spdy)).toMatchObject({ status: 404, message: 'container not found' });
    expect(await open('p/exec?command=other&stdout=1', spdy)).toMatchObject({ status: 400, message: sentence });
  });

  test('a request that does not ask to switch protocols, and one for another protocol', async () => {
    const plain = await ask(sandbox, `${PODS}/p/exec?command=sh`);
    expect([plain.status, plain.body['message']]).toEqual([400, 'Upgrade request required']);
    expect((await ask(sandbox, `${PODS}/p/exec`, { method: 'DELETE' })).status).toBe(405);
    expect(await open('p/exec?command=sh', { headers: { Connection: 'Upgrade', Upgrade: 'telnet' } })).toMatchObject({
      status: 400,
      message: 'unable to upgrade: expected websocket, got "telnet"',
    });
  });

  test('elsewhere an offer of another protocol is not taken, and the request answered', async () => {
    const { status, body } = await ask(sandbox, '/api/v1/nodes/edge', { headers: websocket('') });
    expect([status, body['kind']]).toEqual([200, 'Node']);
  });

  test('rights: to read is not enough, to create is by POST; without a token nobody gets in', async () => {
    const rule = (...verbs: string[]): object[] => [{ apiGroups: [''], resources: ['pods/exec'], verbs }];
    const [reader, creator, both] = await Promise.all([
      accountWith(sandbox, 'reader', rule('get')),
      accountWith(sandbox, 'creator', rule('create')),
      accountWith(sandbox, 'both', rule('get', 'create')),
    ]);
    const path = 'p/exec?command=sh&stdout=1';
    const outcome = async (token: string, method = 'GET'): Promise<string> => {
      const { status, message, socket } = await open(path, { token, method });
      socket?.destroy();
      return `${status} ${message}`.trim();
    };
    const cannot = (name: string, verb: string): string =>
      `403 pods "p" is forbidden: User "system:serviceaccount:default:${name}" cannot ${verb} resource "pods/exec" in API group "" in the namespace "default"`;
    expect(await outcome(reader)).toBe(cannot('reader', 'create'));
    expect(await outcome(creator)).toBe(cannot('creator', 'get'));
    expect(await outcome(creator, 'POST')).toBe('101');
    expect(await outcome(both)).toBe('101');
    expect(await outcome('wrong')).toBe('401 Unauthorized');
  });
});
