// Bodies of requests: JSON of the right type for the resource, with what its type does not know taken out.
import { badRequest, unsupportedMediaType } from './api-error.ts';
import { isFields, textAt } from './api-object.ts';
import type { ApiObject, Fields } from './api-object.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceRow } from './resource-row.ts';
import { apiVersionOf } from './resources.ts';
import { decode } from './schema/decode.ts';

/** Larger bodies are refused before they are read. */
export const largestBody = 3 * 1024 * 1024;

/** An object of a request, and what a client that asked for warnings should hear. */
export interface Read {
  object: ApiObject;
  warnings: string[];
}

/** A body's JSON. @throws ApiError 400, or 415 for another media type */
export function jsonOf({ headers, body }: ApiRequest): unknown {
  const type = (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (type !== '' && type !== 'application/json' && !/^application\/[a-z.-]+\+json$/.test(type))
    throw unsupportedMediaType(['application/json']);
  return parseJson(body);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Checks an object against its resource's type, in the group and version of the request.
 * @param strictness the request's `fieldValidation`: unknown fields are refused (Strict), warned of (Warn) or dropped (Ignore)
 * @throws ApiError 400
 */
export function readObject(row: ResourceRow, body: unknown, strictness: string | null): Read {
  if (!isFields(body)) throw badRequest(`the body is not an object of kind ${row.kind}`);
  const apiVersion = apiVersionOf(row);
  if (
    typeof body['kind'] === 'string' &&
    body['kind'] !== '' &&
    (body['kind'] !== row.kind || (body['apiVersion'] ?? apiVersion) !== apiVersion)
  ) {
    const found = `${textAt(body, 'apiVersion') || apiVersion}, Kind=${body['kind']}`;
    throw badRequest(
      `the API version and kind in the data (${found}) do not match the expected API version and kind (${apiVersion}, Kind=${row.kind})`,
    );
  }
  if (typeof body['apiVersion'] === 'string' && body['apiVersion'] !== '' && body['apiVersion'] !== apiVersion) {
    throw badRequest(`the API version in the data (${body['apiVersion']}) does not match the expected API version (${apiVersion})`);
  }
  const { object, unknown } = decode(
    row.schema,
    body,
    `${row.kind} in version ${JSON.stringify(row.version)} cannot be handled as a ${row.kind}`,
  );
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (problems.length > 0 && strictness === 'Strict') throw badRequest(`strict decoding error: ${problems.join(', ')}`);
  return { object: asObject(object, row), warnings: strictness === 'Ignore' ? [] : problems };
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
