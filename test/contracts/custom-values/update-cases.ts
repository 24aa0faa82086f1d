// Updates of custom resources that a schema became too strict for, and what a kube-apiserver still takes; the real one is the judge
// (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';

export interface UpdateCase {
  name: string;
  /** Of the spec, after it was changed; before, it was free-form. */
  schema: JsonSchema;
  stored: Readonly<Record<string, unknown>>;
  /** The spec that is written over the stored one, and what is said against that: `reason: field: message`, ordered. */
  updates: readonly { next: Readonly<Record<string, unknown>>; problems: readonly string[] }[];
}

export const updateCases: readonly UpdateCase[] = [
  {
    name: 'field',
    schema: { type: 'object', properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'string', maxLength: 2 } } },
    stored: { a: 'long', b: 'x' },
    updates: [
      { next: { a: 'long', b: 'y' }, problems: [] },
      { next: { a: 'longer', b: 'x' }, problems: ['FieldValueTooLong: spec.a: Too long: may not be more than 2 bytes'] },
      { next: { a: 'long', b: 'toolong' }, problems: ['FieldValueTooLong: spec.b: Too long: may not be more than 2 bytes'] },
      { next: { b: 'x' }, problems: [] },
      { next: { a: 'ok' }, problems: [] },
    ],
  },
  {
    name: 'required at the top',
    schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
    stored: { b: 'x' },
    updates: [
      { next: { b: 'x' }, problems: [] },
      { next: { b: 'y' }, problems: ['FieldValueRequired: spec.a: Required value'] },
    ],
  },
  {
    name: 'required within',
    schema: {
      type: 'object',
      properties: {
        o: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
        c: { type: 'string' },
      },
    },
    stored: { o: { b: 'x' }, c: 'x' },
    updates: [
      { next: { o: { b: 'x' }, c: 'y' }, problems: [] },
      { next: { o: { b: 'y' }, c: 'x' }, problems: ['FieldValueRequired: spec.o.a: Required value'] },
    ],
  },
  {
    name: 'elements with a key',
    schema: {
      type: 'object',
      properties: {
        l: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, v: { type: 'string', maxLength: 2 }, w: { type: 'string' } },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        c: { type: 'string' },
      },
    },
    stored: {
      l: [
        { name: 'a', v: 'long' },
        { name: 'b', v: 'x' },
      ],
    },
    updates: [
      {
        next: {
          l: [
            { name: 'b', v: 'y' },
            { name: 'a', v: 'long' },
          ],
        },
        problems: [],
      },
      { next: { l: [{ name: 'a', v: 'long', w: 'new' }] }, problems: [] },
      { next: { l: [{ name: 'z', v: 'long' }] }, problems: ['FieldValueTooLong: spec.l[0].v: Too long: may not be more than 2 bytes'] },
      { next: { l: [{ name: 'a', v: 'longer' }] }, problems: ['FieldValueTooLong: spec.l[0].v: Too long: may not be more than 2 bytes'] },
    ],
  },
  {
    name: 'number of elements with a key',
    schema: {
      type: 'object',
      properties: {
        l: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, v: { type: 'string' }, w: { type: 'string' } },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          maxItems: 1,
        },
        c: { type: 'string' },
      },
    },
    stored: { l: [{ name: 'a' }, { name: 'b' }] },
    updates: [
      { next: { l: [{ name: 'b' }, { name: 'a' }] }, problems: [] },
      { next: { l: [{ name: 'b' }, { name: 'c' }] }, problems: ['FieldValueTooMany: spec.l: Too many: 2: must have at most 1 item'] },
      { next: { l: [{ name: 'a' }, { name: 'b' }], c: 'x' }, problems: [] },
    ],
  },
  {
    name: 'atomic list',
    schema: { type: 'object', properties: { l: { type: 'array', items: { type: 'string', maxLength: 2 } }, c: { type: 'string' } } },
    stored: { l: ['long', 'x'] },
    updates: [
      { next: { l: ['long', 'x'], c: 'y' }, problems: [] },
      { next: { l: ['long'] }, problems: ['FieldValueTooLong: spec.l[0]: Too long: may not be more than 2 bytes'] },
      { next: { l: ['x', 'long'] }, problems: ['FieldValueTooLong: spec.l[1]: Too long: may not be more than 2 bytes'] },
    ],
  },
  {
    name: 'set',
    schema: {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string', maxLength: 2 }, 'x-kubernetes-list-type': 'set' }, c: { type: 'string' } },
    },
    stored: { l: ['long', 'x'] },
    updates: [
      { next: { l: ['long', 'x'], c: 'y' }, problems: [] },
      { next: { l: ['x', 'long'] }, problems: ['FieldValueTooLong: spec.l[1]: Too long: may not be more than 2 bytes'] },
    ],
  },
  {
    name: 'map',
    schema: { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string', maxLength: 2 } } } },
    stored: { m: { a: 'long' } },
    updates: [
      { next: { m: { a: 'long', b: 'x' } }, problems: [] },
      { next: { m: { a: 'long', b: 'long' } }, problems: ['FieldValueTooLong: spec.m.b: Too long: may not be more than 2 bytes'] },
    ],
  },
  {
    name: 'atomic object',
    schema: {
      type: 'object',
      properties: {
        m: {
          type: 'object',
          properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'string' } },
          'x-kubernetes-map-type': 'atomic',
        },
      },
    },
    stored: { m: { a: 'long' } },
    updates: [{ next: { m: { a: 'long', b: 'x' } }, problems: [] }],
  },
  {
    name: 'anyOf',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { properties: { b: { maxLength: 1 } }, required: ['b'] }],
    },
    stored: { b: 'long' },
    updates: [
      { next: { b: 'long' }, problems: [] },
      {
        next: { b: 'longer' },
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
          'FieldValueTooLong: spec.b: Too long: may not be more than 1 byte',
        ],
      },
      { next: { b: 'x' }, problems: [] },
    ],
  },
  {
    name: 'not',
    schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, not: { required: ['b'] } },
    stored: { b: 'long' },
    updates: [
      { next: { b: 'longer' }, problems: ['FieldValueInvalid: <nil>: Invalid value: "": "spec" must not validate the schema (not)'] },
    ],
  },
  {
    name: 'duplicates',
    schema: {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, c: { type: 'string' } },
    },
    stored: { l: ['a', 'a'] },
    updates: [
      { next: { l: ['a', 'a'], c: 'x' }, problems: [] },
      { next: { l: ['a', 'a', 'b', 'b'] }, problems: [] },
    ],
  },
  {
    name: 'new duplicates',
    schema: {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, c: { type: 'string' } },
    },
    stored: { l: ['a'] },
    updates: [{ next: { l: ['a', 'a'] }, problems: ['FieldValueDuplicate: spec.l[1]: Duplicate value: "a"'] }],
  },
  {
    name: 'type',
    schema: { type: 'object', properties: { a: { type: 'integer' }, c: { type: 'string' } } },
    stored: { a: 'x' },
    updates: [
      { next: { a: 'x', c: 'y' }, problems: [] },
      {
        next: { a: 'y' },
        problems: ['FieldValueTypeInvalid: spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
      },
    ],
  },
  {
    name: 'enum',
    schema: { type: 'object', properties: { a: { type: 'string', enum: ['q'] }, c: { type: 'string' } } },
    stored: { a: 'x' },
    updates: [
      { next: { a: 'x', c: 'y' }, problems: [] },
      { next: { a: 'y' }, problems: ['FieldValueNotSupported: spec.a: Unsupported value: "y": supported values: "q"'] },
    ],
  },
  {
    name: 'fields of which nothing is said',
    schema: {
      type: 'object',
      properties: {
        o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } }, required: ['z'] },
        c: { type: 'string' },
      },
    },
    stored: { o: { a: 'x', free: 1 } },
    updates: [{ next: { o: { a: 'x', free: 1 }, c: 'y' }, problems: ['FieldValueRequired: spec.o.z: Required value'] }],
  },
  {
    name: 'object that keeps unknown fields',
    schema: {
      type: 'object',
      properties: {
        o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } }, required: ['z'] },
        c: { type: 'string' },
      },
    },
    stored: { o: { a: 'x' } },
    updates: [{ next: { o: { a: 'x' }, c: 'y' }, problems: [] }],
  },
  {
    name: 'embedded object',
    schema: {
      type: 'object',
      properties: {
        o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
        c: { type: 'string' },
      },
    },
    stored: { o: { a: 'x' } },
    updates: [
      {
        next: { o: { a: 'x' }, c: 'y' },
        problems: ['FieldValueRequired: spec.o.apiVersion: Required value', 'FieldValueRequired: spec.o.kind: Required value'],
      },
    ],
  },
  {
    name: 'field within of the same name',
    schema: {
      type: 'object',
      properties: { b: { type: 'string' }, a: { type: 'object', properties: { b: { type: 'string', maxLength: 2 } } } },
    },
    stored: { b: 'x' },
    updates: [
      { next: { b: 'x', a: { b: 'long' } }, problems: ['FieldValueTooLong: spec.a.b: Too long: may not be more than 2 bytes'] },
      { next: { b: 'y', a: { b: 'long' } }, problems: ['FieldValueTooLong: spec.a.b: Too long: may not be more than 2 bytes'] },
      { next: { b: 'long', a: { b: 'y' } }, problems: [] },
    ],
  },
  {
    name: 'null',
    schema: { type: 'object', properties: { a: { type: 'string', nullable: true, enum: ['a'] }, c: { type: 'string' } } },
    stored: { a: null },
    updates: [{ next: { a: null, c: 'x' }, problems: [] }],
  },
];
