// Fields that a schema does not know, taken out of an object; and nulls where none may stand.
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { fieldSchemaOf, isEmbeddedResource, itemsOf, keepsUnknownFields, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { readEmbedded } from './embedded-resources.ts';

const ofEveryResource = new Set(['apiVersion', 'kind', 'metadata']);

const inside = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/**
 * Takes out of an object what its schema does not know. In place.
 * @param object apiVersion, kind and metadata of its own stay as they are
 * @param refuse makes the refusal of an embedded object whose apiVersion, kind or metadata has a wrong type; without it such a field is
 * left out, as where stored objects are read
 * @returns paths of the fields that it does not know, ordered
 */
export function prune(object: Fields, schema: JsonSchema, refuse?: (message: string) => Error): string[] {
  const unknown: string[] = [];
  pruneFields(object, schema, '', unknown, { isResource: true, isKept: keepsUnknownFields(schema) });
  pruneNulls(object, schema);
  const ofMetadata = readEmbedded(object, schema, '', ({ field, message }) => {
    if (refuse) throw refuse(`${field}: ${message}`);
  });
  return [...unknown.toSorted(), ...ofMetadata.toSorted()];
}

/** Paths of the fields of a value, such as a default, that its schema does not know. */
export function unknownFieldsIn(value: unknown, schema: JsonSchema): string[] {
  const unknown: string[] = [];
  pruneValue(treeCopy(value), schema, '', unknown);
  return unknown;
}

/**
 * @param schema undefined for values that may be anything: of those, objects lose all their fields
 * @param isKept fields that the schema does not name stay
 */
function pruneValue(
  value: unknown,
  schema: JsonSchema | undefined,
  path: string,
  unknown: string[],
  isKept = schema !== undefined && keepsUnknownFields(schema),
): void {
  if (Array.isArray(value)) {
    const items = schema && itemsOf(schema);
    if (isKept && !items) return;
    for (const [index, item] of value.entries()) pruneValue(item, items, `${path}[${index}]`, unknown, isKept || undefined);
  } else if (isFields(value)) {
    const isResource = schema !== undefined && isEmbeddedResource(schema);
    pruneFields(value, schema, path, unknown, { isResource, isKept });
  }
}

function pruneFields(
  fields: Fields,
  schema: JsonSchema | undefined,
  path: string,
  unknown: string[],
  { isResource, isKept }: { isResource: boolean; isKept: boolean },
): void {
  for (const key of Object.keys(fields)) {
    if (isResource && ofEveryResource.has(key)) continue;
    const named = schema && propertyOf(schema, key);
    const at = inside(path, key);
    if (named) pruneValue(fields[key], named, at, unknown);
    else if (schema?.additionalProperties !== undefined) pruneValue(fields[key], valuesOf(schema), at, unknown);
    else if (!isKept) {
      unknown.push(at);
      delete fields[key];
    }
  }
}

/** Nulls of fields that are not nullable are as if not given, where no default takes their place. */
function pruneNulls(value: unknown, schema: JsonSchema | undefined): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    for (const item of value) pruneNulls(item, items);
  } else if (isFields(value))
    for (const key of Object.keys(value)) {
      const below = fieldSchemaOf(schema, key);
      if (value[key] === null && below && below.nullable !== true && below.default === undefined) delete value[key];
      else pruneNulls(value[key], below);
    }
}
