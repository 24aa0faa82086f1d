// Bodies of requests: JSON of the right type for the resource, with what its type does not know taken out.
import { invalidValue } from '../../objects/refusals.ts';
import { badRequest, invalid, unsupportedMediaType, type ApiError } from '../objects/api-error.ts';
import { fieldsAt, isFields, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Strictness } from './field-validation.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';
import type { Resources } from '../rows/resources.ts';
import { decode, jsonKind } from '../schema/decode.ts';
import { parseKeepingNumbers } from '../schema/number-texts.ts';

/** Larger bodies are refused before they are read. */
export const largestBody = 3 * 1024 * 1024;

/** An object of a request, and what a client that asked for warnings should hear. */
export interface Read {
  object: ApiObject;
  warnings: string[];
}

/** A body's JSON; a null is an empty object where there is to be one. @throws ApiError 400, or 415 for another media type */
export function jsonOf({ headers, body }: ApiRequest, kind?: string): unknown {
  const type = (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (type !== '' && type !== 'application/json' && !/^application\/[a-z.-]+\+json$/.test(type))
    throw unsupportedMediaType(['application/json']);
  const value = parseJson(body, kind);
  if (kind === undefined) return value;
  if (value === null) return {};
  const odd = ['apiVersion', 'kind'].find(
    (name) => !isFields(value) || !['string', 'undefined'].includes(typeof (value[name] ?? undefined)),
  );
  if (odd !== undefined) throw unrecognized(body, isFields(value) ? `${odd} must be a text` : `a ${jsonKind(value)} is no object`, kind);
  return value;
}

/** @param kind what the text should hold; a patch has none */
export function parseJson(text: string, kind?: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch (error) {
    throw unrecognized(text, error instanceof Error ? error.message : String(error), kind);
  }
}

/** So much of an unreadable body is shown. */
const shownCharacters = 30;

/** @param why it is not of the kind */
function unrecognized(text: string, why: string, kind?: string): ApiError {
  const about = kind === undefined ? '' : `the object provided is unrecognized (must be of type ${kind}): `;
  const shown = text === '' ? '<empty>' : text.slice(0, shownCharacters) + (text.length > shownCharacters ? ' ...' : '');
  return badRequest(`${about}couldn't get version/kind; json parse error: ${why} (${shown})`);
}

/**
 * Checks an object against its resource's type, in the group and version of the request.
 * @param strictness what becomes of fields that are unknown
 * @throws ApiError 400
 */
export function readObject(resources: Resources, row: ResourceRow, body: unknown, strictness: Strictness): Read {
  if (!isFields(body)) throw badRequest(`the body is not an object of kind ${row.kind}`);
  const label = `${row.kind} in version ${JSON.stringify(row.version)} cannot be handled as a ${row.kind}`;
  const refuse = (message: string): Error => strictness.refusal?.(message) ?? badRequest(`${label}: ${message}`);
  if (row.defined) checkCustomKind(row, body, strictness.refusal !== undefined);
  else checkKind(resources, row, body);
  const { object, unknown } = row.defined?.decode(body, refuse) ?? decode(row.schema, body, refuse);
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (problems.length > 0 && strictness.mode === 'Strict') throw refuse(`strict decoding error: ${problems.join(', ')}`);
  return { object: asObject(object, row), warnings: strictness.mode === 'Ignore' ? [] : problems };
}

/** A custom resource must name both its kind and its version. @param isPatched the body is what a patch made @throws ApiError 400, 422 */
function checkCustomKind(row: ResourceRow, body: Fields, isPatched: boolean): void {
  const own = apiVersionOf(row);
  for (const [field, name] of [
    ['kind', 'Kind'],
    ['apiVersion', 'apiVersion'],
  ] as const) {
    if (textAt(body, field) !== '') continue;
    throw badRequest(`the object provided is unrecognized (must be of type ${row.kind}): Object '${name}' is missing`);
  }
  const [apiVersion, kind] = [textAt(body, 'apiVersion'), textAt(body, 'kind')];
  if (apiVersion !== own && !isPatched) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${own})`);
  }
  const problems = [
    ...(kind === row.kind ? [] : [invalidValue('kind', kind, `must be ${row.kind}`)]),
    ...(apiVersion === own ? [] : [invalidValue('apiVersion', apiVersion, `must be ${own}`)]),
  ];
  if (problems.length > 0) throw invalid({ group: row.group, kind, name: textAt(fieldsAt(body, 'metadata'), 'name') }, problems);
}

/** A body may leave kind and version out; it must not name others. @throws ApiError 400 */
function checkKind(resources: Resources, row: ResourceRow, body: Fields): void {
  const own = apiVersionOf(row);
  const [kind, apiVersion] = [textAt(body, 'kind') || row.kind, textAt(body, 'apiVersion') || own];
  if (kind === row.kind && apiVersion === own) return;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const other = resources.ofKind(apiVersion, kind);
  const why =
    other?.version === version
      ? `converting (${version}.${kind}) to (${row.group.split('.')[0] || 'core'}.${row.kind}): unknown conversion`
      : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(group ? `${group}/${version}` : version)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${row.kind}: ${why}`);
}

function asObject(fields: Fields, row: ResourceRow): ApiObject {
  const object: ApiObject = { metadata: {}, ...fields };
  delete object.kind;
  delete object.apiVersion;
  return row.stored ? row.stored.write(object) : object;
}

/** The body of a DELETE, with what the query says; nothing needs to be given. */
export interface DeleteOptions {
  uid?: string;
  resourceVersion?: string;
  graceSeconds?: number;
  policy?: 'Background' | 'Foreground' | 'Orphan';
  dryRun: string[];
}
