// A container's log that a node keeps: what the node is asked, what a client gets of it, and that nobody waits or grows for somebody slow.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { comesAbout, until } from '../../claims.ts';
import {
  addNode,
  addPod,
  ask,
  begin,
  callerOf,
  clientAuthorityOf,
  heldUp,
  startSandbox,
  startStandIn,
  writeMany,
} from './node-stand-in.ts';
import type { Sandbox, StandIn } from './node-stand-in.ts';

const PODS = '/api/v1/namespaces/default/pods';

let sandbox: Sandbox;
let node: StandIn;
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void;

beforeAll(async () => {
  sandbox = await startSandbox();
  node = await startStandIn({ caPem: await clientAuthorityOf(sandbox), answer: (incoming, outgoing) => answer(incoming, outgoing) });
  await addNode(sandbox, 'edge', node.port);
  await addNode(sandbox, 'down', 1);
  await addNode(sandbox, 'plain', 0);
  await addPod(sandbox, 'p', 'edge');
  await addPod(sandbox, 'two', 'edge', ['a', 'b']);
  await addPod(sandbox, 'lost', 'down');
  await addPod(sandbox, 'played', 'plain');
});
afterAll(async () => {
  await sandbox.stop();
  await node.close();
});
beforeEach(() => {
  answer = (incoming, outgoing) => outgoing.end(`${callerOf(incoming)} ${incoming.method} ${incoming.url}`);
});

const log = async (path: string): Promise<[status: number, text: string]> => {
  const { status, bytes, body } = await ask(sandbox, `${PODS}/${path}`);
  return [status, status === 200 ? bytes.toString() : String(body['message'])];
};

const SERVER = 'system:masters/kube-apiserver-kubelet-client';

test.each([
  ['p/log', '/containerLogs/default/p/main'],
  ['two/log?container=b', '/containerLogs/default/two/b'],
  [
    'p/log?timestamps=true&tailLines=3&limitBytes=9&previous=1&follow=false&sinceSeconds=4',
    '/containerLogs/default/p/main?limitBytes=9&previous=true&sinceSeconds=4&tailLines=3&timestamps=true',
  ],
  ['p/log?follow&sinceTime=2026-01-01T00:00:00.5Z', '/containerLogs/default/p/main?follow=true&sinceTime=2026-01-01T00%3A00%3A00Z'],
])('%s asks the node for %s, by the certificate of the server', async (path, asked) => {
  expect(await log(path)).toEqual([200, `${SERVER} GET ${asked}`]);
});

test('bytes pass as they are', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  answer = (_, outgoing) => outgoing.end(bytes);
  const reply = await ask(sandbox, `${PODS}/p/log`);
  expect([reply.headers['content-type'], reply.bytes]).toEqual(['text/plain', bytes]);
});

test.each([
  ['two/log', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
  ['p/log?tailLines=-1', 422, 'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0'],
  ['p/log?sinceTime=noon', 400, 'sinceTime: "noon" is no time such as 2026-01-02T15:04:05Z'],
  ['lost/log', 500, 'Get "https://127.0.0.1:1/containerLogs/default/lost/main": dial tcp 127.0.0.1:1: connect: connection refused'],
  ['played/log', 400, 'container "main" in pod "played" is waiting to start: ContainerCreating'],
])('%s: %i %s', async (path, status, text) => {
  expect(await log(path)).toEqual([status, text]);
});

test.each([
  [400, 400, 'BadRequest', 'no such run'],
  [401, 401, 'Unauthorized', 'the server has asked for the client to provide credentials ( pods/log p): no such run'],
  [403, 403, 'Forbidden', 'no such run ( pods/log p)'],
  [404, 404, 'NotFound', 'the server could not find the requested resource ( pods/log p): no such run'],
  [500, 500, 'InternalError', 'Internal error occurred: no such run'],
  [502, 502, 'InternalError', 'an error on the server ("no such run") has prevented the request from succeeding ( pods/log p)'],
  [302, 500, undefined, 'the node answered with the status code 302: redirects forbidden'],
])('a node that answers %i: %i %s', async (given, status, reason, message) => {
  answer = (_, outgoing) => outgoing.writeHead(given, { location: '/elsewhere' }).end('no such run\n');
  expect(await ask(sandbox, `${PODS}/p/log`)).toMatchObject({ status, body: { kind: 'Status', message, ...(reason && { reason }) } });
});

test('a log that is followed comes line by line, and ends on the node once its reader leaves', async () => {
  let isOver = false;
  let write = (_text: string): void => undefined;
  answer = (_, outgoing) => {
    write = (text) => void outgoing.write(text);
    outgoing.on('close', () => (isOver = true));
    outgoing.write('one\n');
  };
  const following = await begin(sandbox, `${PODS}/p/log?follow=true`);
  let text = '';
  following.setEncoding('utf8').on('data', (more: string) => (text += more));
  following.on('error', () => undefined);
  await until('the first line', () => text === 'one\n');
  write('two\n');
  await until('the second line', () => text === 'one\ntwo\n');
  following.destroy();
  await until('the end on the node', () => isOver);
  expect(text).toBe('one\ntwo\n');
});

test('a quiet log has no answer yet; its reader leaves, and the node is left as well', async () => {
  let isAsked = false;
  let isOver = false;
  answer = (incoming) => {
    isAsked = true;
    incoming.socket.on('close', () => (isOver = true));
  };
  const { request } = await import('node:https');
  const headers = { authorization: `Bearer ${sandbox.token}` };
  const sent = request({
    host: '127.0.0.1',
    port: sandbox.port,
    path: `${PODS}/p/log?follow=true`,
    ca: sandbox.caPem,
    agent: false,
    headers,
  });
  sent.on('error', () => undefined).end();
  await until('the question', () => isAsked);
  sent.destroy();
  expect(await comesAbout(() => isOver, 15_000)).toBe(true);
});

test('a log that breaks off breaks off for its reader, who must not take it for all', async () => {
  answer = (_, outgoing) => {
    outgoing.write('half');
    setImmediate(() => outgoing.destroy());
  };
  await expect(ask(sandbox, `${PODS}/p/log`)).rejects.toThrow(/aborted|hang up/);
});

test('more than 64 MiB reach a slow reader whole; meanwhile the node is held up, nothing gathers here, and others are served', async () => {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const chunks = 320; // 80 MiB
  let given = (): number => 0;
  answer = (_, outgoing) => {
    given = writeMany(outgoing, { chunk, times: chunks });
  };
  const before = process.memoryUsage().arrayBuffers;
  const reading = await begin(sandbox, `${PODS}/p/log`);
  expect(await heldUp(() => given())).toBeLessThan(chunks / 2);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
  expect((await ask(sandbox, '/api/v1/nodes/edge')).status).toBe(200);
  const hash = createHash('sha256');
  let size = 0;
  for await (const part of reading as AsyncIterable<Buffer>) {
    size += part.length;
    hash.update(part);
  }
  const whole = createHash('sha256');
  for (let at = 0; at < chunks; at += 1) whole.update(chunk);
  expect([size, hash.digest('hex')]).toEqual([chunks * chunk.length, whole.digest('hex')]);
});

test('a caller in this process gets texts', async () => {
  answer = (_, outgoing) => outgoing.end('größer\n');
  const answered = await sandbox.handle({ method: 'GET', path: `${PODS}/p/log`, query: new URLSearchParams(), headers: {}, body: '' });
  if (!('stream' in answered)) throw new Error(answered.body);
  const text = await new Promise((done) => {
    let all = '';
    answered.stream({ write: (more) => (all += more), end: () => done(all) });
  });
  expect(text).toBe('größer\n');
});
