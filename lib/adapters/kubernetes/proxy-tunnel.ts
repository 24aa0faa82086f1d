// Connections to an API server through a proxy: CONNECT, then TLS with the server itself inside, so the proxy reads nothing.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import type { AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { explainConnectionFault } from './connection-faults.ts';
import type { Proxy } from './proxy-choice.ts';
import { hostOf } from './proxy-choice.ts';

export interface TunnelAgentOptions extends AgentOptions {
  proxy: Proxy;
  /** From the dial of the proxy to the end of the TLS handshake with the server. */
  tunnelTimeoutMs: number;
  /** Given each connection before a request gets it: its handshake is done. */
  opened: (socket: Socket) => void;
}

/** Hands over connections only once they are open: an agent gives a request that was aborted meanwhile the socket all the same. */
export class TunnelAgent extends Agent {
  readonly #proxy: Proxy;
  readonly #timeoutMs: number;
  readonly #opened: (socket: Socket) => void;

  constructor({ proxy, tunnelTimeoutMs, opened, ...options }: TunnelAgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#timeoutMs = tunnelTimeoutMs;
    this.#opened = opened;
  }

  override createConnection(options: RequestOptions, handed?: (error: Error | null, socket: Duplex) => void): undefined {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    void openTunnel(this.#proxy, options, signal).then(
      (socket) => {
        this.#opened(socket);
        handed?.(null, socket);
      },
      // Of a connection that failed the agent reads no socket.
      (error: unknown) => (handed as ((error: unknown) => void) | undefined)?.(error),
    );
  }
}

/** @throws Error one sentence that names the proxy, or what TLS with the server failed with */
async function openTunnel(proxy: Proxy, options: RequestOptions, signal: AbortSignal): Promise<TLSSocket> {
  const { host, port } = options;
  const tunnel = await askedOf(proxy, `${host?.includes(':') ? `[${host}]` : host}:${port ?? 443}`, signal);
  return await new Promise<TLSSocket>((resolve, reject) => {
    // The options of the request are those of TLS too, but for a path, which there is a UNIX socket's.
    const { path: _ofTheRequest, ...tlsOptions } = options as Omit<ConnectionOptions, 'path'> & { path?: unknown };
    const socket = connect({ ...tlsOptions, socket: tunnel });
    const giveUp = (): void => {
      socket.destroy(new Error('the server did not end the TLS handshake in time'));
    };
    const cut = (): void => {
      socket.destroy(Object.assign(new Error('closed within the TLS handshake'), { code: 'ECONNRESET' }));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('error', reject);
    socket.once('end', cut);
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', giveUp);
      socket.off('error', reject);
      socket.off('end', cut);
      resolve(socket);
    });
  });
}

/** The socket behind which the server is, once the proxy has let us through. */
async function askedOf({ url, source }: Proxy, target: string, signal: AbortSignal): Promise<Socket> {
  const name = `the proxy ${url.protocol}//${url.host} (${source})`;
  const { request } = url.protocol === 'http:' ? process.getBuiltinModule('node:http') : { request: requestHttps };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return await new Promise<Socket>((resolve, reject) => {
    const asking = request({
      hostname: hostOf(url),
      port: url.port || (url.protocol === 'http:' ? 80 : 443),
      method: 'CONNECT',
      path: target,
      agent: false,
      signal,
      headers: {
        host: target,
        'user-agent': 'farloop',
        ...(credentials !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    });
    asking.once('connect', (answer: IncomingMessage, socket: Socket, early: Buffer) => {
      if (answer.statusCode === 200 && early.length === 0) return resolve(socket);
      socket.destroy();
      reject(new Error(`${name} ${refusalOf(answer.statusCode ?? 0, target, early)}`));
    });
    // A server that knows no CONNECT answers it as any other request.
    asking.once('response', (answer) => {
      answer.destroy();
      reject(new Error(`${name} ${refusalOf(answer.statusCode ?? 0, target)}`));
    });
    asking.once('error', (error) => {
      const what = signal.aborted ? 'did not answer in time' : explainConnectionFault(error);
      reject(new Error(`${name}: ${what}`, { cause: error }));
    });
    asking.end();
  });
}

function refusalOf(status: number, target: string, early?: Buffer): string {
  if (status === 200 && early) return `sent ${early.length} bytes before the connection to ${target} was used: check that it is a proxy`;
  if (status === 407) return `wants a name and a password (407): give them in its address, as in http://name:password@host:port`;
  if (status === 403 || status === 401)
    return `does not let anybody through to ${target} from here (${status}): ask who runs it to allow it`;
  if (status === 405 || status === 501 || status === 404 || status === 400)
    return `does not do CONNECT (${status}): check that it is a proxy for https`;
  return `did not reach ${target} (${status}): check the server's address and the proxy's own network`;
}
