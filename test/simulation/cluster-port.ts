// The cluster port and the relay's source on an API server without sockets. Refusals are translated by the real adapter's own words.
import type { IncomingHttpHeaders } from 'node:http';
import { errorOf, errorOfStatus } from '../../lib/adapters/kubernetes/refusals.ts';
import { wholeList } from '../../lib/adapters/kubernetes/whole-list.ts';
import type { Asked } from '../../lib/adapters/kubernetes/refusals.ts';
import type { KubernetesObject, Status } from '../../lib/objects/kubernetes.ts';
import { PATCH_CONTENT_TYPES, pathOf, type Resource } from '../../lib/objects/resources.ts';
import type {
  Answer,
  ClusterSource,
  Deletion,
  ListAnswer,
  ListSelection,
  Named,
  Patch,
  PatchTarget,
  WatchEvent,
  WatchSelection,
} from '../../lib/ports/cluster.ts';
import type { ThrottledError } from '../../lib/ports/errors.ts';
import type { SimApiServer } from './api-server.ts';
import { noLog } from '../world/no-log.ts';

/** Lists of three objects take two pages already. */
export const PAGE_SIZE = 2;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const MANAGER = { fieldManager: 'farloop' };

export type Verb = Asked['verb'];

interface Aim {
  verb: Verb;
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

const METHODS = { get: 'GET', list: 'GET', watch: 'GET', create: 'POST', delete: 'DELETE', patch: 'PATCH' };

const askedOf = (resource: Resource, { verb, namespace, name }: Aim): Asked => ({
  verb,
  server: 'https://simulated',
  plural: resource.plural,
  group: resource.apiVersion.includes('/') ? (resource.apiVersion.split('/')[0] ?? '') : '',
  namespace,
  name,
});

/** As a real API server answers, whose header says longer than the body: what a client is told is translated by the adapter's own words. */
export function throttledAnswer(resource: Resource, verb: Verb, seconds: number): Error {
  const error = errorOf(askedOf(resource, { verb }), {
    status: 429,
    headers: { 'retry-after': String(seconds) },
    text: JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'too many requests',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
      code: 429,
    }),
  });
  asked.set(error, seconds);
  return error;
}

/** What servers asked for, whatever a client made of it. */
const asked = new WeakMap<Error, number>();

/** Seconds for which the server asked to be left alone. */
export const secondsAskedFor = (error: ThrottledError): number => asked.get(error) ?? error.retryAfterSeconds;

/** Every call takes effect at once: what comes between is the caller's. Deadlines are checked by who sends. */
export class DirectCluster {
  readonly api: SimApiServer;

  constructor(api: SimApiServer) {
    this.api = api;
  }

  log = noLog;

  get = <Item extends KubernetesObject>(resource: Resource, target: Named): Promise<Answer<Item>> =>
    this.#call<Item>(resource, { verb: 'get', namespace: target.namespace, name: target.name });

  /** @param pageOf reads one page; told the selection of each */
  list = async <Item extends KubernetesObject>(
    resource: Resource,
    selection: ListSelection,
    _deadline?: unknown,
    pageOf: DirectCluster['listPage'] = this.listPage,
  ): Promise<ListAnswer<Item>> => await wholeList(PAGE_SIZE, async (page) => await pageOf<Item>(resource, { ...selection, ...page }));

  create = <Item extends KubernetesObject>(resource: Resource, object: Item): Promise<Answer<Item>> =>
    this.#call<Item>(resource, { verb: 'create', namespace: object.metadata.namespace }, { query: MANAGER, body: object });

