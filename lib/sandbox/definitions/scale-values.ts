// The replicas of a custom resource and the selector of its pods, where its definition says they are.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';
import { isFields } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { ScalePaths } from '../rows/resource-row.ts';

const mostReplicas = 2 ** 31 - 1;

/** The value at a path; undefined if absent. */
export const valueAt = (object: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isFields(at) && Object.hasOwn(at, name) ? at[name] : undefined), object);

/** A copy with a value at a path; objects on the way are made. */
export function withValueAt(object: Fields, [name, ...rest]: readonly string[], value: unknown): Fields {
  if (name === undefined) return object;
  const inside = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValueAt(isFields(inside) ? inside : {}, rest, value) };
}

function replicaProblems(object: ApiObject, path: readonly string[], field: string): FieldError[] {
  const value = valueAt(object, path) ?? 0;
  if (typeof value !== 'number' || !Number.isInteger(value)) return [invalidValue(field, 0, 'must be a whole number')];
  if (value < 0) return [invalidValue(field, value, 'should be a non-negative integer')];
  return value > mostReplicas ? [invalidValue(field, value, `should be less than or equal to ${mostReplicas}`)] : [];
}

/** The problems of the replicas asked for. */
export const scaleSpecProblems = (object: ApiObject, { spec, texts }: ScalePaths): FieldError[] =>
  replicaProblems(object, spec, texts.spec);

/** The problems of what a status says of replicas and their selector. */
export function scaleStatusProblems(object: ApiObject, { status, selector, texts }: ScalePaths): FieldError[] {
  const selected = selector && valueAt(object, selector);
  const isText = selected === undefined || selected === null || typeof selected === 'string';
  return [...replicaProblems(object, status, texts.status), ...(isText ? [] : [invalidValue(texts.selector ?? '', '', 'must be a text')])];
}
