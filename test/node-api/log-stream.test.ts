// A log as it comes: when its head and bytes go out, how much is taken ahead of a slow reader, and what becomes of a reader that goes.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { LogRequest } from '../../lib/objects/log-request.ts';
import { until } from '../claims.ts';
import { NodeUnderTest, runningPod, settled } from './node-under-test.ts';

const LOG = '/containerLogs/default/a/main';
const FOLLOWED = `${LOG}?follow=true`;
/** What buffers of sockets on both sides may hold, and much less than the log. */
const MOST_AHEAD_BYTES = 32 * 1024 * 1024;

type Logs = (wanted: LogRequest, signal: AbortSignal) => AsyncIterable<Uint8Array>;

let under: NodeUnderTest;
let asked: { uid: string; wanted: LogRequest; signal: AbortSignal }[];
let logs: Logs;
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
  under.tasks = {
    ...under.tasks,
    logs: ({ uid }, wanted, signal) => {
      asked.push({ uid, wanted, signal });
      return logs(wanted, signal);
    },
  };
  await under.start();
});
afterAll(async () => await under.stop());
beforeEach(() => {
  under.pods.splice(0, Infinity, runningPod('a'), runningPod('b'));
  asked = [];
});

/** Until the reader goes. */
const gone = async (signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function nextOf(response: IncomingMessage): Promise<string> {
  return await new Promise((resolve) => response.once('data', (chunk: Buffer) => resolve(chunk.toString())));
}

test('what is there goes out at once, piece by piece', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  logs = async function* () {
    yield Buffer.from('one\n');
    await gates[0]?.promise;
    yield Buffer.from('two\n');
    await gates[1]?.promise;
  };
  const response = await under.open(FOLLOWED);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await nextOf(response)).toBe('one\n');
  gates[0]?.resolve();
  expect(await nextOf(response)).toBe('two\n');
  const ended = new Promise((resolve) => response.once('end', resolve));
  response.resume();
  gates[1]?.resolve();
  await ended;
  expect(asked).toMatchObject([{ uid: 'uid-a', wanted: { container: 'main', follow: true } }]);
});

test('a log that stays silent shows that it is followed', async () => {
  logs = async function* (_wanted, signal) {
    await gone(signal);
    yield Buffer.from('nobody reads this\n');
  };
  const response = await under.open(FOLLOWED);
  expect(response.statusCode).toBe(200);
  response.destroy();
  await until('the provider hears of it', () => asked[0]?.signal.aborted === true);
});

test('the query reaches the provider, and of a container that waits to be started again the run before', async () => {
  logs = async function* () {};
  const waits = { name: 'main', state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1 } } };
  under.pods.push(runningPod('c', { containerStatuses: [waits] }));
  expect(await under.ask('/containerLogs/default/c/main/?tailLines=3&limitBytes=9&timestamps=1')).toMatchObject({ status: 200, text: '' });
  expect(await under.ask('/containerLogs/default/c/main?previous=true')).toMatchObject({ status: 200 });
  expect(asked.map(({ wanted }) => wanted)).toEqual([
    { container: 'main', previous: true, tailLines: 3, limitBytes: 9, timestamps: true },
    { container: 'main', previous: true },
  ]);
});

test('a log that breaks off ends without its end', async () => {
  logs = async function* () {
    yield Buffer.from('one\n');
    throw new Error('the disk is gone');
  };
  await expect(under.ask(LOG)).rejects.toThrow('aborted');
  expect((await under.ask('/pods')).status).toBe(200);
});

test('HEAD takes nothing of a log', async () => {
  logs = async function* (_wanted, signal) {
    yield Buffer.from('one\n');
    await gone(signal);
  };
  expect(await under.ask(FOLLOWED, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  await until('the provider hears of it', () => asked[0]?.signal.aborted === true);
});

test('128 MB for a reader that is slow: little is taken ahead, nobody else waits, and nothing is lost', async () => {
  const chunks = 2_048;
  const chunk = Buffer.alloc(64 * 1024, 'x'.repeat(1_023) + '\n');
  let taken = 0;
  logs = async function* () {
    for (let at = 0; at < chunks; at += 1) {
      taken += 1;
      chunk.writeUInt32BE(at);
      yield Buffer.from(chunk);
    }
  };
  const slow = await under.open(LOG);
  slow.pause();
  await settled('what is taken', () => taken);
  expect(taken * chunk.length).toBeLessThan(MOST_AHEAD_BYTES);
  const others = logs;
  logs = async function* () {
    yield Buffer.from('quick\n');
  };
  expect((await under.ask('/containerLogs/default/b/main')).text).toBe('quick\n');
  logs = others;

  const [seen, wanted] = [createHash('sha256'), createHash('sha256')];
  for (let at = 0; at < chunks; at += 1) {
    chunk.writeUInt32BE(at);
    wanted.update(chunk);
  }
  let bytes = 0;
  for await (const piece of slow as AsyncIterable<Buffer>) {
    seen.update(piece);
    bytes += piece.length;
  }
  expect(bytes).toBe(chunks * chunk.length);
  expect(seen.digest('hex')).toBe(wanted.digest('hex'));
});

test('a reader that goes in the middle ends what the provider sends', async () => {
  let isOver = false;
  logs = async function* () {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      isOver = true;
    }
  };
  const response = await under.open(LOG);
  await nextOf(response);
  response.destroy();
  await until('the provider is let go', () => isOver);
  expect(asked[0]?.signal.aborted).toBe(true);
});

test('the server ends, and streams with it', async () => {
  logs = async function* (_wanted, signal) {
    yield Buffer.from('one\n');
    await gone(signal);
  };
  const response = await under.open(FOLLOWED);
  await nextOf(response);
  const broken = new Promise((resolve) => response.once('error', resolve));
  await under.close();
  expect(await broken).toMatchObject({ message: 'aborted' });
  await until('the provider hears of it', () => asked[0]?.signal.aborted === true);
  await under.start();
});
