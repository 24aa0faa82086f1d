// The values of a definition's objects by its schema: their types in expressions, and how they are read.
import type { Environment } from '@marcbachmann/cel-js';
import { itemsOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { durationOf, dateOf, timestampOf } from './functions/time.ts';
import { identities, isList, isMap, untyped } from './values/values.ts';
import type { ListIdentity, Value } from './values/values.ts';

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The name of a field in expressions; undefined for one that cannot be named there. */
export function escapedName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => escapes[part] ?? part);
}

const escapes: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

const textSchema: JsonSchema = { type: 'string' };
const metadataSchema: JsonSchema = { type: 'object', properties: { name: textSchema, generateName: textSchema } };

/** The properties of an object; those of a resource's root have what all objects have. */
export function propertiesOf(schema: JsonSchema, isResourceRoot: boolean): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = schema;
  if (!isResourceRoot) return properties;
  const { metadata } = properties;
  const isWhole =
    properties['kind']?.type === 'string' &&
    properties['apiVersion']?.type === 'string' &&
    metadata?.properties?.['name']?.type === 'string' &&
    metadata.properties['generateName']?.type === 'string';
  return isWhole ? properties : { ...properties, kind: textSchema, apiVersion: textSchema, metadata: metadataSchema };
}

/** A schema as expressions see it. */
interface Shape {
  /** As the library writes it: `map<string, int>` */
  type: string;
  /** @throws EvaluationError for a text that its format does not fit */
  read: (raw: unknown) => Value;
}

/**
 * @param name of its type, should it be an object, and the beginning of the names within
 * @param environment where the types of objects are registered
 * @returns undefined for what expressions cannot see
 */
export function shapeOf(schema: JsonSchema, isResourceRoot: boolean, name: string, environment: Environment): Shape | undefined {
  const shape = contentShape(schema, isResourceRoot, name, environment);
  if (!shape) return undefined;
  const { type, read } = shape;
  return { type, read: (raw) => (raw === null || raw === undefined ? null : read(raw)) };
}

function contentShape(schema: JsonSchema, isResourceRoot: boolean, name: string, environment: Environment): Shape | undefined {
  if (schema['x-kubernetes-int-or-string']) return { type: 'dyn', read: untyped };
  const below = (child: JsonSchema | undefined, within: string): Shape | undefined =>
    child && shapeOf(child, child['x-kubernetes-embedded-resource'] === true, within, environment);
  switch (schema.type) {
    case 'array':
      return listShape(schema, below(itemsOf(schema), `${name}.@idx`));
    case 'object': {
      const values = valuesOf(schema);
      if (!values) return objectShape(propertiesOf(schema, isResourceRoot), name, below, environment);
      const shape = below(values, `${name}.@elem`);
      return shape && { type: `map<string, ${shape.type}>`, read: ofKind(isFields, (raw) => mapOf(raw, shape.read)) };
    }
    case 'string':
      return textShape(schema);
    case 'boolean':
      return { type: 'bool', read: untyped };
    case 'number':
      return { type: 'double', read: (raw) => (typeof raw === 'number' ? raw : untyped(raw)) };
    case 'integer':
      return { type: 'int', read: untyped };
    default:
      return undefined;
  }
}

const isText = (raw: unknown): raw is string => typeof raw === 'string';

const ofKind =
  <Kind>(isKind: (raw: unknown) => raw is Kind, read: (raw: Kind) => Value): Shape['read'] =>
  (raw) =>
    isKind(raw) ? read(raw) : untyped(raw);

const mapOf = (raw: Fields, read: Shape['read']): Value => new Map(Object.entries(raw).map(([key, value]) => [key, read(value)]));

function listShape(schema: JsonSchema, items: Shape | undefined): Shape | undefined {
  if (!items) return undefined;
  const identity = identityOf(schema);
  const read = (raw: readonly unknown[]): Value => {
    const list = raw.map(items.read);
    if (identity) identities.set(list, identity);
    return list;
  };
  return { type: `list<${items.type}>`, read: ofKind(Array.isArray, read) };
}

/** The library compares each type with all others: beyond these, objects are of no type, and their fields are known when they are read. */
const mostTypes = 500;
const typeCounts = new WeakMap<Environment, number>();

function objectShape(
  properties: Readonly<Record<string, JsonSchema>>,
  name: string,
  below: (child: JsonSchema, within: string) => Shape | undefined,
  environment: Environment,
): Shape {
  const fields = Object.entries(properties).flatMap(([key, property]) => {
    const escaped = escapedName(key);
    const shape = escaped === undefined ? undefined : below(property, `${name}.${escaped}`);
    return escaped === undefined || !shape ? [] : [{ key, escaped, shape }];
  });
  // The library knows a value's type by its class.
  const ObjectOfSchema = class extends Map<Value, Value> {};
  const count = (typeCounts.get(environment) ?? 0) + 1;
  typeCounts.set(environment, count);
  const type = count > mostTypes ? 'dyn' : name;
  if (type === name)
    environment.registerType(name, {
      ctor: ObjectOfSchema,
      fields: Object.fromEntries(fields.map(({ escaped, shape }) => [escaped, shape.type])),
    });
  const read = (raw: Fields): Value => {
    const object = type === name ? new ObjectOfSchema() : new Map<Value, Value>();
    for (const { key, escaped, shape } of fields)
      if (Object.hasOwn(raw, key) && raw[key] !== undefined) object.set(escaped, shape.read(raw[key]));
    return object;
  };
  return { type, read: ofKind(isFields, read) };
}

function textShape({ format }: JsonSchema): Shape {
  switch (format) {
    case 'byte':
      return { type: 'bytes', read: ofKind(isText, (text) => new Uint8Array(Buffer.from(text, 'base64'))) };
    case 'duration':
      return { type: 'Duration', read: ofKind(isText, durationOf) };
    case 'date':
      return { type: 'Timestamp', read: ofKind(isText, dateOf) };
    case 'date-time':
      return { type: 'Timestamp', read: ofKind(isText, timestampOf) };
    default:
      return { type: 'string', read: untyped };
  }
}

function identityOf(schema: JsonSchema): ListIdentity | undefined {
  const kind = schema['x-kubernetes-list-type'];
  if (kind === 'set') return { kind, keyOf: identityText };
  if (kind !== 'map') return undefined;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapedName(key) ?? key);
  return { kind, keyOf: (item) => keys.map((key) => identityText(isMap(item) ? (item.get(key) ?? null) : null)).join('\n') };
}

/** Equal values have the same text. */
function identityText(value: Value): string {
  if (isList(value)) return `[${value.map(identityText).join()}]`;
  if (isMap(value)) {
    const entries = [...value].map(([key, item]) => `${JSON.stringify(key)}:${identityText(item)}`);
    return `{${entries.toSorted((left, right) => (left < right ? -1 : 1)).join()}}`;
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}
