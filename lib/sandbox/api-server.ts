// The API server without its sockets: one request in, one answer or stream out. listener.ts puts HTTPS before it.
import { withoutFilePaths } from '../objects/shown-text.ts';
import {
  ApiError,
  badRequest,
  internalError,
  invalid,
  methodNotAllowed,
  methodRefused,
  noSuchPath,
  notFound,
  unsupportedMediaType,
  versionAhead,
} from './http/api-error.ts';
import { isFields } from './api-object.ts';
import type { ApiObject, Fields } from './api-object.ts';
import type { DeleteOptions } from './http/body.ts';
import { jsonOf, parseJson, readObject } from './http/body.ts';
import { checkFieldValidation, patchStrictnessOf, strictnessOf } from './verbs/field-validation.ts';
import { evictPod } from './verbs/eviction.ts';
import { deleteObject, deleteOptionsOf } from './verbs/deletion.ts';
import { answerDiscovery } from './discovery/discovery.ts';
import { listObjects } from './verbs/list.ts';
import { terminateNamespace } from './controllers/namespace-lifecycle.ts';
import { jsonPatched } from './verbs/patch-json.ts';
import { mergePatched } from './verbs/patch-merge.ts';
import { strategicPatched } from './verbs/patch-strategic.ts';
import { bindPod } from './verbs/pod-binding.ts';
import { logOf } from './verbs/pod-log.ts';
import { renderList, renderObject, representationOf } from './verbs/representation.ts';
import { checkPathName, fieldManagerOf, flagIn, isDryRun, optionsKindOf, parseResourcePath, versionIn } from './http/request.ts';
import type { ApiRequest, ApiResponse, ResourcePath } from './http/request.ts';
import { admit } from './policies/admission.ts';
import type { Asker, ResourceRow } from './rows/resource-row.ts';
import { applyObject, applyType } from './verbs/server-side-apply.ts';
import { apiVersionOf, storageName } from './resources.ts';
import { jsonKind } from './schema/decode.ts';
import { keyOf, Version } from './storage/version.ts';
import { warningHeader, warningsOf, warningsOfDeletion } from './warnings/warnings.ts';
import { watchObjects } from './verbs/watch.ts';
import { answerObject, createObject, kindSubject, storedRow, subjectOf, updateObject } from './verbs/writing.ts';
import type { Cluster } from './verbs/writing.ts';

/** The namespace hook: namespaces end by being emptied, not at once. */
export interface ApiServerOptions extends Cluster {
  bookmarkIntervalMs: number;
  /** Whether a bearer token is one that this server takes. */
  isToken?: (token: string) => boolean;
}

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json', applyType];
/** Of custom resources, whose lists have no keys to merge by. */
const customPatchTypes = ['application/json-patch+json', 'application/merge-patch+json', applyType];

/** A request about a resource, with its path and row. */
interface Target {
  request: ApiRequest;
  row: ResourceRow;
  path: ResourcePath;
  /** What admission policies warn of, whatever is answered. */
  told: string[];
}

export class ApiServer {
  readonly #cluster: Cluster;
  readonly #bookmarkIntervalMs: number;
  readonly #asker: Asker;

  constructor({ bookmarkIntervalMs, isToken = () => false, ...cluster }: ApiServerOptions) {
    this.#asker = { name: 'admin', groups: ['system:masters', 'system:authenticated'], isToken };
    this.#cluster = cluster;
    this.#bookmarkIntervalMs = bookmarkIntervalMs;
  }

