// An HTTPS server that answers as a test tells it to: what a real API server hardly ever does, proxies and networks do every day.
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { generate } from 'selfsigned';

export interface ScriptedServer {
  url: string;
  port: number;
  caPem: string;
  /** Requests that came, as `METHOD path`. */
  requests: string[];
  /** How the next requests are answered. */
  answer: (script: (request: IncomingMessage, response: ServerResponse) => void) => void;
  stop: () => Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const issued = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  let script = says(500, '');
  const requests: string[] = [];
  const server = createServer({ key: issued.private, cert: issued.cert }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    script(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caPem: issued.cert,
    requests,
    answer: (next) => {
      script = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Answers with this status and text. */
export const says =
  (status: number, text: string, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

/** A Status with this code. */
export const refuses = (code: number, status: object = {}, headers: Record<string, string> = {}) =>
  says(code, JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: 'no', ...status }), headers);
