// The API server without its sockets: one request in, one answer or stream out. listener.ts puts HTTPS before it.
import { withoutFilePaths } from '../objects/values/shown-text.ts';
import type { Asker, Attributes, Reviewing } from './objects/asker.ts';
import { decide, rulesOf } from './access/authorization.ts';
import { attributesOf, refusalOf } from './access/request-attributes.ts';
import type { ServiceAccountTokens } from './access/service-account-tokens.ts';
import { answerTokenRequest } from './verbs/token-answers.ts';
import {
  ApiError,
  badRequest,
  internalError,
  invalid,
  methodNotAllowed,
  methodRefused,
  noSuchPath,
  notFound,
  versionAhead,
} from './objects/api-error.ts';
import { textAt, timeText } from './objects/api-object.ts';
import type { ApiObject, Fields } from './objects/api-object.ts';
import type { DeleteOptions } from './http/body.ts';
import { jsonOf, parseJson, readObject } from './http/body.ts';
import { checkFieldValidation, patchStrictnessOf, strictnessOf } from './http/field-validation.ts';
import type { Strictness } from './http/field-validation.ts';
import { evictPod } from './verbs/eviction.ts';
import { deleteObject, deleteOptionsOf } from './verbs/deletion.ts';
import { answerDiscovery } from './discovery/discovery.ts';
import { listObjects } from './verbs/list.ts';
import { terminateNamespace } from './controllers/namespace-lifecycle.ts';
import { patchedBy, patchTypeOf } from './verbs/patching.ts';
import { bindPod } from './verbs/pod-binding.ts';
import { logOf } from './verbs/pod-log.ts';
import { answerMeasured } from './nodes/measured.ts';
import type { NodeDialer } from './nodes/node-dialer.ts';
import { endpointIn, endpointOf } from './nodes/node-endpoint.ts';
import type { NodeEndpoint } from './nodes/node-endpoint.ts';
import { nodeLogOf } from './nodes/node-logs.ts';
import { proxyToNode } from './nodes/node-proxy.ts';
import { isStream, PodStreams, streamRefusal } from './nodes/pod-streams.ts';
import type { Connected } from './nodes/pod-streams.ts';
import { renderList, renderObject, representationOf } from './verbs/representation.ts';
import { checkPathName, fieldManagerOf, flagIn, isDryRun, optionsKindOf, parseResourcePath, versionIn } from './http/request.ts';
import type { ApiRequest, ApiResponse, ResourcePath } from './http/request.ts';
import { admit } from './policies/admission.ts';
import type { ResourceRow } from './rows/resource-row.ts';
import { applyObject, applyType } from './verbs/server-side-apply.ts';
import { storageName } from './rows/resources.ts';
import { keyOf, Version } from './storage/version.ts';
import { warningHeader, warningsOf, warningsOfDeletion } from './verbs/warnings.ts';
import { answerScale } from './verbs/scale.ts';
import { shownBy } from './verbs/shown.ts';
import { watchObjects } from './verbs/watch.ts';
import { answerObject, createObject, kindSubject, storedRow, subjectOf, updateObject } from './verbs/writing.ts';
import type { Cluster, WriteContext } from './verbs/writing.ts';

/** The namespace hook: namespaces end by being emptied, not at once. */
export interface ApiServerOptions extends Cluster {
  bookmarkIntervalMs: number;
  /** Whether a bearer token is the administrator's. */
  isToken?: (token: string) => boolean;
  tokens: ServiceAccountTokens;
  /** Reaches nodes that have an API of their own. */
  dialer?: NodeDialer;
}

/** The holder of the sandbox's own token, and all callers in its process. */
const administrator: Asker = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** A request about a resource, with its path and row. */
interface Target {
  request: ApiRequest;
  row: ResourceRow;
  path: ResourcePath;
  /** Warnings of its answer, a refusal's too; grows while it is handled. */
  warnings: string[];
}

export class ApiServer {
  readonly #cluster: Cluster;
  readonly #bookmarkIntervalMs: number;
  readonly #isToken: (token: string) => boolean;
  readonly #tokens: ServiceAccountTokens;
  readonly #dialer: NodeDialer | undefined;
  readonly #streams: PodStreams | undefined;

