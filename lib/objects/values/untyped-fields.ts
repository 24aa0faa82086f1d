// Reads fields that the types of kubernetes.ts do not name. Whatever a manifest has there, a reader gets the type that it asks for, or that
// type's empty value.

export type Fields = Record<string, unknown>;

/** The value of a JSON text; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion'];

/** Whether it can be an object's metadata: each field that identifies an object is a text or absent. */
export const isObjectMetadata = (value: unknown): value is Fields =>
  isFields(value) && IDENTITY.every((name) => value[name] === undefined || typeof value[name] === 'string');

/** The value if it is an object, otherwise an empty object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The objects of a list; empty for anything else. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** The value if it is a text, otherwise an empty text, which in Go's types means "not given". */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value if it is a number. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The texts of a list; empty for anything else. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);

/** Removes values that the API server reads as not given: nulls, empty lists and, for the named fields, empty maps. In place. */
export function dropUngiven(fields: Fields, maps: readonly string[] = []): void {
  for (const [field, value] of Object.entries(fields)) {
    const isEmptyList = Array.isArray(value) && value.length === 0 && field !== 'containers';
    const isEmptyMap = maps.includes(field) && isFields(value) && Object.keys(value).length === 0;
    if (value === null || isEmptyList || isEmptyMap) delete fields[field];
  }
}

/** The table's own entry of a name from outside. `table[name]` would also find `constructor`, which objects inherit. */
export const ownEntry = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
