// Cluster and ClusterSource over HTTPS to one API server.
import type { IncomingMessage } from 'node:http';
import { jsonText } from '../../objects/values/json-text.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { isResourceVersion } from '../../objects/values/resource-version.ts';
import type { Resource } from '../../objects/resources.ts';
import { PATCH_CONTENT_TYPES, pathOf, PODS } from '../../objects/resources.ts';
import { fieldsOf, isFields, isObjectMetadata, jsonIn } from '../../objects/values/untyped-fields.ts';
import type { Clock, Deadline } from '../../ports/clock.ts';
import { hasPassed } from '../../ports/clock.ts';
import type {
  Answer,
  BoundedLogRequest,
  Cluster,
  ClusterSource,
  Deletion,
  ListAnswer,
  Named,
  PageSelection,
  Patch,
  PatchTarget,
  ProjectedSelection,
  ReadLog,
  Reading,
  WatchEvent,
  WatchSelection,
  Writing,
} from '../../ports/cluster.ts';
import { UnknownOutcomeError, UnreadableObjectError } from '../../ports/errors.ts';
import type { ClusterAccess } from './access.ts';
import type { Incoming, Outgoing } from './connection.ts';
import { AnswerTooLongError, Connection } from './connection.ts';
import type { Asked } from './refusals.ts';
import { ListStream, ListTools } from './json/list-stream.ts';
import { ObjectStream } from './json/object-stream.ts';
import { errorOf, isStatus, notAnApiServer } from './refusals.ts';
import { warningsIn } from './warnings.ts';
import { WatchStream } from './watch-stream.ts';
import { wholeList, type Page } from './whole-list.ts';

export type { Authentication, ClusterAccess, Credentials } from './access.ts';

export interface KubernetesClusterOptions {
  access: ClusterAccess;
  clock: Clock;
  /** Calls at once; watches come on top. */
  connections?: number;
  /** A request's life: the API server gets `timeout=10s` too. Tests alone shorten it. */
  timeoutMs?: number;
  /** Bytes of one answer; a longer one is refused. */
  answerBytesMax?: number;
}

/** Where nobody reads the warnings, the API server need not work them out of each body. */
const writingQuery = ({ warned }: Writing): Query => ({ fieldManager: 'farloop', fieldValidation: warned ? 'Warn' : 'Ignore' });
const LIST_PAGE = 500;
const REQUEST_LIFE_MS = 10_000;
/** Of a list; a function works for several clusters at once, and none may fill its memory. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** Of an object that is wanted whole. etcd keeps 1.5 MiB, which as JSON may be some ten times as long. */
const OBJECT_BYTES_MAX = 16 * 1024 * 1024;
/** kube-apiserver lets every authenticated user ask it, and never queues it behind other requests. */
const READINESS_PATH = '/readyz';
/** Every relay may read it (lib/onboarding/rights.ts), and kube-apiserver reads it from etcd. */
const IDENTITY_PATH = '/api/v1/namespaces/kube-system?timeout=3s';
const SIGN_LIFE_MS = 3_000;
const SIGN_BYTES_MAX = 64 * 1024;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Its own answer is a text, its refusal a Status. */
const LOG_TYPES = 'text/plain, application/json, */*';
const LOG_BYTES_BEYOND = 4 * 1024 * 1024;

