// A plain HTTPS client for the contract of an API server: no library between the test and the wire.
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ObjectMeta, Status } from '../../../lib/objects/kubernetes.ts';

/** An API server to be judged. */
export interface ApiServer {
  /** https://host:port */
  url: string;
  caPem: string;
  /** Bearer token of somebody who may do everything. */
  token: string;
  close(): Promise<void>;
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
  /** The next event, or undefined when the server has ended the stream. @throws when neither comes in 15 s */
  next(): Promise<WatchEvent | undefined>;
  /** The next events but bookmarks. */
  take(count: number): Promise<WatchEvent[]>;
  close(): void;
}

interface RequestOptions {
  contentType?: string;
  accept?: string;
  /** Another token than the server's; empty sends none. */
  token?: string;
}

const patienceMs = 15_000;

export const mergePatch = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const strategicPatch = 'application/strategic-merge-patch+json';

export class ApiClient {
  readonly server: ApiServer;
  readonly agent: Agent;
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

  async send(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.open(method, path, body, options);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    const isJson = response.headers['content-type']?.startsWith('application/json') === true;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as Body) : { metadata: {}, text },
    };
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

  close(): void {
    for (const watch of this.watches) watch.close();
    this.agent.destroy();
  }

  private open(method: string, path: string, body: unknown, options: RequestOptions): Promise<IncomingMessage> {
    const token = options.token ?? this.server.token;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((done, failed) => {
      const sent = request(
        new URL(path, this.server.url),
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
  const arrived: WatchEvent[] = [];
  let ended = false;
  let wake = (): void => {};
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') arrived.push(JSON.parse(line) as WatchEvent);
    wake();
  });
  const end = (): void => {
    ended = true;
    wake();
  };
  response.on('end', end).on('error', end).on('close', end);
  const watch: Watch = {
    async next() {
      const until = Date.now() + patienceMs;
      while (arrived.length === 0 && !ended) {
        const leftMs = until - Date.now();
        if (leftMs <= 0) throw new Error(`no event and no end in ${patienceMs / 1000} s`);
        await new Promise<void>((done) => {
          const timer = setTimeout(done, leftMs);
          wake = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      return arrived.shift();
    },
    async take(count) {
      const events: WatchEvent[] = [];
      while (events.length < count) {
        const event = await watch.next();
        if (event === undefined) throw new Error(`the stream ended after ${events.length} of ${count} events`);
        if (event.type !== 'BOOKMARK') events.push(event);
      }
      return events;
    },
    close: () => response.destroy(),
  };
  return watch;
}

/** Asks until the answer pleases. @throws after 15 s, with the last answer */
export async function eventually(ask: () => Promise<Answer>, pleases: (answer: Answer) => boolean): Promise<Answer> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (pleases(answer)) return answer;
    if (Date.now() > until)
      throw new Error(`not within ${patienceMs / 1000} s; last answer: ${JSON.stringify(answer.body).slice(0, 1500)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
