// JSON in the order in which the API server writes the keys of what it has no type for.
import { isFields } from '../objects/api-object.ts';

/** The same value with the keys of its objects in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
