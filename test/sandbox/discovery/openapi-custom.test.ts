// Schemas of definitions in OpenAPI: what is added to them.
import { describe, expect, test } from '@jest/globals';
import { publishedSchema } from '../../../lib/sandbox/discovery/openapi-custom.ts';

describe('OpenAPI says', () => {
  const ofObjects = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { allOf: [{ $ref: expect.stringContaining('ObjectMeta') }] },
  };

  test('what every object has', () => {
    const schema = { type: 'object', description: 'x', properties: { spec: { type: 'string' }, metadata: { type: 'object' } } };
    expect(publishedSchema(schema)).toMatchObject({
      type: 'object',
      description: 'x',
      properties: { spec: { type: 'string' }, ...ofObjects },
    });
  });

  test('the same of objects within others, in lists and maps too', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: embedded }, b: { type: 'object', additionalProperties: embedded } },
    };
    expect(publishedSchema(schema)).toMatchObject({
      properties: { a: { items: { properties: ofObjects } }, b: { additionalProperties: { properties: ofObjects } } },
    });
    expect(publishedSchema({ type: 'object', properties: { a: { type: 'array', items: { type: 'object' } } } })).toMatchObject({
      properties: { a: { type: 'array', items: { type: 'object' } } },
    });
  });
});
