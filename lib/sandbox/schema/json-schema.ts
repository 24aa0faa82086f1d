// The schema of a custom resource's objects, as `openAPIV3Schema` of a CustomResourceDefinition writes it.
import { ownEntry } from '../../objects/values/untyped-fields.ts';

/** A rule in CEL: `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

/** JSONSchemaProps of apiextensions.k8s.io/v1. */
export interface JsonSchema {
  id?: string | undefined;
  $schema?: string | undefined;
  $ref?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  nullable?: boolean | undefined;
  default?: unknown;
  example?: unknown;
  externalDocs?: object | undefined;
  enum?: readonly unknown[] | undefined;
  maximum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: boolean | undefined;
  multipleOf?: number | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  required?: readonly string[] | undefined;
  /** A list of schemas is refused in a definition. */
  items?: JsonSchema | readonly JsonSchema[] | undefined;
  additionalItems?: JsonSchema | boolean | undefined;
  properties?: Readonly<Record<string, JsonSchema>> | undefined;
  additionalProperties?: JsonSchema | boolean | undefined;
  patternProperties?: Readonly<Record<string, JsonSchema>> | undefined;
  dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>> | undefined;
  definitions?: Readonly<Record<string, JsonSchema>> | undefined;
  allOf?: readonly JsonSchema[] | undefined;
  anyOf?: readonly JsonSchema[] | undefined;
  oneOf?: readonly JsonSchema[] | undefined;
  not?: JsonSchema | undefined;
  'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  'x-kubernetes-embedded-resource'?: boolean | undefined;
  'x-kubernetes-int-or-string'?: boolean | undefined;
  'x-kubernetes-list-type'?: string | undefined;
  'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  'x-kubernetes-map-type'?: string | undefined;
  'x-kubernetes-validations'?: readonly ValidationRule[] | undefined;
}

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