  delete = async <Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, resourceVersion, gracePeriodSeconds }: Deletion,
  ): Promise<Answer<Item | undefined>> => {
    const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    const how = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, ...how };
    const { object, dateMs } = await this.#call<Item>(resource, { verb: 'delete', namespace, name }, { body });
    return { object: object.kind === 'Status' || isGone(object) ? undefined : object, dateMs };
  };

  patch = <Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, subresource }: PatchTarget,
    { type, body }: Patch,
  ): Promise<Answer<Item>> => {
    const { metadata, ...rest } = body as { metadata?: object };
    const aim = { verb: 'patch' as const, namespace, name, subresource };
    return this.#call<Item>(resource, aim, {
      query: MANAGER,
      body: { ...rest, metadata: { ...metadata, uid } },
      type: PATCH_CONTENT_TYPES[type],
    });
  };

  listPage = async <Item extends KubernetesObject>(
    resource: Resource,
    selection: Parameters<ClusterSource['listPage']>[1],
  ): Promise<ListAnswer<Item> & { continueToken?: string }> => {
    const { namespace, labelSelector, fieldSelector, limit, continueToken, metadataOnly, resourceVersion } = selection;
    const query = definedOf({ labelSelector, fieldSelector, limit: String(limit), continue: continueToken, resourceVersion });
    const exact = resourceVersion === undefined ? {} : { resourceVersionMatch: 'Exact' };
    const { object, dateMs } = await this.#call<KubernetesObject & { items: Item[]; metadata: { continue?: string } }>(
      resource,
      { verb: 'list', namespace },
      { query: { ...query, ...exact }, ...(metadataOnly === true && { accept: METADATA_ONLY }) },
    );
    const { resourceVersion: version = '0', continue: next } = object.metadata;
    return { items: object.items, resourceVersion: version, dateMs, ...(next && { continueToken: next }) };
  };

  /** @param tell hears every event in its order, then how it ended. @returns the way to break it off */
  async watch(
    resource: Resource,
    { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds }: WatchSelection,
    tell: { event: (event: WatchEvent<KubernetesObject>) => void; end: (error?: Error) => void },
  ): Promise<() => void> {
    const aim: Aim = { verb: 'watch', namespace };
    const selection = definedOf({ labelSelector, fieldSelector });
    const query = { watch: 'true', allowWatchBookmarks: 'true', ...selection, resourceVersion, timeoutSeconds: String(timeoutSeconds) };
    const answer = await this.api.handle('GET', pathOf(resource, { namespace }), { query });
    if ('body' in answer) throw errorOf(askedOf(resource, aim), incomingOf(answer));
    let isOver = false;
    const stop = answer.stream({
      write: (text) => {
        const { type, object } = JSON.parse(text) as { type: string; object: KubernetesObject };
        if (isOver) return;
        if (type === 'ERROR') tell.end(errorOfStatus(askedOf(resource, aim), object as unknown as Status));
        else if (type === 'BOOKMARK') tell.event({ type, resourceVersion: object.metadata.resourceVersion ?? '0' });
        else tell.event({ type: type as 'ADDED' | 'MODIFIED' | 'DELETED', object });
      },
      end: () => tell.end(),
    });
    const leave = this.api.onEnd(() => tell.end());
    return () => {
      isOver = true;
      leave();
      stop();
    };
  }

  async #call<Answered>(
    resource: Resource,
    aim: Aim,
    { query = {}, body, type, accept }: { query?: Record<string, string>; body?: unknown; type?: string; accept?: string } = {},
  ): Promise<Answer<Answered>> {
    const { verb, namespace, name, subresource } = aim;
    const answer = await this.api.handle(METHODS[verb], pathOf(resource, { namespace, name, subresource }), {
      query,
      body,
      ...(type !== undefined && { type }),
      ...(accept !== undefined && { accept }),
    });
    if (!('body' in answer)) throw new Error('a stream where an answer was expected');
    const created = name ?? (body as KubernetesObject | undefined)?.metadata?.name;
    if (answer.status >= 300) throw errorOf(askedOf(resource, { ...aim, name: created }), incomingOf(answer));
    return { object: JSON.parse(answer.body) as Answered, dateMs: this.api.dateMs() };
  }
}

function incomingOf({ status, headers, body }: { status: number; headers: Record<string, string>; body: string }): {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
} {
  return { status, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])), text: body };
}

const definedOf = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What was deleted for good is answered in its last state. */
const isGone = ({ metadata }: KubernetesObject): boolean =>
  (metadata.finalizers ?? []).length === 0 && (metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds === 0);
