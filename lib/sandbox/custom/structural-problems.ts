// Whether a schema is structural: whether it says of each value, outside of `allOf` and the like, what it is.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalidValue, requiredValue } from '../../objects/refusals.ts';
import { isSame } from '../api-object.ts';
import { compiledPattern } from '../cel/functions/patterns.ts';
import { EvaluationError } from '../cel/values.ts';
import { isEmbeddedResource, isIntOrString, itemsOf, keepsUnknownFields, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

type Level = 'root' | 'item' | 'field';

const ofLevel: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** The words of a schema that are not read at all. @returns why it cannot be structural, of the first place found */
export function unreadableIn(schema: JsonSchema): string | undefined {
  const { id, $schema, $ref, patternProperties = {}, dependencies = {}, additionalItems, definitions = {} } = schema;
  const odd = Object.entries({
    id: id !== undefined && id !== '',
    schema: $schema !== undefined && $schema !== '',
    $ref: $ref !== undefined && $ref !== '',
    patternProperties: Object.keys(patternProperties).length > 0,
    dependencies: Object.keys(dependencies).length > 0,
    additionalItems: additionalItems !== undefined,
    definitions: Object.keys(definitions).length > 0,
  }).find(([, isThere]) => isThere);
  if (odd) return `OpenAPIV3Schema '${odd[0]}' is not supported`;
  const { not, allOf = [], anyOf = [], oneOf = [] } = schema;
  for (const part of [...(not ? [not] : []), ...allOf, ...anyOf, ...oneOf]) {
    const found = unreadableIn(part);
    if (found !== undefined) return found;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(schema.items) && schema.items.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const [items, values] = [itemsOf(schema), valuesOf(schema)];
  for (const part of [...(items ? [items] : []), ...Object.values(schema.properties ?? {}), ...(values ? [values] : [])]) {
    const found = unreadableIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Problems that keep a schema from being structural, ordered by its text. @param schema of which `unreadableIn` says nothing */
export const structuralProblems = (schema: JsonSchema, path: string): FieldError[] =>
  [...problemsAt(schema, 'root', path), ...missingCounterparts(schema, schema, path, path)].toSorted((a, b) =>
    textOf(a) < textOf(b) ? -1 : 1,
  );

const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;

const integerOrText: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];

const isIntegerOrText = ({ anyOf = [] }: JsonSchema): boolean => isSame(anyOf, integerOrText);

function problemsAt(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const { type = '', properties = {}, additionalProperties } = schema;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const isEmbedded = isEmbeddedResource(schema);
  const isResource = level === 'root' || isEmbedded;
  const metadata = propertyOf(schema, 'metadata');
  return [
    ...(type === 'array' && !items ? [requiredValue(`${path}.items`, 'must be specified')] : []),
    ...(items ? problemsAt(items, 'item', `${path}.items`) : []),
    ...Object.entries(properties).flatMap(([name, property]) => problemsAt(property, 'field', `${path}.properties[${name}]`)),
    ...(additionalProperties !== undefined && level === 'root'
      ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(values ? problemsAt(values, 'field', `${path}.additionalProperties`) : []),
    ...extensionProblems(schema, path),
    ...combinedProblems(schema, path, { skipsAnyOf: isIntegerOrText(schema), skipsFirstOfAllOf: isIntegerOrText(schema.allOf?.[0] ?? {}) }),
    ...typeProblems(schema, level, path),
    ...(isEmbedded && additionalProperties !== undefined
      ? [forbidden(`${path}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set')]
      : []),
    ...(level === 'root' && type !== '' && type !== 'object' ? [invalidValue(`${path}.type`, type, 'must be object at the root')] : []),
    ...['kind', 'apiVersion'].flatMap((name) => {
      const property = propertyOf(schema, name);
      if (!isResource || !property || property.type === 'string') return [];
      return [invalidValue(`${path}.properties[${name}].type`, property.type ?? '', 'must be string')];
    }),
    ...(metadata ? metadataProblems(metadata, level, isResource, `${path}.properties[metadata]`) : []),
    ...(isEmbedded && !keepsUnknownFields(schema) && Object.keys(properties).length === 0
      ? [
          requiredValue(
            `${path}.properties`,
            'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
          ),
        ]
      : []),
  ];
}

function typeProblems(schema: JsonSchema, level: Level, path: string): FieldError[] {
  const { type = '' } = schema;
  if (isEmbeddedResource(schema) && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === '' ? requiredValue(`${path}.type`, why) : invalidValue(`${path}.type`, type, why)];
  }
  const needsType = !isIntOrString(schema) && !keepsUnknownFields(schema);
  return type === '' && needsType ? [requiredValue(`${path}.type`, ofLevel[level])] : [];
}

function extensionProblems(schema: JsonSchema, path: string): FieldError[] {
  if (!isIntOrString(schema)) return [];
  const why = 'must be false if x-kubernetes-int-or-string is true';
  return [
    ...(keepsUnknownFields(schema) ? [invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, true, why)] : []),
    ...(isEmbeddedResource(schema) ? [invalidValue(`${path}.x-kubernetes-embedded-resource`, true, why)] : []),
  ];
}

/** Metadata has its own type; at the root its name alone may be restricted. */
function metadataProblems(metadata: JsonSchema, level: Level, isResource: boolean, path: string): FieldError[] {
  const problems = isResource && metadata.type !== 'object' ? [invalidValue(`${path}.type`, metadata.type ?? '', 'must be object')] : [];
  if (level !== 'root') return problems;
  const { type: _, default: __, properties = {}, ...others } = metadata;
  const namesOnly = Object.keys(properties).every((name) => name === 'name' || name === 'generateName');
  if (namesOnly && Object.values(others).every(isNothing)) return problems;
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...problems, forbidden(path, why)];
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0);

interface Skipped {
  skipsAnyOf: boolean;
  skipsFirstOfAllOf: boolean;
}

const nothingSkipped: Skipped = { skipsAnyOf: false, skipsFirstOfAllOf: false };

/** Of the schemas in `anyOf` and the like, which say nothing of what a value is; and of the pattern beside them. */
function combinedProblems({ anyOf = [], allOf = [], oneOf = [], not, pattern }: JsonSchema, path: string, skipped: Skipped): FieldError[] {
  return [
    ...(skipped.skipsAnyOf ? [] : anyOf.flatMap((part, at) => nestedProblems(part, `${path}.anyOf[${at}]`))),
    ...allOf.flatMap((part, at) =>
      nestedProblems(part, `${path}.allOf[${at}]`, { ...nothingSkipped, skipsAnyOf: at === 0 && skipped.skipsFirstOfAllOf }),
    ),
    ...oneOf.flatMap((part, at) => nestedProblems(part, `${path}.oneOf[${at}]`)),
    ...(not ? nestedProblems(not, `${path}.not`) : []),
    ...patternProblems(pattern ?? '', `${path}.pattern`),
  ];
}

function patternProblems(pattern: string, field: string): FieldError[] {
  try {
    compiledPattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    // The library leaves out the part of the pattern that an error is about where that is empty.
    const why = error.message.endsWith('at end of expression') ? `${error.message}: \`\`` : error.message;
    return [invalidValue(field, pattern, `must be a valid regular expression, but isn't: ${why}`)];
  }
}

/** Words that only a schema outside of `anyOf` and the like may have, with what they must be within. */
const notNested: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedProblems(part: JsonSchema, path: string, skipped = nothingSkipped): FieldError[] {
  const { properties = {}, additionalProperties = false } = part;
  const items = itemsOf(part);
  return [
    ...combinedProblems(part, path, skipped),
    ...(items ? nestedProblems(items, `${path}.items`) : []),
    ...Object.entries(properties).flatMap(([name, property]) => nestedProblems(property, `${path}.properties[${name}]`)),
    ...(additionalProperties === false ? [] : [forbidden(`${path}.additionalProperties`, 'must be undefined to be structural')]),
    ...notNested.flatMap(([word, why]) => (isNothing(part[word]) || part[word] === null ? [] : [forbidden(`${path}.${word}`, why)])),
    ...(propertyOf(part, 'metadata') ? [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')] : []),
  ];
}

/** A field or list that a schema in `anyOf` and the like speaks of must be one of the schema around it. */
function missingCounterparts(part: JsonSchema, around: JsonSchema, path: string, at: string): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = part;
  const within = (below: JsonSchema, place: string): FieldError[] => nestedCounterparts(below, around, path, `${at}.${place}`);
  return [
    ...(not ? within(not, 'not') : []),
    ...allOf.flatMap((below, index) => within(below, `allOf[${index}]`)),
    ...anyOf.flatMap((below, index) => within(below, `anyOf[${index}]`)),
    ...oneOf.flatMap((below, index) => within(below, `oneOf[${index}]`)),
  ];
}

function nestedCounterparts(part: JsonSchema, around: JsonSchema | undefined, path: string, at: string): FieldError[] {
  if (!around) return [requiredValue(path, `because it is defined in ${at}`)];
  const items = itemsOf(part);
  return [
    ...missingCounterparts(part, around, path, at),
    ...(items ? nestedCounterparts(items, itemsOf(around), `${path}.items`, `${at}.items`) : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, property]) =>
      nestedCounterparts(property, propertyOf(around, name), `${path}.properties[${name}]`, `${at}.properties[${name}]`),
    ),
  ];
}