/** API servers hand whole seconds on to the kubelet. */
const sinceTime = (sinceMs: number): string => new Date(Math.floor(sinceMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');

/** A log's bytes, counted as they come: what is no UTF-8 has another length as text. */
class LogBytes {
  readonly #chunks: Buffer[] = [];
  bytes = 0;

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

type Query = Record<string, string | number | boolean | undefined>;

interface Call extends Writing, Pick<Outgoing, 'method' | 'body' | 'contentType' | 'accept' | 'reader' | 'answerBytesMax' | 'signal'> {
  verb: Asked['verb'];
  resource: Resource;
  target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined };
  query: Query;
  deadline?: Deadline;
}

interface ListBody<Item> {
  metadata: { resourceVersion: string; continue?: string };
  items: Item[] | null;
}

export class KubernetesCluster implements Cluster, ClusterSource {
  readonly #connection: Connection;
  /** Its only socket is given up with each question that is not answered. */
  readonly #signs: Connection;
  readonly #clock: Clock;
  /** At most one set, to be used again. */
  readonly #tools: ListTools[] = [];

  /** Opens nothing yet. @throws TerminalError the server's address cannot be used */
  constructor({
    access,
    clock,
    connections = 16,
    timeoutMs = REQUEST_LIFE_MS,
    answerBytesMax = ANSWER_BYTES_MAX,
  }: KubernetesClusterOptions) {
    this.#connection = new Connection(access, { connections, timeoutMs, answerBytesMax });
    this.#signs = new Connection(access, { connections: 1, timeoutMs: Math.min(timeoutMs, SIGN_LIFE_MS), answerBytesMax: SIGN_BYTES_MAX });
    this.#clock = clock;
  }

  async get<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name }: Named,
    deadline: Deadline,
    { fields }: Reading = {},
  ): Promise<Answer<Item>> {
    try {
      return await this.#object<Item>({ verb: 'get', method: 'GET', resource, target: { namespace, name }, query: {}, deadline, fields });
    } catch (error) {
      if (!(error instanceof AnswerTooLongError)) throw error;
      throw new UnreadableObjectError(
        `${resource.kind} ${namespace === '' ? '' : `${namespace}/`}${name}`,
        `as JSON it is longer than ${error.bytesMax} bytes`,
      );
    }
  }

  async list<Item extends KubernetesObject>(
    resource: Resource,
    selection: ProjectedSelection,
    deadline: Deadline,
  ): Promise<ListAnswer<Item>> {
    return await wholeList(LIST_PAGE, async (page) => await this.#page<Item>(resource, { ...selection, ...page }, { deadline }));
  }

  async create<Item extends KubernetesObject>(
    resource: Resource,
    object: Item,
    deadline: Deadline,
    writing: Writing = {},
  ): Promise<Answer<Item>> {
    const { namespace, name } = object.metadata;
    const { subresource, ...rest } = writing;
    const target = { namespace, ...(subresource !== undefined && { name, subresource }) };
    const body = jsonText({ apiVersion: resource.apiVersion, kind: resource.kind, ...object });
    return await this.#object<Item>(
      { verb: 'create', method: 'POST', resource, target, query: writingQuery(writing), body, deadline, ...rest },
      object.metadata.name,
    );
  }

  async delete<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds }: Deletion,
    deadline: Deadline,
    { fields }: Reading = {},
  ): Promise<Answer<Item | undefined>> {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
      ...(propagationPolicy && { propagationPolicy }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    });
    const { object, dateMs } = await this.#object<Item>({
      verb: 'delete',
      method: 'DELETE',
      resource,
      target: { namespace, name },
      query: {},
      body,
      deadline,
      fields,
    });
    return { object: isStatus(object) || isGone(object) ? undefined : object, dateMs };
  }

  async patch<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, name, uid, subresource }: PatchTarget,
    { type, body }: Patch,
    deadline: Deadline,
    writing: Writing = {},
  ): Promise<Answer<Item>> {
    return await this.#object<Item>({
      verb: 'patch',
      method: 'PATCH',
      resource,
      target: { namespace, name, subresource },
      query: writingQuery(writing),
      body: JSON.stringify(withUid(body, uid)),
      contentType: PATCH_CONTENT_TYPES[type],
      deadline,
      ...writing,
    });
  }

  async log(
    { namespace, name }: Named,
    { container, previous, tailLines, limitBytes, sinceMs, timestamps }: BoundedLogRequest,
    deadline: Deadline,
  ): Promise<ReadLog> {
    const query = {
      container,
      previous,
      tailLines,
      limitBytes,
      timestamps,
      ...(sinceMs !== undefined && { sinceTime: sinceTime(sinceMs) }),
    };
    const kept = new LogBytes();
    const target = { namespace, name, subresource: 'log' };
    // A server that cuts nothing is cut short here: what it sends beyond the bound is more than was asked for.
    const reading = { accept: LOG_TYPES, reader: kept, answerBytesMax: limitBytes + LOG_BYTES_BEYOND };
    await this.#call({ verb: 'get', method: 'GET', resource: PODS, target, query, deadline, ...reading });
    return { text: kept.text, isCut: kept.bytes >= limitBytes };
  }

  async listPage<Item extends KubernetesObject>(
    resource: Resource,
    selection: PageSelection,
    signal: AbortSignal,
    each?: (item: Item) => void,
  ): Promise<Page<Item>> {
    return await this.#page<Item>(resource, selection, { signal, ...(each && { each }) });
  }

  watch<Item extends KubernetesObject>(
    resource: Resource,
    { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, fields = true }: WatchSelection,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<Item>> {
    const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, labelSelector, fieldSelector };
    const asked = this.#askedOf({ verb: 'watch', resource, target: { namespace } });
    const path = `${pathOf(resource, { namespace })}?${queryText(query)}`;
    const open = async (): Promise<IncomingMessage> => {
      const { response, refusal } = await this.#connection.stream({ method: 'GET', path, isTooLate: () => signal.aborted, signal });
      if (refusal) throw errorOf(asked, refusal);
      return response;
    };
    return new WatchStream<Item>({ open, asked, fields, signal });
  }

  async signOfLife(signal: AbortSignal): Promise<void> {
    const ask = async (path: string): Promise<Incoming> =>
      await this.#signs.call({ method: 'GET', path, isTooLate: () => signal.aborted, signal });
    let incoming = await ask(READINESS_PATH);
    // One of its own checks may fail while it serves all that we need.
    if (incoming.status >= 500) incoming = await ask(IDENTITY_PATH);
    const asked: Asked = { verb: 'get', server: this.#signs.server, plural: 'namespaces', group: '', namespace: '', name: 'kube-system' };
    if (incoming.status === 401) throw errorOf(asked, incoming);
    if (incoming.status >= 500 || incoming.status < 200) {
      const [firstLine = ''] = incoming.text.split('\n');
      throw new UnknownOutcomeError(`${this.#signs.server} answers ${incoming.status}: ${firstLine.slice(0, 200)}`);
    }
  }

  /** Lets go of all connections. */
  close(): void {
    this.#connection.close();
    this.#signs.close();
  }

  async #page<Item extends KubernetesObject>(
    resource: Resource,
    selection: PageSelection,
    { deadline, signal, each }: { deadline?: Deadline; signal?: AbortSignal; each?: (item: Item) => void },
  ): Promise<Page<Item>> {
    const { namespace, labelSelector, fieldSelector, limit, continueToken, resourceVersion, metadataOnly, fields } = selection;
    // A whole object is read faster in one go.
    const tools = fields === undefined ? undefined : (this.#tools.pop() ?? new ListTools());
    const reader = fields === undefined ? undefined : new ListStream<Item>(fields, each, tools);
    const call: Call = {
      verb: 'list',
      method: 'GET',
      resource,
      target: { namespace },
      query: { labelSelector, fieldSelector, limit, continue: continueToken, resourceVersion },
      ...(metadataOnly === true && { accept: METADATA_ONLY }),
      ...(deadline && { deadline }),
      ...(signal && { signal }),
      ...(reader && { reader }),
      // Of a relay's page each item goes as it has come; of a pass's list a smaller page is asked for.
      ...(reader && each && { answerBytesMax: Infinity }),
    };
    const incoming = await this.#call(call);
    if (tools && this.#tools.length === 0) this.#tools.push(tools);
    const body = reader ? reader.end() : jsonIn(incoming.text);
    if (!isList<Item>(body)) throw notAnApiServer(this.#askedOf(call), { ...incoming, code: incoming.status });
    const { resourceVersion: version, continue: next } = body.metadata;
    return { items: body.items ?? [], resourceVersion: version, dateMs: this.#dateOf(incoming), ...(next && { continueToken: next }) };
  }

  async #object<Item extends KubernetesObject>(call: Call, name = call.target.name): Promise<Answer<Item>> {
    const { fields } = call;
    // A delete may be answered by a Status.
    const stream = typeof fields === 'object' ? new ObjectStream({ ...fields, kind: true }) : undefined;
    const incoming = await this.#call({ ...call, ...(stream && { reader: stream, answerBytesMax: Infinity }) }, name);
    const object = (stream ? stream.end() : jsonIn(incoming.text)) as Item | undefined;
    if (call.warned) for (const warning of warningsIn(incoming.headers.warning)) call.warned(warning);
    if (!isObject(object)) throw notAnApiServer(this.#askedOf(call, name), { ...incoming, code: incoming.status });
    return { object, dateMs: this.#dateOf(incoming) };
  }

  async #call(call: Call, name = call.target.name): Promise<Incoming> {
    const { method, resource, target, query, deadline, body, contentType, accept, reader, signal } = call;
    const answerBytesMax = call.answerBytesMax ?? (call.verb === 'list' ? undefined : OBJECT_BYTES_MAX);
    const path = `${pathOf(resource, target)}?${queryText({ ...query, timeout: '10s' })}`;
    const incoming = await this.#connection.call({
      method,
      path,
      isTooLate: () => deadline !== undefined && hasPassed(deadline, this.#clock),
      ...(answerBytesMax !== undefined && { answerBytesMax }),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
      ...(accept !== undefined && { accept }),
      ...(reader && { reader }),
      ...(signal && { signal }),
    });
    if (incoming.status >= 200 && incoming.status < 300) return incoming;
    throw errorOf(this.#askedOf(call, name), incoming);
  }

  #askedOf({ verb, resource, target }: Pick<Call, 'verb' | 'resource' | 'target'>, name = target.name): Asked {
    const [group = ''] = resource.apiVersion.includes('/') ? resource.apiVersion.split('/') : [];
    return { verb, server: this.#connection.server, plural: resource.plural, group, namespace: target.namespace, name };
  }

  /** Whole seconds (R12); the own clock's where a proxy takes the header away. */
  #dateOf({ headers }: Incoming): number {
    const dateMs = Date.parse(headers.date ?? '');
    return Number.isNaN(dateMs) ? Math.floor(this.#clock.nowMs() / 1000) * 1000 : dateMs;
  }
}

/** A pod that was deleted for good is answered in its last state; one that lives on has a finalizer or time to end. */
const isGone = ({ metadata }: KubernetesObject): boolean =>
  (metadata.finalizers ?? []).length === 0 && (metadata.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds === 0);

/** Every kind of patch may set the uid to what it is; to another value it is refused with a cause that names the field (R8). */
function withUid(patch: Patch['body'], uid: string): object {
  if (Array.isArray(patch)) return [{ op: 'replace', path: '/metadata/uid', value: uid }, ...patch];
  const fields = fieldsOf(patch);
  return { ...fields, metadata: { ...fieldsOf(fields['metadata']), uid } };
}

function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  return new URLSearchParams(given).toString();
}

/** Whether it has the shape that all objects share. */
const isObject = (value: unknown): value is KubernetesObject => isFields(value) && isObjectMetadata(value['metadata']);

const isList = <Item>(value: unknown): value is ListBody<Item> =>
  isFields(value) &&
  isFields(value['metadata']) &&
  (value['items'] === null || (Array.isArray(value['items']) && value['items'].every(isObject))) &&
  isResourceVersion(value['metadata']['resourceVersion']);
