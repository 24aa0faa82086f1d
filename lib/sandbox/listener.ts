// HTTPS before the API server: sockets, tokens, bodies, streams. HTTP/1.1, connections kept.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { Asker } from './objects/asker.ts';
import { ApiError, unauthorized, unsupportedMediaType } from './objects/api-error.ts';
import { responseOf } from './api-server.ts';
import { bodyOf, endAnswer, partingHeaders } from './http/request-body.ts';
import type { ApiRequest, ApiResponse } from './http/request.ts';
import type { Resources } from './rows/resources.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { schemaOf } from './schema/notation.ts';
import type { ObjectType } from './schema/notation.ts';
import { readProtobuf } from './schema/protobuf.ts';
import { SandboxError } from './storage/storage-file.ts';
import type { Credentials } from './http/tls.ts';

/** A client that does not read its watch is let go when so much waits for it; it will list and watch again. */
const largestBacklog = 64 * 1024 * 1024;

/** Request line and headers, as a real server takes them: selectors may be long. */
const largestHead = 1024 * 1024;

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Anybody may ask these. */
const openPaths = new Set(['/version', '/healthz', '/livez', '/readyz']);

export interface Listener {
  port: number;
  close: () => Promise<void>;
}

export interface ListenerOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  credentials: Credentials;
  /** For the Date header: clients take the cluster's time from it. */
  now: () => number;
  /** The owner of a bearer token. */
  askerOf: (token: string) => Asker | undefined;
  handle: (request: ApiRequest) => Promise<ApiResponse>;
  /** For bodies in protocol buffers, which say nothing without the type of their kind. */
  resources: Resources;
}

/** Listens. @throws SandboxError when the port is taken or may not be used */
export async function listen({ host, port, credentials, now, askerOf, handle, resources }: ListenerOptions): Promise<Listener> {
  const { certPem, keyPem } = credentials;
  const server = createServer(
    { cert: certPem, key: keyPem, keepAliveTimeout: 120_000, ALPNProtocols: ['http/1.1'], maxHeaderSize: largestHead },
    (incoming, outgoing) => take(incoming, outgoing),
  );
  // Whether it may send its body is said once that is certain to be read.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    take(incoming, outgoing, () => outgoing.writeContinue()),
  );

  const take = (incoming: IncomingMessage, outgoing: ServerResponse, ask?: () => void): void => {
    outgoing.sendDate = false;
    outgoing.setHeader('Date', new Date(now()).toUTCString());
    answer(incoming, outgoing, ask).catch(() => outgoing.destroy());
  };

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, ask = (): void => undefined): Promise<void> => {
    const { path, query } = addressOf(incoming.url ?? '/');
    const [, token] = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '') ?? [];
    const asker = token === undefined ? undefined : askerOf(token);
    if (!asker && !openPaths.has(path)) return send(incoming, outgoing, responseOf(unauthorized()));
    const { method = 'GET' } = incoming;
    const headers = textsOf(incoming.headers);
    let body = '';
    try {
      if (methodsWithBody.has(method)) body = textOf(await bodyOf(incoming, ask), headers, resources);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return send(incoming, outgoing, responseOf(error));
    }
    const response = await handle({ method, path, query, headers, body, ...(asker && { asker }) });
    return send(incoming, outgoing, response);
  };

  server.on('tlsClientError', () => undefined); // a client that does not trust the certificate is its own problem
  const actual = await bind(server, host, port);
  return {
    port: actual,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((done, failed) => {
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined;
      const why =
        code === 'EADDRINUSE'
          ? `port ${port} on ${host} is already in use: stop what listens there or choose another port (0 takes any free one)`
          : code === 'EACCES'
            ? `port ${port} on ${host} is not allowed for this user: choose one above 1023 with --port`
            : `cannot listen on ${host}:${port}: ${error.message}`;
      failed(new SandboxError(why, { cause: error }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      done(typeof address === 'object' && address ? address.port : port);
    });
  });
}

const protobuf = 'application/vnd.kubernetes.protobuf';

/** The body as JSON text, whatever it came as. @throws ApiError 400 */
function textOf(body: Buffer, headers: Record<string, string | undefined>, resources: Resources): string {
  if (body.length === 0 || headers['content-type']?.split(';')[0] !== protobuf) return body.toString();
  headers['content-type'] = 'application/json';
  return JSON.stringify(
    readProtobuf(body, (apiVersion, kind) =>
      kind === 'Binding' || kind === 'Eviction' || kind === 'TokenRequest'
        ? schemaOf(kind)
        : numberedSchema(resources.ofKind(apiVersion, kind)),
    ),
  );
}

/** @throws ApiError 415 for a custom resource: its fields have no numbers */
function numberedSchema(row: ResourceRow | undefined): ObjectType | undefined {
  if (row?.isCustom) throw unsupportedMediaType(['application/json', 'application/yaml']);
  return row?.schema;
}

/**
 * Path and query as they were sent, without the host that may stand before them. A path is not tidied up here: what empty words and dots
 * mean is said in one place.
 */
function addressOf(url: string): { path: string; query: URLSearchParams } {
  const local = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, '') || '/';
  const at = local.indexOf('?');
  return at < 0
    ? { path: local, query: new URLSearchParams() }
    : { path: local.slice(0, at), query: new URLSearchParams(local.slice(at + 1)) };
}

const textsOf = (headers: IncomingMessage['headers']): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse): void {
  const common = { 'Cache-Control': 'no-cache, private', ...partingHeaders(incoming) };
  if (!('stream' in response)) {
    const { status, headers, body } = response;
    const bytes = Buffer.from(body);
    outgoing.writeHead(status, { ...headers, 'Content-Length': bytes.length, ...common });
    if (incoming.method !== 'HEAD') outgoing.write(bytes);
    endAnswer(incoming, outgoing);
    return;
  }
  outgoing.writeHead(response.status, { ...response.headers, ...common });
  outgoing.flushHeaders();
  let pending = '';
  const flush = (): void => {
    const text = pending;
    pending = '';
    if (text === '' || outgoing.destroyed) return;
    outgoing.write(text);
    if (outgoing.writableLength > largestBacklog) outgoing.destroy();
  };
  const stop = response.stream({
    write: (text) => {
      // One write to the socket for all the events of a commit.
      if (pending === '') queueMicrotask(flush);
      pending += text;
    },
    end: () => {
      flush();
      outgoing.end();
    },
  });
  outgoing.on('close', stop);
}
