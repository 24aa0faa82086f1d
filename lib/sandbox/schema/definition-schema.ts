// The other way round from structural.ts: a type of the tables as the structural schema that a definition of custom resources holds.
import type { JsonSchema } from './json-schema.ts';
import type { Field, FieldType, ListType, ObjectType } from './notation.ts';
import { schemaOf } from './notation.ts';

/** A quantity as Kubernetes reads it: sign, digits, and a suffix or an exponent. */
const number = String.raw`([0-9]+(\.[0-9]*)?|\.[0-9]+)`;
const quantity = String.raw`^[+-]?${number}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${number})?$`;

const anyOf = [{ type: 'integer' }, { type: 'string' }];
const scalars = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  microTime: { type: 'string', format: 'date-time' },
  bytes: { type: 'string', format: 'byte' },
  intOrString: { anyOf, 'x-kubernetes-int-or-string': true },
  quantity: { anyOf, pattern: quantity, 'x-kubernetes-int-or-string': true },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  free: { 'x-kubernetes-preserve-unknown-fields': true },
} as const satisfies Record<string, JsonSchema>;

/** Of the metadata of a template nothing but what its objects take over. */
const templateMetadata = ['annotations', 'finalizers', 'labels', 'name', 'namespace'];

const made = new Map<string, JsonSchema>();

/**
 * The structural schema of a type, e.g. `PodTemplateSpec`: the same value at every call and wherever the type stands, never to be changed.
 * @throws Error for a type that no table names
 */
export const definitionSchemaOf = (name: string): JsonSchema => objectSchema(schemaOf(name));

function objectSchema(type: ObjectType): JsonSchema {
  const known = made.get(type.name);
  if (known) return known;
  const fields = [...type.fields.values()].filter(({ name }) => type.name !== 'ObjectMeta' || templateMetadata.includes(name));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const schema: JsonSchema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    ...(type.isWhole && { 'x-kubernetes-map-type': 'atomic' }),
  };
  made.set(type.name, schema);
  return schema;
}

function fieldSchema({ type, values, atomic }: Field): JsonSchema {
  const schema = typeSchema(type);
  const isMap = type.is === 'object' || type.is === 'map';
  if (values?.default === undefined && !(atomic && isMap)) return schema;
  return {
    ...schema,
    ...(values?.default !== undefined && { default: values.default }),
    ...(atomic && isMap && { 'x-kubernetes-map-type': 'atomic' }),
  };
}

function typeSchema(type: FieldType): JsonSchema {
  if (type.is === 'object') return objectSchema(type);
  if (type.is === 'map') return { type: 'object', additionalProperties: typeSchema(type.of) };
  return type.is === 'list' ? listSchema(type) : scalars[type.is];
}

const listSchema = ({ of, ownership, ownerKeys }: ListType): JsonSchema => ({
  type: 'array',
  items: typeSchema(of),
  ...(ownership !== 'atomic' && { 'x-kubernetes-list-type': ownership }),
  ...(ownership === 'map' && { 'x-kubernetes-list-map-keys': ownerKeys }),
});
