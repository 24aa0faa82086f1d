// What an API server, or something in its place, answers or fails to answer, in the words of ports/errors.ts.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { NAMESPACES, PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import type { WatchEvent } from '../../../lib/ports/cluster.ts';
import * as errors from '../../../lib/ports/errors.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { refuses, says, startScriptedServer } from './scripted-server.ts';

const clock = new SystemClock();
const soon = () => deadlineIn(clock, 20_000);
const target = { namespace: 'n', name: 'p', uid: 'u' };
const HTML = '<!doctype html><html><body>Sign in</body></html>';
const POD = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace: 'n', uid: 'u', resourceVersion: '7' } });

let server: ScriptedServer;
let cluster: KubernetesCluster;

beforeAll(async () => {
  server = await startScriptedServer();
  const access = { server: server.url, caPem: server.caPem, auth: { kind: 'none' } } as const;
  cluster = new KubernetesCluster({ access, clock, timeoutMs: 400, answerBytesMax: 100_000 });
});
afterAll(async () => {
  cluster.close();
  await server.stop();
});

const failureOf = async (call: Promise<unknown>): Promise<Error> =>
  await call.then(
    () => new Error('it did not fail'),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
const read = (): Promise<unknown> => cluster.get(PODS, target, soon());
const create = (): Promise<unknown> => cluster.create(PODS, { metadata: { name: 'p', namespace: 'n' } }, soon());
const remove = (): Promise<unknown> => cluster.delete(PODS, target, soon());
const patch = (): Promise<unknown> => cluster.patch(PODS, target, { type: 'merge', body: {} }, soon());
const watch = async (): Promise<WatchEvent<KubernetesObject>[]> => {
  const events: WatchEvent<KubernetesObject>[] = [];
  const signal = new AbortController().signal;
  for await (const event of cluster.watch(PODS, { resourceVersion: '1', timeoutSeconds: 5 }, signal)) events.push(event);
  return events;
};
const about = { reason: 'NotFound', details: { name: 'p', kind: 'pods' } };
const endsHalfway = (_request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  // Once the beginning is on its way.
  response.write('{"kind"', () => response.destroy());
};
const cuts = (request: IncomingMessage): void => {
  request.destroy();
};
const keepsSilent = (): void => {};

const cases: {
  name: string;
  script: (request: IncomingMessage, response: ServerResponse) => void;
  call: () => Promise<unknown>;
  error: object;
  says?: RegExp;
  also?: object;
}[] = [
  { name: 'R19: a 404 about that very object', script: refuses(404, about), call: read, error: errors.NotFoundError },
  {
    name: 'R19: a 404 about another name',
    script: refuses(404, { ...about, details: { name: 'q', kind: 'pods' } }),
    call: read,
    error: errors.TerminalError,
    also: { code: 404 },
  },
  {
    name: 'R19: a 404 about another kind',
    script: refuses(404, { ...about, details: { name: 'p', kind: 'namespaces' } }),
    call: read,
    error: errors.TerminalError,
  },
  {
    name: 'R19: a 404 about another group',
    script: refuses(404, { ...about, details: { name: 'p', kind: 'pods', group: 'x' } }),
    call: remove,
    error: errors.TerminalError,
  },
  { name: 'R19: a 404 without details', script: refuses(404, { reason: 'NotFound' }), call: remove, error: errors.TerminalError },
  { name: 'R19: a 404 in HTML, of a read', script: says(404, HTML), call: read, error: errors.NotDoneError, says: /HTML .*404/ },
  { name: 'R19: a 404 in HTML, of a delete', script: says(404, HTML), call: remove, error: errors.UnknownOutcomeError, says: /HTML/ },
  {
    name: 'HTML with status 200, of a read',
    script: says(200, HTML, { 'content-type': 'text/html' }),
    call: read,
    error: errors.NotDoneError,
    says: /answers HTML .*proxy or a login page/,
  },
  { name: 'HTML with status 200, of a create', script: says(200, HTML), call: create, error: errors.UnknownOutcomeError, says: /HTML/ },
  {
    name: 'JSON that is no object',
    script: says(200, '[1,2]'),
    call: read,
    error: errors.NotDoneError,
    says: /neither an object nor a Status/,
  },
  { name: 'an empty answer', script: says(200, ''), call: read, error: errors.NotDoneError },
  {
    name: 'a redirect',
    script: says(302, '', { location: 'https://login.example.com' }),
    call: read,
    error: errors.NotDoneError,
    says: /redirects to https:\/\/login/,
  },
  {
    name: 'a refusal of an object that is in no namespace, by its name alone',
    script: refuses(403),
    call: () => cluster.get(NAMESPACES, { namespace: '', name: 'kube-system' }, soon()),
    error: errors.TerminalError,
    says: /get namespaces kube-system at/,
  },
  { name: '401', script: refuses(401), call: read, error: errors.TerminalError, says: /token is refused or expired/, also: { code: 401 } },
  {
    name: '403',
    script: refuses(403, { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    call: create,
    error: errors.TerminalError,
    also: { code: 403, reason: 'Forbidden', causes: [{ reason: 'NamespaceTerminating' }] },
  },
  {
    name: 'R8: 409 AlreadyExists',
    script: refuses(409, { reason: 'AlreadyExists' }),
    call: create,
    error: errors.ConflictError,
    also: { reason: 'alreadyExists' },
  },
  {
    name: 'R8: 409 Conflict',
    script: refuses(409, { reason: 'Conflict' }),
    call: remove,
    error: errors.ConflictError,
    also: { reason: 'precondition' },
  },
  {
    name: '409 of a create, which has no precondition',
    script: refuses(409, { reason: 'Conflict', message: 'Operation cannot be fulfilled on resourcequotas "small"' }),
    call: create,
    error: errors.TerminalError,
    also: { code: 409, reason: 'Conflict', said: 'Operation cannot be fulfilled on resourcequotas "small"' },
  },
  {
    name: '410',
    script: refuses(410, { reason: 'Expired' }),
    call: () => cluster.listPage(PODS, { limit: 1 }, new AbortController().signal),
    error: errors.ExpiredError,
  },
  {
    name: 'R8: 422 about the uid of a patch',
    script: refuses(422, { details: { causes: [{ field: 'metadata.uid' }] } }),
    call: patch,
    error: errors.ConflictError,
    also: { reason: 'precondition' },
  },
  {
    name: '422 about something else',
    script: refuses(422, { details: { causes: [{ field: 'spec' }] } }),
    call: patch,
    error: errors.TerminalError,
    also: { causes: [{ field: 'spec' }] },
  },
  {
    name: '422 about the uid of a create',
    script: refuses(422, { details: { causes: [{ field: 'metadata.uid' }] } }),
    call: create,
    error: errors.TerminalError,
  },
  {
    name: '429 with Retry-After',
    script: refuses(429, {}, { 'retry-after': '7' }),
    call: create,
    error: errors.ThrottledError,
    also: { retryAfterSeconds: 7 },
  },
  {
    name: '429 with seconds in the Status',
    script: refuses(429, { details: { retryAfterSeconds: 3 } }),
    call: create,
    error: errors.ThrottledError,
    also: { retryAfterSeconds: 3 },
  },
  { name: '429 of a proxy, in HTML', script: says(429, HTML), call: create, error: errors.ThrottledError, also: { retryAfterSeconds: 1 } },
  {
    name: 'R3: 504 for a version ahead of the server',
    script: refuses(504, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 } }),
    call: read,
    error: errors.ThrottledError,
    also: { retryAfterSeconds: 1 },
  },
  { name: 'R6: 500 on a write', script: refuses(500), call: create, error: errors.UnknownOutcomeError },
  {
    name: 'R6: 500 on a write, a webhook being down',
    script: refuses(500, { message: 'failed calling webhook "pods"' }),
    call: create,
    error: errors.UnknownOutcomeError,
    says: /^create pods .* at .*: failed calling webhook "pods"$/,
    also: { said: 'failed calling webhook "pods"' },
  },
  { name: 'R6: 502 of a proxy on a write', script: says(502, HTML), call: patch, error: errors.UnknownOutcomeError },
  { name: 'R6: 503 on a write', script: refuses(503), call: remove, error: errors.UnknownOutcomeError },
  { name: '400', script: refuses(400, { reason: 'BadRequest' }), call: create, error: errors.TerminalError, also: { code: 400 } },
  { name: 'R6: cut after sending', script: cuts, call: create, error: errors.UnknownOutcomeError, says: /cut before a whole answer/ },
  { name: 'R6: cut in the middle of the answer', script: endsHalfway, call: create, error: errors.UnknownOutcomeError },
  { name: 'R6: no answer', script: keepsSilent, call: create, error: errors.UnknownOutcomeError, says: /no answer within 0.4 s/ },
  {
    name: 'an answer that is too long',
    script: says(200, `{"metadata":{"name":"${'x'.repeat(200_000)}"}}`),
    call: read,
    error: errors.UnreadableObjectError,
    says: /^Pod n\/p cannot be read: as JSON it is longer than 100000 bytes$/,
  },
  { name: 'a watch that is refused', script: refuses(410), call: watch, error: errors.ExpiredError },
  {
    name: 'a watch that answers HTML',
    script: says(200, `${HTML}\n`),
    call: watch,
    error: errors.UnknownOutcomeError,
    says: /not an event/,
  },
  { name: 'a watch that is cut', script: endsHalfway, call: watch, error: errors.UnknownOutcomeError },
  {
    name: 'a watch with a 410 inside',
    script: says(200, `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old' } })}\n`),
    call: watch,
    error: errors.ExpiredError,
  },
];

describe('what an answer means', () => {
  test.each(cases)('$name', async ({ script, call, error, says: sentence = /./, also = {} }) => {
    server.answer(script);
    const failure = await failureOf(call());
    expect(failure).toBeInstanceOf(error);
    expect(failure.message).toMatch(sentence);
    expect(failure).toMatchObject(also);
  });

  test('R13: one server fills no memory: an object has 16 MiB, what is refused 1 MiB, the words of it 4,000 letters', async () => {
    const usual = new KubernetesCluster({ access: { server: server.url, caPem: server.caPem, auth: { kind: 'none' } }, clock });
    const long = (bytes: number): string => JSON.stringify({ kind: 'Status', message: 'x'.repeat(bytes) });
    const told: string[] = [];
    for (const [status, bytes] of [
      [200, 16 * 1_048_576],
      [500, 1_048_576],
      [500, 100_000],
    ] as const) {
      server.answer(says(status, long(bytes)));
      told.push((await failureOf(usual.get(PODS, target, soon()))).message);
    }
    usual.close();
    expect(told).toEqual([
      expect.stringContaining('longer than 16777216 bytes'),
      expect.stringContaining('longer than 1048576 bytes'),
      expect.stringMatching(/^.{0,100}: x{4000}$/),
    ]);
  });

  test('each call is sent once, with time-out and field manager', async () => {
    server.answer(cuts);
    server.requests.length = 0;
    await failureOf(create());
    expect(server.requests).toEqual(['POST /api/v1/namespaces/n/pods?fieldManager=farloop&fieldValidation=Ignore&timeout=10s']);
  });
});

const unreachable = async (access: { server: string; caPem?: string }): Promise<Error> => {
  const other = new KubernetesCluster({ access: { ...access, auth: { kind: 'none' } }, clock, timeoutMs: 400 });
  const failure = await failureOf(other.create(PODS, { metadata: { name: 'p', namespace: 'n' } }, soon()));
  other.close();
  return failure;
};

const open = (url: string) => (): unknown => new KubernetesCluster({ access: { server: url, auth: { kind: 'none' } }, clock });

describe('what never got there', () => {
  test('R6: nobody listens', async () => {
    const failure = await unreachable({ server: 'https://127.0.0.1:1' });
    expect(failure).toBeInstanceOf(errors.NotDoneError);
    expect(failure.message).toMatch(/nothing listens there/);
  });

  test('R6: a certificate of somebody else', async () => {
    server.requests.length = 0;
    const failure = await unreachable({ server: server.url });
    expect(failure).toBeInstanceOf(errors.NotDoneError);
    expect(failure.message).toMatch(/certificate is not from the authority/);
    expect(server.requests).toEqual([]);
  });

  test('R6: a server that does not speak TLS, and one that never answers the greeting', async () => {
    const mute = createServer((socket) => socket.on('error', () => {}));
    const plain = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    for (const each of [mute, plain]) await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening));
    const addressOf = (each: typeof mute): string => {
      const address = each.address();
      return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    };
    const silent = await unreachable({ server: addressOf(mute) });
    const wrong = await unreachable({ server: addressOf(plain) });
    mute.close();
    plain.close();
    expect(silent).toBeInstanceOf(errors.NotDoneError);
    expect(silent.message).toMatch(/no answer within/);
    expect(wrong).toBeInstanceOf(errors.NotDoneError);
    expect(wrong.message).toMatch(/does not speak TLS/);
  });

  test('R6: kept connections that nobody told are dead cost one call its time, not each call', async () => {
    const forgotten = new Set<unknown>();
    const waiting: ServerResponse[] = [];
    server.answer((request, response) => {
      forgotten.add(request.socket);
      waiting.push(response);
      if (waiting.length === 4) for (const each of waiting) says(200, POD)(request, each);
    });
    await Promise.all([read(), read(), read(), read()]);
    expect(forgotten.size).toBe(4);
    server.answer((request, response) => {
      if (!forgotten.has(request.socket)) says(200, POD)(request, response);
    });
    expect((await failureOf(read())).message).toMatch(/no answer within/);
    await expect(read()).resolves.toMatchObject({ object: { kind: 'Pod' } });
  });

  test('R17: the deadline passes while the connection is made: nothing is sent', async () => {
    server.answer(says(201, POD));
    server.requests.length = 0;
    const moving = new VirtualClock();
    const credentials = async (): Promise<object> => {
      moving.jumpWall(21_000);
      return {};
    };
    const late = new KubernetesCluster({
      access: { server: server.url, caPem: server.caPem, auth: { kind: 'dynamic', credentials } },
      clock: moving,
    });
    const failure = await failureOf(late.create(PODS, { metadata: { name: 'p', namespace: 'n' } }, deadlineIn(moving, 20_000)));
    expect(failure).toBeInstanceOf(errors.NotDoneError);
    expect(failure.message).toMatch(/deadline had passed/);
    expect(server.requests).toEqual([]);
    late.close();
  });

  test('R13: objects too large for a page of their list are listed in smaller pages, down to one object', async () => {
    const names = Array.from({ length: 7 }, (_, at) => `p-${at}`);
    const podOf = (name: string, bytes: number): object => ({ metadata: { name, uid: name }, spec: { nodeName: 'x'.repeat(bytes) } });
    const answerWith = (bytes: number): void =>
      server.answer((request, response) => {
        const { searchParams } = new URL(request.url ?? '', server.url);
        const from = Number(searchParams.get('continue') ?? 0);
        const to = Math.min(from + Number(searchParams.get('limit')), names.length);
        const metadata = { resourceVersion: '9', ...(to < names.length && { continue: String(to) }) };
        says(200, JSON.stringify({ metadata, items: names.slice(from, to).map((name) => podOf(name, bytes)) }))(request, response);
      });
    for (const selection of [{}, { fields: { metadata: { name: true } } }]) {
      answerWith(40_000);
      const { items } = await cluster.list(PODS, selection, soon());
      expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
      answerWith(200_000);
      expect((await failureOf(cluster.list(PODS, selection, soon()))).message).toMatch(/longer than 100000 bytes/);
    }
  });

  test('an address that is none, or would show credentials to everybody', () => {
    expect(open('cluster.example.com')).toThrow(/not the address of an API server: expected https:/);
    expect(open('http://cluster.example.com')).toThrow(/plain http/);
    expect(open('http://127.0.0.1:8001')).not.toThrow();
  });
});
