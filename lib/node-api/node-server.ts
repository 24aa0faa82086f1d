// A virtual node's HTTP API: the routes that API servers and metrics servers ask of a kubelet, over TLS (spec section 15).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import type { Pod } from '../objects/kubernetes.ts';
import type { LogRequest } from '../objects/log-request.ts';
import { PODS } from '../objects/resources.ts';
import type { TaskName } from '../objects/task.ts';
import { deadlineIn, type Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { NotFoundError, TerminalError } from '../ports/errors.ts';
import { taskPages, type Provider } from '../ports/provider.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { Callers } from './callers.ts';
import { checkContainer, isRunning, runWanted } from './container-run.ts';
import { execQueryOf } from './exec-query.ts';
import { refuseUpgrade, RemoteCommands } from './remote-command.ts';
import { CpuRates } from './cpu-rates.ts';
import { figuresOf, resourceMetricsText, summaryOf, type Measured } from './figures-text.ts';
import { logRequestOf } from './log-query.ts';
import { PortForwards, type ForwardUpgrade } from './port-forwards.ts';
import { badRequest, NodeRefusalError } from './refusal.ts';
import { issueServingCertificate } from './serving-certificate.ts';
import { refusesUnread } from './unread-request.ts';

export type NamedTask = TaskName & { namespace: string; name: string };

/** What a node knows of its tasks: its provider, or who asks that for it. */
export type NodeTasks = Pick<Provider, 'list' | 'exec' | 'connect' | 'figures'> & {
  logs?(task: NamedTask, wanted: LogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
};

export interface NodeServerOptions {
  node: string;
  /** Where it listens, and the address that the Node names. */
  host: string;
  address: string;
  /** 0: any free one. */
  port: number;
  isOpen: boolean;
  cluster: Pick<Cluster, 'create' | 'get' | 'list'>;
  tasks: NodeTasks;
  /** How long until the signers are asked for again that the cluster did not name. */
  signersAgainMs?: number;
  /** How soon it shows that the caller of a command has gone who is not read. */
  beatEveryMs?: number;
  clock: Clock;
  telemetry: Telemetry;
}

export interface NodeServer {
  port: number;
  /** Streams end with it. */
  close: () => Promise<void>;
}

const CALL_MS = 10_000;
const MOST_HEADER_BYTES = 64 * 1024;
/** A stream's head goes out by then, with or without a first byte: a caller must see that it is followed. */
const HEAD_MS = 1_000;
/** The cluster's signers may change. */
const CA_EVERY_MS = 300_000;
/** A cluster that was begun a moment ago does not say yet who they are. */
const UNKNOWN_CA_EVERY_MS = 10_000;

/** @throws Error the address or port cannot be listened on */
export async function serveNode(options: NodeServerOptions): Promise<NodeServer> {
  const { node, host, address, port, clock, telemetry, signersAgainMs = UNKNOWN_CA_EVERY_MS } = options;
  const { certPem: cert, keyPem: key } = await issueServingCertificate(node, address, clock.nowMs());
  const callers = new Callers(options);
  let caPem = await callers.clientCaPem();
  // Those that Node.js knows by itself sign for anybody. While the cluster's own are not known the node's certificate stands for them: it signs nobody.
  const trust = (): { cert: string; key: string; ca: string } => ({ cert, key, ca: caPem ?? cert });
  const api = new NodeApi(options, callers);
  const server = createServer(
    {
      ...trust(),
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      ALPNProtocols: ['http/1.1'],
    },
    (request, response) => void api.answer(request, response),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => void api.upgrade(request, socket, head));
  server.on('tlsClientError', () => undefined);
  server.on('clientError', refusesUnread());
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listening(server, host, port);
  let timer: NodeJS.Timeout | undefined;
  const readAgain = async (): Promise<void> => {
    try {
      const known = await callers.clientCaPem();
      // One read that says nothing makes nobody a stranger.
      if (known !== undefined && known !== caPem) {
        caPem = known;
        server.setSecureContext(trust());
      }
    } catch (error) {
      telemetry.debug('signers of client certificates not read', { node, error });
    }
    if (server.listening) readLater();
  };
  const readLater = (): void => {
    timer = setTimeout(() => void readAgain(), caPem === undefined ? signersAgainMs : CA_EVERY_MS).unref();
  };
  readLater();
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      clearTimeout(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** One container of a pod of this node. */
interface ContainerPath {
  pod: Pod;
  container: string;
}

/** A path as it was sent, and its query. */
type Asked = Pick<URL, 'pathname' | 'searchParams'>;

type Responding = (request: IncomingMessage, response: ServerResponse, url: Asked) => Promise<void>;

class NodeApi {
  readonly #options: NodeServerOptions;
  readonly #callers: Callers;
  readonly #commands: RemoteCommands;
  readonly #forwards = new PortForwards();
  readonly #rates = new CpuRates();

  constructor(options: NodeServerOptions, callers: Callers) {
    this.#options = options;
    this.#callers = callers;
    this.#commands = new RemoteCommands(options);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Nothing here reads a body.
    request.resume();
    try {
      const url = urlOf(request);
      await this.#check(request, url);
      const route = this.#routeOf(url.pathname);
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new NodeRefusalError(405, '405 method not allowed');
      await route(request, response, url);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const url = urlOf(request);
      await this.#check(request, url);
      const [first, ...words] = wordsOf(url.pathname);
      const { tasks } = this.#options;
      if (first === 'portForward') return await this.#forward({ request, socket, head, query: url.searchParams }, words);
      if (first === 'attach')
        throw new NodeRefusalError(
          501,
          'virtual nodes attach nobody to a container: use logs -f for its output, and exec for a command beside it',
        );
      if (first !== 'exec') throw noSuchRoute();
      const exec = tasks.exec?.bind(tasks);
      if (!exec) throw notImplemented();
      const query = execQueryOf(url.searchParams);
      const { pod, container } = await this.#container(words);
      if (!isRunning(pod, container)) throw badRequest(`container "${container}" in pod "${pod.metadata.name}" does not run`);
      await this.#commands.run(
        { request, socket, head, query },
        async (streams, signal) => await exec(taskOf(pod), { container, ...streams }, signal),
      );
    } catch (error) {
      const { status, message } = refusalOf(error);
      refuseUpgrade(socket, status, message);
    }
  }

  /** @throws NodeRefusalError */
  async #forward(upgrade: ForwardUpgrade, [namespace = '', name = '', ...more]: readonly string[]): Promise<void> {
    const { tasks } = this.#options;
    const connect = tasks.connect?.bind(tasks);
    if (!connect) throw notImplemented();
    if (more.length > 0) throw noSuchRoute();
    const pod = await this.#pod(namespace, name);
    if (pod.status?.phase !== 'Running')
      throw badRequest(`unable to forward port because pod is not running. Current status=${pod.status?.phase ?? 'Pending'}`);
    await this.#forwards.run(upgrade, async (port, signal) => await connect(taskOf(pod), port, signal));
  }

  async #check(request: IncomingMessage, { pathname: path }: Asked): Promise<void> {
    const { method = 'GET', headers, socket } = request;
    const [first = ''] = wordsOf(path);
    const isGuarded = ['containerLogs', 'exec', 'attach', 'portForward', 'run'].includes(first);
    await this.#callers.check(socket as TLSSocket, headers.authorization, { method, path, isGuarded });
  }

  /** @throws NodeRefusalError 404, 501 */
  #routeOf(path: string): Responding {
    const { tasks } = this.#options;
    const words = wordsOf(path);
    switch (words.join('/')) {
      case 'healthz':
        return async (_request, response) => send(response, 'ok', 'text/plain; charset=utf-8');
      case 'pods':
        return async (_request, response) => send(response, JSON.stringify(podList(await this.#pods())), 'application/json');
      case 'runningpods':
        return async (_request, response) => send(response, JSON.stringify(podList(await this.#runningPods())), 'application/json');
      case 'stats/summary':
        if (!tasks.figures) throw noSuchRoute();
        return async (_request, response) => {
          const { node, clock } = this.#options;
          send(response, JSON.stringify(summaryOf(node, await this.#measured(), clock.nowMs())), 'application/json');
        };
      case 'metrics/resource':
        if (!tasks.figures) throw noSuchRoute();
        return async (_request, response) => {
          const text = resourceMetricsText(await this.#measured(), this.#options.clock.nowMs());
          send(response, text, 'text/plain; version=0.0.4; charset=utf-8');
        };
    }
    const [first, ...rest] = words;
    if (first === 'exec' && tasks.exec) throw badRequest('a command is run over a WebSocket: expected a request to upgrade');
    if (first === 'portForward' && tasks.connect)
      throw badRequest('a port is forwarded over a connection of its own: expected a request to upgrade');
    if (['exec', 'attach', 'portForward', 'run'].includes(first ?? '')) throw notImplemented();
    if (first !== 'containerLogs') throw noSuchRoute();
    const logs = tasks.logs?.bind(tasks);
    if (!logs) throw notImplemented();
    return async (request, response, url) => await this.#sendLog(request, response, { words: rest, query: url.searchParams, logs });
  }

  async #sendLog(
    request: IncomingMessage,
    response: ServerResponse,
    { words, query, logs }: { words: readonly string[]; query: URLSearchParams; logs: NonNullable<NodeTasks['logs']> },
  ): Promise<void> {
    const { clock } = this.#options;
    const wanted = logRequestOf(query, { container: words[2] ?? '', nowMs: clock.nowMs() });
    const { pod, container } = await this.#container(words);
    const run = runWanted(pod, container, wanted.previous === true);
    const { previous: _previous, ...asked } = wanted;
    const ending = new AbortController();
    response.once('close', () => ending.abort());
    // It may have gone while the cluster was asked.
    if (response.closed) return;
    const bytes = logs(taskOf(pod), { ...asked, ...(run === 'previous' && { previous: true }) }, ending.signal);
    const iterator = bytes[Symbol.asyncIterator]();
    const first = iterator.next();
    // A log that is not there shows by its status; a silent one that is followed shows that it is there.
    const begun = new AbortController();
    const head = wanted.follow ? [clock.wait(HEAD_MS, AbortSignal.any([begun.signal, ending.signal]))] : [];
    await Promise.race([first, ...head])
      .catch((error: unknown) => {
        throw new LogError(error);
      })
      .finally(() => begun.abort());
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.flushHeaders();
    if (request.method === 'HEAD') return void response.end();
    const rest = async function* (): AsyncIterable<Uint8Array> {
      for (let step = await first; step.done !== true; step = await iterator.next()) if (step.value.length > 0) yield step.value;
    };
    try {
      await pipeline(Readable.from(rest(), { objectMode: true, highWaterMark: 1 }), response);
    } catch {
      // The caller sees a log that broke off, or has gone itself.
      response.destroy();
    } finally {
      ending.abort();
      await iterator.return?.().catch(() => {});
    }
  }

  /** @throws NodeRefusalError 404: no such pod on this node */
  async #container([namespace = '', name = '', container = '', ...more]: readonly string[]): Promise<ContainerPath> {
    if (container === '' || more.length > 0) throw noSuchRoute();
    const pod = await this.#pod(namespace, name);
    checkContainer(pod, container);
    return { pod, container };
  }

  /** @throws NodeRefusalError 404: no such pod on this node */
  async #pod(namespace: string, name: string): Promise<Pod> {
    const { cluster, node, clock } = this.#options;
    const unknown = new NodeRefusalError(404, `pod "${name}_${namespace}" does not exist`);
    if (![namespace, name].every((word) => /^[a-z0-9]([-a-z0-9.]{0,252})$/.test(word))) throw unknown;
    try {
      const { object: pod } = await cluster.get<Pod>(PODS, { namespace, name }, deadlineIn(clock, CALL_MS));
      // Nobody gets from this node what runs on another one.
      if (pod.spec.nodeName !== node) throw unknown;
      return pod;
    } catch (error) {
      throw error instanceof NotFoundError ? unknown : error;
    }
  }

  /** As the API server has them. */
  async #pods(): Promise<Pod[]> {
    const { cluster, node, clock } = this.#options;
    const { items } = await cluster.list<Pod>(PODS, { fieldSelector: `spec.nodeName=${node}` }, deadlineIn(clock, CALL_MS));
    return items;
  }

  /** Pods of which something runs at the provider, but for those that are being ended. */
  async #runningPods(): Promise<Pod[]> {
    const [pods, uids] = await Promise.all([this.#pods(), this.#runningUids()]);
    return pods.filter(({ metadata }) => uids.has(metadata.uid ?? '') && metadata.deletionTimestamp === undefined);
  }

  async #runningUids(): Promise<Set<string>> {
    const { tasks, clock } = this.#options;
    const uids = new Set<string>();
    for await (const page of taskPages(tasks, () => deadlineIn(clock, CALL_MS)))
      for (const { uid, hasEnded } of page) if (!hasEnded) uids.add(uid);
    return uids;
  }

  async #measured(): Promise<Measured[]> {
    const { tasks, clock } = this.#options;
    const [pods, figures = []] = await Promise.all([this.#runningPods(), tasks.figures?.(deadlineIn(clock, CALL_MS))]);
    const byUid = new Map(this.#rates.completed(figures).map((each) => [each.uid, each]));
    return pods.map((pod) => ({ pod, figures: figuresOf(pod, byUid.get(pod.metadata.uid ?? '')) }));
  }

  #fail(response: ServerResponse, error: unknown): void {
    const { status, message } = refusalOf(error);
    if (!(error instanceof NodeRefusalError) && !(error instanceof LogError))
      this.#options.telemetry.warn('a virtual node could not answer', { node: this.#options.node, error });
    if (response.headersSent) return void response.destroy();
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(message);
  }
}

function taskOf({ metadata: { uid = '', namespace = '', name = '' } }: Pod): NamedTask {
  return { uid, attempt: 1, namespace, name };
}

/** The provider did not give a log. */
class LogError extends Error {
  constructor(cause: unknown) {
    super(`error getting container logs?): ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function refusalOf(error: unknown): { status: number; message: string } {
  if (error instanceof NodeRefusalError) return error;
  const { cause } = error instanceof LogError ? error : { cause: error };
  const status = cause instanceof NotFoundError ? 404 : cause instanceof TerminalError ? 400 : 500;
  return { status, message: error instanceof Error ? error.message : String(error) };
}

const noSuchRoute = (): NodeRefusalError => new NodeRefusalError(404, '404 request not found');
const notImplemented = (): NodeRefusalError => new NodeRefusalError(501, '501 not implemented');

/** A path is taken as it was sent: nothing in it leads upwards. @throws NodeRefusalError 400 */
function urlOf({ url = '/' }: IncomingMessage): Asked {
  const [path = ''] = url.split('?');
  if (!path.startsWith('/') || /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path))
    throw badRequest('the path is none: expected one without "." and ".."');
  return { pathname: path, searchParams: new URLSearchParams(url.slice(path.length + 1)) };
}

/** A slash at its end counts for nothing. */
const wordsOf = (path: string): string[] => path.replace(/^\//, '').replace(/\/$/, '').split('/');

const podList = (items: readonly Pod[]): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

function send(response: ServerResponse, text: string, contentType: string): void {
  response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
