// How a path goes into a value: what stands for a field that is not there, and how an element of a list is named.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import type { Field, FieldType, ListType, ObjectType } from '../schema/notation.ts';

/** A list's element has no name: the list is then no such list. */
export class NamelessElementError extends Error {}

const emptied = new Map<ObjectType, Fields>();

/** An object of a type to which nobody gave anything, as it is serialised. */
export function emptyOf(type: ObjectType): Fields {
  let empty = emptied.get(type);
  if (empty) return empty;
  empty = {};
  emptied.set(type, empty);
  for (const field of type.fields.values()) {
    const value = ungiven(field);
    if (value !== undefined) empty[field.name] = value;
  }
  return empty;
}

function ungiven({ type, required, isEmbedded }: Field): unknown {
  if (type.is === 'object') return isEmbedded ? emptyOf(type) : undefined;
  if (!required && !isEmbedded) return undefined;
  if (type.is === 'string') return '';
  if (type.is === 'boolean') return false;
  if (type.is === 'int32' || type.is === 'int64' || type.is === 'number') return 0;
  return null;
}

/** A field's value, or what is serialised for it where it is not given. A null that is stored is serialised too. */
export const valueOf = (field: Field, object: Fields): unknown => {
  const value = object[field.name];
  return value === undefined ? ungiven(field) : value;
};

/** The names of an object's fields, those that are always serialised among them. */
export function namesIn(type: ObjectType, object: Fields): string[] {
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  for (const name of Object.keys(emptyOf(type))) if (!(name in object)) names.push(name);
  return names;
}

/** Whether ownership looks inside a value of this type. @param atomic as the field says */
export const isWhole = (type: FieldType, atomic: boolean): boolean =>
  atomic || !((type.is === 'object' && !type.isWhole) || type.is === 'map' || (type.is === 'list' && type.ownership !== 'atomic'));

/** The step that leads to an element of a list. @throws NamelessElementError for an element without any of its keys */
export function stepOf(type: ListType, item: unknown): string {
  if (type.ownership === 'set') {
    if (isFields(item)) throw new NamelessElementError("associative list without keys has an element that's a map type");
    if (Array.isArray(item)) throw new NamelessElementError('not supported: associative list with lists as elements');
    if (item === null) throw new NamelessElementError("associative list without keys has an element that's an explicit null");
    return `v:${JSON.stringify(item)}`;
  }
  if (item === null) throw new NamelessElementError('associative list with keys may not have a null element');
  if (!isFields(item)) throw new NamelessElementError('associative list with keys may not have non-map elements');
  const keys: Fields = {};
  for (const key of type.ownerKeys.toSorted()) {
    const value = item[key] ?? defaultOf(type, key);
    if (value !== undefined) keys[key] = value;
  }
  if (Object.keys(keys).length === 0) {
    const names = type.ownerKeys.map((key) => JSON.stringify(key)).join(' ');
    throw new NamelessElementError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return `k:${JSON.stringify(keys)}`;
}

/** The default of a list's key that an element leaves out. */
function defaultOf({ of }: ListType, key: string): unknown {
  const field = of.is === 'object' ? of.fields.get(key) : undefined;
  return field?.values?.default ?? (field?.required ? ungiven(field) : undefined);
}

/** Elements by their step, of two with the same step both. Those without a name are left out: nobody can own them. */
export function byAllSteps(type: ListType, list: readonly unknown[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const [step, item] of named(type, list)) {
    const same = found.get(step);
    if (same) same.push(item);
    else found.set(step, [item]);
  }
  return found;
}

/** Elements by their step; of two with the same step the first. Those without a name are left out: nobody can own them. */
export function byStep(type: ListType, list: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [step, item] of named(type, list)) if (!found.has(step)) found.set(step, item);
  return found;
}

function* named(type: ListType, list: readonly unknown[]): Generator<[string, unknown]> {
  for (const item of list) {
    let step: string;
    try {
      step = stepOf(type, item);
    } catch (error) {
      if (error instanceof NamelessElementError) continue;
      throw error;
    }
    yield [step, item];
  }
}

const isEmptyList = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0);
const isEmptyMap = (value: unknown): boolean =>
  value === undefined || value === null || (isFields(value) && Object.keys(value).length === 0);

/** Nothing is in either of two values: then the values themselves are compared. */
export const areBothEmpty = (type: FieldType, a: unknown, b: unknown): boolean =>
  type.is === 'list' ? isEmptyList(a) && isEmptyList(b) : isEmptyMap(a) && isEmptyMap(b);
