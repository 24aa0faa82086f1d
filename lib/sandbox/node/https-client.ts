// The simulated node's way to an API server: HTTP/1.1 over TLS on kept-alive connections, each watch on one of its own.
import { Agent, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { NodeClient } from './node-client.ts';

export interface HttpsClientOptions {
  /** https://host:port */
  url: string;
  caPem?: string;
  /** Bearer token; or a client certificate with its key. */
  token?: string;
  clientCertPem?: string;
  clientKeyPem?: string;
  /** Calls at the same time; more wait. */
  connections?: number;
}

const callTimeoutMs = 30_000;
/** Well above the minute between two bookmarks: a watch that is silent for longer is a broken one. */
const silentWatchMs = 150_000;

/** A client of the API server at `url`. `close` breaks its watches and ends its connections. */
export function httpsNodeClient(options: HttpsClientOptions): NodeClient & { close: () => Promise<void> } {
  const { url, caPem, token, clientCertPem, clientKeyPem, connections = 32 } = options;
  const connect = {
    ...(caPem === undefined ? {} : { ca: caPem }),
    ...(clientCertPem === undefined ? {} : { cert: clientCertPem }),
    ...(clientKeyPem === undefined ? {} : { key: clientKeyPem }),
  };
  const calls = new Pool(url, { allowH2: false, connect, connections, headersTimeout: callTimeoutMs, bodyTimeout: callTimeoutMs });
  const watches = new Agent({ allowH2: false, connect, headersTimeout: callTimeoutMs, bodyTimeout: silentWatchMs });
  const headers = {
    accept: 'application/json',
    'user-agent': 'farloop-simulated-node',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return {
    async request({ method, path, body, contentType = 'application/json' }) {
      const response = await calls.request({
        method,
        path,
        headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.body.text();
      const answered: unknown = isJson(response) && text !== '' ? JSON.parse(text) : undefined;
      return { status: response.statusCode, body: answered };
    },
    async *watch({ path, signal }) {
      const response = await watches.request({ origin: url, method: 'GET', path, headers, signal });
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw new Error(`GET ${path} answered ${response.statusCode}`);
      }
      let rest = '';
      response.body.setEncoding('utf8');
      for await (const chunk of response.body) {
        const lines = (rest + String(chunk)).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line === '') continue;
          const event: unknown = JSON.parse(line);
          yield event;
        }
      }
    },
    async close() {
      await Promise.all([calls.destroy(), watches.destroy()]);
    },
  };
}

function isJson({ headers }: Dispatcher.ResponseData): boolean {
  return String(headers['content-type'] ?? '').startsWith('application/json');
}
