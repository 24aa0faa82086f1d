// The schema of a custom resource's objects, as `openAPIV3Schema` of a CustomResourceDefinition writes it.
import type { JsonSchema } from '../../objects/json-schema.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';

export type { JsonSchema, ValidationRule } from '../../objects/json-schema.ts';

/** The schema of a field that a schema names. */
export const propertyOf = ({ properties }: JsonSchema, name: string): JsonSchema | undefined => properties && ownEntry(properties, name);

/** The schema of a list's elements. */
export const itemsOf = ({ items }: JsonSchema): JsonSchema | undefined =>
  Array.isArray(items) ? undefined : (items as JsonSchema | undefined);

/** The schema of a map's values; undefined also where they may be anything. */
export const valuesOf = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** The schema of a field, named or not. */
export const fieldSchemaOf = (schema: JsonSchema, name: string): JsonSchema | undefined => propertyOf(schema, name) ?? valuesOf(schema);

/** Whether an object of its own stands there: with apiVersion, kind and metadata. */
export const isEmbeddedResource = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

export const keepsUnknownFields = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

export const isIntOrString = (schema: JsonSchema): boolean => schema['x-kubernetes-int-or-string'] === true;

/** Whether something is so of a schema or of one below it that speaks of its fields, elements or values. Looked up once per schema. */
export function anywhere(test: (schema: JsonSchema) => boolean): (schema: JsonSchema) => boolean {
  const known = new WeakMap<JsonSchema, boolean>();
  const isSo = (schema: JsonSchema): boolean => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const items = itemsOf(schema);
    const values = valuesOf(schema);
    const result =
      test(schema) ||
      Object.values(schema.properties ?? {}).some(isSo) ||
      (items !== undefined && isSo(items)) ||
      (values !== undefined && isSo(values));
    known.set(schema, result);
    return result;
  };
  return isSo;
}
