// Defaults of a schema, put into an object where it says nothing.
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { isFields } from '../objects/api-object.ts';
import { anywhere, itemsOf, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

/** A null where none may stand: as if not given. */
const isUngiven = (value: unknown, schema: JsonSchema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

const defaultOf = (schema: JsonSchema | undefined): unknown => treeCopy(schema?.default ?? null);

const hasDefaults = anywhere((schema) => schema.default !== undefined);

/** Fills in the defaults of a schema, at all levels of an object that are there or come about by a default. In place. */
export function applyDefaults(value: unknown, schema: JsonSchema): void {
  if (hasDefaults(schema)) fillIn(value, schema);
}

function fillIn(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (isUngiven(item, items)) value[index] = defaultOf(items);
      applyDefaults(value[index], items);
    }
    return;
  }
  if (!isFields(value)) return;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue;
    if (!Object.hasOwn(value, name) || isUngiven(value[name], property)) value[name] = treeCopy(property.default);
  }
  const values = valuesOf(schema);
  for (const key of Object.keys(value)) {
    const named = propertyOf(schema, key);
    if (!named && values && isUngiven(value[key], values)) value[key] = defaultOf(values);
    const below = named ?? values;
    if (below) applyDefaults(value[key], below);
  }
}
