// The cluster port on the sandbox's API server without sockets. Counts what is written; a test may stand between a call and its effect.
import { wantedBy, type WantedFields } from '../../lib/objects/field-mask.ts';
import type { KubernetesObject, Status } from '../../lib/objects/kubernetes.ts';
import { PATCH_CONTENT_TYPES, pathOf, PODS, type Resource } from '../../lib/objects/resources.ts';
import type { Clock, Deadline } from '../../lib/ports/clock.ts';
import { hasPassed } from '../../lib/ports/clock.ts';
import type {
  Answer,
  BoundedLogRequest,
  Cluster,
  Deletion,
  ListAnswer,
  ListSelection,
  Named,
  Patch,
  PatchTarget,
  ReadLog,
  Reading,
  Writing,
} from '../../lib/ports/cluster.ts';
import { ConflictError, NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { EmbeddedCluster } from '../../lib/sandbox/sandbox.ts';

export interface Call {
  verb: 'get' | 'list' | 'create' | 'delete' | 'patch';
  plural: string;
  name: string;
  subresource?: string | undefined;
  body?: unknown;
}

/** Stands between a call and the server: may fail it before (`before`) or after it took effect (`after`). */
export interface Interference {
  before?: (call: Call) => void | Promise<void>;
  after?: (call: Call) => void | Promise<void>;
}

/** As an API server's adapter leaves out what nobody reads. */
function wantedOf(value: unknown, wanted: WantedFields): unknown {
  if (typeof wanted === 'boolean' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => wantedOf(each, wanted));
  const kept = Object.entries(value).flatMap(([name, below]) => {
    const mask = wantedBy(wanted, name);
    return mask === false ? [] : [[name, wantedOf(below, mask)]];
  });
  return Object.fromEntries(kept);
}

export class InProcessCluster implements Cluster {
  readonly calls: Call[] = [];
  interference: Interference = {};
  /** What the caller gets instead of the server's good answer. */
  rewrite: ((call: Call, answer: unknown) => unknown) | undefined;
  readonly #cluster: Pick<EmbeddedCluster, 'handle'>;
  readonly #clock: Clock;

  readonly #aheadMs: number;

  /** @param aheadMs how far the API server's clock is ahead */
  constructor(cluster: Pick<EmbeddedCluster, 'handle'>, clock: Clock, aheadMs = 0) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  /** Writes so far, Events apart. */
  get writes(): Call[] {
    return this.calls.filter(({ verb, plural }) => verb !== 'get' && verb !== 'list' && plural !== 'events');
  }

  async get<Item extends KubernetesObject>(
    resource: Resource,
    target: Named,
    deadline: Deadline,
    { fields = true }: Reading = {},
  ): Promise<Answer<Item>> {
    const { object, dateMs } = await this.#call<Item>('GET', resource, { ...target, verb: 'get' }, deadline);
    return { object: wantedOf(object, fields) as Item, dateMs };
  }

  async list<Item extends KubernetesObject>(resource: Resource, selection: ListSelection, deadline: Deadline): Promise<ListAnswer<Item>> {
    const { namespace, labelSelector, fieldSelector } = selection;
    const query = { ...(labelSelector !== undefined && { labelSelector }), ...(fieldSelector !== undefined && { fieldSelector }) };
    const { object, dateMs } = await this.#call<KubernetesObject & { items: Item[] }>(
      'GET',
      resource,
      { namespace, verb: 'list', query },
      deadline,
    );
    return { items: object.items, resourceVersion: object.metadata.resourceVersion ?? '0', dateMs };
  }

  create<Item extends KubernetesObject>(
    resource: Resource,
    object: Item,
    deadline: Deadline,
    { subresource }: Writing = {},
  ): Promise<Answer<Item>> {
    const { namespace, name } = object.metadata;
    const target = { namespace, ...(subresource !== undefined && { name, subresource }) };
    return this.#call<Item>('POST', resource, { ...target, verb: 'create', body: object }, deadline);
  }

  async delete<Item extends KubernetesObject>(resource: Resource, target: Deletion, deadline: Deadline): Promise<Answer<Item | undefined>> {
    const { namespace, name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = target;
    const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const how = {
      ...(propagationPolicy !== undefined && { propagationPolicy }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    };
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, ...how };
    const { object, dateMs } = await this.#call<Item>('DELETE', resource, { namespace, name, verb: 'delete', body }, deadline);
    return { object: object.kind === 'Status' || isGone(object) ? undefined : object, dateMs };
  }

  patch<Item extends KubernetesObject>(resource: Resource, target: PatchTarget, patch: Patch, deadline: Deadline): Promise<Answer<Item>> {
    return this.#call<Item>(
      'PATCH',
      resource,
      { ...target, verb: 'patch', body: patch.body, contentType: PATCH_CONTENT_TYPES[patch.type] },
      deadline,
    );
  }

  async log({ namespace, name }: Named, wanted: BoundedLogRequest, deadline: Deadline): Promise<ReadLog> {
    if (hasPassed(deadline, this.#clock)) throw new NotDoneError('the deadline had passed');
    const { sinceMs: _sinceMs, ...given } = {
      ...wanted,
      ...(wanted.sinceMs !== undefined && { sinceTime: new Date(wanted.sinceMs).toISOString() }),
    };
    const query = new URLSearchParams(
      Object.entries(given).flatMap(([field, value]): [string, string][] =>
        value === undefined || value === '' ? [] : [[field, String(value)]],
      ),
    );
    const path = pathOf(PODS, { namespace, name, subresource: 'log' });
    const answer = await this.#cluster.handle({ method: 'GET', path, query, headers: {}, body: '' });
    if (!('body' in answer)) throw new Error('a stream where an answer was expected');
    if (answer.status >= 300) throw errorOf(objectIn(answer) as Status, answer.status);
    return { text: answer.body, isCut: Buffer.byteLength(answer.body) >= wanted.limitBytes };
  }

  async #call<Answered>(
    method: string,
    resource: Resource,
    aim: {
      verb: Call['verb'];
      namespace?: string | undefined;
      name?: string | undefined;
      subresource?: string;
      query?: Record<string, string>;
      body?: unknown;
      contentType?: string;
    },
    deadline: Deadline,
  ): Promise<Answer<Answered>> {
    if (hasPassed(deadline, this.#clock)) throw new NotDoneError('the deadline had passed');
    const { verb, namespace, name, subresource, query, body, contentType } = aim;
    const call: Call = {
      verb,
      plural: resource.plural,
      name: name ?? (body as KubernetesObject | undefined)?.metadata?.name ?? '',
      subresource,
      body,
    };
    this.calls.push(call);
    await this.interference.before?.(call);
    const answer = await this.#cluster.handle({
      method,
      path: pathOf(resource, { namespace, name, subresource }),
      query: new URLSearchParams({ fieldManager: 'farloop', ...query }),
      headers: { accept: 'application/json', 'content-type': contentType ?? 'application/json' },
      body: body === undefined ? '' : JSON.stringify(body),
    });
    await this.interference.after?.(call);
    if (!('body' in answer)) throw new Error('a stream where an answer was expected');
    const object = objectIn(answer);
    if (answer.status >= 300) throw errorOf(object as Status, answer.status);
    return {
      object: (this.rewrite?.(call, object) ?? object) as Answered,
      dateMs: Math.floor((this.#clock.nowMs() + this.#aheadMs) / 1000) * 1000,
    };
  }
}

/** What was deleted for good is answered in its last state. */
const isGone = ({ metadata }: KubernetesObject): boolean =>
  (metadata.finalizers ?? []).length === 0 && (metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds === 0);

/** @throws TerminalError as the real adapter does where a path that nobody serves is answered with a text */
export function objectIn({ status, body }: { status: number; body: string }): unknown {
  if (status === 404 && !body.startsWith('{'))
    throw new TerminalError('the API server has no such resource', { code: 404, reason: 'NotFound' });
  return JSON.parse(body);
}

/** As the real adapter tells a refusal. */
export function errorOf(status: Status, code: number): Error {
  const message = status.message ?? `HTTP ${code}`;
  if (code === 404) return new NotFoundError(message);
  if (code === 409) return new ConflictError(message, { reason: status.reason === 'AlreadyExists' ? 'alreadyExists' : 'precondition' });
  if (code === 422 && status.details?.causes?.some(({ field }) => field === 'metadata.uid')) return new ConflictError(message);
  if (code === 429) return new ThrottledError(message, { retryAfterSeconds: status.details?.retryAfterSeconds ?? 1 });
  if (code >= 500) return new UnknownOutcomeError(message);
  return new TerminalError(message, {
    code,
    causes: status.details?.causes ?? [],
    ...(status.reason !== undefined && { reason: status.reason }),
  });
}