  /** Answers a request; never throws. What it tells is on disk by then. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = this.#answer(request);
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

  #answer(request: ApiRequest): ApiResponse {
    const path = parseResourcePath(request.path);
    const { resources } = this.#cluster;
    const row = path && resources.at(path.group, path.version, path.plural);
    if (!path || !row) {
      const found = answerDiscovery(request, resources.rows);
      if (found) return found;
      if (/^\/(?:apis\/)?\//.test(request.path)) return noSuchPage;
      throw noSuchPath();
    }
    if (path.name !== undefined) checkPathName(path.name);
    if (path.subresource !== undefined && !row.subresources.some(({ name }) => name === path.subresource)) throw noSuchPath();
    if (row.namespaced ? path.name !== undefined && path.namespace === undefined : path.namespace !== undefined) throw noSuchPath();
    const target: Target = { request, row, path, told: [] };
    if (row.answer ? request.method !== 'POST' : row.isReadOnly && !['GET', 'HEAD'].includes(request.method)) throw methodRefused();
    checkFieldValidation(request);
    try {
      return this.#answerTo(target);
    } catch (error) {
      if (target.told.length === 0) throw error;
      const response = responseOf(error);
      return { ...response, headers: { ...response.headers, ...warningHeader(target.told) } };
    }
  }

  #answerTo(target: Target): ApiResponse {
    const { request, row, path } = target;
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

  #get(target: Target): ApiResponse {
    const { storage } = this.#cluster;
    if (target.path.subresource === 'eviction') throw methodRefused();
    if (target.path.subresource === 'binding' || target.path.subresource === 'finalize') throw this.#notAllowed(target, 'get');
    const asked = versionIn(target.request.query);
    if (asked !== undefined && asked > storage.revision) throw versionAhead(asked, storage.revision);
    const found = this.#find(target);
    if (target.path.subresource === 'log') return logOf(this.#cluster, found, target.request.query);
    return this.#one(target, found);
  }

  #create(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.subresource === 'binding' || path.subresource === 'eviction') {
      const change = path.subresource === 'binding' ? bindPod : evictPod;
      const found = this.#find(target);
      const asked = { body: jsonOf(request), isDryRun: isDryRun(request.query.getAll('dryRun'), 'CreateOptions') };
      return change(this.#cluster, row, found, asked);
    }
    if (path.name !== undefined || (row.namespaced && path.namespace === undefined)) throw this.#notAllowed(target, 'create');
    const { object, warnings } = readObject(this.#cluster.resources, row, jsonOf(request, row.kind), strictnessOf(request, request.body));
    if (row.answer) {
      const answered = answerObject(this.#cluster, object, this.#asker, this.#context(target));
      return this.#one(target, new Version('', 0, { object: answered }), { status: 201, warnings });
    }
    if (path.namespace === '')
      throw invalid(kindSubject(row, object.metadata.name ?? ''), [
        { reason: 'FieldValueRequired', field: 'metadata.namespace', message: 'Required value' },
      ]);
    const made = createObject(this.#cluster, object, path.namespace, this.#context(target));
    return this.#written(target, made, { status: 201, warnings });
  }

  #replace(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.name === undefined || path.subresource === 'binding' || path.subresource === 'log' || path.subresource === 'eviction')
      throw this.#notAllowed(target, 'update');
    const { object, warnings } = readObject(this.#cluster.resources, row, jsonOf(request, row.kind), strictnessOf(request, request.body));
    const previous = this.#lookUp(target);
    if (!previous && storedRow(row).createsOnUpdate && path.subresource === undefined)
      return this.#createByUpdate(target, object, warnings);
    const before = previous ?? this.#find(target);
    const next = updateObject(this.#cluster, before, object, { ...this.#context(target), isReplacement: true });
    return this.#written(target, next, { previous: before, warnings });
  }

  #createByUpdate(target: Target, object: ApiObject, warnings: string[]): ApiResponse {
    const { name, namespace } = target.path;
    const { resourceVersion: _, ...metadata } = object.metadata;
    const named = { ...object, metadata: { ...metadata, ...(name !== undefined && { name: metadata.name ?? name }) } };
    return this.#written(target, createObject(this.#cluster, named, namespace, this.#context(target)), { status: 201, warnings });
  }

  #patch(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.name === undefined || (path.subresource !== undefined && path.subresource !== 'status')) {
      throw this.#notAllowed(target, 'patch');
    }
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    if (row.isCustom && !customPatchTypes.includes(type)) throw unsupportedMediaType(customPatchTypes);
    if (!patchTypes.includes(type)) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
    if (type === applyType) {
      const { namespace, name } = path;
      const context = this.#context(target);
      const before = this.#lookUp(target);
      const { version, isNew, warnings } = applyObject(this.#cluster, before, { request, row, namespace, name, context });
      return this.#written(target, version, { status: isNew ? 201 : 200, ...(before && { previous: before }), warnings });
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
    const { object, warnings } = readObject(this.#cluster.resources, row, patched, patchStrictnessOf(request, type, { patch, patched }));
    const next = updateObject(this.#cluster, previous, object, { ...this.#context(target), isReplacement: false });
    return this.#written(target, next, { previous, warnings });
  }

  #delete(target: Target): ApiResponse {
    const { request, row, path } = target;
    if (path.subresource !== undefined) throw this.#notAllowed(target, 'delete');
    const options = deleteOptionsOf(request.body === '' ? undefined : jsonOf(request), request.query);
    return warned(warningsOfDeletion(row, options), () => this.#deleteOne(target, options));
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
    return warned(warningsOfDeletion(row, options), () => {
      const { versions, facts } = listObjects(storage, row, path.namespace, request.query);
      const isTry = options.dryRun.length > 0;
      for (const version of versions) {
        this.#askPolicies(target, version, isTry);
        deleteObject(this.#cluster, row, version, options, isTry);
      }
      const representation = representationOf(request.headers['accept'], request.query);
      const body = renderList(row, versions, facts, representation, surroundings.now());
      return { status: 200, headers: { 'Content-Type': representation.contentType, ...warningHeader(target.told) }, body };
    });
  }

  /** Whether a deletion may happen. @throws ApiError as admission policies say */
  #askPolicies({ row, told }: Target, { object: oldObject }: Version, isTry: boolean): void {
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
    told.push(...admit(this.#cluster, { ...deletion, asker: this.#asker }));
  }

  #lookUp({ row, path }: Target): Version | undefined {
    return this.#cluster.storage.get(storageName(row), keyOf(path.namespace, path.name ?? ''));
  }

