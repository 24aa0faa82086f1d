// One request to a node, from its connection to the head of its answer. The server shows its client certificate; that of the node is not
// verified, as by a real server without --kubelet-certificate-authority.
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:https';
import type { Duplex } from 'node:stream';
import { authorityOf } from './node-endpoint.ts';
import type { NodeEndpoint } from './node-endpoint.ts';

export interface ClientCertificate {
  certPem: string;
  keyPem: string;
}

export interface NodeRequest {
  method: string;
  /** With its query. */
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
  /** For the head of the answer; without it as long as the node takes: a quiet log has none before its first line. */
  withinMs?: number;
  /** Calls a function once the client is gone: nobody waits for the node any more. */
  onLeave?: ((run: () => void) => void) | undefined;
}

/** A node that switched protocols: the socket, and what already came of the new protocol. */
export interface Switched {
  answer: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/** The node was not reached, or broke off before it answered; in the words of a real server, which people search for. */
export class DialError extends Error {
  override name = 'DialError';
}

const connectMs = 10_000;

const refusals: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

function textOf(error: Error, endpoint: NodeEndpoint): string {
  const code = 'code' in error ? String(error.code) : '';
  const known = refusals[code];
  if (known !== undefined) return `dial tcp ${authorityOf(endpoint)}: ${known}`;
  if (code === 'ECONNRESET') return 'EOF';
  return code === 'EPROTO' || code.startsWith('ERR_SSL') ? `tls: no handshake with ${authorityOf(endpoint)}` : error.message;
}

const timeout = (): Error => Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' });

export class NodeDialer {
  readonly #certificate: () => ClientCertificate | undefined;

  /** @param certificate asked at each dial: it is issued after the server has begun */
  constructor(certificate: () => ClientCertificate | undefined) {
    this.#certificate = certificate;
  }

  /** @throws DialError */
  async ask(endpoint: NodeEndpoint, request: NodeRequest): Promise<IncomingMessage> {
    const answer = await this.dial(endpoint, request);
    if (!('socket' in answer && 'head' in answer)) return answer;
    answer.socket.destroy();
    throw new DialError('the node switched protocols without being asked to');
  }

  /** @returns the answer's head; its body waits to be read @throws DialError */
  async dial(
    endpoint: NodeEndpoint,
    { method, path, headers = {}, body, withinMs, onLeave }: NodeRequest,
  ): Promise<IncomingMessage | Switched> {
    const { host, port } = endpoint;
    const certificate = this.#certificate();
    return await new Promise((done, failed) => {
      const sent = send({
        host,
        port,
        method,
        path,
        headers,
        agent: false,
        rejectUnauthorized: false,
        ...(certificate && { cert: certificate.certPem, key: certificate.keyPem }),
      });
      const stop = (): void => void sent.destroy(timeout());
      const timers = [setTimeout(stop, connectMs), ...(withinMs === undefined ? [] : [setTimeout(stop, withinMs)])];
      const isReached = (): void => clearTimeout(timers[0]);
      const settle = (): void => timers.forEach(clearTimeout);
      sent.on('socket', (socket) => socket.once('secureConnect', isReached));
      sent.on('response', (answer) => {
        settle();
        done(answer);
      });
      sent.on('upgrade', (answer, socket, head) => {
        settle();
        done({ answer, socket, head });
      });
      sent.on('error', (error) => {
        settle();
        failed(new DialError(textOf(error, endpoint), { cause: error }));
      });
      onLeave?.(() => sent.destroy());
      sent.end(body);
    });
  }
}

/** So much of an answer, at most; undefined where it is longer, takes longer or breaks off. */
export async function wholeBody(
  answer: IncomingMessage,
  { bytes, withinMs }: { bytes: number; withinMs: number },
): Promise<Buffer | undefined> {
  const timer = setTimeout(() => answer.destroy(), withinMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    answer.destroy();
  }
}
