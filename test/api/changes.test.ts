// Answers that a caller has already, and the stream that says when to ask again: over a socket, on embedded ports.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Listening } from '../listening.ts';
import { embeddedPorts, know, type EmbeddedPorts } from './embedded-ports.ts';
import { serveApi } from './served-api.ts';

const TOKEN = 'a-token-of-this-test';
const BOUND_MS = 10_000;

let ports: EmbeddedPorts;
let api: Listening;
let ending: AbortController;

beforeEach(async () => {
  ports = await embeddedPorts('local');
  api = await serveApi(ports, TOKEN);
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await api.stop();
  ports.close();
});

const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers }, signal: ending.signal });

describe('an answer that the caller has', () => {
  test('is not sent again: 304, no body, until it is another one', async () => {
    await know(ports, { name: 'one' });
    const first = await ask('/v1/workloads');
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{22}"$/)]);
    const again = await ask('/v1/workloads', { 'if-none-match': `"other", ${tag}` });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, '']);
    await know(ports, { name: 'two' });
    const changed = await ask('/v1/workloads', { 'if-none-match': tag });
    expect([changed.status, changed.headers.get('etag') === tag]).toEqual([200, false]);
    expect(await changed.json()).toMatchObject({ items: [{ name: 'one' }, { name: 'two' }] });
  });

  test('is told to nobody without the token, and a tag of another route says nothing', async () => {
    const tag = (await ask('/v1/workloads')).headers.get('etag') ?? '';
    const stranger = await fetch(`${api.url}/v1/workloads`, { headers: { 'if-none-match': tag } });
    expect([stranger.status, stranger.headers.get('etag')]).toEqual([401, null]);
    expect((await ask('/v1/clusters', { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('GET /v1/stream', () => {
  /** Lines as they come. */
  async function* linesOf(response: Response): AsyncGenerator<string> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  /** @returns milliseconds until the next line like that, and those before it */
  async function untilLine(lines: AsyncGenerator<string>, pattern: RegExp): Promise<{ ms: number; before: string[] }> {
    const beganAtMs = performance.now();
    const before: string[] = [];
    for (;;) {
      const { value, done } = await lines.next();
      const ms = performance.now() - beganAtMs;
      if (done === true || ms > BOUND_MS) throw new Error(`no such line within ${Math.round(ms)} ms: ${before.join('|')}`);
      if (pattern.test(value)) return { ms, before };
      before.push(value);
    }
  }

  test('says at once that it is open, then each change, and each second that the server is there', async () => {
    const response = await ask('/v1/stream');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const lines = linesOf(response);
    await untilLine(lines, /^event: changed$/);
    const { before } = await untilLine(lines, /^:/);
    expect(before.filter((line) => line.startsWith('event'))).toEqual([]);
    await know(ports, { name: 'one' });
    await untilLine(lines, /^event: changed$/);
  });

  test('tells a thousand changes a second as one', async () => {
    const lines = linesOf(await ask('/v1/stream'));
    await untilLine(lines, /^event: changed$/);
    let written = 0;
    const writing = setInterval(() => void ports.store.putNote('local', `note-${(written += 1)}`, '', 0), 1);
    try {
      await untilLine(lines, /^event: changed$/);
      const { ms } = await untilLine(lines, /^event: changed$/);
      // Timers may fire a little early or late; two changes within half a second would be two.
      expect(ms).toBeGreaterThan(500);
      expect(written).toBeGreaterThan(10);
    } finally {
      clearInterval(writing);
    }
  });

  test('is refused where other processes write, and to nobody in particular', async () => {
    expect((await fetch(`${api.url}/v1/stream`)).status).toBe(401);
    delete ports.changes;
    const refused = await ask('/v1/stream');
    expect([refused.status, await refused.json()]).toEqual([
      501,
      expect.objectContaining({ detail: expect.stringContaining('no stream of changes') }),
    ]);
  });

  test('ends with its caller, so that many callers one after another are answered; too many at once are not', async () => {
    const open: AbortController[] = [];
    const statusOfOne = async (): Promise<number> => {
      const mine = new AbortController();
      open.push(mine);
      const { status } = await fetch(`${api.url}/v1/stream`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: mine.signal });
      return status;
    };
    for (let at = 0; at < 64; at++) expect(await statusOfOne()).toBe(200);
    expect(await statusOfOne()).toBe(503);
    for (const mine of open.splice(0)) mine.abort();
    const endsAtMs = performance.now() + BOUND_MS;
    let status = 503;
    while (status === 503 && performance.now() < endsAtMs) status = await statusOfOne();
    expect(status).toBe(200);
    for (const mine of open) mine.abort();
  });
});
