// The scale of a custom resource: its replicas as an object of autoscaling/v1, read and written where the definition says they are.
import { badRequest, internalError, invalid, methodNotAllowed, unsupportedMediaType } from '../objects/api-error.ts';
import { numberAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { jsonOf, parseJson, readObject } from '../http/body.ts';
import { scaleStatusProblems, valueAt, withValueAt } from '../definitions/scale-values.ts';
import type { ApiRequest, ApiResponse, ResourcePath } from '../http/request.ts';
import { difference, intersection, isNothing } from '../objects/field-set.ts';
import { claimsBefore, fieldsNamed } from '../ownership/managed-fields.ts';
import type { Claim, Writer } from '../ownership/managed-fields.ts';
import type { ResourceRow, ScalePaths } from '../rows/resource-row.ts';
import { scales } from '../rows/scales.ts';
import { Version } from '../storage/version.ts';
import { patchStrictnessOf, strictnessOf } from '../http/field-validation.ts';
import { patchedBy, patchTypeOf } from './patching.ts';
import { renderObject, representationOf } from './representation.ts';
import { applyType } from './server-side-apply.ts';
import { subjectOf, updateObject, writerOf } from './writing.ts';
import type { Cluster, WriteContext } from './writing.ts';

interface Target {
  request: ApiRequest;
  row: ResourceRow;
  path: ResourcePath;
  /** Warnings of its answer. */
  warnings: string[];
}

/**
 * Answers a request about a scale.
 * @param find looks the object up
 * @throws ApiError 400, 404, 405, 409, 415 and 422; 500 where an object says nothing of its replicas
 */
export function answerScale(cluster: Cluster, target: Target, find: () => Version, context: WriteContext): ApiResponse {
  const { request, row } = target;
  const paths = row.defined?.scale;
  if (!paths) throw methodNotAllowed(subjectOf(row, ''), request.method.toLowerCase());
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return answered(cluster, request, shownScale(find(), paths));
    case 'PUT': {
      const { object, warnings } = readObject(cluster.resources, scales, jsonOf(request, 'Scale'), strictnessOf(request));
      target.warnings.push(...warnings);
      checkNames(object, target.path);
      return answered(cluster, request, written(cluster, { target, paths, previous: find(), scale: object, context }));
    }
    case 'PATCH':
      return patched(cluster, { target, paths, find, context });
    default:
      throw methodNotAllowed(subjectOf(row, ''), request.method === 'POST' ? 'create' : 'delete');
  }
}

function patched(
  cluster: Cluster,
  { target, paths, find, context }: { target: Target; paths: ScalePaths; find: () => Version; context: WriteContext },
): ApiResponse {
  const { request, row } = target;
  const type = patchTypeOf(request, row);
  const previous = find();
  if (type === applyType) throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json']);
  if (request.query.has('force')) {
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions', name: '' }, [
      { reason: 'FieldValueForbidden', field: 'force', message: 'Forbidden: may not be specified for non-apply patch' },
    ]);
  }
  const whole = patchedBy(type, scales, { ...scaleOf(previous.object, paths) }, parseJson(request.body));
  const { object, warnings } = readObject(cluster.resources, scales, whole, patchStrictnessOf(request, whole));
  if (valueAt(previous.object, paths.spec) === undefined && object.spec?.['replicas'] === undefined)
    throw badRequest(`the spec replicas field "${paths.texts.spec}" cannot be empty`);
  target.warnings.push(...warnings);
  checkNames(object, target.path);
  return answered(cluster, request, written(cluster, { target, paths, previous, scale: object, context }));
}

/** @throws ApiError 400 where the scale names another object than the path */
function checkNames({ metadata: { name = '', namespace = '' } }: ApiObject, path: ResourcePath): void {
  if (name !== '' && name !== path.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${path.name})`);
  }
  if (namespace !== '' && namespace !== path.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function written(
  cluster: Cluster,
  {
    target: { row },
    paths,
    previous,
    scale,
    context,
  }: { target: Target; paths: ScalePaths; previous: Version; scale: ApiObject; context: WriteContext },
): Version {
  const { resourceVersion } = scale.metadata;
  const before = previous.object;
  const replicas = numberAt(scale.spec, 'replicas');
  const given: ApiObject = {
    ...withValueAt(before, paths.spec, replicas),
    metadata: { ...before.metadata, resourceVersion: resourceVersion || (before.metadata.resourceVersion ?? '') },
  };
  const writing = { ...context, row, subresource: 'scale' as const };
  const isChange = valueAt(before, paths.spec) !== replicas;
  const version = updateObject(cluster, previous, given, {
    ...writing,
    isReplacement: false,
    ...(isChange && { claims: claimsAfterScaling(before, paths, { replicas, writer: writerOf(cluster, writing) }) }),
  });
  return new Version(version.key, version.revision, { object: scaleOf(version.object, paths) });
}

/**
 * Who scales owns the replicas from then on. Nobody does where they are 0, which a scale does not say, or where nobody owned them before:
 * a real server begins no record of owners with an update.
 */
function claimsAfterScaling(
  { metadata }: ApiObject,
  { spec }: ScalePaths,
  { replicas, writer }: { replicas: number; writer: Writer },
): Claim[] {
  const path = fieldsNamed([spec.join('.')]);
  const before = claimsBefore(metadata.managedFields ?? [], undefined);
  const isOwned = before.some(({ fields }) => !isNothing(intersection(fields, path)));
  const left = before.flatMap((claim) => {
    const fields = difference(claim.fields, path);
    return isNothing(fields) ? [] : [{ ...claim, fields }];
  });
  return replicas === 0 || !isOwned ? left : [...left, { ...writer, operation: 'Update', fields: path }];
}

/** @throws ApiError 500 where an object says nothing of its replicas, or something else than replicas */
function shownScale({ key, revision, object }: Version, paths: ScalePaths): Version {
  const [problem] = scaleStatusProblems(object, paths);
  if (problem) throw internalError(problem.message);
  if (valueAt(object, paths.spec) === undefined) throw internalError(`the spec replicas field "${paths.texts.spec}" does not exist`);
  return new Version(key, revision, { object: scaleOf(object, paths) });
}

function scaleOf(object: ApiObject, { spec, status, selector }: ScalePaths): ApiObject {
  const { name = '', namespace, uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata;
  const replicas = valueAt(object, spec);
  const selected = selector && valueAt(object, selector);
  const current = valueAt(object, status);
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: typeof current === 'number' ? current : 0,
      ...(typeof selected === 'string' && selected !== '' && { selector: selected }),
    },
  };
}

function answered(cluster: Cluster, request: ApiRequest, version: Version): ApiResponse {
  const representation = representationOf(request.headers['accept'], request.query);
  const headers = { 'Content-Type': representation.contentType };
  return { status: 200, headers, body: renderObject(scales, version, representation, cluster.surroundings.now()) };
}
