// The client of the API over a socket: typed requests, answers that stay true, and what is said while the server is slow, silent or away.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Client, type KeptAnswers } from '../../lib/api-client/client.ts';
import { follow, type Update } from '../../lib/api-client/live.ts';
import { ApiProblem } from '../../lib/api-client/problems.ts';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { until } from '../claims.ts';
import { listening, type Listening } from '../listening.ts';

const TOKEN = 'a-token-of-this-test';

let ports: EmbeddedPorts;
let api: Listening;
let ending: AbortController;
/** Requests in the order in which they came. */
let seen: string[];
/** Takes a request instead of the API. */
let instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

beforeEach(async () => {
  ports = await embeddedPorts('local');
  ending = new AbortController();
  seen = [];
  instead = undefined;
  const app = createApp({
    answer: async (request) => await answerRoute(ports, request),
    authorize: (request) => carriesToken(request, TOKEN),
  });
  api = await listening(
    createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (!instead?.(request, response)) void app(request, response);
    }),
  );
});
afterEach(async () => {
  ending.abort();
  await api.stop();
  ports.close();
});

const clientOf = (kept?: KeptAnswers): Client =>
  new Client(async ({ path, method, headers, body, signal }) => {
    const init = {
      method,
      headers: { ...headers, authorization: `Bearer ${TOKEN}` },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    };
    return await fetch(`${api.url}${path}`, init).catch((error: unknown) => {
      throw new ApiProblem('unreachable', String(error));
    });
  }, kept);

describe('a request by the name of its route', () => {
  test('has its path encoded, its query where given, and an answer of the declared type', async () => {
    await know(ports, { name: 'demo' });
    const client = clientOf();
    const { items } = await client.ask('GET /v1/workloads', { query: { name: 'demo', text: undefined, limit: '1' } });
    expect(items.map(({ state }) => state)).toEqual(['Pending']);
    const refused = client.ask('GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}', {
      path: { cluster: 'local', kind: 'Job', namespace: 'default', name: 'a/b c' },
    });
    await expect(refused).rejects.toMatchObject({ kind: 'refused', status: 404, message: 'there is no workload local/Job/default/a/b c' });
    expect(await client.ask('POST /v1/dead-letters/redrive', { body: {} })).toEqual({ redriven: 0 });
    expect(seen).toEqual([
      'GET /v1/workloads?name=demo&limit=1',
      'GET /v1/workloads/local/Job/default/a%2Fb%20c',
      'POST /v1/dead-letters/redrive',
    ]);
  });

  test('is answered by the same object while nothing changed', async () => {
    const client = clientOf();
    const first = await client.ask('GET /v1/workloads');
    expect(await client.ask('GET /v1/workloads')).toBe(first);
    await know(ports, { name: 'demo' });
    expect(await client.ask('GET /v1/workloads')).not.toBe(first);
  });

  test.each([
    ['HTML of a login page', 200, '<html>', { kind: 'foreign', message: "it answers HTML where Farloop's API answers JSON" }],
    ['a gateway', 502, '{"message":"Bad gateway"}', { kind: 'refused', status: 502, message: 'Bad gateway', detail: undefined }],
    ['a server of an earlier version', 404, '{"error":"there is no run x"}', { kind: 'refused', message: 'there is no run x' }],
    ['another place', 302, '', { kind: 'foreign', status: 302 }],
  ])('tells of an answer by %s', async (_by, status, body, problem) => {
    instead = (_request, response) => Boolean(response.writeHead(status, { 'content-type': 'text/plain' }).end(body));
    await expect(clientOf().ask('GET /v1/queues')).rejects.toMatchObject(problem);
  });
});

describe('an answer that stays true', () => {
  type Names = Update<string[]>;
  let updates: Names[];

  function watch({ hasStream = true, everyMs = 200 }: { hasStream?: boolean; everyMs?: number } = {}): void {
    updates = [];
    const kept: KeptAnswers = new Map();
    const { signal } = ending;
    void (async () => {
      for await (const update of follow({
        read: async (each) => (await clientOf(kept).ask('GET /v1/workloads', { signal: each })).items.map(({ name }) => name),
        ...(hasStream && { changes: (each: AbortSignal) => clientOf(kept).changes(each) }),
        everyMs,
        signal,
      }))
        updates.push(update);
    })();
  }
  const last = (): Names | undefined => updates.at(-1);
  const reads = (): number => seen.filter((request) => request === 'GET /v1/workloads').length;

  test('is read again when the stream says so, and hardly ever otherwise', async () => {
    watch();
    await until('it is live', () => last()?.link === 'live');
    const before = reads();
    await know(ports, { name: 'demo' });
    await until('the change is seen', () => last()?.value?.includes('demo') === true, 3_000);
    expect(last()).toMatchObject({ link: 'live', isAnswer: true, asOfMs: expect.any(Number) });
    // Polled, it would have been read some ten times in 2 s.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(reads() - before).toBeLessThanOrEqual(4);
    expect(seen.filter((request) => request === 'GET /v1/stream')).toHaveLength(1);
  });

  test('is polled where there is no stream, which is asked for once', async () => {
    delete ports.changes;
    watch();
    await until('it is polled', () => reads() >= 5);
    expect(updates.every(({ link }) => link === 'polls')).toBe(true);
    expect(seen.filter((request) => request === 'GET /v1/stream')).toHaveLength(1);
    await know(ports, { name: 'demo' });
    await until('the change is seen', () => last()?.value?.includes('demo') === true, 3_000);
  });

  test('of a server that does not answer is as old as told: silent after 3 s', async () => {
    watch({ hasStream: false });
    await until('it is polled', () => last()?.link === 'polls');
    instead = () => true;
    const atMs = Date.now();
    await until('it is silent', () => last()?.link === 'silent');
    const { asOfMs = 0, value, isAnswer } = last() ?? {};
    expect([Date.now() - atMs > 2_500, isAnswer, value]).toEqual([true, false, []]);
    expect(asOfMs).toBeLessThanOrEqual(atMs + 500);
  });

  test('of a server whose stream falls silent is said to be silent at once', async () => {
    watch();
    await until('it is live', () => last()?.link === 'live');
    // The process stands still: the stream stays open, and nothing comes.
    ports.clock.wait = async (_ms, signal) => await new Promise((resolve) => signal?.addEventListener('abort', () => resolve()));
    instead = () => true;
    const atMs = Date.now();
    await until('it is silent', () => last()?.link === 'silent');
    expect(Date.now() - atMs).toBeLessThan(8_000);
  });

  test('goes on by itself after the server was away, with longer and longer waits between', async () => {
    await know(ports, { name: 'demo' });
    watch();
    await until('it is live', () => last()?.link === 'live');
    instead = (request) => Boolean(request.socket.destroy());
    ports.changes = () => {
      throw new Error('its stream ends');
    };
    await until('two tries have failed', () => updates.filter(({ link }) => link === 'away').length >= 2);
    const away = updates.filter(({ link }) => link === 'away');
    expect(away[0]).toMatchObject({ value: ['demo'], isAnswer: false, problem: { kind: 'unreachable' }, nextTryAtMs: expect.any(Number) });
    instead = undefined;
    ports.changes = () => ports.store.changes;
    await until('it is live again', () => last()?.link === 'live' && last()?.isAnswer === true);
    expect(last()?.value).toEqual(['demo']);
  });

  test('ends with what is no failure of the server', async () => {
    const read = async (): Promise<never> => await Promise.reject(new TypeError('a fault of ours'));
    const { signal } = ending;
    await expect(follow({ read, everyMs: 10, signal }).next()).rejects.toThrow('a fault of ours');
  });
});
