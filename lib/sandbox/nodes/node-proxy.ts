// `nodes/NAME/proxy/PATH`: a request passed on to the node's own HTTP API, and its answer passed back.
import type { IncomingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import { bytesAnswer } from '../http/byte-answer.ts';
import type { ApiRequest, ApiResponse, ResourcePath } from '../http/request.ts';
import { ApiError } from '../objects/api-error.ts';
import { DialError } from './node-dialer.ts';
import type { NodeDialer } from './node-dialer.ts';
import { withQuery } from './node-endpoint.ts';
import type { NodeEndpoint } from './node-endpoint.ts';

/** About one connection, or about who asks: the node knows the server alone, by its certificate. */
const ownHeaders = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade authorization host content-length expect'.split(
    ' ',
  ),
);

/** The node's own answer says when it was given; the server's date and caching stand beside it. */
const ownAnswerHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'date', 'cache-control']);

const headersBut = (left: ReadonlySet<string>, headers: IncomingHttpHeaders | ApiRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (left.has(name) || value === undefined ? [] : [[name, String(value)]])),
  );

/** Words of dots are gone before the node sees them: no path leads out of what the right is about. */
function pathOn({ rest }: ResourcePath, { path, query }: ApiRequest): string {
  const words = posix
    .normalize(`/${rest.join('/')}`)
    .split('/')
    .filter(Boolean);
  const text = `/${words.map(encodeURIComponent).join('/')}${words.length > 0 && path.endsWith('/') ? '/' : ''}`;
  return withQuery(text, query);
}

/** @throws ApiError 503 where the node does not answer */
export async function proxyToNode(
  dialer: NodeDialer,
  endpoint: NodeEndpoint,
  request: ApiRequest,
  path: ResourcePath,
): Promise<ApiResponse> {
  const { method, headers, bytes, query, onLeave } = request;
  if (path.rest.length === 0 && !request.path.endsWith('/') && (method === 'GET' || method === 'HEAD')) {
    // Links of a page are relative to its path.
    return { status: 301, headers: { Location: withQuery(`${request.path}/`, query) }, body: '' };
  }
  try {
    const answer = await dialer.ask(endpoint, {
      method,
      path: pathOn(path, request),
      headers: headersBut(ownHeaders, headers),
      ...(bytes && bytes.length > 0 && { body: bytes }),
      onLeave,
    });
    return bytesAnswer({ status: answer.statusCode ?? 502, headers: headersBut(ownAnswerHeaders, answer.headers) }, answer);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    throw new ApiError(503, 'ServiceUnavailable', `error trying to reach service: ${error.message}`);
  }
}
