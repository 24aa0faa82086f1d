// A command in a container over a WebSocket: its streams in both versions of the protocol, both ways with a slow other end, and callers that vanish.
import { request } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { ExecRequest } from '../../lib/ports/provider.ts';
import { until } from '../claims.ts';
import { NodeUnderTest, runningPod, settled } from './node-under-test.ts';

const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';
const EXEC = '/exec/default/a/main';
const ALL = `${EXEC}?command=sh&command=-c&command=exit%203&input=1&output=1&error=1`;
const MB = 1024 * 1024;
/** What buffers of sockets on both sides, and messages that wait, may hold. */
const MOST_AHEAD_BYTES = 40 * MB;

type Command = (wanted: ExecRequest, signal: AbortSignal) => Promise<number>;

let under: NodeUnderTest;
let command: Command;
let asked: { wanted: ExecRequest; signal: AbortSignal; hasEnded: boolean }[];
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
  under.tasks = {
    ...under.tasks,
    exec: async (_task, wanted, signal) => {
      const call = { wanted, signal, hasEnded: false };
      asked.push(call);
      const exitCode = await command(wanted, signal);
      call.hasEnded = true;
      return { exitCode };
    },
  };
  await under.start();
});
afterAll(async () => await under.stop());
beforeEach(() => {
  under.pods.splice(
    0,
    Infinity,
    runningPod('a'),
    runningPod('ended', { containerStatuses: [{ name: 'main', state: { terminated: {} } }] }),
  );
  asked = [];
});

/** A caller as kubectl is one. */
class Caller {
  readonly socket: WebSocket;
  readonly channels = new Map<number, Buffer[]>();
  readonly closed: Promise<void>;
  bytes = 0;

  constructor(path: string, protocol = V5) {
    const { cert, key } = under.options('/') as { cert: string; key: string };
    this.socket = new WebSocket(`wss://127.0.0.1:${under.port}${path}`, [protocol], { cert, key, rejectUnauthorized: false });
    this.socket.on('message', (data: Buffer) => {
      const [channel = 0] = data;
      this.bytes += data.length - 1;
      if (this.bytes < MB) this.channels.set(channel, [...(this.channels.get(channel) ?? []), data.subarray(1)]);
      else if (channel === 3) this.channels.set(channel, [data.subarray(1)]);
    });
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  async opened(): Promise<this> {
    await new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
    return this;
  }

  send(channel: number, bytes: Uint8Array | string): void {
    this.socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]));
  }

  text(channel: number): string {
    return Buffer.concat(this.channels.get(channel) ?? []).toString();
  }

  async status(): Promise<unknown> {
    await this.closed;
    return JSON.parse(this.text(3)) as unknown;
  }
}

const textOf = async (stream: AsyncIterable<Uint8Array> | undefined): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const untilGone = async (_wanted: ExecRequest, signal: AbortSignal): Promise<number> =>
  await new Promise((resolve) => signal.addEventListener('abort', () => resolve(137), { once: true }));

