// Schemas of definitions as OpenAPI shows them: with what every object has, and for version 2 without what it has no words for.
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { openApiNameOf } from './openapi-names.ts';

/** Of objects themselves, and of those within others. */
const ofObjects = (): Fields => ({
  apiVersion: { type: 'string', description: 'Group and version of the kind, such as example.com/v1.' },
  kind: { type: 'string', description: 'What kind of object this is.' },
  metadata: {
    description: 'Name, labels and history of the object.',
    allOf: [{ $ref: `#/components/schemas/${openApiNameOf('ObjectMeta')}` }],
  },
});

/** The schema of a version's objects. */
export const publishedSchema = (schema: JsonSchema): Fields => ({
  ...within(schema),
  type: 'object',
  properties: { ...propertiesIn(schema.properties), ...ofObjects() },
});

const propertiesIn = (properties: unknown): Fields =>
  isFields(properties) ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, within(schema)])) : {};

/** A schema, with what objects have wherever it embeds some. */
function within(schema: unknown): Fields {
  if (!isFields(schema)) return {};
  const { items, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  return {
    ...schema,
    ...(isFields(items) && { items: within(items) }),
    ...(isFields(additionalProperties) && { additionalProperties: within(additionalProperties) }),
    ...((isFields(schema['properties']) || isEmbedded) && {
      properties: { ...propertiesIn(schema['properties']), ...(isEmbedded && ofObjects()) },
    }),
  };
}

const newer = new Set(
  'allOf anyOf oneOf not nullable additionalItems patternProperties definitions dependencies'.split(' '), // version 2 knows none of these
);
const ofShape = new Set(['type', 'default', 'properties', 'items', 'additionalProperties']);

/** A schema in the words of version 2: of a field that may be null, or may be anything, nothing is said of its shape. */
export function olderSchema(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  const { allOf } = schema;
  const only: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  if (isFields(only) && typeof only['$ref'] === 'string') return { $ref: only['$ref'].replace('#/components/schemas/', '#/definitions/') };
  const isAnything = schema['nullable'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const result: Fields = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!newer.has(key) && !(isAnything && ofShape.has(key))) result[key] = olderPart(key, value);
  }
  return result;
}

function olderPart(key: string, value: unknown): unknown {
  if (key === 'items' || key === 'additionalProperties') return olderSchema(value);
  if (key !== 'properties' || !isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, olderSchema(schema)]));
}
