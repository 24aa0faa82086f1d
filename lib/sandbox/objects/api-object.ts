// Objects as the server keeps them: without `kind` and `apiVersion`, which follow from the resource they belong to.
import type { KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import { isFields } from '../../objects/values/untyped-fields.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';

export { isFields };
export type { Fields };

export interface ApiObject extends KubernetesObject {
  metadata: ObjectMeta;
  spec?: Fields;
  status?: Fields;
  [field: string]: unknown;
}

/** The object at `key`, or an empty one. */
export function fieldsAt(of: Fields | undefined, key: string): Fields {
  const value = of?.[key];
  return isFields(value) ? value : {};
}

/** The list of objects at `key`, or an empty one. */
export function listAt(of: Fields | undefined, key: string): Fields[] {
  const value = of?.[key];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The text at `key`, or ''. Numbers and booleans read as their JSON. */
export function textAt(of: Fields | undefined, key: string): string {
  const value = of?.[key];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The number at `key`, or 0. */
export function numberAt(of: Fields | undefined, key: string): number {
  const value = of?.[key];
  return typeof value === 'number' ? value : 0;
}

export const hasCondition = ({ status }: ApiObject, type: string): boolean =>
  listAt(status, 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');

/** Equal as JSON values; the order of an object's keys does not matter, that of a list's elements does. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isFields(a) || !isFields(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

/** Whole seconds in RFC 3339, as the API server writes times. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
