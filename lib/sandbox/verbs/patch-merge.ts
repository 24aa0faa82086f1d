// JSON merge patch (RFC 7396), which knows nothing of types.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { carryNumberTexts } from '../schema/number-texts.ts';

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
