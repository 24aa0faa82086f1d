// Schemas of definitions as OpenAPI shows them: with what every object has.
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
