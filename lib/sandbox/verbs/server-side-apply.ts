// Server-side apply: a configuration comes in, the object that follows from it goes to the same writers as every other.
import { load } from 'js-yaml';
import { sorted } from '../custom/sorted-keys.ts';
import { ApiError, badRequest, conflict, invalid, notFound } from '../objects/api-error.ts';
import { isFields } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { readObject } from '../http/body.ts';
import { applyingStrictness } from '../http/field-validation.ts';
import { applied, lastAppliedAnnotation } from '../ownership/applying.ts';
import type { OwnershipConflict } from '../ownership/applying.ts';
import { problemsOf } from '../ownership/configuration-problems.ts';
import { claimsBefore } from '../ownership/managed-fields.ts';
import { untouchedBy, viewOf, viewsOf } from '../ownership/views.ts';
import { flagIn } from '../http/request.ts';
import type { ApiRequest } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';
import type { Version } from '../storage/version.ts';
import { createObject, subjectOf, updateObject, writerOf } from './writing.ts';
import type { Cluster, WriteContext } from './writing.ts';

export const applyType = 'application/apply-patch+yaml';

/** The options of an apply, besides its body. */
export interface ApplyRequest {
  request: ApiRequest;
  row: ResourceRow;
  namespace: string | undefined;
  name: string;
  context: WriteContext;
}

/**
 * Applies a configuration: creates the object, or changes what the configuration says and takes out what it no longer says.
 * @returns the object, and whether it is new
 * @throws ApiError 400 for what is no configuration of this kind, 404 for the status of nothing, 409 where others own what
 *   changes, 422 for what the rules refuse, 500 for a configuration that does not fit its type
 */
export function applyObject(
  cluster: Cluster,
  live: Version | undefined,
  { request, row, namespace, name, context }: ApplyRequest,
): { version: Version; isNew: boolean } {
  if (!live && context.subresource) throw notFound(subjectOf(row, name));
  const config = configurationFor(row, request);

  const [view, writer, before] = [viewOf(row), writerOf(cluster, context), live?.object];
  const outcome = applied({
    view,
    views: viewsOf(cluster.resources, row),
    live: before,
    claims: claimsBefore(before?.metadata.managedFields ?? [], undefined),
    config,
    writer,
    isForced: flagIn(request.query, 'force'),
    cut: untouchedBy(row, context.subresource),
  });
  if ('conflicts' in outcome) throw refusalOf(outcome.conflicts);
  const [about, kind] = [namespace === undefined ? name : `${namespace}/${name}`, `${apiVersionOf(row)}, Kind=${row.kind}`];
  const { object } = readObject(
    cluster.resources,
    row,
    { apiVersion: apiVersionOf(row), kind: row.kind, ...withLastApplied(outcome.object, config, writer.manager) },
    applyingStrictness(about, kind),
  );
  const applying = { ...context, claims: outcome.claims };
  if (live) return { version: updateObject(cluster, live, object, { ...applying, isReplacement: true }), isNew: false };
  if (object.metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${object.metadata.uid}, and no existing object was found`;
    throw conflict(subjectOf(row, name), why);
  }
  const { resourceVersion: _, ...metadata } = object.metadata;
  if (metadata.name !== undefined && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  const named: ApiObject = { ...object, metadata: { ...metadata, name } };
  return { version: createObject(cluster, named, namespace, applying), isNew: true };
}

/** The applied configuration. @throws ApiError 400, 422, 500 for a body that is not a configuration of this kind, or not an apply */
function configurationFor(row: ResourceRow, { query, body }: ApiRequest): Fields {
  if (!query.get('fieldManager')) {
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions', name: '' }, [
      { reason: 'FieldValueRequired', field: 'fieldManager', message: 'Required value: is required for apply patch' },
    ]);
  }
  const config = configurationIn(body);
  checkConfiguration(row, config);
  return config;
}

function configurationIn(body: string): Fields {
  let config: unknown;
  try {
    config = body.trimStart().startsWith('{') ? JSON.parse(body) : load(body);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isFields(config)) throw badRequest('error decoding YAML: the configuration is not an object');
  return config;
}

/** As refusals write a version: with a slash even where there is no group. */
const versionText = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

const textIn = (config: Fields, name: string): string => {
  const metadata = config['metadata'];
  const value = isFields(metadata) ? metadata[name] : undefined;
  return typeof value === 'string' ? value : '';
};

function checkConfiguration(row: ResourceRow, config: Fields): void {
  const { apiVersion = '', kind = '' } = config;
  const expected = apiVersionOf(row);
  if (kind !== row.kind || apiVersion !== expected) {
    throw badRequest(`invalid object type: ${versionText(String(apiVersion))}, Kind=${String(kind)}`);
  }
  const metadata = config['metadata'];
  if (isFields(metadata) && Array.isArray(metadata['managedFields'])) throw badRequest('metadata.managedFields must be nil');
  const problems = problemsOf(row.schema, config);
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : ['errors:', ...problems.map((each) => `  ${each}`)].join('\n');
  throw new ApiError(
    500,
    '',
    `failed to create typed patch object (${textIn(config, 'namespace')}/${textIn(config, 'name')}; ${versionText(expected)}, Kind=${row.kind}): ${text}`,
  );
}

/** An object that client-side apply wrote keeps its last-applied annotation up to date. */
function withLastApplied(object: Fields, config: Fields, manager: string): Fields {
  const metadata = isFields(object['metadata']) ? object['metadata'] : {};
  const annotations = isFields(metadata['annotations']) ? metadata['annotations'] : {};
  if (manager !== 'kubectl' || !annotations[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: _, ...others } = fieldsOf(fieldsOf(config['metadata'])['annotations']);
  const { annotations: __, ...said } = fieldsOf(config['metadata']);
  const told = { ...config, metadata: { ...said, ...(Object.keys(others).length > 0 && { annotations: others }) } };
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: `${sortedJson(told)}\n` } },
  };
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** JSON as Go writes it: keys in order, and no character in it that means something in HTML. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(sorted(value)).replaceAll(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How a refusal names an owner. */
function textOfClaim({ claim }: OwnershipConflict): string {
  const { manager, subresource, operation, apiVersion } = claim;
  const named = `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}

/** Of an apply that would change what others own. */
function refusalOf(conflicts: readonly OwnershipConflict[]): ApiError {
  const causes = conflicts.map((each) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${textOfClaim(each)}`,
    field: each.path,
  }));
  const [only] = conflicts;
  let message = `Apply failed with 1 conflict: conflict with ${only ? `${textOfClaim(only)}: ${only.path}` : ''}`;
  if (conflicts.length > 1) {
    const byOwner = Map.groupBy(conflicts, textOfClaim);
    const texts = [...byOwner].flatMap(([owner, own]) => [`conflicts with ${owner}:`, ...own.map(({ path }) => `- ${path}`)]);
    message = `Apply failed with ${conflicts.length} conflicts: ${texts.join('\n')}`;
  }
  return new ApiError(409, 'Conflict', message, { causes });
}