describe.each([V4, V5])('%s', (protocol) => {
  test('each stream has its channel, and the exit code comes last', async () => {
    command = async ({ stdin, stdout, stderr }) => {
      const first = await stdin?.[Symbol.asyncIterator]().next();
      await stdout?.(Buffer.from(`got ${Buffer.from((first?.value ?? []) as Uint8Array).toString()}`));
      await stderr?.(Buffer.from('oh'));
      return 3;
    };
    const caller = await new Caller(ALL, protocol).opened();
    expect(caller.socket.protocol).toBe(protocol);
    caller.send(0, 'hello');
    expect(await caller.status()).toEqual({
      metadata: {},
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'command terminated with non-zero exit code: exit status 3',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
    expect([caller.text(1), caller.text(2)]).toEqual(['got hello', 'oh']);
    expect(asked[0]?.wanted).toMatchObject({ container: 'main', command: ['sh', '-c', 'exit 3'], tty: false });
    expect(asked[0]?.wanted.sizes).toBeUndefined();
  });

  test('a command that ends well; a stream that is not wanted is not there', async () => {
    command = async () => 0;
    const caller = await new Caller(`${EXEC}?command=true&error=1`, protocol).opened();
    expect(await caller.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(Object.keys(asked[0]?.wanted ?? {}).toSorted()).toEqual(['command', 'container', 'stderr', 'tty']);
  });

  test('a command that cannot be run', async () => {
    command = async () => {
      throw new Error('there is no such program');
    };
    const caller = await new Caller(ALL, protocol).opened();
    expect(await caller.status()).toMatchObject({
      status: 'Failure',
      reason: 'InternalError',
      message: 'there is no such program',
      code: 500,
    });
  });
});

test('of version 5 the end of standard input shows, and 20 MB arrive whole', async () => {
  let bytes = 0;
  command = async ({ stdin }) => {
    for await (const chunk of stdin ?? []) bytes += chunk.length;
    return 0;
  };
  const caller = await new Caller(ALL).opened();
  for (let sent = 0; sent < 20; sent += 1) caller.send(0, Buffer.alloc(MB - 1));
  caller.send(255, Buffer.of(0));
  expect(await caller.status()).toMatchObject({ status: 'Success' });
  expect(bytes).toBe(20 * (MB - 1));
});

test('a terminal has sizes, the latest; those that nobody reads hold up nothing that is typed', async () => {
  const sizes: object[] = [];
  command = async ({ stdin, sizes: told }) => {
    const input = await textOf(stdin);
    for await (const size of told ?? []) {
      sizes.push(size);
      break;
    }
    return input === 'x'.repeat(40) ? 0 : 1;
  };
  const caller = await new Caller(`${EXEC}?command=sh&input=1&output=1&tty=1`).opened();
  for (let at = 1; at <= 40; at += 1) {
    caller.send(4, JSON.stringify({ Width: 80 + at, Height: 24 }));
    caller.send(0, 'x');
  }
  for (const nonsense of ['{"Width":0,"Height":1}', '{"Width":"80","Height":1}', 'no', '{}']) caller.send(4, nonsense);
  caller.send(255, Buffer.of(0));
  expect(await caller.status()).toMatchObject({ status: 'Success' });
  expect(sizes).toEqual([{ columns: 120, rows: 24 }]);
  expect(asked[0]?.wanted.tty).toBe(true);
});

test('64 MB of output for a reader that is slow: the command is held up, and nothing is lost', async () => {
  let written = 0;
  command = async ({ stdout }) => {
    for (let at = 0; at < 64; at += 1) {
      await stdout?.(Buffer.alloc(MB));
      written += 1;
    }
    return 0;
  };
  const caller = await new Caller(`${EXEC}?command=yes&output=1`).opened();
  caller.socket.pause();
  await settled('what is written', () => written);
  expect(written * MB).toBeLessThan(MOST_AHEAD_BYTES);
  caller.socket.resume();
  expect(await caller.status()).toMatchObject({ status: 'Success' });
  expect(caller.bytes).toBeGreaterThanOrEqual(64 * MB);
});

test('64 MB of input for a command that is slow: the caller is held up, and nothing is lost', async () => {
  const gate = Promise.withResolvers<void>();
  let bytes = 0;
  command = async ({ stdin }) => {
    await gate.promise;
    for await (const chunk of stdin ?? []) bytes += chunk.length;
    return 0;
  };
  const caller = await new Caller(ALL).opened();
  for (let sent = 0; sent < 64; sent += 1) caller.send(0, Buffer.alloc(MB - 1));
  caller.send(255, Buffer.of(0));
  await settled('what waits', () => caller.socket.bufferedAmount);
  expect(caller.socket.bufferedAmount).toBeGreaterThan(64 * MB - MOST_AHEAD_BYTES);
  gate.resolve();
  expect(await caller.status()).toMatchObject({ status: 'Success' });
  expect(bytes).toBe(64 * (MB - 1));
});

test('a command that ends before its input was read: its caller hears so at once', async () => {
  const gate = Promise.withResolvers<number>();
  command = async () => await gate.promise;
  const caller = await new Caller(ALL).opened();
  for (let sent = 0; sent < 64; sent += 1) caller.send(0, Buffer.alloc(MB - 1));
  expect(await settled('what waits', () => caller.socket.bufferedAmount)).toBeGreaterThan(MB);
  gate.resolve(0);
  // A goodbye that is not read is waited for for half a minute.
  await until('it is closed', () => caller.socket.readyState === WebSocket.CLOSED, 15_000);
  expect(await caller.status()).toMatchObject({ status: 'Success' });
});

describe('a caller that vanishes ends the command', () => {
  beforeEach(() => {
    command = untilGone;
  });

  test('while it is read', async () => {
    const caller = await new Caller(ALL).opened();
    await until('the command has begun', () => asked.length === 1);
    caller.socket.terminate();
    await until('the command ends', () => asked[0]?.hasEnded === true);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('while it is not read, because the command reads nothing', async () => {
    const caller = await new Caller(ALL).opened();
    for (let sent = 0; sent < 64; sent += 1) caller.send(0, Buffer.alloc(MB - 1));
    expect(await settled('what waits', () => caller.socket.bufferedAmount)).toBeGreaterThan(MB);
    caller.socket.terminate();
    await until('the command ends', () => asked[0]?.hasEnded === true);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('with a goodbye', async () => {
    const caller = await new Caller(ALL).opened();
    await until('the command has begun', () => asked.length === 1);
    caller.socket.close(1000);
    await until('the command ends', () => asked[0]?.hasEnded === true);
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  test('and so does a message that is too long', async () => {
    const caller = await new Caller(ALL).opened();
    await until('the command has begun', () => asked.length === 1);
    caller.send(0, Buffer.alloc(2 * MB));
    await until('the command ends', () => asked[0]?.hasEnded === true);
    expect((await under.ask('/pods')).status).toBe(200);
  });
});

describe('what is not upgraded', () => {
  const refusedUpgrade = async (path: string, headers: Record<string, string>, as?: object): Promise<{ status: number; text: string }> =>
    await new Promise((resolve, reject) => {
      const options = under.options(path, { headers: { Connection: 'Upgrade', ...headers }, ...(as && { as }) });
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      sent.on('upgrade', () => reject(new Error('it was upgraded')));
      sent.on('error', reject).end();
    });
  const websocket = (protocol: string): Record<string, string> => ({
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol': protocol,
  });

  test.each([
    [
      'SPDY',
      ALL,
      { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'v4.channel.k8s.io' },
      400,
      'commands are run over a WebSocket here, not over SPDY: use a client and an API server that speak it to nodes',
    ],
    ['a protocol that is not known', ALL, websocket('base64.channel.k8s.io'), 400, `expected one of the protocols ${V5}, ${V4}`],
    ['no protocol', ALL, websocket(''), 400, `expected one of the protocols ${V5}, ${V4}`],
    ['no stream', `${EXEC}?command=true`, websocket(V5), 400, 'you must specify at least one of stdin, stdout, stderr'],
    [
      'no stream that is wanted by 1',
      `${EXEC}?command=true&output=true`,
      websocket(V5),
      400,
      'you must specify at least one of stdin, stdout, stderr',
    ],
    ['a terminal with two outputs', `${EXEC}?command=sh&output=1&error=1&tty=1`, websocket(V5), 400, 'cannot exec with tty and stderr'],
    ['no command', `${EXEC}?output=1`, websocket(V5), 400, 'you must specify a command'],
    ['a pod that is not there', '/exec/default/none/main?command=true&output=1', websocket(V5), 404, 'pod "none_default" does not exist'],
    [
      'a container that is not there',
      '/exec/default/a/none?command=true&output=1',
      websocket(V5),
      404,
      'container "none" not found in pod "a"',
    ],
    [
      'a container that has ended',
      '/exec/default/ended/main?command=true&output=1',
      websocket(V5),
      400,
      'container "main" in pod "ended" does not run',
    ],
    [
      'attach',
      '/attach/default/a/main?output=1',
      websocket(V5),
      501,
      'virtual nodes attach nobody to a container: use logs -f for its output, and exec for a command beside it',
    ],
    ['a forwarded port', '/portForward/default/a', websocket(V5), 501, '501 not implemented'],
    ['another route', '/pods', websocket(V5), 404, '404 request not found'],
  ])('%s', async (_name, path, headers, status, text) => {
    expect(await refusedUpgrade(path, headers)).toEqual({ status, text });
    expect(asked).toEqual([]);
  });

  test('a caller without credentials, and one without the right', async () => {
    under.rights.tokens = { reader: { username: 'reader' } };
    under.rights.allowed = { ...under.rights.allowed, reader: ['get proxy'] };
    expect(await refusedUpgrade(ALL, websocket(V5), {})).toEqual({ status: 401, text: 'Unauthorized' });
    expect(await refusedUpgrade(ALL, websocket(V5), { token: 'reader' })).toEqual({
      status: 403,
      text: 'Forbidden (user=reader, verb=create, resource=nodes, subresource=proxy)',
    });
  });

  test('a request without an upgrade', async () => {
    expect(await under.ask(ALL)).toMatchObject({ status: 400, text: 'a command is run over a WebSocket: expected a request to upgrade' });
  });

  test('a provider without commands', async () => {
    const { exec: _exec, ...others } = under.tasks;
    const all = under.tasks;
    under.tasks = others;
    await under.start();
    expect(await refusedUpgrade(ALL, websocket(V5))).toEqual({ status: 501, text: '501 not implemented' });
    under.tasks = all;
    await under.start();
  });
});
