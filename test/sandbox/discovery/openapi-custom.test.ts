// Schemas of definitions in OpenAPI: what version 3 adds to them, and what version 2 leaves out.
import { describe, expect, test } from '@jest/globals';
import { olderSchema, publishedSchema } from '../../../lib/sandbox/discovery/openapi-custom.ts';

describe('version 2 says', () => {
  const cases: { name: string; schema: object; older: object }[] = [
    { name: 'nothing of the shape of what may be null', schema: { type: 'string', nullable: true, default: 'x' }, older: {} },
    {
      name: 'that a number or a text is one of both, without a type',
      schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      older: { 'x-kubernetes-int-or-string': true },
    },
    {
      name: 'nothing of the fields of what keeps unknown ones',
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      older: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      name: 'all of fields that are called as words of schemas are',
      schema: { type: 'object', properties: { allOf: { type: 'string' }, items: { type: 'array', items: { type: 'string' } } } },
      older: { type: 'object', properties: { allOf: { type: 'string' }, items: { type: 'array', items: { type: 'string' } } } },
    },
    {
      name: 'nothing of alternatives, at any depth',
      schema: {
        type: 'object',
        additionalProperties: { type: 'object', oneOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } },
      },
      older: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
    },
    {
      name: 'where the metadata is described',
      schema: { description: 'x', allOf: [{ $ref: '#/components/schemas/A' }] },
      older: { $ref: '#/definitions/A' },
    },
  ];
  test.each(cases)('$name', ({ schema, older }) => expect(olderSchema(schema)).toEqual(older));
});

describe('version 3 says', () => {
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
