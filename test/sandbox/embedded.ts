// An API server without sockets and with a clock of its own: time passes when a test says so.
import { openCluster } from '../../lib/sandbox/sandbox.ts';
import type { ClusterOptions, EmbeddedCluster } from '../../lib/sandbox/sandbox.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export interface Embedded {
  cluster: EmbeddedCluster;
  send: (method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>;
  /** Opens a watch; its lines gather in `events`. */
  watch: (path: string) => Promise<{
    events: { type: string; object: { metadata: Record<string, string>; [field: string]: unknown } }[];
    isEnded: () => boolean;
  }>;
  /** Lets time pass and everything happen that is due. */
  pass: (ms: number) => Promise<void>;
}

export const startMs = Date.parse('2026-01-01T00:00:00Z');

/** A cluster in memory, or in a folder. Everything that it does soon happens before a promise of the test goes on. */
export function embed(options: Omit<ClusterOptions, 'surroundings'> = {}): Embedded {
  let nowMs = startMs;
  let chance = 1;
  const timers = new Set<{ atMs: number; run: () => void }>();
  const cluster = openCluster({
    ...options,
    surroundings: {
      now: () => nowMs,
      random: () => {
        chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0;
        return chance;
      },
      defer: (run) => queueMicrotask(run),
      after: (delayMs, run) => {
        const timer = { atMs: nowMs + delayMs, run };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
  });
  const ask = (method: string, path: string, body?: unknown, contentType = 'application/json') => {
    const url = new URL(path, 'https://sandbox');
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    return cluster.handle({ method, path: url.pathname, query: url.searchParams, headers: { 'content-type': contentType }, body: text });
  };
  return {
    cluster,
    async send(method, path, body, contentType) {
      const answer = await ask(method, path, body, contentType);
      if ('stream' in answer) throw new Error(`${path} answered a stream`);
      const isJson = answer.headers['Content-Type']?.startsWith('application/json') === true;
      return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(answer.body) : { text: answer.body } };
    },
    async watch(path) {
      const answer = await ask('GET', path);
      if (!('stream' in answer)) throw new Error(`${path} answered ${answer.status} ${answer.body}`);
      const events: Awaited<ReturnType<Embedded['watch']>>['events'] = [];
      let isEnded = false;
      answer.stream({ write: (text) => events.push(JSON.parse(text)), end: () => (isEnded = true) });
      return { events, isEnded: () => isEnded };
    },
    async pass(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs);
        if (!next) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
      }
      nowMs = untilMs;
      await new Promise((done) => setImmediate(done));
    },
  };
}

export const aConfigMap = (name: string, more: object = {}): object => ({ metadata: { name, ...more }, data: { k: 'v' } });