  constructor({ bookmarkIntervalMs, isToken = () => false, tokens, dialer, ...cluster }: ApiServerOptions) {
    this.#dialer = dialer;
    this.#streams = dialer && new PodStreams(dialer);
    this.#isToken = isToken;
    this.#tokens = tokens;
    this.#cluster = cluster;
    this.#bookmarkIntervalMs = bookmarkIntervalMs;
  }

  /** The owner of a bearer token; undefined for one that is not taken. */
  askerOf(token: string): Asker | undefined {
    return this.#isToken(token) ? administrator : this.#tokens.askerOf(token);
  }

  /** Answers a request; never throws. Its changes are on disk before the answer. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      const answer = this.#answer(request);
      // Most answers are there at once, and what others do meanwhile must not come between.
      response = answer instanceof Promise ? await answer : answer;
    } catch (error) {
      response = responseOf(error);
    }
    try {
      await this.#cluster.storage.settled();
    } catch (error) {
      return responseOf(error);
    }
    return response;
  }

  /** Opens a stream to a container by way of its node; never throws. */
  async connect(request: ApiRequest): Promise<Connected> {
    try {
      const path = parseResourcePath(request.path);
      const stream = path?.subresource;
      const isPods = path?.group === '' && path.version === 'v1' && path.plural === 'pods';
      if (!isPods || !isStream(stream) || !path.namespace || path.name === undefined) throw noSuchPath();
      const asked = attributesOf(request, path);
      this.#authorize(request, asked);
      // Since a WebSocket is asked for by GET, the right to create is asked as well: a right to read is none to run something.
      this.#authorize(request, { ...asked, verb: 'create' });
      const found = this.#cluster.storage.get('pods', keyOf(path.namespace, path.name));
      if (!found) throw notFound({ group: '', kind: 'pods', name: path.name });
      if (!this.#streams) throw badRequest('this server dials no nodes');
      return await this.#streams.open(request, { pod: found.object, stream, endpoint: this.#endpointOf(found) });
    } catch (error) {
      return responseOf(error);
    }
  }

  /** The API of the node that a pod is on. */
  #endpointOf({ object }: Version): NodeEndpoint | undefined {
    return this.#dialer && endpointIn(this.#cluster.storage, textAt(object.spec, 'nodeName'));
  }

  async #proxy(target: Target): Promise<ApiResponse> {
    const found = this.#find(target);
    const endpoint = endpointOf(found.object);
    if (this.#dialer && endpoint) return await proxyToNode(this.#dialer, endpoint, target.request, target.path);
    throw badRequest(`node ${target.path.name} has no API to dial: its Node names no address that is an IP, or no port`);
  }

  #answer(request: ApiRequest): ApiResponse | Promise<ApiResponse> {
    const path = parseResourcePath(request.path);
    this.#authorize(request, attributesOf(request, path));
    const { resources } = this.#cluster;
    const row = path && resources.at(path.group, path.version, path.plural);
    if (!path || !row) {
      const found = answerDiscovery(request, resources.rows);
      if (found) return found;
      if (/^\/(?:apis\/)?\//.test(request.path) || (path && !resources.hasBuiltIns(path.group))) return noSuchPage;
      throw noSuchPath();
    }
    if (path.name !== undefined) checkPathName(path.name);
    if (row.namespaced ? path.name !== undefined && path.namespace === undefined : path.namespace !== undefined) {
      if (row.defined) return noSuchPage;
      throw noSuchPath();
    }
    const target: Target = { request, row, path, warnings: [...(row.defined?.warnings ?? [])] };
    let answer: ApiResponse | Promise<ApiResponse>;
    try {
      answer = this.#answerAbout(target);
    } catch (error) {
      answer = responseOf(error);
    }
    // An answer of a node has no warnings of this server.
    if (answer instanceof Promise) return answer;
    return { ...answer, headers: { ...answer.headers, ...warningHeader(target.warnings) } };
  }

