// A container's log, as its node has it: its bytes, as fast as the client takes them.
import { bytesAnswer } from '../http/byte-answer.ts';
import type { ApiRequest, ApiResponse } from '../http/request.ts';
import { flagIn } from '../http/request.ts';
import { ApiError } from '../objects/api-error.ts';
import { timeText } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { containerOf, logOptionsOf } from '../verbs/pod-log.ts';
import { DialError } from './node-dialer.ts';
import type { NodeDialer } from './node-dialer.ts';
import { authorityOf, withQuery } from './node-endpoint.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { refusalOf } from './node-refusals.ts';

/** @throws ApiError 400 and 422 as for any log; 500 where the node does not answer; what the node refuses with */
export async function nodeLogOf(dialer: NodeDialer, endpoint: NodeEndpoint, pod: ApiObject, request: ApiRequest): Promise<ApiResponse> {
  const { query, onLeave } = request;
  const { name = '', namespace = '' } = pod.metadata;
  const { tail, limit, seconds, sinceMs } = logOptionsOf(query, name);
  const container = containerOf(pod, query.get('container') ?? '');
  const asked = new URLSearchParams();
  for (const flag of ['follow', 'previous', 'timestamps']) if (flagIn(query, flag)) asked.set(flag, 'true');
  for (const [option, value] of Object.entries({ tailLines: tail, limitBytes: limit, sinceSeconds: seconds }))
    if (value !== undefined) asked.set(option, String(value));
  if (sinceMs !== undefined) asked.set('sinceTime', timeText(sinceMs));
  asked.sort();
  const path = withQuery(`/containerLogs/${namespace}/${name}/${container}`, asked);
  try {
    const answer = await dialer.ask(endpoint, { method: 'GET', path, onLeave });
    const { statusCode = 0 } = answer;
    if (statusCode < 200 || statusCode > 206) throw await refusalOf(answer, { resource: 'pods/log', name });
    return bytesAnswer({ status: 200, headers: { 'Content-Type': 'text/plain' } }, answer);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    throw new ApiError(500, '', `Get "https://${authorityOf(endpoint)}${path}": ${error.message}`);
  }
}
