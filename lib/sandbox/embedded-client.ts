// The simulated node's client of an API server in its own process: without sockets, which cost more than the calls themselves.
import type { ApiRequest, ApiResponse } from './http/request.ts';
import type { NodeClient, NodeRequest } from '../simulated-node/node-client.ts';

/** As the node says it over HTTPS: the API server takes the manager of what it writes from it. */
const AGENT = { 'user-agent': 'farloop', accept: 'application/json' };

export function embeddedClient(handle: (request: ApiRequest) => Promise<ApiResponse>): NodeClient {
  return {
    async request(asked) {
      const response = await handle(requestOf(asked));
      if ('stream' in response) throw new Error(`${asked.method} ${asked.path}: the answer is a stream, expected an object`);
      const isJson = (response.headers['Content-Type'] ?? '').startsWith('application/json');
      const body: unknown = isJson && response.body !== '' ? JSON.parse(response.body) : undefined;
      return { status: response.status, body };
    },
    async *watch({ path, signal }) {
      const response = await handle(requestOf({ method: 'GET', path }));
      if (!('stream' in response)) throw Object.assign(new Error(`GET ${path} answered ${response.status}`), { status: response.status });
      yield* eventsOf(response.stream, signal);
    },
  };
}

function requestOf({ method, path, body, contentType = 'application/json' }: NodeRequest): ApiRequest {
  const [address = '', query = ''] = path.split('?', 2);
  return {
    method,
    path: address,
    query: new URLSearchParams(query),
    headers: { ...AGENT, ...(body !== undefined && { 'content-type': contentType }) },
    body: body === undefined ? '' : JSON.stringify(body),
  };
}

/** The lines of a stream, parsed, until it ends or `signal` is aborted. The server writes whole lines. */
async function* eventsOf(stream: Extract<ApiResponse, { stream: unknown }>['stream'], signal: AbortSignal): AsyncGenerator<unknown, void> {
  let lines: string[] = [];
  let isOver = false;
  let wake = (): void => {};
  const end = (): void => {
    isOver = true;
    wake();
  };
  const stop = stream({
    write: (text) => {
      lines.push(text);
      wake();
    },
    end,
  });
  signal.addEventListener('abort', end, { once: true });
  try {
    while (!signal.aborted) {
      const taken = lines;
      lines = [];
      for (const text of taken) for (const line of text.split('\n')) if (line !== '') yield JSON.parse(line) as unknown;
      if (lines.length > 0) continue;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener('abort', end);
    stop();
  }
}
