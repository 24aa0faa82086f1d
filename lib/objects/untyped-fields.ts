// Reading the fields that the types of kubernetes.ts do not name: whatever a manifest holds there, a reader gets what it asks
// for or an empty value.

export type Fields = Record<string, unknown>;

/** What a text holds as JSON; undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion'];

/** Whether it can be an object's metadata: what tells one object from another is text, where it is there at all. */
export const isObjectMetadata = (value: unknown): value is Fields =>
  isFields(value) && IDENTITY.every((name) => value[name] === undefined || typeof value[name] === 'string');

/** The value as an object; an empty one when it is something else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The objects of a list; none when it is no list. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** The value if it is a text, else the empty one, which in Go's types means "not given". */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a number. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The texts of a list; none when it is no list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);

/** Takes out what the API server reads as not given: nulls, empty lists and, of the named fields, empty maps. In place. */
export function dropUngiven(fields: Fields, maps: readonly string[] = []): void {
  for (const [field, value] of Object.entries(fields)) {
    const isEmptyList = Array.isArray(value) && value.length === 0 && field !== 'containers';
    const isEmptyMap = maps.includes(field) && isFields(value) && Object.keys(value).length === 0;
    if (value === null || isEmptyList || isEmptyMap) delete fields[field];
  }
}

/**
 * What a table says of a name that comes from outside. `table[name]` would find `constructor` in any table, since objects inherit it.
 */
export const ownEntry = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
