// Requests to one API server over kept-alive connections. Nothing is sent before the last look at the deadline (R17), nothing is
// repeated, no redirect is followed, no answer is read beyond its bound; and it is known of every failure whether anything was sent (R6).
import type { Agent as HttpAgent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { lookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { NotDoneError, TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { ClusterAccess, Credentials } from './access.ts';
import { credentialsOf } from './access.ts';
import { explainConnectionFault } from './connection-faults.ts';
import { TunnelAgent } from './proxy-tunnel.ts';
import { isLoopback } from '../../objects/values/loopback.ts';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With query; begins with a slash. */
  path: string;
  body?: string;
  contentType?: string;
  accept?: string;
  /** Given the bytes of a 2xx answer as they come; its text is then but how it begins. */
  reader?: { take(chunk: Buffer): void };
  /** Bytes of a 2xx answer that are read, where that is less than the connection's own bound; Infinity where the reader bounds what it keeps. */
  answerBytesMax?: number;
  /** Asked last before the socket; true: the request is not sent. */
  isTooLate: () => boolean;
  signal?: AbortSignal;
}

export interface Incoming {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface ConnectionOptions {
  /** Connections for calls; watches have their own. */
  connections: number;
  /** A request's whole life, from the wait for a connection to the last byte of its answer. */
  timeoutMs: number;
  /** Bytes of one answer that are read. */
  answerBytesMax: number;
  /** A word for the server, where it is no API server. */
  peer?: string;
}

/** Idle connections go before load balancers cut them in silence (the shortest known do at 60 s). */
const IDLE_MS = 45_000;

/** Of an answer that is not 2xx: a Status, or a page of something else. */
const REFUSAL_BYTES_MAX = 1024 * 1024;

/** Enough to see what answers where it is no API server. */
const BEGINNING_BYTES = 200;

/** The answer is longer than may be read: of a list, a smaller page will do. */
export class AnswerTooLongError extends UnknownOutcomeError {
  readonly bytesMax: number;
  constructor(what: string, bytesMax = Infinity) {
    super(what);
    this.bytesMax = bytesMax;
  }
}

export class Connection {
  readonly server: string;
  readonly #access: ClusterAccess;
  readonly #options: ConnectionOptions;
  readonly #base: URL;
  /** An import of `node:http` would load all of fetch with it: 30 ms and 10 MB that https does not need. */
  readonly #request: typeof requestHttps;
  readonly #agent: HttpAgent;
  readonly #watchAgent: HttpAgent;
  readonly #open = new WeakSet<Socket>();

  /** @throws TerminalError the server's address is not a URL, or is plain http beyond the loopback or through a proxy */
  constructor(access: ClusterAccess, options: ConnectionOptions) {
    this.#base = addressOf(access.server);
    this.server = this.#base.origin;
    this.#access = access;
    this.#options = options;
    const { Agent, request } =
      this.#base.protocol === 'http:' ? process.getBuiltinModule('node:http') : { Agent: HttpsAgent, request: requestHttps };
    this.#request = request;
    const { proxy } = access;
    if (proxy && this.#base.protocol === 'http:')
      throw new TerminalError(`${access.server} is plain http, of which a proxy would read the credentials: only https goes through one`);
    const tunnel = proxy && { proxy, tunnelTimeoutMs: options.timeoutMs, opened: (socket: Socket) => this.#open.add(socket) };
    const kept = { keepAlive: true, maxSockets: options.connections, timeout: IDLE_MS, scheduling: 'lifo' } as const;
    this.#agent = tunnel ? new TunnelAgent({ ...kept, ...tunnel }) : new Agent(kept);
    this.#agent.getName = nameByCertificate();
    this.#watchAgent = tunnel ? new TunnelAgent({ keepAlive: false, ...tunnel }) : new Agent({ keepAlive: false });
  }

  /**
   * One call, whatever its HTTP status.
   * @throws NotDoneError nothing was sent; UnknownOutcomeError it was sent and no whole answer came; AnswerTooLongError
   */
  async call(outgoing: Outgoing): Promise<Incoming> {
    const { timeoutMs, answerBytesMax } = this.#options;
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
      this.#letGoOfIdle();
    }, timeoutMs);
    const signal = outgoing.signal ? AbortSignal.any([limit.signal, outgoing.signal]) : limit.signal;
    try {
      const response = await this.#send({ ...outgoing, signal }, this.#agent);
      const { statusCode: status = 0, headers } = response;
      const isDone = status >= 200 && status < 300;
      const ownMax = isDone ? (outgoing.answerBytesMax ?? answerBytesMax) : REFUSAL_BYTES_MAX;
      const bytesMax = ownMax === Infinity ? ownMax : Math.min(answerBytesMax, ownMax);
      return { status, headers, text: await this.#read(response, bytesMax, signal, isDone ? outgoing.reader : undefined) };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Opens a stream on a connection of its own; the time-out lasts until the answer's head is there.
   * @throws as `call` does
   */
  async stream(outgoing: Outgoing & { signal: AbortSignal }): Promise<{ response: IncomingMessage; refusal?: Incoming }> {
    const { timeoutMs, answerBytesMax } = this.#options;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    try {
      const response = await this.#send({ ...outgoing, signal: AbortSignal.any([limit.signal, outgoing.signal]) }, this.#watchAgent);
      if (response.statusCode === 200) return { response };
      const text = await this.#read(response, Math.min(answerBytesMax, REFUSAL_BYTES_MAX), limit.signal);
      return { response, refusal: { status: response.statusCode ?? 0, headers: response.headers, text } };
    } finally {
      clearTimeout(timer);
    }
  }

  /** They lie on the line that just kept silent. A router that forgot them sends no reset, so each would cost a call its whole life. */
  #letGoOfIdle(): void {
    for (const idle of Object.values(this.#agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
  }

  close(): void {
    this.#agent.destroy();
    this.#watchAgent.destroy();
  }

  async #send(
    { method, path, body, contentType, accept, isTooLate, signal }: Outgoing & { signal: AbortSignal },
    agent: HttpAgent,
  ): Promise<IncomingMessage> {
    const credentials = await credentialsOf(this.#access.auth).catch((error: unknown) => {
      throw new NotDoneError(`${this.server}: no credentials: ${explainConnectionFault(error)}`, { cause: error });
    });
    const options: RequestOptions = {
      ...this.#destination(credentials),
      agent,
      method,
      path: `${this.#base.pathname.replace(/\/$/, '')}${path}`,
      headers: {
        accept: accept ?? 'application/json',
        'user-agent': 'farloop',
        ...(credentials.authorization !== undefined && { authorization: credentials.authorization }),
        ...(body !== undefined && { 'content-type': contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    };
    let sent = false;
    const refuse = (error: unknown): Error => {
      const reason: unknown = signal.aborted ? signal.reason : error;
      const sentence = `${method} ${this.server}: ${explainConnectionFault(reason, this.#options.peer)}`;
      return sent ? new UnknownOutcomeError(sentence, { cause: error }) : new NotDoneError(sentence, { cause: error });
    };
    return await new Promise<IncomingMessage>((resolve, reject) => {
      if (signal.aborted) return reject(refuse(new Error('given up')));
      let request: ClientRequest;
      try {
        request = this.#request(options, (response) => {
          const { auth } = this.#access;
          if (response.statusCode === 401 && auth.kind === 'dynamic') auth.refused?.(credentials);
          if (!signal.aborted) resolve(response);
        });
      } catch (error) {
        // Validate certificates before the first request.
        return reject(refuse(error));
      }
      const abort = (): void => {
        const error = new Error('given up');
        request.destroy(error);
        // A request that waits for a connection would report its end only when it gets one.
        reject(refuse(error));
      };
      signal.addEventListener('abort', abort, { once: true });
      request.once('close', () => signal.removeEventListener('abort', abort));
      request.once('error', (error) => reject(refuse(error)));
      const send = (): void => {
        if (request.destroyed) return;
        if (isTooLate()) {
          reject(new NotDoneError(`${method} ${this.server}: not sent, for its deadline had passed`));
          request.destroy();
          return;
        }
        sent = true;
        request.end(body);
      };
      request.once('socket', (socket: Socket) => {
        if (this.#open.has(socket)) return send();
        socket.once(this.#base.protocol === 'http:' ? 'connect' : 'secureConnect', () => {
          this.#open.add(socket);
          send();
        });
      });
    });
  }

  #destination({ certPem, keyPem }: Credentials): RequestOptions & { rejectUnauthorized?: boolean } {
    const { caPem, tlsServerName, insecureSkipTls, refuses } = this.#access;
    return {
      protocol: this.#base.protocol,
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
      ...(this.#base.port !== '' && { port: this.#base.port }),
      ...(caPem !== undefined && { ca: caPem }),
      ...(certPem !== undefined && { cert: certPem }),
      ...(keyPem !== undefined && { key: keyPem }),
      ...(tlsServerName !== undefined && { servername: tlsServerName }),
      ...(insecureSkipTls === true && { rejectUnauthorized: false }),
      ...(refuses && { lookup: lookupExcept(refuses) }),
    };
  }

  async #read(response: IncomingMessage, bytesMax: number, signal: AbortSignal, reader?: Outgoing['reader']): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // By events: most answers are one chunk, and to iterate over it costs more than to read it.
      await new Promise<void>((resolve, reject) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          try {
            if (bytes > bytesMax) throw new AnswerTooLongError(`${this.server}: its answer is longer than ${bytesMax} bytes`, bytesMax);
            reader?.take(chunk);
            if (!reader || chunks.length === 0) chunks.push(chunk);
          } catch (error) {
            response.destroy(error instanceof Error ? error : new Error(String(error)));
          }
        });
        response.once('end', resolve);
        response.once('error', reject);
        response.once('close', () => reject(new Error('aborted')));
      });
    } catch (error) {
      if (error instanceof AnswerTooLongError) throw error;
      const reason: unknown = signal.aborted ? signal.reason : error;
      throw new UnknownOutcomeError(`${this.server}: ${explainConnectionFault(reason, this.#options.peer)}`, { cause: error });
    }
    return Buffer.concat(chunks).toString('utf8', 0, reader ? BEGINNING_BYTES : bytes);
  }
}

/**
 * Under which name an agent keeps connections to the one server that it is for: they differ in the client's certificate alone. Node's
 * own names are all certificates and keys put together, kilobytes of text made several times for each call.
 */
function nameByCertificate(): HttpAgent['getName'] {
  const names = new Map<unknown, string>();
  return (options: RequestOptions & { cert?: unknown } = {}) => {
    const { cert } = options;
    const known = names.get(cert) ?? String(names.size);
    names.set(cert, known);
    return known;
  };
}

/** Resolves as usual, then leaves out what must not be dialled: a name may have been pointed elsewhere since it was registered. */
const lookupExcept =
  (refuses: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(({ address }) => !refuses(address));
      const [first] = allowed;
      if (!first)
        return callback(Object.assign(new Error(`${hostname} resolves to an address that is not dialled`), { code: 'EACCES' }), '');
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });

/** @throws TerminalError */
function addressOf(server: string): URL {
  const url = URL.parse(server);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new TerminalError(`${JSON.stringify(server)} is not the address of an API server: expected https://host:port`);
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new TerminalError(`${server} is plain http, which would send credentials in the clear: only https is taken beyond this machine`);
  return url;
}
