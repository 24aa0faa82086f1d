// HTTPS before the API server: sockets, tokens, bodies, streams. HTTP/1.1, connections kept.
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import type { Asker } from './objects/asker.ts';
import { ApiError, unauthorized, unsupportedMediaType } from './objects/api-error.ts';
import { responseOf } from './api-server.ts';
import { bodyOf, endAnswer, partingHeaders } from './http/request-body.ts';
import type { ApiRequest, ApiResponse } from './http/request.ts';
import type { Resources } from './rows/resources.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { joinSockets } from './nodes/joined-sockets.ts';
import type { Connected } from './nodes/pod-streams.ts';
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
  /** Opens the stream that an upgrade asks for, or answers why not. */
  connect: (request: ApiRequest) => Promise<Connected>;
  /** For bodies in protocol buffers, which say nothing without the type of their kind. */
  resources: Resources;
}

/** Listens. @throws SandboxError when the port is taken or may not be used */
export async function listen({ host, port, credentials, now, askerOf, handle, connect, resources }: ListenerOptions): Promise<Listener> {
  const { certPem, keyPem } = credentials;
  const server = createServer(
    {
      cert: certPem,
      key: keyPem,
      keepAliveTimeout: 120_000,
      ALPNProtocols: ['http/1.1'],
      maxHeaderSize: largestHead,
      // Elsewhere a client that offers another protocol goes on with this one.
      shouldUpgradeCallback: ({ url = '' }) => streamPath.test(url),
    },
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
    const asker = askerIn(incoming);
    if (!asker && !openPaths.has(path)) return send(incoming, outgoing, responseOf(unauthorized()));
    const { method = 'GET' } = incoming;
    const headers = textsOf(incoming.headers);
    let body = '';
    let bytes: Buffer | undefined;
    try {
      if (methodsWithBody.has(method)) {
        bytes = await bodyOf(incoming, ask);
        body = textOf(bytes, headers, resources);
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return send(incoming, outgoing, responseOf(error));
    }
    const onLeave = (run: () => void): void => void outgoing.once('close', run);
    const response = await handle({ method, path, query, headers, body, onLeave, ...(bytes && { bytes }), ...(asker && { asker }) });
    return send(incoming, outgoing, response);
  };

  const askerIn = ({ headers }: IncomingMessage): Asker | undefined => {
    const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    return token === undefined ? undefined : askerOf(token);
  };

  /** Their sockets are no longer the server's. */
  const joined = new Set<Duplex>();
  const join = async (incoming: IncomingMessage, socket: Duplex, early: Buffer): Promise<void> => {
    const { path, query } = addressOf(incoming.url ?? '/');
    const asker = askerIn(incoming);
    const { method = 'GET' } = incoming;
    const onLeave = (run: () => void): void => void socket.once('close', run);
    const opened = asker
      ? await connect({ method, path, query, headers: textsOf(incoming.headers), body: '', asker, onLeave })
      : responseOf(unauthorized());
    if (!('socket' in opened)) refuseUpgrade(socket, opened, now());
    else if (socket.destroyed) opened.socket.destroy();
    else joinSockets(socket, early, opened);
  };
  server.on('upgrade', (incoming, socket, early) => {
    joined.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => joined.delete(socket));
    join(incoming, socket, early).catch(() => socket.destroy());
  });

  server.on('tlsClientError', () => undefined); // a client that does not trust the certificate is its own problem
  const actual = await bind(server, host, port);
  return {
    port: actual,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
        for (const socket of joined) socket.destroy();
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

/** Where streams to containers are opened. */
const streamPath = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/(?:exec|attach|portforward)\/?(?:\?|$)/;

function refuseUpgrade(socket: Duplex, { status, headers, body }: Extract<ApiResponse, { body: string }>, nowMs: number): void {
  const all = {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    Date: new Date(nowMs).toUTCString(),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  socket.resume(); // reads the client's own end
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
    // Where one side breaks off, the other does: a client must not take a part for the whole.
    pipe: (bytes) => pipeline(bytes, outgoing, () => undefined),
  });
  if (outgoing.destroyed) stop();
  else outgoing.on('close', stop);
}
