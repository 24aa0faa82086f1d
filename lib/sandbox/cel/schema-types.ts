// The values of a definition's objects by its schema: their types in expressions, how large they may grow, how they are read.
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { durationOf, dateOf, timestampOf } from './functions/time.ts';
import { dyn, listOf, mapOf, plainType, stringType } from './types.ts';
import type { Type } from './types.ts';
import { LazyList, LazyMap, LazyObject } from './values.ts';
import type { FieldReader, ListIdentity, Value } from './values.ts';

export interface ValidationRule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

/** The part of a structural schema that rules read; as `openAPIV3Schema` writes it. */
export interface RuleSchema {
  type?: string | undefined;
  format?: string | undefined;
  properties?: Readonly<Record<string, RuleSchema>> | undefined;
  additionalProperties?: RuleSchema | boolean | undefined;
  items?: RuleSchema | readonly RuleSchema[] | undefined;
  allOf?: readonly RuleSchema[] | undefined;
  required?: readonly string[] | undefined;
  default?: unknown;
  enum?: readonly unknown[] | undefined;
  maxLength?: number | undefined;
  maxItems?: number | undefined;
  maxProperties?: number | undefined;
  'x-kubernetes-int-or-string'?: boolean | undefined;
  'x-kubernetes-embedded-resource'?: boolean | undefined;
  'x-kubernetes-list-type'?: string | undefined;
  'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  'x-kubernetes-map-type'?: string | undefined;
  'x-kubernetes-validations'?: readonly ValidationRule[] | undefined;
}

/** A value of a schema: its type, and bounds of its size. */
export interface Declared {
  type: Type;
  /** Characters, elements or entries; 0 where size has no meaning. */
  maxElements: number;
  /** Bytes of the shortest JSON. */
  minSize: number;
  /** Of an object, by the name that expressions use. */
  fields?: ReadonlyMap<string, Declared>;
  /** Of a list or a map. */
  element?: Declared;
}

/** Bytes of the largest request. */
export const largestRequest = 3 * 1024 * 1024;

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

/** The schema of a list's elements. */
export const itemsOf = ({ items }: RuleSchema): RuleSchema | undefined =>
  Array.isArray(items) ? undefined : (items as RuleSchema | undefined);

/** The schema of a map's values. */
export const valuesOf = ({ additionalProperties }: RuleSchema): RuleSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

const textSchema: RuleSchema = { type: 'string' };
const metadataSchema: RuleSchema = { type: 'object', properties: { name: textSchema, generateName: textSchema } };

