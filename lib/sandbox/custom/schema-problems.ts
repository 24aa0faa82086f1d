// Problems of a definition's schema, in the API server's words; but for its rules in CEL.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalid, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { isEmbeddedResource, itemsOf, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { defaultProblems } from './default-problems.ts';
import { structuralProblems, unreadableIn } from './structural-problems.ts';

/** Of JSON: a schema within a schema takes two of them. Walkers of schemas and of objects recurse. */
const mostLevels = 1000;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/**
 * The problems of a whole schema.
 * @param path where it stands in the definition: `spec.versions[0].schema.openAPIV3Schema`
 */
export function schemaProblems(schema: JsonSchema, path: string): FieldError[] {
  if (isDeeper(schema, mostLevels)) return [invalidValue(path, '', `nested deeper than ${mostLevels} levels of JSON`)];
  const unreadable = unreadableIn(schema);
  const structural = unreadable === undefined ? structuralProblems(schema, path) : [];
  const problems = [
    ...(schema.nullable === true ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structural,
    ...(unreadable === undefined && structural.length === 0 ? defaultProblems(schema, path) : []),
    ...problemsAt(schema, path, { isRoot: true, isInMetadata: false, noDefaults: undefined }),
  ];
  return problems.length === 0 && unreadable !== undefined ? [invalidValue(path, '', unreadable)] : problems;
}

interface Place {
  isRoot: boolean;
  isInMetadata: boolean;
  /** Why no default may stand here; undefined where one may. */
  noDefaults: string | undefined;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const ofEveryResource = new Set(['metadata', 'kind', 'apiVersion']);

function problemsAt(schema: JsonSchema, path: string, place: Place): FieldError[] {
  const { additionalProperties, properties = {} } = schema;
  const isMixed = additionalProperties !== undefined && additionalProperties !== true && Object.keys(properties).length > 0;
  return [
    ...wordProblems(schema, path, place),
    ...(schema.uniqueItems === true
      ? [forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')]
      : []),
    ...(isMixed ? [forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')] : []),
    ...partsOf(schema, path).flatMap(({ part, at, property }) => problemsAt(part, at, placeOf(schema, place, property))),
    ...mapTypeProblems(schema, path),
    ...listTypeProblems(schema, path),
    ...listMapProblems(schema, path),
    ...keyProblems(schema, path),
  ];
}

interface Part {
  part: JsonSchema;
  at: string;
  /** The name of the field that it speaks of; `additionalProperties` for those without a name. */
  property?: string | typeof anyField;
}

const anyField = Symbol('additionalProperties');

/** All schemas in a schema, one level down. */
function partsOf(schema: JsonSchema, path: string): Part[] {
  const { properties = {}, not, allOf = [], oneOf = [], anyOf = [], definitions = {}, dependencies = {}, items } = schema;
  const values = valuesOf(schema);
  const listed = (word: string, parts: readonly JsonSchema[]): Part[] => parts.map((part, at) => ({ part, at: `${path}.${word}[${at}]` }));
  const item = itemsOf(schema);
  return [
    ...(values ? [{ part: values, at: `${path}.additionalProperties`, property: anyField } as const] : []),
    ...Object.entries(properties).map(([name, part]) => ({ part, at: `${path}.properties[${name}]`, property: name })),
    ...(not ? [{ part: not, at: `${path}.not` }] : []),
    ...listed('allOf', allOf),
    ...listed('oneOf', oneOf),
    ...listed('anyOf', anyOf),
    ...Object.entries(definitions).map(([name, part]) => ({ part, at: `${path}.definitions[${name}]` })),
    ...(item ? [{ part: item, at: `${path}.items` }] : []),
    ...(Array.isArray(items) ? listed('items', items) : []),
    ...Object.entries(dependencies).flatMap(([name, part]) =>
      Array.isArray(part) ? [] : [{ part: part as JsonSchema, at: `${path}.dependencies[${name}]` }],
    ),
  ];
}

function placeOf(schema: JsonSchema, { isRoot, isInMetadata, noDefaults }: Place, property: Part['property']): Place {
  if (property === anyField)
    return {
      isRoot: false,
      isInMetadata,
      noDefaults: isInMetadata ? ' inside additionalProperties applying to object metadata' : noDefaults,
    };
  if (property === undefined || !(isRoot || isEmbeddedResource(schema)) || !ofEveryResource.has(property))
    return { isRoot: false, isInMetadata, noDefaults };
  return { isRoot: false, isInMetadata: true, noDefaults: isRoot ? ` in top-level ${property}` : noDefaults };
}

/** Words that no schema of a definition may have, or not at this place. */
function wordProblems(schema: JsonSchema, path: string, { isInMetadata, noDefaults }: Place): FieldError[] {
  const { type = '', id = '', patternProperties = {}, definitions = {}, items } = schema;
  const unsupported = (word: string, isThere: boolean): FieldError[] =>
    isThere ? [forbidden(`${path}.${word}`, `${word} is not supported`)] : [];
  return [
    ...(type !== '' && !types.includes(type) ? [unsupportedValue(`${path}.type`, type, types)] : []),
    ...(schema.default !== undefined && noDefaults !== undefined ? [forbidden(`${path}.default`, `must not be set${noDefaults}`)] : []),
    ...unsupported('id', id !== ''),
    ...unsupported('additionalItems', schema.additionalItems !== undefined),
    ...unsupported('patternProperties', Object.keys(patternProperties).length > 0),
    ...unsupported('definitions', Object.keys(definitions).length > 0),
    ...unsupported('dependencies', schema.dependencies !== undefined),
    ...unsupported('$ref', schema.$ref !== undefined),
    ...(type === 'null' ? [forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative')] : []),
    ...(Array.isArray(items) && items.length > 0 ? [forbidden(`${path}.items`, 'items must be a schema object and not an array')] : []),
    ...(isInMetadata && isEmbeddedResource(schema)
      ? [forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta')]
      : []),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
  ];
}

/** A type that some word beside it demands. */
function demandedType({ type = '' }: JsonSchema, path: string, wanted: string, word: string): FieldError[] {
  if (type === wanted) return [];
  const why = `must be ${wanted} if ${word} is specified`;
  return [type === '' ? requiredValue(`${path}.type`, why) : invalidValue(`${path}.type`, type, why)];
}

function mapTypeProblems(schema: JsonSchema, path: string): FieldError[] {
  const word = 'x-kubernetes-map-type';
  const kind = schema[word];
  if (kind === undefined) return [];
  const isKnown = kind === 'atomic' || kind === 'granular';
  return [
    ...demandedType(schema, path, 'object', word),
    ...(isKnown ? [] : [unsupportedValue(`${path}.${word}`, kind, ['atomic', 'granular'])]),
  ];
}

function listTypeProblems(schema: JsonSchema, path: string): FieldError[] {
  const word = 'x-kubernetes-list-type';
  const kind = schema[word];
  if (kind === undefined) return [];
  const ofType = demandedType(schema, path, 'array', word);
  return [
    ...ofType,
    ...(ofType.length === 0 && kind === 'set' ? setProblems(itemsOf(schema) ?? {}, `${path}.items`) : []),
    ...(['atomic', 'set', 'map'].includes(kind) ? [] : [unsupportedValue(`${path}.${word}`, kind, ['atomic', 'set', 'map'])]),
  ];
}

/** The elements of a set are compared whole. */
function setProblems(items: JsonSchema, path: string): FieldError[] {
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalidValue(`${path}.x-kubernetes-list-type`, listType, why)];
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalidValue(`${path}.x-kubernetes-map-type`, listType, why)];
  return [];
}

function listMapProblems(schema: JsonSchema, path: string): FieldError[] {
  const { items } = schema;
  const kind = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const isMap = 'must be map if x-kubernetes-list-map-keys is non-empty';
  const field = `${path}.x-kubernetes-list-type`;
  if (kind !== 'map') {
    if (keys.length === 0) return [];
    return [kind === undefined ? requiredValue(field, isMap) : invalidValue(field, kind, isMap)];
  }
  const one = itemsOf(schema);
  return [
    ...(keys.length === 0
      ? [requiredValue(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]
      : []),
    ...(items === undefined ? [requiredValue(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')] : []),
    ...(items !== undefined && !one
      ? [invalid(`${path}.items`, `${JSON.stringify(items)}: must only have a single schema if x-kubernetes-list-type is map`)]
      : []),
    ...(one && one.type !== 'object'
      ? [invalidValue(`${path}.items.type`, one.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")]
      : []),
    ...(one?.type === 'object' ? keys.flatMap((key, at) => keyNameProblems(one, keys, key, at, path)) : []),
  ];
}

function keyNameProblems(items: JsonSchema, keys: readonly string[], key: string, at: number, path: string): FieldError[] {
  const property = propertyOf(items, key);
  const field = `${path}.x-kubernetes-list-map-keys`;
  const isWhole = property?.type === 'array' || property?.type === 'object';
  const scalar = "must be a scalar type if parent array's x-kubernetes-list-type is map";
  return [
    ...(isWhole ? [invalidValue(`${path}.items.properties[${key}].type`, items.type, scalar)] : []),
    ...(property ? [] : [invalidValue(field, keys, 'entries must all be names of item properties')]),
    ...(keys.indexOf(key) < at ? [invalidValue(field, keys, 'must not contain duplicate entries')] : []),
  ];
}

/** Elements that are found by what they hold must hold it. */
function keyProblems(schema: JsonSchema, path: string): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  const items = itemsOf(schema);
  if (!items || (kind !== 'set' && kind !== 'map')) return [];
  const nullable =
    items.nullable === true ? [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${kind}`)] : [];
  if (kind === 'set') return nullable;
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).flatMap((key) => {
    const property = propertyOf(items, key);
    if (!property) return [];
    const field = `${path}.items.properties[${key}]`;
    const is = 'this property is in x-kubernetes-list-map-keys, so it';
    const isSure = items.required?.includes(key) === true || property.default !== undefined;
    return [
      ...(isSure ? [] : [requiredValue(`${field}.default`, `${is} must have a default or be a required property`)]),
      ...(property.nullable === true ? [forbidden(`${field}.nullable`, `${is} cannot be nullable`)] : []),
    ];
  });
  return [...nullable, ...keys];
}
