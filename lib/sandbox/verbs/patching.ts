// Applies a patch to an object, by its media type.
import { ApiError, badRequest, unsupportedMediaType } from '../objects/api-error.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import type { ApiRequest } from '../http/request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import { apiVersionOf } from '../rows/resources.ts';
import { jsonKind } from '../schema/decode.ts';
import { jsonPatched } from './patch-json.ts';
import { mergePatched } from './patch-merge.ts';
import { strategicPatched } from './patch-strategic.ts';
import { applyType } from './server-side-apply.ts';

/** Of custom resources, whose lists have no keys to merge by. */
const customPatchTypes = ['application/json-patch+json', 'application/merge-patch+json', applyType];
const patchTypes = [...customPatchTypes, 'application/strategic-merge-patch+json'];

/** @throws ApiError 415 for a media type that patches nothing of this resource */
export function patchTypeOf({ headers }: ApiRequest, row: ResourceRow): string {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  if (row.isCustom && !customPatchTypes.includes(type)) throw unsupportedMediaType(customPatchTypes);
  if (!patchTypes.includes(type)) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return type;
}

/** @throws ApiError 400, 413 or 422 for a patch that is invalid or cannot be applied */
export function patchedBy(type: string, row: ResourceRow, before: Fields, patch: unknown): unknown {
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
