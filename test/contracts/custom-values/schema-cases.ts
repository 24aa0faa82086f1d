// Schemas of custom resources, and why a kube-apiserver refuses them; the real one is the judge (test/cluster/custom-values.test.ts).

export interface SchemaCase {
  name: string;
  /** As somebody wrote it, with words that no schema may have. */
  schema: object;
  /** `reason: field: message`, ordered; the schema's own path is `schema`. None for a schema that is taken. */
  problems: readonly string[];
}

export const schemaCases: readonly SchemaCase[] = [
  {
    name: 'plain',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } },
    problems: [],
  },
  { name: 'noType', schema: {}, problems: ['FieldValueRequired: schema.type: Required value: must not be empty at the root'] },
  { name: 'emptyType', schema: { type: '' }, problems: ['FieldValueRequired: schema.type: Required value: must not be empty at the root'] },
  {
    name: 'rootArray',
    schema: { type: 'array', items: { type: 'string' } },
    problems: ['FieldValueInvalid: schema.type: Invalid value: "array": must be object at the root'],
  },
  {
    name: 'rootString',
    schema: { type: 'string' },
    problems: ['FieldValueInvalid: schema.type: Invalid value: "string": must be object at the root'],
  },
  {
    name: 'rootNullable',
    schema: { type: 'object', nullable: true },
    problems: ['FieldValueForbidden: schema.nullable: Forbidden: nullable cannot be true at the root'],
  },
  {
    name: 'rootAdditional',
    schema: { type: 'object', additionalProperties: true },
    problems: ['FieldValueForbidden: schema.additionalProperties: Forbidden: must not be used at the root'],
  },
  { name: 'rootKeep', schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, problems: [] },
  {
    name: 'keepFalse',
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
    problems: ['FieldValueInvalid: schema.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
  },
  {
    name: 'rootDefault',
    schema: { type: 'object', default: {} },
    problems: ['FieldValueRequired: schema.default.apiVersion: Required value', 'FieldValueRequired: schema.default.kind: Required value'],
  },
  {
    name: 'fieldNoType',
    schema: { type: 'object', properties: { spec: {} } },
    problems: ['FieldValueRequired: schema.properties[spec].type: Required value: must not be empty for specified object fields'],
  },
  {
    name: 'itemNoType',
    schema: { type: 'object', properties: { spec: { type: 'array', items: {} } } },
    problems: ['FieldValueRequired: schema.properties[spec].items.type: Required value: must not be empty for specified array items'],
  },
  {
    name: 'arrayNoItems',
    schema: { type: 'object', properties: { spec: { type: 'array' } } },
    problems: ['FieldValueRequired: schema.properties[spec].items: Required value: must be specified'],
  },
  {
    name: 'itemsArray',
    schema: { type: 'object', properties: { spec: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } } },
    problems: ['FieldValueForbidden: schema.properties[spec].items: Forbidden: items must be a schema object and not an array'],
  },
  {
    name: 'badType',
    schema: { type: 'object', properties: { spec: { type: 'text' } } },
    problems: [
      'FieldValueNotSupported: schema.properties[spec].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  {
    name: 'nullType',
    schema: { type: 'object', properties: { spec: { type: 'null' } } },
    problems: [
      'FieldValueForbidden: schema.properties[spec].type: Forbidden: type cannot be set to null, use nullable as an alternative',
      'FieldValueNotSupported: schema.properties[spec].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  { name: 'id', schema: { type: 'object', id: 'x' }, problems: ['FieldValueForbidden: schema.id: Forbidden: id is not supported'] },
  {
    name: 'dollarSchema',
    schema: { type: 'object', $schema: 'http://x' },
    problems: ['FieldValueInvalid: schema: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported'],
  },
  {
    name: 'ref',
    schema: { type: 'object', properties: { spec: { $ref: '#/definitions/x' } } },
    problems: ['FieldValueForbidden: schema.properties[spec].$ref: Forbidden: $ref is not supported'],
  },
  {
    name: 'refType',
    schema: { type: 'object', properties: { spec: { type: 'object', $ref: '#/definitions/x' } } },
    problems: ['FieldValueForbidden: schema.properties[spec].$ref: Forbidden: $ref is not supported'],
  },
  {
    name: 'definitions',
    schema: { type: 'object', definitions: { a: { type: 'string' } } },
    problems: ['FieldValueForbidden: schema.definitions: Forbidden: definitions is not supported'],
  },
  {
    name: 'dependencies',
    schema: { type: 'object', dependencies: { a: ['b'] } },
    problems: ['FieldValueForbidden: schema.dependencies: Forbidden: dependencies is not supported'],
  },
  {
    name: 'patternProperties',
    schema: { type: 'object', properties: { spec: { type: 'object', patternProperties: { '^a': { type: 'string' } } } } },
    problems: ['FieldValueForbidden: schema.properties[spec].patternProperties: Forbidden: patternProperties is not supported'],
  },
  {
    name: 'additionalItems',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, additionalItems: true } } },
    problems: ['FieldValueForbidden: schema.properties[spec].additionalItems: Forbidden: additionalItems is not supported'],
  },
  {
    name: 'unique',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, uniqueItems: true } } },
    problems: [
      'FieldValueForbidden: schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  },
  {
    name: 'mixed',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  {
    name: 'mixedTrue',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true } } },
    problems: [],
  },
  {
    name: 'mixedFalse',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  {
    name: 'addNoType',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: {} } } },
    problems: [
      'FieldValueRequired: schema.properties[spec].additionalProperties.type: Required value: must not be empty for specified object fields',
    ],
  },
  { name: 'addTrue', schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: true } } }, problems: [] },
  {
    name: 'embNoType',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-embedded-resource': true } } },
    problems: [
      'FieldValueRequired: schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      'FieldValueRequired: schema.properties[spec].type: Required value: must be object if x-kubernetes-embedded-resource is true',
    ],
  },
  {
    name: 'embString',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-embedded-resource': true } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
      'FieldValueRequired: schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  },
  {
    name: 'embEmpty',
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
    problems: [
      'FieldValueRequired: schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  },
  {
    name: 'embKeep',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
    },
    problems: [],
  },
  {
    name: 'embAdd',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: { type: 'string' } } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
      'FieldValueRequired: schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  },
  {
    name: 'embMeta',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { kind: { type: 'integer' }, apiVersion: { type: 'integer' }, metadata: { type: 'string' } },
        },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].properties[apiVersion].type: Invalid value: "integer": must be string',
      'FieldValueInvalid: schema.properties[spec].properties[kind].type: Invalid value: "integer": must be string',
      'FieldValueInvalid: schema.properties[spec].properties[metadata].type: Invalid value: "string": must be object',
    ],
  },
  {
    name: 'embMetaOk',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: {
            spec: { type: 'object', properties: {} },
            metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } },
          },
        },
      },
    },
    problems: [],
  },
  {
    name: 'iosKeep',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  },
  {
    name: 'iosEmb',
    schema: {
      type: 'object',
      properties: {
        spec: {
          'x-kubernetes-int-or-string': true,
          'x-kubernetes-embedded-resource': true,
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  },
  {
    name: 'iosAny',
    schema: {
      type: 'object',
      properties: { spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    },
    problems: [],
  },
  {
    name: 'iosAnyOther',
    schema: {
      type: 'object',
      properties: { spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  },
  {
    name: 'iosAll',
    schema: {
      type: 'object',
      properties: {
        spec: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] },
      },
    },
    problems: [],
  },
  {
    name: 'iosType',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, type: 'integer' } } },
    problems: [],
  },
  {
    name: 'anyOfNoIos',
    schema: { type: 'object', properties: { spec: { type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
    problems: [],
  },
  {
    name: 'rootKind',
    schema: { type: 'object', properties: { kind: { type: 'integer' }, apiVersion: { type: 'boolean' }, metadata: { type: 'string' } } },
    problems: [
      'FieldValueInvalid: schema.properties[apiVersion].type: Invalid value: "boolean": must be string',
      'FieldValueInvalid: schema.properties[kind].type: Invalid value: "integer": must be string',
      'FieldValueInvalid: schema.properties[metadata].type: Invalid value: "string": must be object',
    ],
  },
  {
    name: 'rootMeta',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'rootMetaName',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5, pattern: '^a' } } } },
    },
    problems: [],
  },
  {
    name: 'rootMetaDesc',
    schema: { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
    problems: [
      'FieldValueForbidden: schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'rootMetaReq',
    schema: { type: 'object', properties: { metadata: { type: 'object', required: ['name'] } } },
    problems: [
      'FieldValueForbidden: schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'rootMetaKeep',
    schema: { type: 'object', properties: { metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    problems: [
      'FieldValueForbidden: schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  },
  {
    name: 'rootMetaDefault',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[metadata].default: Forbidden: must not be set in top-level metadata',
      'FieldValueForbidden: schema.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    ],
  },
  {
    name: 'nested',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'string' } },
          anyOf: [
            {
              type: 'object',
              title: 't',
              description: 'd',
              nullable: true,
              default: {},
              properties: { a: { type: 'string' }, metadata: {} },
              additionalProperties: true,
              'x-kubernetes-preserve-unknown-fields': true,
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-int-or-string': true,
              'x-kubernetes-list-type': 'set',
              'x-kubernetes-list-map-keys': ['a'],
              'x-kubernetes-map-type': 'atomic',
              'x-kubernetes-validations': [{ rule: 'true' }],
            },
          ],
        },
      },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].anyOf[0].additionalProperties: Forbidden: must be undefined to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].default: Forbidden: must be undefined to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].description: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].nullable: Forbidden: must be false to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].properties[a].type: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].title: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural',
      'FieldValueForbidden: schema.properties[spec].anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
      'FieldValueInvalid: schema.properties[spec].anyOf[0].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
      'FieldValueInvalid: schema.properties[spec].anyOf[0].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  },
  {
    name: 'nestedMissing',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'string' } },
          not: { properties: { b: { minimum: 1 } } },
          allOf: [{ properties: { a: { pattern: 'x' } } }],
          oneOf: [{ items: { minimum: 1 } }],
        },
      },
    },
    problems: [],
  },
  {
    name: 'nestedDeep',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'object', properties: {} } },
          anyOf: [{ properties: { a: { properties: { b: { items: { minimum: 1 } } } } } }],
        },
      },
    },
    problems: [],
  },
  {
    name: 'nestedMap',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          additionalProperties: { type: 'string' },
          anyOf: [{ additionalProperties: { pattern: 'a' } }, { properties: { x: { pattern: 'a' } } }],
        },
      },
    },
    problems: ['FieldValueForbidden: schema.properties[spec].anyOf[0].additionalProperties: Forbidden: must be undefined to be structural'],
  },
  {
    name: 'pattern',
    schema: { type: 'object', properties: { spec: { type: 'string', pattern: '[' } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
    ],
  },
  {
    name: 'patterns',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            p0: { type: 'string', pattern: '(' },
            p1: { type: 'string', pattern: ')' },
            p2: { type: 'string', pattern: '*' },
            p3: { type: 'string', pattern: 'a**' },
            p4: { type: 'string', pattern: '(?=a)' },
            p5: { type: 'string', pattern: 'a{2,1}' },
            p6: { type: 'string', pattern: '\\' },
            p7: { type: 'string', pattern: '[z-a]' },
            p8: { type: 'string', pattern: 'a{1001}' },
            p9: { type: 'string', pattern: '\\Z' },
            p10: { type: 'string', pattern: '\\8' },
            p12: { type: 'string', pattern: '(?<x>a)' },
            p13: { type: 'string', pattern: '\\pX' },
            p14: { type: 'string', pattern: '[[:foo:]]' },
            p15: { type: 'string', pattern: '(?i' },
            p16: { type: 'string', pattern: '(?z)a' },
            p17: { type: 'string', pattern: 'x{2}{3}' },
            p18: { type: 'string', pattern: '((a{100}){100}){100}' },
            p19: { type: 'string', pattern: '\\C' },
          },
        },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].properties[p0].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      'FieldValueInvalid: schema.properties[spec].properties[p10].pattern: Invalid value: "\\\\8": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\8`',
      'FieldValueInvalid: schema.properties[spec].properties[p13].pattern: Invalid value: "\\\\pX": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `\\pX`',
      'FieldValueInvalid: schema.properties[spec].properties[p14].pattern: Invalid value: "[[:foo:]]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `[:foo:]`',
      'FieldValueInvalid: schema.properties[spec].properties[p15].pattern: Invalid value: "(?i": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?i`',
      'FieldValueInvalid: schema.properties[spec].properties[p16].pattern: Invalid value: "(?z)a": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?z`',
      'FieldValueInvalid: schema.properties[spec].properties[p17].pattern: Invalid value: "x{2}{3}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `{2}{3}`',
      'FieldValueInvalid: schema.properties[spec].properties[p18].pattern: Invalid value: "((a{100}){100}){100}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{100}`',
      'FieldValueInvalid: schema.properties[spec].properties[p19].pattern: Invalid value: "\\\\C": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\C`',
      'FieldValueInvalid: schema.properties[spec].properties[p1].pattern: Invalid value: ")": must be a valid regular expression, but isn\'t: error parsing regexp: unexpected ): `)`',
      'FieldValueInvalid: schema.properties[spec].properties[p2].pattern: Invalid value: "*": must be a valid regular expression, but isn\'t: error parsing regexp: missing argument to repetition operator: `*`',
      'FieldValueInvalid: schema.properties[spec].properties[p3].pattern: Invalid value: "a**": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `**`',
      'FieldValueInvalid: schema.properties[spec].properties[p4].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      'FieldValueInvalid: schema.properties[spec].properties[p5].pattern: Invalid value: "a{2,1}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{2,1}`',
      'FieldValueInvalid: schema.properties[spec].properties[p6].pattern: Invalid value: "\\\\": must be a valid regular expression, but isn\'t: error parsing regexp: trailing backslash at end of expression: ``',
      'FieldValueInvalid: schema.properties[spec].properties[p7].pattern: Invalid value: "[z-a]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `z-a`',
      'FieldValueInvalid: schema.properties[spec].properties[p8].pattern: Invalid value: "a{1001}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{1001}`',
      'FieldValueInvalid: schema.properties[spec].properties[p9].pattern: Invalid value: "\\\\Z": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\Z`',
    ],
  },
  {
    name: 'nestedPattern',
    schema: { type: 'object', properties: { spec: { type: 'string', not: { pattern: '(' } } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].not.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  },
  {
    name: 'mapTypeNoObj',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-map-type': 'atomic' } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
    ],
  },
  {
    name: 'mapTypeBad',
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-map-type': 'x' } } },
    problems: [
      'FieldValueNotSupported: schema.properties[spec].x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
    ],
  },
  {
    name: 'mapTypeNone',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' } } },
    problems: ['FieldValueRequired: schema.properties[spec].type: Required value: must be object if x-kubernetes-map-type is specified'],
  },
  {
    name: 'listTypeNoArr',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-list-type': 'set' } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
  },
  {
    name: 'listTypeNone',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'set' } } },
    problems: ['FieldValueRequired: schema.properties[spec].type: Required value: must be array if x-kubernetes-list-type is specified'],
  },
  {
    name: 'listTypeBad',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'x' } } },
    problems: [
      'FieldValueNotSupported: schema.properties[spec].x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
    ],
  },
  {
    name: 'keysNoType',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    problems: [
      'FieldValueRequired: schema.properties[spec].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  },
  {
    name: 'keysSet',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  },
  {
    name: 'mapNoKeys',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, 'x-kubernetes-list-type': 'map' },
      },
    },
    problems: [
      'FieldValueRequired: schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  },
  {
    name: 'mapNoItems',
    schema: {
      type: 'object',
      properties: { spec: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] } },
    },
    problems: [
      'FieldValueRequired: schema.properties[spec].items: Required value: must be specified',
      'FieldValueRequired: schema.properties[spec].items: Required value: must have a schema if x-kubernetes-list-type is map',
    ],
  },
  {
    name: 'mapStr',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
  },
  {
    name: 'mapKeysBad',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              a: { type: 'object', properties: {} },
              b: { type: 'string' },
              c: { type: 'string', nullable: true, default: 'x' },
              d: { type: 'array', items: { type: 'string' } },
            },
            required: ['a', 'd'],
            nullable: true,
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['a', 'b', 'b', 'c', 'd', 'z'],
        },
      },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map',
      'FieldValueForbidden: schema.properties[spec].items.properties[c].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      'FieldValueInvalid: schema.properties[spec].items.properties[a].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'FieldValueInvalid: schema.properties[spec].items.properties[d].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["a","b","b","c","d","z"]: entries must all be names of item properties',
      'FieldValueInvalid: schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["a","b","b","c","d","z"]: must not contain duplicate entries',
      'FieldValueRequired: schema.properties[spec].items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'FieldValueRequired: schema.properties[spec].items.properties[b].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  },
  {
    name: 'setObj',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, 'x-kubernetes-list-type': 'set' },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  {
    name: 'setArr',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [] },
          'x-kubernetes-list-type': 'set',
        },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].items.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      'FieldValueInvalid: schema.properties[spec].items.x-kubernetes-list-type: Invalid value: "map": must be atomic as item of a list with x-kubernetes-list-type=set',
      'FieldValueRequired: schema.properties[spec].items.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  },
  {
    name: 'setNull',
    schema: {
      type: 'object',
      properties: { spec: { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' } },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
    ],
  },
  {
    name: 'setAtomic',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
          'x-kubernetes-list-type': 'set',
        },
      },
    },
    problems: [],
  },
  {
    name: 'setObjList',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', 'x-kubernetes-list-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].items.type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
      'FieldValueInvalid: schema.properties[spec].items.x-kubernetes-map-type: Invalid value: "atomic": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  {
    name: 'defType',
    schema: { type: 'object', properties: { spec: { type: 'integer', default: 'x' } } },
    problems: [
      'FieldValueTypeInvalid: schema.properties[spec].default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
  },
  {
    name: 'defUnknown',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, default: { a: 'x', b: 1 } } } },
    problems: ['FieldValueInvalid: schema.properties[spec].default: Invalid value: {"a":"x","b":1}: must not have unknown fields'],
  },
  {
    name: 'defNested',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 'x' } } } },
    problems: [
      'FieldValueTypeInvalid: schema.properties[spec].default.a: Invalid value: "string": a in body must be of type integer: "string"',
    ],
  },
  {
    name: 'defEnum',
    schema: { type: 'object', properties: { spec: { type: 'string', enum: ['a'], default: 'b' } } },
    problems: ['FieldValueNotSupported: schema.properties[spec].default: Unsupported value: "b": supported values: "a"'],
  },
  { name: 'defNull', schema: { type: 'object', properties: { spec: { type: 'string', default: null } } }, problems: [] },
  {
    name: 'defNullable',
    schema: { type: 'object', properties: { spec: { type: 'string', nullable: true, default: null } } },
    problems: [],
  },
  {
    name: 'defReq',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], default: {} } },
    },
    problems: ['FieldValueRequired: schema.properties[spec].default.a: Required value'],
  },
  {
    name: 'defList',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'integer' }, default: ['x'] } } },
    problems: [
      'FieldValueTypeInvalid: schema.properties[spec].default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"',
    ],
  },
  {
    name: 'defInItems',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string', default: 5 } } } },
    problems: [
      'FieldValueTypeInvalid: schema.properties[spec].items.default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  },
  {
    name: 'defInMap',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } } },
    problems: [],
  },
  {
    name: 'defInMapBad',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string', default: 5 } } } },
    problems: [],
  },
  {
    name: 'defEmb',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          default: { metadata: { name: 'x' } },
        },
      },
    },
    problems: [
      'FieldValueRequired: schema.properties[spec].default.apiVersion: Required value',
      'FieldValueRequired: schema.properties[spec].default.kind: Required value',
    ],
  },
  {
    name: 'defEmbBad',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          default: { apiVersion: 5, kind: 'x' },
        },
      },
    },
    problems: ['FieldValueInvalid: schema.properties[spec].default.apiVersion: Invalid value: 5: must be a string'],
  },
  {
    name: 'defEmbOk',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          default: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'A', foo: 1, labels: { 'a b': 'x' } } },
        },
      },
    },
    problems: [
      "FieldValueInvalid: schema.properties[spec].default.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  },
  {
    name: 'defInMeta',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            kind: { type: 'string', default: 'p_d' },
            apiVersion: { type: 'string', default: 'a/b/c' },
            metadata: {
              type: 'object',
              properties: {
                name: { type: 'string', default: 'a/b' },
                labels: { type: 'object', default: { a: '!' }, additionalProperties: { type: 'string' } },
                generation: { type: 'string', default: 'x' },
                foo: { type: 'string', default: 'x' },
              },
            },
          },
        },
      },
    },
    problems: [
      'FieldValueInvalid: schema.properties[spec].properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "FieldValueInvalid: schema.properties[spec].properties[kind].default: Invalid value: \"p_d\": must result in valid metadata: kind: Invalid value: \"p_d\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'FieldValueInvalid: schema.properties[spec].properties[metadata].properties[generation].default: Invalid value: "x": must result in valid metadata: metadata: Invalid value: {"generation":"x"}: json: cannot unmarshal string into Go struct field ObjectMeta.generation of type int64',
      "FieldValueInvalid: schema.properties[spec].properties[metadata].properties[labels].default: Invalid value: {\"a\":\"!\"}: must result in valid metadata: metadata.labels: Invalid value: \"!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'FieldValueInvalid: schema.properties[spec].properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ],
  },
  {
    name: 'defInMetaMap',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            metadata: {
              type: 'object',
              properties: { labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } },
            },
          },
        },
      },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata',
    ],
  },
  {
    name: 'embInMeta',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            metadata: {
              type: 'object',
              properties: {
                labels: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      },
    },
    problems: [
      'FieldValueForbidden: schema.properties[spec].properties[metadata].properties[labels].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
    ],
  },
  {
    name: 'defRule',
    schema: { type: 'object', properties: { spec: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 5' }] } } },
    problems: ['FieldValueInvalid: schema.properties[spec].default: Invalid value: 1: failed rule: self > 5'],
  },
  {
    name: 'defRuleObj',
    schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'integer' } },
          default: { a: 1 },
          'x-kubernetes-validations': [{ rule: 'self.a > 5', fieldPath: '.a' }],
        },
      },
    },
    problems: ['FieldValueInvalid: schema.properties[spec].default.a: Invalid value: failed rule: self.a > 5'],
  },
  {
    name: 'defPattern',
    schema: { type: 'object', properties: { spec: { type: 'string', pattern: '^a', default: 'b', maxLength: 0 } } },
    problems: ['FieldValueTooLong: schema.properties[spec].default: Too long: may not be more than 0 bytes'],
  },
  { name: 'defIos', schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, default: true } } }, problems: [] },
  { name: 'defIosOk', schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, default: 1 } } }, problems: [] },
  {
    name: 'defFormat',
    schema: { type: 'object', properties: { spec: { type: 'string', format: 'date', default: 'x' } } },
    problems: ['FieldValueTypeInvalid: schema.properties[spec].default: Invalid value: "x":  in body must be of type date: "x"'],
  },
  {
    name: 'defKeep',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, default: { a: 1 } } } },
    problems: [],
  },
  {
    name: 'defAtRootKind',
    schema: { type: 'object', properties: { kind: { type: 'string', default: 'x' } } },
    problems: ['FieldValueForbidden: schema.properties[kind].default: Forbidden: must not be set in top-level kind'],
  },
  {
    name: 'rulesNested',
    schema: { type: 'object', properties: { spec: { type: 'integer', allOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 1' }] }] } } },
    problems: ['FieldValueForbidden: schema.properties[spec].allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural'],
  },
  {
    name: 'badAnd',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'text' }, b: {} } } } },
    problems: [
      'FieldValueNotSupported: schema.properties[spec].properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      'FieldValueRequired: schema.properties[spec].properties[b].type: Required value: must not be empty for specified object fields',
    ],
  },
  {
    name: 'defOrder',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, default: ['a', { b: 1, a: 2 }] } } },
    problems: [
      'FieldValueInvalid: schema.properties[spec].default: Invalid value: ["a",{"a":2,"b":1}]: must not have unknown fields',
      'FieldValueTypeInvalid: schema.properties[spec].default.[1]: Invalid value: "object": [1] in body must be of type string: "object"',
    ],
  },
];