/** The properties of an object; those of a resource's root have what all objects have. */
export function propertiesOf(schema: RuleSchema, isResourceRoot: boolean): Readonly<Record<string, RuleSchema>> {
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

/** @param name of its type, should it be an object. @returns undefined for what expressions cannot see */
export function declaredOf(schema: RuleSchema, isResourceRoot: boolean, name: string): Declared | undefined {
  if (schema['x-kubernetes-int-or-string']) return { type: dyn, maxElements: characters(schema, largestRequest - 2), minSize: 1 };
  switch (schema.type) {
    case 'array':
      return declaredList(schema, name);
    case 'object':
      return valuesOf(schema) ? declaredMap(schema, name) : declaredObject(schema, isResourceRoot, name);
    case 'string':
      return declaredText(schema);
    case 'boolean':
      return { type: plainType('bool'), maxElements: 0, minSize: 4 };
    case 'number':
      return { type: plainType('double'), maxElements: 0, minSize: 1 };
    case 'integer':
      return { type: plainType('int'), maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

/** A character may be four bytes long. */
const characters = ({ maxLength }: RuleSchema, otherwise: number): number =>
  maxLength === undefined ? otherwise : Math.max(0, maxLength) * 4;

function declaredList(schema: RuleSchema, name: string): Declared | undefined {
  const items = itemsOf(schema);
  const element = items && declaredOf(items, items['x-kubernetes-embedded-resource'] === true, `${name}.@idx`);
  if (!element) return undefined;
  const { maxItems } = schema;
  const maxElements = maxItems === undefined ? Math.floor((largestRequest - 2) / (element.minSize + 1)) : Math.max(0, maxItems);
  return { type: listOf(element.type), maxElements, minSize: 2, element };
}

function declaredMap(schema: RuleSchema, name: string): Declared | undefined {
  const values = valuesOf(schema);
  const element = values && declaredOf(values, values['x-kubernetes-embedded-resource'] === true, `${name}.@elem`);
  if (!element) return undefined;
  const { maxProperties } = schema;
  const maxElements = maxProperties === undefined ? Math.floor((largestRequest - 2) / (element.minSize + 6)) : Math.max(0, maxProperties);
  return { type: mapOf(stringType, element.type), maxElements, minSize: 2, element };
}

function declaredObject(schema: RuleSchema, isResourceRoot: boolean, name: string): Declared {
  const fields = new Map<string, Declared>();
  let minSize = 2;
  for (const [key, property] of Object.entries(propertiesOf(schema, isResourceRoot))) {
    const escaped = escapedName(key);
    const field = declaredOf(property, property['x-kubernetes-embedded-resource'] === true, `${name}.${escaped ?? key}`);
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (schema.required?.includes(key) && property.default === undefined) minSize += key.length + field.minSize + 4;
  }
  const types = new Map([...fields].map(([key, { type }]) => [key, type]));
  return { type: { kind: 'object', name, fields: types }, maxElements: 0, minSize, fields };
}

const timeSizes: Readonly<Record<string, Omit<Declared, 'type'>>> = {
  duration: { maxElements: 32, minSize: 3 },
  date: { maxElements: 12, minSize: 12 },
  'date-time': { maxElements: 32, minSize: 21 },
};

function declaredText(schema: RuleSchema): Declared {
  const { format = '', maxLength, enum: values } = schema;
  if (format === 'byte')
    return { type: plainType('bytes'), maxElements: maxLength === undefined ? largestRequest - 2 : Math.max(0, maxLength), minSize: 2 };
  const size = ownEntry(timeSizes, format);
  if (size) return { type: plainType(format === 'duration' ? 'duration' : 'timestamp'), ...size };
  const longest = Math.max(0, ...(values ?? []).map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
  return { type: stringType, maxElements: characters(schema, values?.length ? longest : largestRequest - 2), minSize: 2 };
}

type Reader = (raw: unknown) => Value;

const readers = new WeakMap<RuleSchema, Reader>();
const rootReaders = new WeakMap<RuleSchema, Reader>();

/** How expressions read the values of a schema. @returns a function that throws EvaluationError for a text that its format does not fit */
export function readerOf(schema: RuleSchema, isResourceRoot: boolean): Reader {
  const known = isResourceRoot ? rootReaders : readers;
  const reader = known.get(schema) ?? newReader(schema, isResourceRoot);
  known.set(schema, reader);
  return reader;
}

function newReader(schema: RuleSchema, isResourceRoot: boolean): Reader {
  const read = contentReader(schema, isResourceRoot);
  return (raw) => (raw === null || raw === undefined ? null : read(raw));
}

function contentReader(schema: RuleSchema, isResourceRoot: boolean): Reader {
  if (schema['x-kubernetes-int-or-string']) return untyped;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  switch (schema.type) {
    case 'array': {
      let element: Reader | undefined;
      const identity = identityOf(schema);
      return (raw) => {
        if (!Array.isArray(raw) || !items) return untyped(raw);
        element ??= readerOf(items, items['x-kubernetes-embedded-resource'] === true);
        return new LazyList(raw, element, identity);
      };
    }
    case 'object': {
      let element: Reader | undefined;
      let fields: ReadonlyMap<string, FieldReader> | undefined;
      return (raw) => {
        if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return untyped(raw);
        const entries = raw as Readonly<Record<string, unknown>>;
        if (values) {
          element ??= readerOf(values, values['x-kubernetes-embedded-resource'] === true);
          return new LazyMap(entries, element);
        }
        fields ??= fieldReaders(schema, isResourceRoot);
        return new LazyObject(entries, fields, 'object');
      };
    }
    case 'string':
      return textReader(schema);
    case 'number':
      return (raw) => (typeof raw === 'number' ? raw : untyped(raw));
    default:
      return untyped;
  }
}

function fieldReaders(schema: RuleSchema, isResourceRoot: boolean): Map<string, FieldReader> {
  const fields = new Map<string, FieldReader>();
  for (const [name, property] of Object.entries(propertiesOf(schema, isResourceRoot))) {
    const escaped = escapedName(name);
    if (escaped !== undefined)
      fields.set(escaped, { name, read: (raw) => readerOf(property, property['x-kubernetes-embedded-resource'] === true)(raw) });
  }
  return fields;
}

function textReader({ format }: RuleSchema): Reader {
  const ofText =
    (read: (text: string) => Value): Reader =>
    (raw) =>
      typeof raw === 'string' ? read(raw) : untyped(raw);
  switch (format) {
    case 'byte':
      return ofText((text) => new Uint8Array(Buffer.from(text, 'base64')));
    case 'duration':
      return ofText(durationOf);
    case 'date':
      return ofText(dateOf);
    case 'date-time':
      return ofText(timestampOf);
    default:
      return untyped;
  }
}

/** JSON of which nothing is known: a whole number is an integer. */
export function untyped(raw: unknown): Value {
  switch (typeof raw) {
    case 'number':
      return Number.isInteger(raw) ? BigInt(raw) : raw;
    case 'string':
    case 'boolean':
      return raw;
    case 'object':
      if (raw === null) return null;
      if (Array.isArray(raw)) return new LazyList(raw, untyped);
      return new LazyMap(raw as Readonly<Record<string, unknown>>, untyped);
    default:
      return null;
  }
}

function identityOf(schema: RuleSchema): ListIdentity | undefined {
  const kind = schema['x-kubernetes-list-type'];
  if (kind === 'set') return { kind, keyOf: identityText };
  if (kind !== 'map') return undefined;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapedName(key) ?? key);
  return { kind, keyOf: (item) => keys.map((key) => identityText(item instanceof LazyObject ? (item.get(key) ?? null) : null)).join('\n') };
}

/** Equal values have the same text. */
function identityText(value: Value): string {
  if (value instanceof LazyList) return `[${value.items.map(identityText).join()}]`;
  if (value instanceof LazyObject || value instanceof LazyMap) {
    const entries = value.keys().map((key) => `${JSON.stringify(key)}:${identityText(value.get(key) ?? null)}`);
    return `{${entries.toSorted((left, right) => (left < right ? -1 : 1)).join()}}`;
  }
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}
