// A definition as the API server gives it back: with its defaults, and without what is as good as not said.
import { fieldsAt, isFields, listAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import { schemaOf } from '../schema/notation.ts';

/** Booleans and texts of a schema that say nothing where they are false or empty. */
const sayNothing = new Set([
  '$schema',
  'description',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'id',
  'nullable',
  'pattern',
  'title',
  'type',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);
const listsOfSchemas = new Set(['allOf', 'anyOf', 'oneOf']);
const mapsOfSchemas = new Set(['definitions', 'patternProperties', 'properties']);
const schemas = new Set(['additionalItems', 'additionalProperties', 'items', 'not']);

const knownFields = schemaOf('JSONSchemaProps').fields;

/** A schema without empty fields and without those that nobody knows, at any depth. */
function canonicalSchema(schema: Fields): Fields {
  const result: Fields = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!knownFields.has(key) || value === null || ((value === false || value === '') && sayNothing.has(key))) continue;
    result[key] = partOf(key, value);
  }
  return result;
}

function partOf(key: string, value: unknown): unknown {
  if (schemas.has(key)) return Array.isArray(value) ? value.map(schemaOrOther) : schemaOrOther(value);
  if (listsOfSchemas.has(key) && Array.isArray(value)) return value.map(schemaOrOther);
  if (!mapsOfSchemas.has(key) || !isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, schemaOrOther(schema)]));
}

const schemaOrOther = (value: unknown): unknown => (isFields(value) ? canonicalSchema(value) : value);

/** Without the named fields where they are false, empty or 0. */
function without(fields: Fields, names: readonly string[]): Fields {
  const left = Object.entries(fields).filter(([name, value]) => !names.includes(name) || !(value === '' || value === false || value === 0));
  return Object.fromEntries(left);
}

function canonicalVersion(version: Fields): Fields {
  const { schema, additionalPrinterColumns, subresources, ...others } = without(version, ['deprecated']);
  const described = fieldsAt({ schema }, 'schema')['openAPIV3Schema'];
  const columns = listAt({ additionalPrinterColumns }, 'additionalPrinterColumns');
  return {
    ...others,
    ...(isFields(schema) && { schema: isFields(described) ? { openAPIV3Schema: canonicalSchema(described) } : {} }),
    ...(isFields(subresources) && { subresources: canonicalSubresources(subresources) }),
    ...(columns.length > 0 && {
      additionalPrinterColumns: columns.map((column) => without(column, ['description', 'format', 'priority'])),
    }),
  };
}

const canonicalSubresources = (subresources: Fields): Fields => ({
  ...subresources,
  ...(isFields(subresources['status']) && { status: {} }),
});

function canonicalNames(names: Fields): Fields {
  const kind = textAt(names, 'kind');
  const singular = textAt(names, 'singular') || kind.toLowerCase();
  const listKind = textAt(names, 'listKind') || (kind && `${kind}List`);
  return { plural: '', kind: '', ...names, ...(singular && { singular }), ...(listKind && { listKind }) };
}

export function canonicalDefinition(object: ApiObject): ApiObject {
  const spec = without(object.spec ?? {}, ['preserveUnknownFields']);
  return {
    ...object,
    spec: {
      ...spec,
      conversion: spec['conversion'] ?? { strategy: 'None' },
      names: canonicalNames(fieldsAt(spec, 'names')),
      ...(Array.isArray(spec['versions']) && { versions: listAt(spec, 'versions').map(canonicalVersion) }),
    },
  };
}

/** The stored versions of a definition, with the one that objects are written in now among them. */
export function storedVersionsOf({ spec, status }: ApiObject): string[] {
  const before = status?.['storedVersions'];
  const stored = Array.isArray(before) ? before.map(String) : [];
  const current = listAt(spec, 'versions').find(({ storage }) => storage === true);
  const name = textAt(current, 'name');
  return name === '' || stored.includes(name) ? stored : [...stored, name];
}
