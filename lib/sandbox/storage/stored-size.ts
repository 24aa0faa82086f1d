// How much an object takes where it is stored. A real API server hands it to etcd in protocol buffers, and etcd refuses a request
// that is larger than 1.5 MiB; in JSON the same object may be several times as large.
import { tooLargeToStore } from '../objects/api-error.ts';
import type { ApiObject } from '../objects/api-object.ts';

const largestBytes = 1.5 * 1024 * 1024;

/**
 * The object as it is stored: without the owners of its fields where it is too large with them.
 * @param isCustom kept as JSON
 * @throws ApiError 500, as from a real server, where it is too large all the same
 */
export function storable(object: ApiObject, isCustom: boolean): ApiObject {
  const fits = (candidate: ApiObject): boolean =>
    leftAfter(candidate) >= 0 && (!isCustom || Buffer.byteLength(JSON.stringify(candidate)) <= largestBytes);
  if (fits(object)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  const lighter = { ...object, metadata };
  if (fits(lighter)) return lighter;
  throw tooLargeToStore();
}

/** The tag of a value, and its length. */
const frameBytes = 2;

/** In protocol buffers the names of fields are numbers: what counts are texts, and something small for each value. */
function leftAfter(value: unknown, left = largestBytes): number {
  if (left < 0) return left;
  if (typeof value === 'string') return left - frameBytes - Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return left - frameBytes;
  return Object.values(value).reduce<number>((rest, part) => leftAfter(part, rest), left - frameBytes);
}
