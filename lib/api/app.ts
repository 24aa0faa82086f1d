// HTTP around the routes and the console, without a framework: a Node request listener. node:http serves it in local mode, serverless-http
// wraps it in a function. Bearer tokens only, no cookies: a page of another site cannot act in a visitor's name.
import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { shownText, withoutFilePaths } from '../objects/values/shown-text.ts';
import { RefusedRequestError, type RoutedAnswer, type RoutedRequest } from './routed-request.ts';
import { readStaticFile } from './static-files.ts';

export interface AppOptions {
  /** Answers a request that `authorize` allowed. @throws RefusedRequestError */
  answer: (request: RoutedRequest) => Promise<RoutedAnswer>;
  /** Whether this request may read and change everything. Called for all paths except the console's files and /healthz. */
  authorize: (request: IncomingMessage) => boolean;
  /** Who sent a request that `authorize` allowed, for records of what people did. */
  callerOf?: (request: IncomingMessage) => string;
  /** The host names that a browser may use; undefined: any. Rejects a foreign name that resolves to this machine (DNS rebinding). */
  hosts?: readonly string[];
}

/** What fits into one packet gains nothing. */
const SHORTEST_COMPRESSED_BYTES = 1_400;
const LONGEST_BODY_BYTES = 64 * 1024;
/** Manifests of a run. */
const LONGEST_RUN_BYTES = 1024 * 1024;

/** The console needs its own files and this API, and nothing may frame it. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

interface Sent {
  status: number;
  contentType: string;
  /** Of a body that is compressed already. */
  contentEncoding?: string;
  body: string | Buffer;
  /** The caller gets no body that it has. */
  tag?: string;
}

/** An answer that goes on. */
interface Streamed {
  events: AsyncIterator<string>;
  first: string;
}

/** More would keep a machine busy with telling. */
const MOST_STREAMS = 64;
/** A caller that reads no faster is left: it comes again. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** A request listener that answers every request, also after an error of its own. */
export function createApp(options: AppOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let streams = 0;
  return async (request, response) => {
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    const sent = await answerTo(request, { ...options, signal: ending.signal, mayStream: streams < MOST_STREAMS }).catch(refusal);
    if ('events' in sent) {
      streams += 1;
      await stream(sent, request, response).finally(() => (streams -= 1));
      return;
    }
    const { status, contentType, contentEncoding, body, tag } = await compressed(sent, request);
    const headers = { ...SECURITY_HEADERS, vary: 'accept-encoding', ...(tag !== undefined && { etag: `W/"${tag}"` }) };
    // A function's response returns nothing from its head.
    if (status === 304) {
      response.writeHead(status, headers);
      response.end();
    } else {
      response.writeHead(status, {
        ...headers,
        'content-type': contentType,
        ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
        'content-length': Buffer.byteLength(body),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    }
  };
}

/** Never rejects. */
async function stream({ events, first }: Streamed, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': 'text/event-stream' });
  try {
    for (let event: IteratorResult<string> = { value: first }; event.done !== true; event = await events.next()) {
      if (request.method === 'HEAD' || response.destroyed || response.writableLength > MOST_UNREAD_BYTES) break;
      response.write(event.value);
    }
  } catch {
    // The caller finds the stream ended and asks again, and then is told.
  }
  await events.return?.();
  response.end();
}

/** A list is a tenth as long, for a few milliseconds of a processor. */
async function compressed(sent: Sent, request: IncomingMessage): Promise<Sent> {
  const isWorthIt = sent.contentEncoding === undefined && Buffer.byteLength(sent.body) >= SHORTEST_COMPRESSED_BYTES;
  if (!isWorthIt || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return sent;
  return { ...sent, contentEncoding: 'gzip', body: await promisify(gzip)(sent.body, { level: constants.Z_BEST_SPEED }) };
}

/** @returns whether the request carries `Authorization: Bearer` with that token. Takes the same time wherever they differ */
export function carriesToken(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answerTo(
  request: IncomingMessage,
  { answer, authorize, callerOf, hosts, signal, mayStream }: AppOptions & { signal: AbortSignal; mayStream: boolean },
): Promise<Sent | Streamed> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  if (hosts && !hosts.includes(hostOf(request))) throw new RefusedRequestError(421, `this server is known as ${hosts.join(' or ')} only`);
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (!url) throw new RefusedRequestError(400, 'the path is none');
  const path = pathOf(url);
  if (path.length === 1 && path[0] === 'healthz') return { status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok\n' };
  if (method === 'GET') {
    const file = await readStaticFile(path, request.headers['accept-encoding']);
    if (file) return { status: 200, ...file };
  }
  if (!authorize(request)) throw new RefusedRequestError(401, 'a token is needed: open the console by the whole URL that farloop printed');
  const body = method === 'GET' ? undefined : await bodyOf(request, path.join('/') === 'v1/runs' ? LONGEST_RUN_BYTES : LONGEST_BODY_BYTES);
  const knownTags = tagsIn(request);
  const routed = await answer({ method, path, query: url.searchParams, body, knownTags, ...(callerOf && { by: callerOf(request) }) });
  if ('events' in routed) {
    if (!mayStream) throw new RefusedRequestError(503, `${MOST_STREAMS} streams are open already: ask again later, or without a stream`);
    const events = routed.events(signal)[Symbol.asyncIterator]();
    // A refusal is an answer of its own.
    const { value: first } = await events.next();
    return { events, first: String(first) };
  }
  if ('unchangedTag' in routed) return { ...UNCHANGED, tag: routed.unchangedTag };
  if ('text' in routed) return { status: 200, contentType: routed.contentType, body: routed.text };
  const told = jsonLine(routed.json);
  if (method !== 'GET') return { status: 200, contentType: JSON_TYPE, body: told };
  const tag = routed.tag ?? createHash('sha256').update(told).digest('base64url').slice(0, 22);
  return knownTags.includes(tag) ? { ...UNCHANGED, tag } : { status: 200, contentType: JSON_TYPE, body: told, tag };
}

const UNCHANGED = { status: 304, contentType: '', body: '' };

/** Tags are compared weakly, as in RFC 9110. */
const tagsIn = ({ headers }: IncomingMessage): string[] =>
  [...(headers['if-none-match'] ?? '').slice(0, 1_000).matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag);

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Escapes control characters, so that the JSON is safe to print at a terminal. */
const jsonLine = (data: unknown): string => `${shownText(JSON.stringify(data))}\n`;

/** A problem as in RFC 9457. `error` is for clients of the version before. */
function refusal(error: unknown): Sent {
  const { status, members } = error instanceof RefusedRequestError ? error : { status: 500, members: {} };
  const message = error instanceof Error ? error.message : String(error);
  // Keep file paths out: the log has the whole message, and a remote caller must not learn the layout of this machine.
  const detail = status === 500 ? withoutFilePaths(message) : message;
  const title = STATUS_CODES[status] ?? 'Error';
  return { status, contentType: PROBLEM_TYPE, body: jsonLine({ type: 'about:blank', title, status, detail, error: detail, ...members }) };
}

const hostOf = (request: IncomingMessage): string => (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

function pathOf(url: URL): string[] {
  try {
    return url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decodeURIComponent(part));
  } catch {
    throw new RefusedRequestError(400, 'the path is not properly encoded');
  }
}

async function bodyOf(request: IncomingMessage, mostBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new RefusedRequestError(413, `the body is larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new RefusedRequestError(400, 'the body is not JSON');
  }
}
