// Problems of a definition's schema, but for its rules in CEL: whether it is structural, that is whether it says of each value, outside of `allOf`
// and the like, what it is; and whether it takes its own defaults. A problem names the field that kube-apiserver names; not all of the latter's
// sentences are here.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { isSame } from '../objects/api-object.ts';
import { compiledPattern } from '../cel/functions/patterns.ts';
import { EvaluationError } from '../cel/values/values.ts';
import { isEmbeddedResource, isIntOrString, itemsOf, keepsUnknownFields, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { defaultProblems } from './default-problems.ts';

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
  if (isSomething(schema.$schema)) return [invalidValue(path, '', "OpenAPIV3Schema 'schema' is not supported")];
  const problems = problemsAt(schema, path, { level: 'root', isInMetadata: false, takesDefaults: true });
  return problems.length > 0 ? problems : defaultProblems(schema, path);
}

interface Place {
  level: 'root' | 'item' | 'field';
  isInMetadata: boolean;
  takesDefaults: boolean;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const ofEveryResource = ['metadata', 'kind', 'apiVersion'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

const isSomething = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

function problemsAt(schema: JsonSchema, path: string, place: Place): FieldError[] {
  const { level, isInMetadata, takesDefaults } = place;
  const { type = '', properties = {}, additionalProperties, items: given } = schema;
  const isEmbedded = isEmbeddedResource(schema);
  const isResource = level === 'root' || isEmbedded;
  const [items, values] = [itemsOf(schema), valuesOf(schema)];
  const problems: FieldError[] = [];
  const refuse = (word: string, isThere: boolean, why: string): void => {
    if (isThere) problems.push(forbidden(`${path}.${word}`, why));
  };
  for (const word of unsupported) refuse(word, isSomething(schema[word]), `${word} is not supported`);
  refuse('uniqueItems', schema.uniqueItems === true, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  refuse('items', Array.isArray(given) && given.length > 0, 'items must be a schema object and not an array');
  if (problems.length > 0) return problems;
  refuse('nullable', level === 'root' && schema.nullable === true, 'nullable cannot be true at the root');
  refuse('default', schema.default !== undefined && !takesDefaults, 'must not be set here');
  const isMixed = additionalProperties !== true && Object.keys(properties).length > 0;
  refuse('additionalProperties', additionalProperties !== undefined && (isResource || isMixed), 'must not be used here');
  refuse('x-kubernetes-embedded-resource', isInMetadata && isEmbedded, 'must not be used inside of resource meta');
  problems.push(...typeProblems(schema, path, level), ...extensionProblems(schema, path), ...patternProblems(schema, path));
  if (type === 'array' && !Array.isArray(given) && !items) problems.push(requiredValue(`${path}.items`, 'must be specified'));
  if (isEmbedded && !keepsUnknownFields(schema) && Object.keys(properties).length === 0)
    problems.push(requiredValue(`${path}.properties`, 'must not be empty if x-kubernetes-embedded-resource is true'));
  if (isResource) problems.push(...resourceProblems(schema, path, level));
  const around = level === 'root' ? schema : anything;
  for (const { part, at } of nestedIn(schema, path)) problems.push(...nestedProblems(part, at, around, path));

  const below = { isInMetadata, takesDefaults };
  if (items) problems.push(...problemsAt(items, `${path}.items`, { ...below, level: 'item' }));
  if (values)
    problems.push(
      ...problemsAt(values, `${path}.additionalProperties`, {
        level: 'field',
        isInMetadata,
        takesDefaults: takesDefaults && !isInMetadata,
      }),
    );
  for (const [name, property] of Object.entries(properties)) {
    const isOwn = isResource && ofEveryResource.includes(name);
    const within = isOwn ? { isInMetadata: true, takesDefaults: takesDefaults && level !== 'root' } : below;
    problems.push(...problemsAt(property, `${path}.properties[${name}]`, { ...within, level: 'field' }));
  }
  return problems;
}

/** A type that stands in for another one, or is missing. */
const wrongType = (path: string, { type = '' }: JsonSchema, why: string): FieldError =>
  type === '' ? requiredValue(`${path}.type`, why) : invalidValue(`${path}.type`, type, why);

function typeProblems(schema: JsonSchema, path: string, level: Place['level']): FieldError[] {
  const { type = '' } = schema;
  if (type !== '' && !types.includes(type)) return [unsupportedValue(`${path}.type`, type, types)];
  if (level === 'root' && type !== 'object' && (type !== '' || !keepsUnknownFields(schema)))
    return [wrongType(path, schema, type === '' ? 'must not be empty at the root' : 'must be object at the root')];
  if (isEmbeddedResource(schema) && type !== 'object')
    return [wrongType(path, schema, 'must be object if x-kubernetes-embedded-resource is true')];
  const isKnown = type !== '' || isIntOrString(schema) || keepsUnknownFields(schema);
  return isKnown
    ? []
    : [requiredValue(`${path}.type`, `must not be empty for specified ${level === 'item' ? 'array items' : 'object fields'}`)];
}

/** The fields that every resource has have their own types; of metadata, the name alone may be restricted at the root. */
function resourceProblems(schema: JsonSchema, path: string, level: Place['level']): FieldError[] {
  const problems = ofEveryResource.flatMap((name) => {
    const wanted = name === 'metadata' ? 'object' : 'string';
    const property = propertyOf(schema, name);
    return !property || property.type === wanted
      ? []
      : [invalidValue(`${path}.properties[${name}].type`, property.type ?? '', `must be ${wanted}`)];
  });
  const metadata = propertyOf(schema, 'metadata');
  if (level !== 'root' || !metadata) return problems;
  const { type: _, default: __, properties = {}, ...others } = metadata;
  const isPlain = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  if (isPlain && !Object.values(others).some(isSomething)) return problems;
  return [...problems, forbidden(`${path}.properties[metadata]`, 'must not specify anything other than name and generateName')];
}

function extensionProblems(schema: JsonSchema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    problems.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  for (const word of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    if (isIntOrString(schema) && schema[word] === true)
      problems.push(invalidValue(`${path}.${word}`, true, 'must be false if x-kubernetes-int-or-string is true'));
  for (const [word, wanted, kinds] of [
    ['x-kubernetes-map-type', 'object', ['atomic', 'granular']],
    ['x-kubernetes-list-type', 'array', ['atomic', 'set', 'map']],
  ] as const) {
    const kind = schema[word];
    if (kind === undefined) continue;
    if (schema.type !== wanted) problems.push(wrongType(path, schema, `must be ${wanted} if ${word} is specified`));
    if (!(kinds as readonly string[]).includes(kind)) problems.push(unsupportedValue(`${path}.${word}`, kind, kinds));
  }
  return [...problems, ...listProblems(schema, path)];
}

/** Elements of a set are compared whole, those of a map by keys that all of them have. */
function listProblems(schema: JsonSchema, path: string): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const items = itemsOf(schema);
  const at = `${path}.items`;
  const problems: FieldError[] = [];
  if (kind !== 'map' && keys.length > 0) {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    problems.push(
      kind === undefined ? requiredValue(`${path}.x-kubernetes-list-type`, why) : invalidValue(`${path}.x-kubernetes-list-type`, kind, why),
    );
  }
  if (kind !== 'map' && kind !== 'set') return problems;
  if (items?.nullable === true) problems.push(forbidden(`${at}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${kind}`));
  if (kind === 'set') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    const [listType, mapType] = [items?.['x-kubernetes-list-type'] ?? 'atomic', items?.['x-kubernetes-map-type']];
    if (items?.type === 'array' && listType !== 'atomic') problems.push(invalidValue(`${at}.x-kubernetes-list-type`, listType, why));
    if (items?.type === 'object' && mapType !== 'atomic') problems.push(invalidValue(`${at}.x-kubernetes-map-type`, mapType ?? '', why));
    return problems;
  }
  if (keys.length === 0)
    problems.push(requiredValue(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) return [...problems, requiredValue(at, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') return [...problems, invalidValue(`${at}.type`, items.type ?? '', 'must be object if the list is a map')];
  if (new Set(keys).size < keys.length)
    problems.push(invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries'));
  return [...problems, ...keys.flatMap((key) => keyProblems(items, key, path))];
}

function keyProblems(items: JsonSchema, key: string, path: string): FieldError[] {
  const property = propertyOf(items, key);
  const field = `${path}.items.properties[${key}]`;
  if (!property) return [invalidValue(`${path}.x-kubernetes-list-map-keys`, [key], 'entries must all be names of item properties')];
  const isSure = items.required?.includes(key) === true || property.default !== undefined;
  return [
    ...(property.type === 'array' || property.type === 'object'
      ? [invalidValue(`${field}.type`, property.type, 'must be a scalar type: it is in x-kubernetes-list-map-keys')]
      : []),
    ...(isSure ? [] : [requiredValue(`${field}.default`, 'a key must have a default or be a required property')]),
    ...(property.nullable === true ? [forbidden(`${field}.nullable`, 'a key cannot be nullable')] : []),
  ];
}

function patternProblems({ pattern = '' }: JsonSchema, path: string): FieldError[] {
  try {
    compiledPattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return [invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${error.message}`)];
  }
}

const integerOrText: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

/** The schemas in `anyOf` and the like; not those that say again that a value is an integer or a text. */
function nestedIn(schema: JsonSchema, path: string, maySayType = true): { part: JsonSchema; at: string }[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  const listed = (word: string, parts: readonly JsonSchema[]): { part: JsonSchema; at: string }[] =>
    parts.map((part, index) => ({ part, at: `${path}.${word}[${index}]` }));
  const saysType = maySayType && isSame(anyOf, integerOrText);
  const [first, ...others] = listed('allOf', allOf);
  const saysTypeFirst = maySayType && first !== undefined && isSame(first.part.anyOf ?? [], integerOrText);
  return [
    ...(saysType ? [] : listed('anyOf', anyOf)),
    ...(first && !saysTypeFirst ? [first] : []),
    ...others,
    ...listed('oneOf', oneOf),
    ...(not ? [{ part: not, at: `${path}.not` }] : []),
  ];
}

/** Words that only a schema outside of `anyOf` and the like may have. */
const notNested = [
  'type',
  'default',
  'title',
  'description',
  'nullable',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const;

/** Around schemas below the root: kube-apiserver looks for the counterparts of fields at the root alone. */
const anything: JsonSchema = {};

/** @param around the schema that says what the value is, undefined where none does; fields that this one speaks of must be there, too */
function nestedProblems(part: JsonSchema, at: string, around: JsonSchema | undefined, path: string): FieldError[] {
  if (!around) return [requiredValue(path, `because it is defined in ${at}`)];
  const items = itemsOf(part);
  const within = (found: JsonSchema | undefined): JsonSchema | undefined => (around === anything ? anything : found);
  return [
    ...patternProblems(part, at),
    ...unsupported.flatMap((word) => (isSomething(part[word]) ? [forbidden(`${at}.${word}`, `${word} is not supported`)] : [])),
    ...notNested.flatMap((word) => (isSomething(part[word]) ? [forbidden(`${at}.${word}`, 'must be empty to be structural')] : [])),
    ...(propertyOf(part, 'metadata') ? [forbidden(`${at}.properties[metadata]`, 'must not be specified in a nested context')] : []),
    ...nestedIn(part, at, false).flatMap((below) => nestedProblems(below.part, below.at, around, path)),
    ...(items ? nestedProblems(items, `${at}.items`, within(itemsOf(around)), `${path}.items`) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, property]) =>
      nestedProblems(property, `${at}.properties[${name}]`, within(propertyOf(around, name)), `${path}.properties[${name}]`),
    ),
  ];
}
