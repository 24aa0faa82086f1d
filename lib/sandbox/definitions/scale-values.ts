// The replicas of a custom resource and the selector of its pods, where its definition says they are.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';
import { isFields } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { goText } from '../objects/go-text.ts';
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

/** How Go calls the type of a value. */
function goTypeOf(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isFields(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Problems of a value, or with one on the way to it; undefined where it is of the wanted type, or absent. */
function problemAt(object: Fields, path: readonly string[], wanted: 'int64' | 'string'): string | undefined {
  const told = (words: number, value: unknown, type: string): string =>
    `.${path.slice(0, words).join('.')} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected ${type}`;
  let value: unknown = object;
  for (const [at, name] of path.entries()) {
    if (value === null) return undefined;
    if (!isFields(value)) return told(at + 1, value, 'map[string]interface{}');
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return goTypeOf(value) === wanted ? undefined : told(path.length, value, wanted);
}

function replicaProblems(object: ApiObject, path: readonly string[], field: string): FieldError[] {
  const problem = problemAt(object, path, 'int64');
  if (problem !== undefined) return [invalidValue(field, 0, problem)];
  const value = Number(valueAt(object, path) ?? 0);
  if (value < 0) return [invalidValue(field, value, 'should be a non-negative integer')];
  return value > mostReplicas ? [invalidValue(field, value, `should be less than or equal to ${mostReplicas}`)] : [];
}

/** The problems of the replicas asked for. */
export const scaleSpecProblems = (object: ApiObject, { spec, texts }: ScalePaths): FieldError[] =>
  replicaProblems(object, spec, texts.spec);

/** The problems of what a status says of replicas and their selector. */
export function scaleStatusProblems(object: ApiObject, { status, selector, texts }: ScalePaths): FieldError[] {
  const problem = selector && problemAt(object, selector, 'string');
  const ofSelector = problem === undefined ? [] : [invalidValue(texts.selector ?? '', '', problem)];
  return [...replicaProblems(object, status, texts.status), ...ofSelector];
}