  #find(target: Target): Version {
    const found = this.#lookUp(target);
    if (!found) throw notFound(subjectOf(target.row, target.path.name ?? ''));
    return found;
  }

  #context({ request, row, path, told }: Target) {
    return {
      manager: fieldManagerOf(request),
      row,
      isDryRun: isDryRun(request.query.getAll('dryRun'), optionsKindOf(request)),
      ...(path.subresource === 'status' && { subresource: 'status' as const }),
      asker: this.#asker,
      warnings: told,
    };
  }

  /** @param warnings of how it was sent; those of what it says now come behind them */
  #written(
    target: Target,
    version: Version,
    { status, previous, warnings }: { status?: number; previous?: Version; warnings: string[] },
  ): ApiResponse {
    const all = [...warnings, ...warningsOf(target.row, version.object, previous)];
    return this.#one(target, version, { ...(status !== undefined && { status }), warnings: all });
  }

  #one(
    { request, row, told }: Target,
    version: Version,
    { status = 200, warnings = [] }: { status?: number; warnings?: string[] } = {},
  ): ApiResponse {
    const representation = representationOf(request.headers['accept'], request.query);
    const headers = { 'Content-Type': representation.contentType, ...warningHeader([...told, ...warnings]) };
    return { status, headers, body: renderObject(row, version, representation, this.#cluster.surroundings.now()) };
  }

  #notAllowed({ row }: Target, verb: string): ApiError {
    return methodNotAllowed(subjectOf(row, ''), verb);
  }
}

/** A path that leads to no part of the server: told as any web server does. */
const noSuchPage: ApiResponse = { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };

/** Warns with whatever is answered, a refusal too. */
function warned(warnings: readonly string[], answer: () => ApiResponse): ApiResponse {
  let response: ApiResponse;
  try {
    response = answer();
  } catch (error) {
    response = responseOf(error);
  }
  return { ...response, headers: { ...response.headers, ...warningHeader(warnings) } };
}

function patchedBy(type: string, row: ResourceRow, before: Fields, patch: unknown): unknown {
  const whole: Fields = { kind: row.kind, apiVersion: apiVersionOf(row), ...before };
  const isMerge = type === 'application/merge-patch+json';
  if (patch === null && !isMerge) return whole;
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (type === 'application/json-patch+json') return jsonPatched(whole, patch);
  if (!isFields(patch)) {
    const about = isMerge ? 'error decoding patch: ' : '';
    throw badRequest(`${about}json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`);
  }
  return isMerge ? mergePatched(whole, patch) : strategicPatched(row.schema, whole, patch);
}

/** An error as an answer: a refusal as it is, a body that is nested too deeply as 400, anything else as 500. */
export function responseOf(error: unknown): ApiResponse {
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