  /** @throws ApiError 403 */
  #authorize({ asker = administrator }: ApiRequest, asked: Attributes): void {
    if (asker === administrator) return;
    const { isAllowed, reason } = decide(this.#cluster.storage, asker, asked);
    if (!isAllowed) throw refusalOf(asker, asked, reason);
  }

  /** A request that makes an object by its name needs the right to create, too. @throws ApiError 403 */
  #authorizeCreation({ request, path }: Target): void {
    this.#authorize(request, { ...attributesOf(request, path), verb: 'create' });
  }

  #reviewing({ request: { asker = administrator } }: Target): Reviewing {
    const { storage, surroundings } = this.#cluster;
    return {
      asker,
      time: timeText(surroundings.now()),
      identified: (token) => this.askerOf(token),
      decide: (person, asked) => decide(storage, person, asked),
      rulesOf: (person, namespace) => rulesOf(storage, person, namespace),
    };
  }

  #answerAbout(target: Target): ApiResponse | Promise<ApiResponse> {
    const { request, row, path } = target;
    if (path.subresource !== undefined && !row.subresources.some(({ name }) => name === path.subresource)) {
      throw row.defined ? notFound(subjectOf(row, path.name ?? '')) : noSuchPath();
    }
    if (row.isMeasured) return answerMeasured(this.#cluster, this.#dialer, target);
    if (path.subresource === 'proxy') return this.#proxy(target);
    if (isStream(path.subresource)) throw streamRefusal(request);
    if ((row.answer || path.subresource === 'token') && request.method !== 'POST') throw methodRefused();
    checkFieldValidation(request);
    if (path.subresource === 'scale') return answerScale(this.#cluster, target, () => this.#find(target), this.#context(target));
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return path.name === undefined || flagIn(request.query, 'watch') ? this.#listOrWatch(target) : this.#get(target);
      case 'POST':
        return this.#create(target);
      case 'PUT':
        return this.#replace(target);
      case 'PATCH':
        return this.#patch(target);
      case 'DELETE':
        return path.name === undefined ? this.#deleteCollection(target) : this.#delete(target);
      default:
        throw methodNotAllowed(subjectOf(row, ''), request.method.toLowerCase());
    }
  }

  #listOrWatch({ request, row, path: { namespace, name } }: Target): ApiResponse {
    const { query, headers } = request;
    const representation = representationOf(headers['accept'], query);
    const headersOut = { 'Content-Type': representation.contentType };
    if (flagIn(query, 'watch')) {
      const options = { representation, bookmarkIntervalMs: this.#bookmarkIntervalMs };
      return {
        status: 200,
        headers: headersOut,
        stream: watchObjects(this.#cluster, row, { namespace: namespace || undefined, name, query }, options),
      };
    }
    const { versions, facts } = listObjects(this.#cluster.storage, row, namespace || undefined, query);
    return { status: 200, headers: headersOut, body: renderList(row, versions, facts, representation, this.#cluster.surroundings.now()) };
  }

  #get(target: Target): ApiResponse | Promise<ApiResponse> {
    const { storage } = this.#cluster;
    if (target.path.subresource === 'eviction') throw methodRefused();
    if (target.path.subresource === 'binding' || target.path.subresource === 'finalize') throw this.#notAllowed(target, 'get');
    const asked = versionIn(target.request.query);
    const newest = storage.revision(storageName(target.row));
    if (asked !== undefined && asked > newest) throw versionAhead(asked, newest);
    const found = this.#find(target);
    if (target.path.subresource === 'log') {
      const endpoint = this.#endpointOf(found);
      if (this.#dialer && endpoint) return nodeLogOf(this.#dialer, endpoint, found.object, target.request);
      return logOf(this.#cluster, found, target.request.query);
    }
    return this.#one(target, found);
  }

  /** @throws ApiError 400, 422 */
  #read({ row, warnings }: Target, body: unknown, strictness: Strictness): ApiObject {
    const read = readObject(this.#cluster.resources, row, body, strictness);
    warnings.push(...read.warnings);
    return read.object;
  }

  #create(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.subresource === 'binding' || path.subresource === 'eviction') {
      const change = path.subresource === 'binding' ? bindPod : evictPod;
      const found = this.#find(target);
      const asked = { body: jsonOf(request), isDryRun: isDryRun(request.query.getAll('dryRun'), 'CreateOptions') };
      return change(this.#cluster, row, found, asked);
    }
    if (path.subresource === 'token') {
      const question = {
        tokens: this.#tokens,
        account: this.#find(target),
        reviewing: this.#reviewing(target),
        context: this.#context(target),
      };
      return answerTokenRequest(this.#cluster, request, question);
    }
    if (path.name !== undefined || (row.namespaced && path.namespace === undefined)) throw this.#notAllowed(target, 'create');
    const object = this.#read(target, jsonOf(request, row.kind), strictnessOf(request));
    if (row.answer) {
      const answered = answerObject(this.#cluster, object, this.#reviewing(target), this.#context(target));
      return this.#one(target, new Version('', 0, { object: answered }), 201);
    }
    if (path.namespace === '')
      throw invalid(kindSubject(row, object.metadata.name ?? ''), [
        { reason: 'FieldValueRequired', field: 'metadata.namespace', message: 'Required value' },
      ]);
    return this.#written(target, createObject(this.#cluster, object, path.namespace, this.#context(target)), { status: 201 });
  }

  #replace(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.name === undefined || ['binding', 'log', 'eviction'].includes(path.subresource ?? ''))
      throw this.#notAllowed(target, 'update');
    const object = this.#read(target, jsonOf(request, row.kind), strictnessOf(request));
    const previous = this.#lookUp(target);
    if (!previous && storedRow(row).createsOnUpdate && path.subresource === undefined) return this.#createByUpdate(target, object);
    const before = previous ?? this.#find(target);
    const next = updateObject(this.#cluster, before, object, { ...this.#context(target), isReplacement: true });
    return this.#written(target, next, { previous: before });
  }

  #createByUpdate(target: Target, object: ApiObject): ApiResponse {
    this.#authorizeCreation(target);
    const { name, namespace } = target.path;
    const { resourceVersion: _, ...metadata } = object.metadata;
    const named = { ...object, metadata: { ...metadata, ...(name !== undefined && { name: metadata.name ?? name }) } };
    return this.#written(target, createObject(this.#cluster, named, namespace, this.#context(target)), { status: 201 });
  }

  #patch(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.name === undefined || (path.subresource !== undefined && path.subresource !== 'status')) {
      throw this.#notAllowed(target, 'patch');
    }
    const type = patchTypeOf(request, row);
    if (type === applyType) {
      const { namespace, name } = path;
      const context = this.#context(target);
      const before = this.#lookUp(target);
      if (!before) this.#authorizeCreation(target);
      const { version, isNew } = applyObject(this.#cluster, before, { request, row, namespace, name, context });
      return this.#written(target, version, { status: isNew ? 201 : 200, ...(before && { previous: before }) });
    }
    if (request.query.has('force')) {
      throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions', name: '' }, [
        { reason: 'FieldValueForbidden', field: 'force', message: 'Forbidden: may not be specified for non-apply patch' },
      ]);
    }
    const patch = parseJson(request.body);
    const previous = this.#find(target);
    const before: Fields = { ...(row.stored ? row.stored.read(previous.object) : previous.object) };
    const patched = patchedBy(type, row, before, patch);
    const object = this.#read(target, patched, patchStrictnessOf(request, patched));
    const next = updateObject(this.#cluster, previous, object, { ...this.#context(target), isReplacement: false });
    return this.#written(target, next, { previous });
  }

  #delete(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.subresource !== undefined) throw this.#notAllowed(target, 'delete');
    const options = deleteOptionsOf(request.body === '' ? undefined : jsonOf(request), request.query);
    target.warnings.push(...warningsOfDeletion(row, options));
    return this.#deleteOne(target, options);
  }

  #deleteOne(target: Target, options: DeleteOptions): ApiResponse {
    const { row } = target;
    const previous = this.#find(target);
    const isTry = options.dryRun.length > 0;
    this.#askPolicies(target, previous, isTry);
    const { isGone, version } =
      storageName(row) === 'namespaces'
        ? { isGone: false, version: terminateNamespace(this.#cluster, previous, options, isTry) }
        : deleteObject(this.#cluster, row, previous, options, isTry);
    if (!isGone || storedRow(row).answersDeleted) return this.#one(target, version);
    const { name, uid } = previous.object.metadata;
    const details = { name, ...(row.group && { group: row.group }), kind: row.plural, uid };
    const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
  }

  #deleteCollection(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (row.namespaced && !path.namespace) throw methodRefused(); // all of them in all namespaces: nobody means that
    const { storage, surroundings } = this.#cluster;
    const options = deleteOptionsOf(request.body === '' ? undefined : jsonOf(request), request.query);
    target.warnings.push(...warningsOfDeletion(row, options));
    const { versions, facts } = listObjects(storage, row, path.namespace, request.query);
    const isTry = options.dryRun.length > 0;
    for (const version of versions) {
      this.#askPolicies(target, version, isTry);
      deleteObject(this.#cluster, row, version, options, isTry);
    }
    const representation = representationOf(request.headers['accept'], request.query);
    const body = renderList(row, versions, facts, representation, surroundings.now());
    return { status: 200, headers: { 'Content-Type': representation.contentType }, body };
  }

  /** Whether a deletion may happen. @throws ApiError as admission policies say */
  #askPolicies({ request: { asker = administrator }, row, warnings }: Target, { object: oldObject }: Version, isTry: boolean): void {
    const { name = '', namespace } = oldObject.metadata;
    const deletion = {
      operation: 'DELETE' as const,
      row,
      subresource: undefined,
      namespace,
      name,
      object: undefined,
      oldObject,
      isDryRun: isTry,
    };
    admit(this.#cluster, { ...deletion, asker }, warnings);
  }

  #lookUp({ row, path }: Target): Version | undefined {
    const found = this.#cluster.storage.get(storageName(row), keyOf(path.namespace, path.name ?? ''));
    return found && shownBy(row, found);
  }

  #find(target: Target): Version {
    const found = this.#lookUp(target);
    if (!found) throw notFound(subjectOf(target.row, target.path.name ?? ''));
    return found;
  }

  #context({ request, row, path, warnings }: Target): WriteContext {
    return {
      manager: fieldManagerOf(request),
      row,
      isDryRun: isDryRun(request.query.getAll('dryRun'), optionsKindOf(request)),
      ...((path.subresource === 'status' || path.subresource === 'scale') && { subresource: path.subresource }),
      asker: request.asker ?? administrator,
      warnings,
    };
  }

  #written(target: Target, version: Version, { status = 200, previous }: { status?: number; previous?: Version }): ApiResponse {
    target.warnings.push(...warningsOf(target.row, version.object, previous));
    return this.#one(target, version, status);
  }

  #one({ request, row }: Target, version: Version, status = 200): ApiResponse {
    const representation = representationOf(request.headers['accept'], request.query);
    const headers = { 'Content-Type': representation.contentType };
    return { status, headers, body: renderObject(row, version, representation, this.#cluster.surroundings.now()) };
  }

  #notAllowed({ row }: Target, verb: string): ApiError {
    return methodNotAllowed(subjectOf(row, ''), verb);
  }
}

/** A path that leads to no part of the server: answered as any web server does. */
const noSuchPage: ApiResponse = { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };

/** An error as an answer: a refusal as it is, a body that is nested too deeply as 400, anything else as 500. */
export function responseOf(error: unknown): Extract<ApiResponse, { body: string }> {
  const refusal =
    error instanceof ApiError
      ? error
      : error instanceof RangeError
        ? new ApiError(400, 'BadRequest', 'the body is nested too deeply')
        : internalError(withoutFilePaths(error instanceof Error ? error.message : String(error)));
  return {
    status: refusal.status.code,
    headers: { 'Content-Type': 'application/json', ...refusal.headers },
    body: JSON.stringify(refusal.status),
  };
}
