// Commands, terminals and forwarded ports of a pod: which path on its node a request leads to, and the way there. They are spoken over
// WebSockets, of which the server passes on the bytes without looking at them.
import { badRequest, ApiError, methodRefused } from '../objects/api-error.ts';
import { textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { ApiRequest, ApiResponse } from '../http/request.ts';
import { flagIn } from '../http/request.ts';
import { containerOf } from '../verbs/pod-log.ts';
import { DialError } from './node-dialer.ts';
import type { NodeDialer, Switched } from './node-dialer.ts';
import { withQuery } from './node-endpoint.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { upgradeRefusal } from './node-refusals.ts';

type Stream = 'exec' | 'attach' | 'portforward';

export const isStream = (subresource: string | undefined): subresource is Stream =>
  subresource === 'exec' || subresource === 'attach' || subresource === 'portforward';

/** A node takes a command at once, or not at all. */
const withinMs = 30_000;

/** The names of a kubelet for the streams that a client asks for. */
const streams: Readonly<Record<string, string>> = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };

/** @throws ApiError 400 for a container that is not there, or not named among several; for a pod without a node */
function nodePathOf(pod: ApiObject, stream: Stream, query: URLSearchParams): string {
  const { name = '', namespace = '' } = pod.metadata;
  const container = stream === 'portforward' ? '' : containerOf(pod, query.get('container') ?? '');
  if (textAt(pod.spec, 'nodeName') === '') throw badRequest(`pod ${name} does not have a host assigned`);
  const asked = new URLSearchParams();
  if (stream === 'portforward') {
    const ports = query.getAll('ports').filter(Boolean);
    if (ports.length > 0) asked.set('port', ports.join(','));
    return withQuery(`/portForward/${namespace}/${name}`, asked);
  }
  if (stream === 'exec') for (const word of query.getAll('command')) asked.append('command', word);
  for (const [option, on] of Object.entries(streams)) if (flagIn(query, option)) asked.set(on, '1');
  return withQuery(`/${stream}/${namespace}/${name}/${container}`, asked);
}

/** A request for a stream that does not ask to switch protocols. */
export const streamRefusal = ({ method }: ApiRequest): ApiError =>
  method === 'GET' || method === 'POST' ? badRequest('Upgrade request required') : methodRefused();

/** Browsers hide a bearer token among the protocols. It is for this server alone. */
const protocolsOf = (offered: string): string =>
  offered
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith('base64url.bearer.authorization.k8s.io.'))
    .join(', ');

function headersOf({ headers }: ApiRequest): Record<string, string> {
  const passed = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions', 'origin', 'user-agent'];
  const offered = protocolsOf(headers['sec-websocket-protocol'] ?? '');
  return {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    ...Object.fromEntries(passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    ...(offered !== '' && { 'sec-websocket-protocol': offered }),
  };
}

/** The sentence that kubectl prints once neither of its protocols was taken. */
function spdyRefusal(stream: Stream): ApiError {
  const variable = stream === 'portforward' ? 'KUBECTL_PORT_FORWARD_WEBSOCKETS' : 'KUBECTL_REMOTE_COMMAND_WEBSOCKETS';
  return badRequest(
    `the sandbox takes ${stream} over WebSockets, not over SPDY/3.1: use kubectl 1.31 or newer, and leave ${variable}=false out of its environment`,
  );
}

/** A refusal over a WebSocket is repeated over SPDY, for kubectl tries both and prints the last answer alone. So long one is remembered. */
const rememberedMs = 10_000;
const mostRemembered = 100;

export interface StreamTarget {
  pod: ApiObject;
  stream: Stream;
  /** Undefined where the pod's node has none. */
  endpoint: NodeEndpoint | undefined;
}

export class PodStreams {
  readonly #dialer: NodeDialer;
  readonly #refused = new Map<string, { untilMs: number; refusal: ApiError }>();

  constructor(dialer: NodeDialer) {
    this.#dialer = dialer;
  }

  /** @throws ApiError where the request, the pod or the node does not allow it */
  async open(request: ApiRequest, { pod, stream, endpoint }: StreamTarget): Promise<Switched> {
    const path = nodePathOf(pod, stream, request.query);
    if (!endpoint) {
      const [name, node] = [pod.metadata.name ?? '', textAt(pod.spec, 'nodeName')];
      throw badRequest(
        `${stream} needs a node that runs containers: pod ${name} is on ${node}, whose Node names no address and port to dial`,
      );
    }
    const asked = JSON.stringify([request.asker?.name, path]);
    const protocol = request.headers['upgrade']?.toLowerCase();
    if (protocol === 'spdy/3.1') throw this.#remembered(asked) ?? spdyRefusal(stream);
    if (protocol !== 'websocket') throw badRequest(`unable to upgrade: expected websocket, got ${JSON.stringify(protocol ?? '')}`);
    try {
      return await this.#dialled(request, endpoint, path);
    } catch (error) {
      if (error instanceof ApiError) this.#remember(asked, error);
      throw error;
    }
  }

  async #dialled(request: ApiRequest, endpoint: NodeEndpoint, path: string): Promise<Switched> {
    const { method, onLeave } = request;
    try {
      const answer = await this.#dialer.dial(endpoint, { method, path, headers: headersOf(request), withinMs, onLeave });
      if (!('answer' in answer)) throw await upgradeRefusal(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      throw new ApiError(500, '', `error dialing backend: ${error.message}`);
    }
  }

  #remembered(asked: string): ApiError | undefined {
    const found = this.#refused.get(asked);
    return found && performance.now() < found.untilMs ? found.refusal : undefined;
  }

  #remember(asked: string, refusal: ApiError): void {
    this.#refused.delete(asked);
    this.#refused.set(asked, { untilMs: performance.now() + rememberedMs, refusal });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > mostRemembered && oldest !== undefined) this.#refused.delete(oldest);
  }
}

/** Where an upgrade leads: to a node, or to an answer that refuses it. */
export type Connected = Switched | Extract<ApiResponse, { body: string }>;
