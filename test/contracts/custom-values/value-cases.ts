// Values of fields of custom resources, and what a kube-apiserver makes of them or says against them; the real one is the judge
// (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';

export interface ValueCase {
  given: unknown;
  /** `reason: field: message`, ordered; the value stands at `spec.<name>`. */
  problems?: readonly string[];
  /** Why the body is refused before anything is checked. */
  refused?: string;
  /** The value as it is kept, where that is not as it was given. */
  kept?: unknown;
  isDropped?: boolean;
  /** Paths of fields that are told to be unknown. */
  unknown?: readonly string[];
}

export interface SchemaValues {
  name: string;
  schema: JsonSchema;
  values: readonly ValueCase[];
}

export const valueCases: readonly SchemaValues[] = [
  {
    name: 'text',
    schema: { type: 'string' },
    values: [
      {
        given: 5,
        problems: ['FieldValueTypeInvalid: spec.text: Invalid value: "integer": spec.text in body must be of type string: "integer"'],
      },
      {
        given: true,
        problems: ['FieldValueTypeInvalid: spec.text: Invalid value: "boolean": spec.text in body must be of type string: "boolean"'],
      },
      {
        given: 1.5,
        problems: ['FieldValueTypeInvalid: spec.text: Invalid value: "number": spec.text in body must be of type string: "number"'],
      },
      {
        given: [],
        problems: ['FieldValueTypeInvalid: spec.text: Invalid value: "array": spec.text in body must be of type string: "array"'],
      },
      {
        given: {},
        problems: ['FieldValueTypeInvalid: spec.text: Invalid value: "object": spec.text in body must be of type string: "object"'],
      },
      { given: null, isDropped: true },
      { given: 'x' },
    ],
  },
  {
    name: 'integer',
    schema: { type: 'integer' },
    values: [
      {
        given: 'a',
        problems: ['FieldValueTypeInvalid: spec.integer: Invalid value: "string": spec.integer in body must be of type integer: "string"'],
      },
      {
        given: 1.5,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.integer',
          'FieldValueTypeInvalid: spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"',
        ],
      },
      {
        given: true,
        problems: [
          'FieldValueTypeInvalid: spec.integer: Invalid value: "boolean": spec.integer in body must be of type integer: "boolean"',
        ],
      },
      { given: 9007199254740992 },
      {
        given: 10000000000000000000,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.integer',
          'FieldValueTypeInvalid: spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"',
        ],
      },
      { given: 0 },
      {
        given: {},
        problems: ['FieldValueTypeInvalid: spec.integer: Invalid value: "object": spec.integer in body must be of type integer: "object"'],
      },
    ],
  },
  {
    name: 'int32',
    schema: { type: 'integer', format: 'int32' },
    values: [
      {
        given: 2147483648,
        problems: ['FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32'],
      },
      { given: -2147483648 },
      {
        given: 1.5,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32',
          'FieldValueTypeInvalid: spec.int32: Invalid value: "float64": spec.int32 in body must be of type int32: "float64"',
        ],
      },
      {
        given: 'x',
        problems: ['FieldValueTypeInvalid: spec.int32: Invalid value: "string": spec.int32 in body must be of type integer: "string"'],
      },
      {
        given: 100000000000000000000,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32',
          'FieldValueTypeInvalid: spec.int32: Invalid value: "float64": spec.int32 in body must be of type int32: "float64"',
        ],
      },
    ],
  },
  {
    name: 'int64',
    schema: { type: 'integer', format: 'int64' },
    values: [
      {
        given: 1.5,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.int64',
          'FieldValueTypeInvalid: spec.int64: Invalid value: "float64": spec.int64 in body must be of type int64: "float64"',
        ],
      },
      {
        given: 'x',
        problems: ['FieldValueTypeInvalid: spec.int64: Invalid value: "string": spec.int64 in body must be of type integer: "string"'],
      },
      {
        given: 100000000000000000000,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.int64',
          'FieldValueTypeInvalid: spec.int64: Invalid value: "float64": spec.int64 in body must be of type int64: "float64"',
        ],
      },
      { given: true, problems: ['FieldValueTypeInvalid: spec.int64: Invalid value: "": spec.int64 in body must be of type int64: ""'] },
    ],
  },
  {
    name: 'number',
    schema: { type: 'number' },
    values: [
      { given: 1 },
      { given: 1.5 },
      {
        given: 'x',
        problems: ['FieldValueTypeInvalid: spec.number: Invalid value: "string": spec.number in body must be of type number: "string"'],
      },
      {
        given: true,
        problems: ['FieldValueTypeInvalid: spec.number: Invalid value: "boolean": spec.number in body must be of type number: "boolean"'],
      },
    ],
  },
  {
    name: 'float',
    schema: { type: 'number', format: 'float' },
    values: [
      {
        given: 1e39,
        problems: ['FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type number with format float in spec.float'],
      },
      { given: 1.5 },
      {
        given: 'x',
        problems: ['FieldValueTypeInvalid: spec.float: Invalid value: "string": spec.float in body must be of type number: "string"'],
      },
      { given: 1 },
    ],
  },
  {
    name: 'boolean',
    schema: { type: 'boolean' },
    values: [
      {
        given: 'true',
        problems: ['FieldValueTypeInvalid: spec.boolean: Invalid value: "string": spec.boolean in body must be of type boolean: "string"'],
      },
      {
        given: 1,
        problems: [
          'FieldValueTypeInvalid: spec.boolean: Invalid value: "integer": spec.boolean in body must be of type boolean: "integer"',
        ],
      },
      { given: true },
    ],
  },
  {
    name: 'list',
    schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    values: [
      { given: [], problems: ['FieldValueInvalid: spec.list: Invalid value: 0: spec.list in body should have at least 1 items'] },
      {
        given: ['a', 5],
        problems: ['FieldValueTypeInvalid: spec.list[1]: Invalid value: "integer": spec.list[1] in body must be of type string: "integer"'],
      },
      { given: ['a', 'b', 'c'], problems: ['FieldValueTooMany: spec.list: Too many: 3: must have at most 2 items'] },
      {
        given: {},
        problems: ['FieldValueTypeInvalid: spec.list: Invalid value: "object": spec.list in body must be of type array: "object"'],
      },
      {
        given: 'x',
        problems: ['FieldValueTypeInvalid: spec.list: Invalid value: "string": spec.list in body must be of type array: "string"'],
      },
    ],
  },
  {
    name: 'listOfOne',
    schema: { type: 'array', items: { type: 'string' }, maxItems: 1 },
    values: [{ given: ['a', 'b'], problems: ['FieldValueTooMany: spec.listOfOne: Too many: 2: must have at most 1 item'] }],
  },
  {
    name: 'map',
    schema: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
    values: [
      { given: {}, problems: ['FieldValueInvalid: spec.map: Invalid value: 0: spec.map in body should have at least 1 properties'] },
      {
        given: { a: 'x' },
        problems: ['FieldValueTypeInvalid: spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"'],
      },
      { given: { a: 1, b: 2, c: 3 }, problems: ['FieldValueTooMany: spec.map: Too many: 3: must have at most 2 items'] },
      {
        given: [],
        problems: ['FieldValueTypeInvalid: spec.map: Invalid value: "array": spec.map in body must be of type object: "array"'],
      },
    ],
  },
  {
    name: 'object',
    schema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { type: 'integer' } } },
    values: [
      { given: {}, problems: ['FieldValueRequired: spec.object.a: Required value', 'FieldValueRequired: spec.object.b: Required value'] },
      {
        given: { a: 1 },
        problems: [
          'FieldValueRequired: spec.object.b: Required value',
          'FieldValueTypeInvalid: spec.object.a: Invalid value: "integer": spec.object.a in body must be of type string: "integer"',
        ],
      },
      { given: { a: 'x', b: 1 } },
    ],
  },
  {
    name: 'enumOfTexts',
    schema: { type: 'string', enum: ['a', 'b c'] },
    values: [
      { given: 'z', problems: ['FieldValueNotSupported: spec.enumOfTexts: Unsupported value: "z": supported values: "a", "b c"'] },
      {
        given: 5,
        problems: [
          'FieldValueNotSupported: spec.enumOfTexts: Unsupported value: 5: supported values: "a", "b c"',
          'FieldValueTypeInvalid: spec.enumOfTexts: Invalid value: "integer": spec.enumOfTexts in body must be of type string: "integer"',
        ],
      },
      { given: 'a' },
    ],
  },
  {
    name: 'enumOfIntegers',
    schema: { type: 'integer', enum: [1, 2] },
    values: [
      { given: 3, problems: ['FieldValueNotSupported: spec.enumOfIntegers: Unsupported value: 3: supported values: "1", "2"'] },
      { given: 1 },
      {
        given: 1.5,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.enumOfIntegers',
          'FieldValueTypeInvalid: spec.enumOfIntegers: Invalid value: "number": spec.enumOfIntegers in body must be of type integer: "number"',
        ],
      },
      {
        given: 'x',
        problems: [
          'FieldValueNotSupported: spec.enumOfIntegers: Unsupported value: "x": supported values: "1", "2"',
          'FieldValueTypeInvalid: spec.enumOfIntegers: Invalid value: "string": spec.enumOfIntegers in body must be of type integer: "string"',
        ],
      },
    ],
  },
  {
    name: 'enumOfNumbers',
    schema: { type: 'number', enum: [1, 2.5] },
    values: [
      { given: 1.5 },
      { given: 2.5 },
      { given: 1 },
      { given: 3, problems: ['FieldValueNotSupported: spec.enumOfNumbers: Unsupported value: 3: supported values: "1", "2.5"'] },
    ],
  },
  {
    name: 'nullableEnum',
    schema: { type: 'string', enum: ['a'], nullable: true },
    values: [
      { given: null, problems: ['FieldValueNotSupported: spec.nullableEnum: Unsupported value: null: supported values: "a"'] },
      { given: 'a' },
      { given: 'b', problems: ['FieldValueNotSupported: spec.nullableEnum: Unsupported value: "b": supported values: "a"'] },
    ],
  },
  {
    name: 'enumOfObjects',
    schema: { type: 'object', properties: { a: { type: 'string' } }, enum: [{ a: 'x' }] },
    values: [
      { given: { a: 'x' } },
      {
        given: { a: 'y' },
        problems: ['FieldValueNotSupported: spec.enumOfObjects: Unsupported value: {"a":"y"}: supported values: "{\\"a\\":\\"x\\"}"'],
      },
    ],
  },
  {
    name: 'length',
    schema: { type: 'string', minLength: 2, maxLength: 3 },
    values: [
      { given: 'a', problems: ['FieldValueInvalid: spec.length: Invalid value: "a": spec.length in body should be at least 2 chars long'] },
      { given: 'abcd', problems: ['FieldValueTooLong: spec.length: Too long: may not be more than 3 bytes'] },
      { given: '😀😀' },
      { given: '😀😀😀😀', problems: ['FieldValueTooLong: spec.length: Too long: may not be more than 3 bytes'] },
    ],
  },
  {
    name: 'lengthOfOne',
    schema: { type: 'string', maxLength: 1 },
    values: [{ given: 'abcd', problems: ['FieldValueTooLong: spec.lengthOfOne: Too long: may not be more than 1 byte'] }],
  },
  {
    name: 'pattern',
    schema: { type: 'string', pattern: '^a+$' },
    values: [
      { given: 'b', problems: ['FieldValueInvalid: spec.pattern: Invalid value: "b": spec.pattern in body should match \'^a+$\''] },
      { given: 'aa' },
      { given: '', problems: ['FieldValueInvalid: spec.pattern: Invalid value: "": spec.pattern in body should match \'^a+$\''] },
    ],
  },
  {
    name: 'bounds',
    schema: { type: 'integer', minimum: 2, maximum: 5 },
    values: [
      {
        given: 1,
        problems: ['FieldValueInvalid: spec.bounds: Invalid value: 1: spec.bounds in body should be greater than or equal to 2'],
      },
      { given: 6, problems: ['FieldValueInvalid: spec.bounds: Invalid value: 6: spec.bounds in body should be less than or equal to 5'] },
      { given: 2 },
      { given: 5 },
    ],
  },
  {
    name: 'exclusiveBounds',
    schema: { type: 'integer', minimum: 2, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true },
    values: [
      {
        given: 2,
        problems: ['FieldValueInvalid: spec.exclusiveBounds: Invalid value: 2: spec.exclusiveBounds in body should be greater than 2'],
      },
      {
        given: 5,
        problems: ['FieldValueInvalid: spec.exclusiveBounds: Invalid value: 5: spec.exclusiveBounds in body should be less than 5'],
      },
      { given: 3 },
    ],
  },
  {
    name: 'boundsOfNumbers',
    schema: { type: 'number', minimum: 1.5, maximum: 2.5 },
    values: [
      { given: 1 },
      { given: 2 },
      {
        given: 3,
        problems: [
          'FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 3: spec.boundsOfNumbers in body should be less than or equal to 2',
        ],
      },
      {
        given: 1.4,
        problems: [
          'FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 1.4: spec.boundsOfNumbers in body should be greater than or equal to 1.5',
        ],
      },
      {
        given: 2.6,
        problems: [
          'FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 2.6: spec.boundsOfNumbers in body should be less than or equal to 2.5',
        ],
      },
      {
        given: 1234567.25,
        problems: [
          'FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 1.23456725e+06: spec.boundsOfNumbers in body should be less than or equal to 2.5',
        ],
      },
    ],
  },
  {
    name: 'largeBound',
    schema: { type: 'number', maximum: 1000000 },
    values: [
      {
        given: 1000000.5,
        problems: [
          'FieldValueInvalid: spec.largeBound: Invalid value: 1.0000005e+06: spec.largeBound in body should be less than or equal to 1e+06',
        ],
      },
      {
        given: 2000000,
        problems: [
          'FieldValueInvalid: spec.largeBound: Invalid value: 2000000: spec.largeBound in body should be less than or equal to 1000000',
        ],
      },
    ],
  },
  {
    name: 'smallBound',
    schema: { type: 'number', maximum: 0.00001 },
    values: [
      {
        given: 0.5,
        problems: ['FieldValueInvalid: spec.smallBound: Invalid value: 0.5: spec.smallBound in body should be less than or equal to 1e-05'],
      },
      { given: 1e-7 },
    ],
  },
  {
    name: 'multipleOf',
    schema: { type: 'integer', multipleOf: 3 },
    values: [
      { given: 4, problems: ['FieldValueInvalid: spec.multipleOf: Invalid value: 4: spec.multipleOf in body should be a multiple of 3'] },
      { given: 6 },
    ],
  },
  {
    name: 'multipleOfFraction',
    schema: { type: 'number', multipleOf: 0.5 },
    values: [
      {
        given: 1,
        problems: [
          'FieldValueInvalid: spec.multipleOfFraction: Invalid value: 0: factor MultipleOf declared for spec.multipleOfFraction must be positive: 0',
        ],
      },
      { given: 1.5 },
      {
        given: 1.3,
        problems: [
          'FieldValueInvalid: spec.multipleOfFraction: Invalid value: 1.3: spec.multipleOfFraction in body should be a multiple of 0.5',
        ],
      },
    ],
  },
  {
    name: 'integersOfFraction',
    schema: { type: 'integer', multipleOf: 0.5 },
    values: [
      {
        given: 1,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in spec.integersOfFraction',
        ],
      },
      {
        given: 2,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in spec.integersOfFraction',
        ],
      },
    ],
  },
  {
    name: 'intOrString',
    schema: { 'x-kubernetes-int-or-string': true },
    values: [
      { given: 1 },
      { given: 'a' },
      {
        given: 1.5,
        problems: [
          'FieldValueTypeInvalid: spec.intOrString: Invalid value: "number": spec.intOrString in body must be of type integer,string: "number"',
        ],
      },
      {
        given: true,
        problems: [
          'FieldValueTypeInvalid: spec.intOrString: Invalid value: "boolean": spec.intOrString in body must be of type integer,string: "boolean"',
        ],
      },
      {
        given: {},
        problems: [
          'FieldValueTypeInvalid: spec.intOrString: Invalid value: "object": spec.intOrString in body must be of type integer,string: "object"',
        ],
      },
      { given: null, isDropped: true },
    ],
  },
  {
    name: 'boundedIntOrString',
    schema: { 'x-kubernetes-int-or-string': true, minimum: 2, pattern: '^a' },
    values: [
      {
        given: 1,
        problems: [
          'FieldValueInvalid: spec.boundedIntOrString: Invalid value: 1: spec.boundedIntOrString in body should be greater than or equal to 2',
        ],
      },
      {
        given: 'b',
        problems: ['FieldValueInvalid: spec.boundedIntOrString: Invalid value: "b": spec.boundedIntOrString in body should match \'^a\''],
      },
      { given: 3 },
      { given: 'a' },
    ],
  },
  {
    name: 'intOrStringByAnyOf',
    schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^a' },
    values: [
      { given: 1 },
      {
        given: 'b',
        problems: ['FieldValueInvalid: spec.intOrStringByAnyOf: Invalid value: "b": spec.intOrStringByAnyOf in body should match \'^a\''],
      },
      {
        given: true,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.intOrStringByAnyOf" must validate at least one schema (anyOf)',
          'FieldValueTypeInvalid: spec.intOrStringByAnyOf: Invalid value: "boolean": spec.intOrStringByAnyOf in body must be of type integer,string: "boolean"',
          'FieldValueTypeInvalid: spec.intOrStringByAnyOf: Invalid value: "boolean": spec.intOrStringByAnyOf in body must be of type integer: "boolean"',
        ],
      },
    ],
  },
  {
    name: 'anything',
    schema: { 'x-kubernetes-preserve-unknown-fields': true },
    values: [{ given: 1 }, { given: 'a' }, { given: { a: { b: null } } }, { given: [null] }],
  },
  {
    name: 'nullable',
    schema: { type: 'string', nullable: true },
    values: [
      { given: null },
      { given: 'x' },
      {
        given: 5,
        problems: [
          'FieldValueTypeInvalid: spec.nullable: Invalid value: "integer": spec.nullable in body must be of type string: "integer"',
        ],
      },
    ],
  },
  {
    name: 'nullableObject',
    schema: { type: 'object', nullable: true, properties: { a: { type: 'string' } } },
    values: [{ given: null }, { given: { a: null }, kept: {} }],
  },
  {
    name: 'anyOf',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      anyOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 5 } } }],
    },
    values: [
      {
        given: {},
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.anyOf" must validate at least one schema (anyOf)',
          'FieldValueRequired: spec.anyOf.a: Required value',
        ],
      },
      {
        given: { b: 1 },
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.anyOf" must validate at least one schema (anyOf)',
          'FieldValueInvalid: spec.anyOf.b: Invalid value: 1: spec.anyOf.b in body should be greater than or equal to 5',
        ],
      },
      { given: { a: 'x' } },
      { given: { b: 6 } },
    ],
  },
  {
    name: 'oneOf',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    values: [
      {
        given: {},
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema (oneOf). Found none valid',
          'FieldValueRequired: spec.oneOf.a: Required value',
        ],
      },
      {
        given: { a: 'x', b: 1 },
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema (oneOf). Found 2 valid alternatives',
        ],
      },
      { given: { a: 'x' } },
    ],
  },
  {
    name: 'allOf',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      allOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    values: [
      {
        given: {},
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.allOf" must validate all the schemas (allOf). None validated',
          'FieldValueRequired: spec.allOf.a: Required value',
          'FieldValueRequired: spec.allOf.b: Required value',
        ],
      },
      {
        given: { a: 'x' },
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.allOf" must validate all the schemas (allOf)',
          'FieldValueRequired: spec.allOf.b: Required value',
        ],
      },
      { given: { a: 'x', b: 1 } },
    ],
  },
  {
    name: 'not',
    schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, not: { required: ['a'] } },
    values: [
      { given: {} },
      { given: { a: 'x' }, problems: ['FieldValueInvalid: <nil>: Invalid value: "": "spec.not" must not validate the schema (not)'] },
    ],
  },
  {
    name: 'combinedBounds',
    schema: { type: 'integer', anyOf: [{ minimum: 10 }, { enum: [3] }], not: { maximum: 3 } },
    values: [
      { given: 3, problems: ['FieldValueInvalid: <nil>: Invalid value: "": "spec.combinedBounds" must not validate the schema (not)'] },
      { given: 11 },
      {
        given: 5,
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.combinedBounds" must validate at least one schema (anyOf)',
          'FieldValueInvalid: spec.combinedBounds: Invalid value: 5: spec.combinedBounds in body should be greater than or equal to 10',
        ],
      },
    ],
  },
  {
    name: 'set',
    schema: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    values: [
      {
        given: ['a', 'a', 'b', 'b', 'b'],
        problems: ['FieldValueDuplicate: spec.set[1]: Duplicate value: "a"', 'FieldValueDuplicate: spec.set[3]: Duplicate value: "b"'],
      },
      { given: ['a'] },
    ],
  },
  {
    name: 'setOfIntegers',
    schema: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
    values: [{ given: [1, 1], problems: ['FieldValueDuplicate: spec.setOfIntegers[1]: Duplicate value: 1'] }, { given: [1, 2] }],
  },
  {
    name: 'setOfLists',
    schema: {
      type: 'array',
      items: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'atomic' },
      'x-kubernetes-list-type': 'set',
    },
    values: [{ given: [[1], [1]], problems: ['FieldValueDuplicate: spec.setOfLists[1]: Duplicate value: [1]'] }],
  },
  {
    name: 'listMap',
    schema: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, x: { type: 'integer' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    values: [
      { given: [{ name: 'a' }, { name: 'a' }], problems: ['FieldValueDuplicate: spec.listMap[1]: Duplicate value: {"name":"a"}'] },
      { given: [{}], problems: ['FieldValueRequired: spec.listMap[0].name: Required value'] },
      {
        given: [5],
        problems: [
          'FieldValueInvalid: spec.listMap[0]: Invalid value: 5: must be an object for an array of list-type map',
          'FieldValueTypeInvalid: spec.listMap[0]: Invalid value: "integer": spec.listMap[0] in body must be of type object: "integer"',
        ],
      },
      {
        given: [{ name: 5 }, { name: 5 }],
        problems: [
          'FieldValueDuplicate: spec.listMap[1]: Duplicate value: {"name":5}',
          'FieldValueTypeInvalid: spec.listMap[0].name: Invalid value: "integer": spec.listMap[0].name in body must be of type string: "integer"',
          'FieldValueTypeInvalid: spec.listMap[1].name: Invalid value: "integer": spec.listMap[1].name in body must be of type string: "integer"',
        ],
      },
    ],
  },
  {
    name: 'listMapOfTwoKeys',
    schema: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, port: { type: 'integer', default: 1 } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
    },
    values: [
      {
        given: [{ name: 'a' }, { name: 'a', port: 1 }],
        problems: ['FieldValueDuplicate: spec.listMapOfTwoKeys[1]: Duplicate value: {"name":"a","port":1}'],
      },
      {
        given: [{ name: 'a' }, { name: 'a', port: 2 }],
        kept: [
          { name: 'a', port: 1 },
          { name: 'a', port: 2 },
        ],
      },
    ],
  },
  {
    name: 'embedded',
    schema: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    values: [
      {
        given: {},
        problems: [
          'FieldValueRequired: spec.embedded.apiVersion: Required value',
          'FieldValueRequired: spec.embedded.kind: Required value',
        ],
      },
      { given: { apiVersion: 'v1', kind: 'Pod' } },
      {
        given: { apiVersion: 'a/b/c', kind: 'P_d' },
        problems: [
          'FieldValueInvalid: spec.embedded.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
          "FieldValueInvalid: spec.embedded.kind: Invalid value: \"P_d\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ],
      },
      {
        given: { apiVersion: '', kind: '' },
        problems: [
          'FieldValueInvalid: spec.embedded.apiVersion: Invalid value: "": must not be empty',
          'FieldValueInvalid: spec.embedded.kind: Invalid value: "": must not be empty',
        ],
      },
      {
        given: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'A/b', labels: { 'a b': '!' }, foo: 1 } },
        problems: [
          "FieldValueInvalid: spec.embedded.metadata.labels: Invalid value: \"!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          "FieldValueInvalid: spec.embedded.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          'FieldValueInvalid: spec.embedded.metadata.name: Invalid value: "A/b": may not contain \'/\'',
        ],
      },
      { given: { apiVersion: 5, kind: 'Pod' }, refused: 'spec.embedded.apiVersion: Invalid value: 5: must be a string' },
      {
        given: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 5 } },
        refused:
          'spec.embedded.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
      },
      {
        given: { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'A_b' } },
        problems: [
          "FieldValueInvalid: spec.embedded.metadata.namespace: Invalid value: \"A_b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        ],
      },
      { given: { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['x'] } } },
      { given: { apiVersion: 'v1', kind: 'Pod', metadata: null }, kept: { apiVersion: 'v1', kind: 'Pod', metadata: {} } },
      {
        given: { apiVersion: 'v1', kind: 'Pod', metadata: 'x' },
        refused: 'spec.embedded.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
      },
    ],
  },
  {
    name: 'nothingMore',
    schema: { type: 'object', additionalProperties: false },
    values: [
      {
        given: { a: 1 },
        problems: ['FieldValueInvalid: spec.nothingMore: Invalid value: "a": spec.nothingMore.a in body is a forbidden property'],
      },
      { given: {} },
    ],
  },
  {
    name: 'anythingMore',
    schema: { type: 'object', additionalProperties: true },
    values: [
      {
        given: { a: 1, b: { c: 1 }, d: [{ e: 1 }] },
        kept: { a: 1, b: {}, d: [{}] },
        unknown: ['spec.anythingMore.b.c', 'spec.anythingMore.d[0].e'],
      },
      { given: {} },
    ],
  },
  {
    name: 'objectThatKeeps',
    schema: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        a: { type: 'object', properties: { x: { type: 'integer' } } },
        l: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
      },
    },
    values: [
      {
        given: { a: { x: 1, y: 2 }, b: { c: 1 }, l: [{ x: 1, y: 2 }] },
        kept: { a: { x: 1 }, b: { c: 1 }, l: [{ x: 1 }] },
        unknown: ['spec.objectThatKeeps.a.y', 'spec.objectThatKeeps.l[0].y'],
      },
    ],
  },
  {
    name: 'listThatKeeps',
    schema: {
      type: 'array',
      'x-kubernetes-preserve-unknown-fields': true,
      items: { type: 'object', properties: { x: { type: 'object', properties: { y: { type: 'integer' } } } } },
    },
    values: [{ given: [{ x: { y: 1, z: 1 }, w: 1 }], kept: [{ w: 1, x: { y: 1 } }], unknown: ['spec.listThatKeeps[0].x.z'] }],
  },
  {
    name: 'defaults',
    schema: {
      type: 'object',
      default: {},
      properties: {
        a: { type: 'string', default: 'x' },
        b: { type: 'array', items: { type: 'object', properties: { c: { type: 'integer', default: 3 } } } },
      },
    },
    values: [
      { given: {}, kept: { a: 'x' } },
      { given: { a: null, b: [{}, { c: null }] }, kept: { a: 'x', b: [{ c: 3 }, { c: 3 }] } },
      { given: null, kept: { a: 'x' } },
    ],
  },
  {
    name: 'nullInMap',
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    values: [{ given: { a: null, b: 'x' }, kept: { b: 'x' } }],
  },
  {
    name: 'nullInList',
    schema: { type: 'array', items: { type: 'string' } },
    values: [
      {
        given: ['a', null],
        problems: [
          'FieldValueTypeInvalid: spec.nullInList[1]: Invalid value: "null": spec.nullInList[1] in body must be of type string: "null"',
        ],
      },
    ],
  },
  {
    name: 'date',
    schema: { type: 'string', format: 'date' },
    values: [
      {
        given: '2020-02-30',
        problems: ['FieldValueTypeInvalid: spec.date: Invalid value: "2020-02-30": spec.date in body must be of type date: "2020-02-30"'],
      },
      { given: '2020-02-29' },
      { given: 5, problems: ['FieldValueTypeInvalid: spec.date: Invalid value: "int64": spec.date in body must be of type date: "int64"'] },
      { given: ['a'] },
      { given: true, problems: ['FieldValueTypeInvalid: spec.date: Invalid value: "": spec.date in body must be of type date: ""'] },
      { given: {}, problems: ['FieldValueTypeInvalid: spec.date: Invalid value: "": spec.date in body must be of type date: ""'] },
    ],
  },
  {
    name: 'unknownFormat',
    schema: { type: 'string', format: 'nonsense' },
    values: [
      { given: 'x' },
      {
        given: 5,
        problems: [
          'FieldValueTypeInvalid: spec.unknownFormat: Invalid value: "integer": spec.unknownFormat in body must be of type string: "integer"',
        ],
      },
    ],
  },
  {
    name: 'deep',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'array', items: { type: 'object', properties: { z: { type: 'integer' } } } } },
          },
        },
      },
    },
    values: [
      {
        given: { a: { 'x.y/z': { k: [{ z: 'q' }] }, m: {} } },
        problems: [
          'FieldValueRequired: spec.deep.a.m.k: Required value',
          'FieldValueTypeInvalid: spec.deep.a.x.y/z.k[0].z: Invalid value: "string": spec.deep.a.x.y/z.k[0].z in body must be of type integer: "string"',
        ],
      },
    ],
  },
  {
    name: 'nearestOfTexts',
    schema: {
      type: 'string',
      anyOf: [
        { maxLength: 2, pattern: 'c$' },
        { enum: ['a', 'abc'], not: { enum: ['a'] } },
      ],
    },
    values: [
      {
        given: '',
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfTexts" must validate at least one schema (anyOf)',
          'FieldValueInvalid: spec.nearestOfTexts: Invalid value: "": spec.nearestOfTexts in body should match \'c$\'',
        ],
      },
      {
        given: 'abcdef',
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfTexts" must validate at least one schema (anyOf)',
          'FieldValueTooLong: spec.nearestOfTexts: Too long: may not be more than 2 bytes',
        ],
      },
    ],
  },
  {
    name: 'nearestOfObject',
    schema: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      anyOf: [{ minProperties: 2 }, { maxProperties: 0, not: { enum: [1] } }],
    },
    values: [
      {
        given: { a: 1 },
        problems: [
          'FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfObject" must validate at least one schema (anyOf)',
          'FieldValueInvalid: spec.nearestOfObject: Invalid value: 1: spec.nearestOfObject in body should have at least 2 properties',
        ],
      },
    ],
  },
];
