// The shape of a custom resource's objects, made of its definition's schema: what field ownership, patches and strict reading go by.
import { freeObject } from './free-form.ts';
import { isEmbeddedResource, isIntOrString, itemsOf, keepsUnknownFields, valuesOf } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { schemaOf } from './notation.ts';
import type { Field, FieldType, ListType, ObjectType } from './notation.ts';

const anything: FieldType = { is: 'free' };
/** A map as element of a list or value of a map, owned as one value. */
const wholeMap: ObjectType = { ...freeObject, isWhole: true };
const text: FieldType = { is: 'string' };

/**
 * The shape of the objects of one version.
 * @param schema structural, as the rules of definitions demand
 * @param name as OpenAPI names the type: `com.example.v1.Thing`
 */
export const shapeOf = (schema: JsonSchema, name: string): ObjectType => objectOf(schema, name, true);

/**
 * Its fields are read when somebody asks for them: what a definition describes is much, what its objects say of it little.
 * @param isResource has apiVersion, kind and metadata, whether the schema names them or not
 */
function objectOf(schema: JsonSchema, name: string, isResource: boolean): ObjectType {
  const isWhole = schema['x-kubernetes-map-type'] === 'atomic';
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    is: 'object',
    name,
    isWhole,
    ...(keepsUnknownFields(schema) && { keepsUnknown: true }),
    get fields() {
      return (fields ??= fieldsIn(schema, name, isResource));
    },
  };
}

function fieldsIn(schema: JsonSchema, name: string, isResource: boolean): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const [key, property] of Object.entries(schema.properties ?? {})) fields.set(key, fieldFor(key, property));
  if (isResource) {
    fields.set('apiVersion', fieldOf('apiVersion', text));
    fields.set('kind', fieldOf('kind', text));
    fields.set('metadata', { ...fieldOf('metadata', schemaOf('ObjectMeta')), isEmbedded: name !== '' });
  }
  return fields;
}

const fieldOf = (name: string, type: FieldType): Field => ({
  name,
  required: false,
  atomic: false,
  isEmbedded: false,
  values: undefined,
  numbers: [],
  type,
});

function fieldFor(name: string, schema: JsonSchema): Field {
  const { default: given } = schema;
  const isPlain = typeof given === 'string' || typeof given === 'boolean' || typeof given === 'number';
  const { 'x-kubernetes-map-type': kind, ...others } = schema;
  return { ...fieldOf(name, typeOf(others)), atomic: kind === 'atomic', values: isPlain ? { default: given } : undefined };
}

function typeOf(schema: JsonSchema): FieldType {
  if (isIntOrString(schema)) return anything; // ownership takes what validation will refuse
  switch (schema.type) {
    case 'object':
      return mapOrObject(schema);
    case 'array':
      return listOf(schema);
    case 'integer':
      return { is: schema.format === 'int32' ? 'int32' : 'int64' };
    case 'number':
    case 'boolean':
    case 'string':
      return { is: schema.type };
    case undefined:
    default:
      return anything;
  }
}

function mapOrObject(schema: JsonSchema): FieldType {
  const { properties, additionalProperties } = schema;
  if (isEmbeddedResource(schema)) return objectOf(schema, '', true);
  if (properties !== undefined && Object.keys(properties).length > 0) return objectOf(schema, '', false);
  const values = valuesOf(schema);
  if (schema['x-kubernetes-map-type'] === 'atomic') return wholeMap;
  if (values) return { is: 'map', of: typeOf(values) };
  return additionalProperties === true || keepsUnknownFields(schema) ? freeObject : objectOf(schema, '', false);
}

function listOf(schema: JsonSchema): ListType {
  const items = itemsOf(schema);
  const kind = schema['x-kubernetes-list-type'];
  return {
    is: 'list',
    of: items ? typeOf(items) : anything,
    patch: 'replace',
    patchKey: '',
    ownership: kind === 'map' || kind === 'set' ? kind : 'atomic',
    ownerKeys: kind === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [],
    retainsKeys: false,
  };
}
