// A plain HTTPS client for the contract of an API server: no library between the test and the wire.
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectMeta, Status } from '../../../lib/objects/kubernetes.ts';

/** An API server to be judged. */
export interface ApiServer {
  /** https://host:port */
  url: string;
  caPem: string;
  /** Bearer token of somebody who may do everything. */
  token: string;
  /** Makes it answer 410 to what asks for any version before this moment. The address and the objects stay. */
  forgetHistory: () => Promise<void>;
  close: () => Promise<void>;
}

/** An object, a list or a Status: whatever came back. */
export interface Body {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { continue?: string; remainingItemCount?: number };
  spec?: Record<string, unknown>;
  status?: unknown;
  items?: Body[];
  code?: number;
  reason?: string;
  message?: string;
  details?: Status['details'];
  /** Of an APIResourceList. */
  resources?: { name: string; verbs: string[] }[];
  /** Of a group in an APIGroupDiscoveryList. */
  versions?: { version: string; resources: unknown[] }[];
  /** Of OpenAPI. */
  paths?: Record<string, { serverRelativeURL: string }>;
  components?: { schemas: Record<string, Record<string, unknown>> };
  /** Of a Table. */
  columnDefinitions?: { name: string; type: string; priority: number }[];
  rows?: { cells: unknown[]; object: Body | null }[];
  [field: string]: unknown;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Body;
}

export interface WatchEvent {
  type: string;
  object: Body;
}

export interface Watch {
  /** The next event, or undefined when the server has ended the stream. @throws when neither comes in 60 s */
  next: () => Promise<WatchEvent | undefined>;
  /** The next events but bookmarks. */
  take: (count: number) => Promise<WatchEvent[]>;
  close: () => void;
}

interface RequestOptions {
  contentType?: string;
  accept?: string;
  /** Another token than the server's; empty sends none. */
  token?: string;
}

const patienceMs = 60_000;

export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';

export class ApiClient {
  readonly server: ApiServer;
  agent: Agent;
  readonly watches = new Set<Watch>();

  constructor(server: ApiServer) {
    this.server = server;
    this.agent = new Agent({ keepAlive: true, ca: server.caPem });
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.send('GET', path, undefined, options);
  }
  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('POST', path, body, options);
  }
  put(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.send('PUT', path, body, options);
  }
  patch(path: string, contentType: string, body: unknown): Promise<Answer> {
    return this.send('PATCH', path, body, { contentType });
  }
  delete(path: string, body?: unknown): Promise<Answer> {
    return this.send('DELETE', path, body);
  }

  /** The object created. @throws with the server's words when it refuses */
  async create(path: string, body: unknown): Promise<Body> {
    const answer = await this.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body.message ?? ''}`);
    return answer.body;
  }

  /** The object as replaced. @throws with the server's words when it refuses */
  async replace(path: string, body: unknown): Promise<Body> {
    const answer = await this.put(path, body);
    if (answer.status !== 200) throw new Error(`PUT ${path} answered ${answer.status}: ${answer.body.message ?? ''}`);
    return answer.body;
  }

  async send(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.open(method, path, body, options);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    // Not by the content type: the real server calls its OpenAPI index text/plain.
    const isJson = text.startsWith('{');
    const answered: Body = isJson ? JSON.parse(text) : { metadata: {}, text };
    return { status: response.statusCode ?? 0, headers: response.headers, body: answered };
  }

  /** Opens a watch; `query` without `watch=true`. @throws when the answer is not 200 */
  async watch(path: string, query: Record<string, string | number | boolean> = {}): Promise<Watch> {
    const asked = new URLSearchParams({ watch: 'true' });
    for (const [name, value] of Object.entries(query)) asked.set(name, String(value));
    const response = await this.open('GET', `${path}?${asked.toString()}`, undefined, {});
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`watch of ${path} answered ${response.statusCode}`);
    }
    const watch = readEvents(response);
    this.watches.add(watch);
    return watch;
  }

  /** Opens a watch and reads it without looking inside. @param hear is told of so many bytes */
  async drain(path: string, hear: (bytes: number) => void): Promise<void> {
    const response = await this.open('GET', path, undefined, {});
    response.on('data', (chunk: Buffer) => hear(chunk.length)).on('error', () => {});
  }

  /** Lets go of connections that a restarted server has closed. */
  reconnect(): void {
    this.agent.destroy();
    this.agent = new Agent({ keepAlive: true, ca: this.server.caPem });
  }

  close(): void {
    for (const watch of this.watches) watch.close();
    this.agent.destroy();
  }

  private open(method: string, path: string, body: unknown, options: RequestOptions): Promise<IncomingMessage> {
    const token = options.token ?? this.server.token;
    // Texts go as they are: bodies that no JSON.stringify would write.
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((done, failed) => {
      const sent = request(
        new URL(`${this.server.url}${path}`), // joined: `//api` would be a host
        {
          method,
          agent: this.agent,
          headers: {
            accept: options.accept ?? 'application/json',
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
            ...(text === undefined
              ? {}
              : { 'content-type': options.contentType ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        done,
      );
      sent.setTimeout(90_000, () => sent.destroy(new Error(`${method} ${path}: no answer in 90 s`)));
      sent.on('error', failed);
      sent.end(text);
    });
  }
}

function readEvents(response: IncomingMessage): Watch {
  const events = eventsOf(response);
  const watch: Watch = {
    async next() {
      const silence = new AbortController();
      const timeout = sleep(patienceMs, undefined, { signal: silence.signal }).then(() => {
        throw new Error(`no event and no end in ${patienceMs / 1000} s`);
      });
      timeout.catch(() => {}); // aborted: the event came first
      try {
        const { value, done } = await Promise.race([events.next(), timeout]);
        return done === true ? undefined : value;
      } finally {
        silence.abort();
      }
    },
    async take(count) {
      const taken: WatchEvent[] = [];
      while (taken.length < count) {
        const event = await watch.next();
        if (event === undefined) throw new Error(`the stream ended after ${taken.length} of ${count} events`);
        if (event.type !== 'BOOKMARK') taken.push(event);
      }
      return taken;
    },
    close: () => response.destroy(),
  };
  return watch;
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<WatchEvent, void> {
  response.setEncoding('utf8');
  let rest = '';
  try {
    for await (const text of response) {
      const lines = (rest + String(text)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') continue;
        const event: WatchEvent = JSON.parse(line);
        yield event;
      }
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    // Broken off, by us or by the server: a stream that ends.
  }
}

/** Asks until the answer pleases. @throws after 60 s, with the last answer */
export async function eventually(ask: () => Promise<Answer>, pleases: (answer: Answer) => boolean, { pollMs = 50 } = {}): Promise<Answer> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (pleases(answer)) return answer;
    if (Date.now() > until)
      throw new Error(`not within ${patienceMs / 1000} s; last answer: ${JSON.stringify(answer.body).slice(0, 1500)}`);
    await sleep(pollMs);
  }
}
