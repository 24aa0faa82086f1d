// Who may ask a node: API servers and metrics servers, by a client certificate or a bearer token, each with a right on `nodes` that the
// cluster itself judges.
import type { TLSSocket } from 'node:tls';
import type { KubernetesObject } from '../objects/kubernetes.ts';
import { ACCESS_REVIEWS, CLIENT_SIGNERS, TOKEN_REVIEWS } from '../objects/placement/node-callers.ts';
import { CONFIG_MAPS, type Resource } from '../objects/resources.ts';
import { fieldsOf, textOf } from '../objects/values/untyped-fields.ts';
import { deadlineIn, type Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { NotFoundError, TerminalError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { NodeRefusalError } from './refusal.ts';

const CALL_MS = 10_000;
/** A right that is taken away counts after this time. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 1_000;

export interface Caller {
  name: string;
  uid?: string;
  groups: readonly string[];
}

/** One request, as rights are asked for. */
export interface Access {
  method: string;
  path: string;
  /** Nobody without credentials may do that, on whatever node. */
  isGuarded: boolean;
}

export interface CallersOptions {
  cluster: Pick<Cluster, 'create' | 'get'>;
  node: string;
  /** Serves callers without credentials, but for what is guarded. */
  isOpen: boolean;
  clock: Clock;
  telemetry: Telemetry;
}

export class Callers {
  readonly #options: CallersOptions;
  readonly #tokens: Remembered<Caller | undefined>;
  readonly #rights: Remembered<boolean>;
  readonly #logged = new Set<string>();

  constructor(options: CallersOptions) {
    this.#options = options;
    this.#tokens = new Remembered(options.clock);
    this.#rights = new Remembered(options.clock);
  }

  /**
   * Certificates of those who signed the client certificates of this cluster.
   * @returns undefined: the cluster does not say, or not to this process; then bearer tokens alone let in
   */
  async clientCaPem(): Promise<string | undefined> {
    const { cluster, clock, telemetry, node } = this.#options;
    try {
      const { object } = await cluster.get(CONFIG_MAPS, CLIENT_SIGNERS, deadlineIn(clock, CALL_MS));
      return textOf(fieldsOf(Reflect.get(object, 'data'))['client-ca-file']) || undefined;
    } catch (error) {
      // A cluster whose API servers show no certificates has none to name.
      if (error instanceof NotFoundError) return undefined;
      if (!(error instanceof TerminalError)) throw error;
      if (this.#isNews('ca')) telemetry.warn('client certificates of API servers cannot be checked', { node, error });
      return undefined;
    }
  }

  /** @throws NodeRefusalError 401, 403; 500 where the cluster does not say */
  async check(socket: TLSSocket, authorization: string | undefined, access: Access): Promise<void> {
    const caller = (await this.#callerOf(socket, authorization)) ?? this.#stranger(authorization, access);
    if (caller === 'open') return;
    const { verb, subresource } = rightOf(access);
    if (await this.#isAllowed(caller, verb, subresource)) return;
    throw this.#refusal(403, caller.name, `Forbidden (user=${caller.name}, verb=${verb}, resource=nodes, subresource=${subresource})`);
  }

  async #callerOf(socket: TLSSocket, authorization: string | undefined): Promise<Caller | undefined> {
    if (socket.authorized) {
      // Without a certificate there is no subject, whatever a session that is taken up again says; and nothing at all once the caller has gone.
      const { subject } = fieldsOf(socket.getPeerCertificate()) as Partial<ReturnType<TLSSocket['getPeerCertificate']>>;
      const groups = fieldsOf(subject)['O'] as string | string[] | undefined;
      if (subject?.CN) return { name: String(subject.CN), groups: [...[groups ?? []].flat(), 'system:authenticated'] };
    }
    const [, token] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
    return token === undefined ? undefined : await this.#tokens.of(token, async () => await this.#reviewed(token));
  }

  #stranger(authorization: string | undefined, { isGuarded, path }: Access): 'open' {
    const isNobody = authorization === undefined;
    if (!isNobody || !this.#options.isOpen) throw this.#refusal(401, 'somebody unknown', 'Unauthorized');
    if (!isGuarded) return 'open';
    const sentence = `${path.split('/')[1]} asks for credentials: this node is open to callers without any, and gives them neither logs nor a command`;
    throw this.#refusal(403, 'somebody without credentials', sentence);
  }

  async #reviewed(token: string): Promise<Caller | undefined> {
    const status = await this.#review(TOKEN_REVIEWS, { token });
    const { username, uid, groups } = fieldsOf(status['user']);
    if (status['authenticated'] !== true || textOf(username) === '') return undefined;
    return {
      name: textOf(username),
      ...(textOf(uid) !== '' && { uid: textOf(uid) }),
      groups: Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string') : [],
    };
  }

  async #isAllowed({ name, uid, groups }: Caller, verb: string, subresource: string): Promise<boolean> {
    const { node } = this.#options;
    const resourceAttributes = { verb, resource: 'nodes', subresource, name: node, version: 'v1' };
    return await this.#rights.of(JSON.stringify([name, uid, groups, verb, subresource]), async () => {
      const status = await this.#review(ACCESS_REVIEWS, { user: name, groups, ...(uid !== undefined && { uid }), resourceAttributes });
      return status['allowed'] === true;
    });
  }

  async #review(resource: Resource, spec: object): Promise<Record<string, unknown>> {
    const { cluster, clock, telemetry, node } = this.#options;
    try {
      const review = { metadata: {}, spec } as KubernetesObject;
      const { object } = await cluster.create(resource, review, deadlineIn(clock, CALL_MS));
      return fieldsOf(Reflect.get(object, 'status'));
    } catch (error) {
      telemetry.warn('the cluster does not say who asks a virtual node', { node, resource: resource.plural, error });
      throw new NodeRefusalError(500, `the cluster does not answer a ${resource.kind}, so nobody is let in`);
    }
  }

  /** Refusals of one caller are logged once, or a scraper without rights would fill the log. */
  #refusal(status: number, name: string, message: string): NodeRefusalError {
    const { telemetry, node } = this.#options;
    if (this.#isNews(`${status} ${name} ${message}`))
      telemetry.warn('a virtual node refused a caller', { node, caller: name, status, reason: message });
    return new NodeRefusalError(status, message);
  }

  #isNews(text: string): boolean {
    if (this.#logged.has(text) || this.#logged.size >= MOST_REMEMBERED) return false;
    this.#logged.add(text);
    return true;
  }
}

/** As kubelets ask for it. */
function rightOf({ method, path }: Access): { verb: string; subresource: string } {
  const verbs: Readonly<Record<string, string>> = {
    GET: 'get',
    HEAD: 'get',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: 'delete',
  };
  const [, first = ''] = path.split('/');
  // API servers upgrade by GET. A command is no reading, so the right to read does not do.
  const verb = ['exec', 'attach', 'portForward'].includes(first) ? 'create' : (verbs[method] ?? 'get');
  const subresource = first === 'stats' ? 'stats' : first === 'metrics' ? 'metrics' : 'proxy';
  return { verb, subresource };
}

/** Answers that are kept for some seconds, the failed ones not. */
class Remembered<Value> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { untilMs: number; value: Promise<Value> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async of(key: string, ask: () => Promise<Value>): Promise<Value> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#kept.get(key);
    if (known && nowMs < known.untilMs) return await known.value;
    const value = ask();
    this.#kept.delete(key);
    this.#kept.set(key, { untilMs: nowMs + REMEMBERED_MS, value });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_REMEMBERED && oldest !== undefined) this.#kept.delete(oldest);
    value.catch(() => this.#kept.delete(key));
    return await value;
  }
}
