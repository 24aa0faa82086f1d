// JSON merge patch (RFC 7396) and JSON patch (RFC 6902), neither of which knows anything of types.
import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { badRequest, unprocessable } from './api-error.ts';
import { isFields } from './api-object.ts';
import type { Fields } from './api-object.ts';
import { carryNumberTexts } from './schema/number-texts.ts';

/** The target with a merge patch applied; the target itself stays. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    if (key === '__proto__') continue;
    const value = patch[key];
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  carryNumberTexts(patch, result);
  return result;
}

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const largestPatch = 10_000;

/**
 * A copy of the target with a JSON patch applied.
 * @throws ApiError 400 for what is no patch, 422 where a path is missing or a test fails
 */
export function jsonPatched(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    const found = isFields(patch) ? 'object' : typeof patch;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`);
  }
  if (patch.length > largestPatch) {
    throw badRequest(`The allowed maximum operations in a JSON patch is ${largestPatch}, got ${patch.length}`);
  }
  const result: unknown = structuredClone(target);
  if (patch.includes(null)) throw unprocessable();
  const steps = patch.map(operationOf);
  if (applyPatch(result, steps).some((error) => error !== null)) throw unprocessable();
  return result;
}

function operationOf(step: unknown): Operation {
  // It can be read, and cannot be done.
  if (isFields(step) && typeof step['op'] === 'string' && !operations.has(step['op'])) throw unprocessable();
  if (!isFields(step) || typeof step['op'] !== 'string') {
    throw badRequest(`error decoding patch: unexpected kind: ${isFields(step) ? JSON.stringify(step['op']) : JSON.stringify(step)}`);
  }
  const { op, path, from, value } = step;
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/')))
    throw badRequest('error decoding patch: an operation needs a path that begins with /');
  if (op === 'remove') return { op, path };
  if (op === 'move' || op === 'copy') {
    if (typeof from !== 'string') throw badRequest(`error decoding patch: ${op} needs a path "from"`);
    return { op, path, from };
  }
  if (value === undefined && op !== 'test') throw badRequest(`error decoding patch: ${op} needs a value`);
  return op === 'add' || op === 'replace' ? { op, path, value } : { op: 'test', path, value };
}
