// A node's HTTP API for tests: an HTTPS server that asks for client certificates and answers as a test says; and a client without a library
// of the sandbox before it.
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { createServer } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import selfsigned from 'selfsigned';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import type { Sandbox } from '../../../lib/sandbox/sandbox.ts';
import { until } from '../../claims.ts';

export interface StandIn {
  port: number;
  close: () => Promise<void>;
}

interface StandInOptions {
  /** The authority of the client certificates that it trusts. */
  caPem?: string;
  answer?: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  upgrade?: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

let certificate: Promise<{ cert: string; private: string }> | undefined;

/** Answers 404 to what no test has taken. */
export async function startStandIn({ caPem, answer, upgrade }: StandInOptions): Promise<StandIn> {
  certificate ??= selfsigned.generate([{ name: 'commonName', value: 'node' }], { algorithm: 'sha256', keyType: 'ec' });
  const { cert, private: key } = await certificate;
  const trust = caPem === undefined ? {} : { ca: caPem, requestCert: true, rejectUnauthorized: false };
  const server = createServer({ cert, key, ...trust }, (incoming, outgoing) => {
    if (answer) answer(incoming, outgoing);
    else outgoing.writeHead(404).end('404 page not found\n');
  });
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket) => sockets.add(socket));
  if (upgrade) server.on('upgrade', upgrade);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Writes the chunk so often, waits while it is held up, and ends. @returns how many were written so far */
export function writeMany(to: Writable, { chunk, times }: { chunk: Buffer; times: number }): () => number {
  let written = 0;
  const more = (): void => {
    while (written < times) {
      written += 1;
      if (!to.write(chunk)) return void to.once('drain', more);
    }
    to.end();
  };
  more();
  return () => written;
}

/** Until none more is written. @returns so many are */
export async function heldUp(written: () => number): Promise<number> {
  let last = 0;
  await until('the node to be held up', () => {
    const isHeld = written() === last && last > 0;
    last = written();
    return isHeld;
  });
  return last;
}

/** The subject of the client's certificate, if its authority is the one that is trusted. */
export const callerOf = (incoming: IncomingMessage): string | undefined => {
  const socket = incoming.socket as TLSSocket;
  const { O, CN } = socket.getPeerCertificate().subject ?? {};
  return socket.authorized ? [O, CN].flat().join('/') : undefined;
};

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** Of a JSON body. */
  body: Record<string, unknown>;
}

interface Ask {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
}

const optionsOf = (
  { port, caPem, token: own }: Sandbox,
  path: string,
  { method = 'GET', headers = {}, token = own }: Ask,
): RequestOptions => ({
  host: '127.0.0.1',
  port,
  path,
  method,
  ca: caPem,
  agent: false,
  headers: { authorization: `Bearer ${token}`, ...headers },
});

/** The head of an answer; its body waits. */
export const begin = async (sandbox: Sandbox, path: string, asked: Ask = {}): Promise<IncomingMessage> =>
  await new Promise((done, failed) => {
    const { body } = asked;
    const json = body !== undefined && !Buffer.isBuffer(body);
    const headers = { ...(json && { 'content-type': 'application/json' }), ...asked.headers };
    const sent = request(optionsOf(sandbox, path, { ...asked, headers }), done).on('error', failed);
    sent.end(json ? JSON.stringify(body) : body);
  });

export async function ask(sandbox: Sandbox, path: string, asked: Ask = {}): Promise<Reply> {
  const answer = await begin(sandbox, path, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const isJson = bytes.length > 0 && answer.headers['content-type']?.startsWith('application/json') === true;
  return { status: answer.statusCode ?? 0, headers: answer.headers, bytes, body: isJson ? JSON.parse(bytes.toString()) : {} };
}

export interface Opened {
  status: number;
  headers: IncomingHttpHeaders;
  /** Of a refusal. */
  message: string;
  /** Of a connection that switched protocols. */
  socket?: Duplex;
}

export const websocket = (protocol: string): Record<string, string> => ({
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Protocol': protocol,
});

export const upgrade = async (sandbox: Sandbox, path: string, asked: Ask): Promise<Opened> =>
  await new Promise((done, failed) => {
    const sent = request(optionsOf(sandbox, path, asked));
    sent.on('upgrade', ({ statusCode = 0, headers }, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      done({ status: statusCode, headers, message: '', socket });
    });
    sent.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => (text += more));
      answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, message: JSON.parse(text).message }));
    });
    sent.on('error', failed).end();
  });

const api = '/api/v1';

/** A Node that names an address and a port. */
export async function addNode(
  sandbox: Sandbox,
  name: string,
  port: number,
  addresses = [{ type: 'InternalIP', address: '127.0.0.1' }],
): Promise<void> {
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  const { status: code } = await ask(sandbox, `${api}/nodes`, { method: 'POST', body: { metadata: { name }, status } });
  if (code !== 201) throw new Error(`Node ${name}: ${code}`);
}

/** @returns its uid */
export async function addPod(sandbox: Sandbox, name: string, nodeName: string | undefined, containers = ['main']): Promise<string> {
  const spec = { ...(nodeName !== undefined && { nodeName }), containers: containers.map((each) => ({ name: each, image: 'busybox' })) };
  const made = await ask(sandbox, `${api}/namespaces/default/pods`, {
    method: 'POST',
    body: { metadata: { name, labels: { app: name } }, spec },
  });
  if (made.status !== 201) throw new Error(`pod ${name}: ${made.bytes.toString()}`);
  return (made.body['metadata'] as { uid: string }).uid;
}

/** A token of an account with such rules. */
export async function accountWith(sandbox: Sandbox, name: string, rules: readonly object[]): Promise<string> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const account = `${api}/namespaces/default/serviceaccounts`;
  await ask(sandbox, account, { method: 'POST', body: { metadata: { name } } });
  await ask(sandbox, `${rbac}/clusterroles`, { method: 'POST', body: { metadata: { name }, rules } });
  await ask(sandbox, `${rbac}/clusterrolebindings`, { method: 'POST', body: { metadata: { name }, subjects, roleRef } });
  const { body } = await ask(sandbox, `${account}/${name}/token`, { method: 'POST', body: {} });
  return (body['status'] as { token: string }).token;
}

/** The authority of client certificates, as nodes find it. */
export async function clientAuthorityOf(sandbox: Sandbox): Promise<string> {
  const { body } = await ask(sandbox, `${api}/namespaces/kube-system/configmaps/extension-apiserver-authentication`);
  return (body['data'] as Record<string, string>)['client-ca-file'] ?? '';
}

export { startSandbox };
export type { Sandbox };
