// Schemas of custom resources, and why a kube-apiserver refuses them; the real one is the judge (test/cluster/custom-resources.test.ts).

export interface SchemaCase {
  name: string;
  /** As somebody wrote it, with words that no schema may have. */
  schema: object;
  /** The fields that a kube-apiserver names; the schema's own path is `schema`. None for a schema that is taken. */
  fields: readonly string[];
}

export const schemaCases: readonly SchemaCase[] = [
  {
    name: 'plain',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } },
    fields: [],
  },
  { name: 'noType', schema: {}, fields: ['schema.type'] },
  { name: 'emptyType', schema: { type: '' }, fields: ['schema.type'] },
  {
    name: 'rootArray',
    schema: { type: 'array', items: { type: 'string' } },
    fields: ['schema.type'],
  },
  {
    name: 'rootString',
    schema: { type: 'string' },
    fields: ['schema.type'],
  },
  {
    name: 'rootNullable',
    schema: { type: 'object', nullable: true },
    fields: ['schema.nullable'],
  },
  {
    name: 'rootAdditional',
    schema: { type: 'object', additionalProperties: true },
    fields: ['schema.additionalProperties'],
  },
  { name: 'rootKeep', schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, fields: [] },
  {
    name: 'keepFalse',
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
    fields: ['schema.x-kubernetes-preserve-unknown-fields'],
  },
  {
    name: 'rootDefault',
    schema: { type: 'object', default: {} },
    fields: ['schema.default.apiVersion', 'schema.default.kind'],
  },
  {
    name: 'fieldNoType',
    schema: { type: 'object', properties: { spec: {} } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'itemNoType',
    schema: { type: 'object', properties: { spec: { type: 'array', items: {} } } },
    fields: ['schema.properties[spec].items.type'],
  },
  {
    name: 'arrayNoItems',
    schema: { type: 'object', properties: { spec: { type: 'array' } } },
    fields: ['schema.properties[spec].items'],
  },
  {
    name: 'itemsArray',
    schema: { type: 'object', properties: { spec: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } } },
    fields: ['schema.properties[spec].items'],
  },
  {
    name: 'badType',
    schema: { type: 'object', properties: { spec: { type: 'text' } } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'nullType',
    schema: { type: 'object', properties: { spec: { type: 'null' } } },
    fields: ['schema.properties[spec].type', 'schema.properties[spec].type'],
  },
  { name: 'id', schema: { type: 'object', id: 'x' }, fields: ['schema.id'] },
  {
    name: 'dollarSchema',
    schema: { type: 'object', $schema: 'http://x' },
    fields: ['schema'],
  },
  {
    name: 'ref',
    schema: { type: 'object', properties: { spec: { $ref: '#/definitions/x' } } },
    fields: ['schema.properties[spec].$ref'],
  },
  {
    name: 'refType',
    schema: { type: 'object', properties: { spec: { type: 'object', $ref: '#/definitions/x' } } },
    fields: ['schema.properties[spec].$ref'],
  },
  {
    name: 'definitions',
    schema: { type: 'object', definitions: { a: { type: 'string' } } },
    fields: ['schema.definitions'],
  },
  {
    name: 'dependencies',
    schema: { type: 'object', dependencies: { a: ['b'] } },
    fields: ['schema.dependencies'],
  },
  {
    name: 'patternProperties',
    schema: { type: 'object', properties: { spec: { type: 'object', patternProperties: { '^a': { type: 'string' } } } } },
    fields: ['schema.properties[spec].patternProperties'],
  },
  {
    name: 'additionalItems',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, additionalItems: true } } },
    fields: ['schema.properties[spec].additionalItems'],
  },
  {
    name: 'unique',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, uniqueItems: true } } },
    fields: ['schema.properties[spec].uniqueItems'],
  },
  {
    name: 'mixed',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } } },
    },
    fields: ['schema.properties[spec].additionalProperties'],
  },
  {
    name: 'mixedTrue',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true } } },
    fields: [],
  },
  {
    name: 'mixedFalse',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false } },
    },
    fields: ['schema.properties[spec].additionalProperties'],
  },
  {
    name: 'addNoType',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: {} } } },
    fields: ['schema.properties[spec].additionalProperties.type'],
  },
  { name: 'addTrue', schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: true } } }, fields: [] },
  {
    name: 'embNoType',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-embedded-resource': true } } },
    fields: ['schema.properties[spec].properties', 'schema.properties[spec].type'],
  },
  {
    name: 'embString',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-embedded-resource': true } } },
    fields: ['schema.properties[spec].type', 'schema.properties[spec].properties'],
  },
  {
    name: 'embEmpty',
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
    fields: ['schema.properties[spec].properties'],
  },
  {
    name: 'embKeep',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
    },
    fields: [],
  },
  {
    name: 'embAdd',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: { type: 'string' } } },
    },
    fields: ['schema.properties[spec].additionalProperties', 'schema.properties[spec].properties'],
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
    fields: [
      'schema.properties[spec].properties[apiVersion].type',
      'schema.properties[spec].properties[kind].type',
      'schema.properties[spec].properties[metadata].type',
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
    fields: [],
  },
  {
    name: 'iosKeep',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } } },
    fields: ['schema.properties[spec].x-kubernetes-preserve-unknown-fields'],
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
    fields: ['schema.properties[spec].x-kubernetes-embedded-resource', 'schema.properties[spec].x-kubernetes-preserve-unknown-fields'],
  },
  {
    name: 'iosAny',
    schema: {
      type: 'object',
      properties: { spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    },
    fields: [],
  },
  {
    name: 'iosAnyOther',
    schema: {
      type: 'object',
      properties: { spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    },
    fields: ['schema.properties[spec].anyOf[0].type', 'schema.properties[spec].anyOf[1].type'],
  },
  {
    name: 'iosAll',
    schema: {
      type: 'object',
      properties: {
        spec: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] },
      },
    },
    fields: [],
  },
  {
    name: 'iosType',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, type: 'integer' } } },
    fields: [],
  },
  {
    name: 'anyOfNoIos',
    schema: { type: 'object', properties: { spec: { type: 'string', anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
    fields: [],
  },
  {
    name: 'rootKind',
    schema: { type: 'object', properties: { kind: { type: 'integer' }, apiVersion: { type: 'boolean' }, metadata: { type: 'string' } } },
    fields: ['schema.properties[apiVersion].type', 'schema.properties[kind].type', 'schema.properties[metadata].type'],
  },
  {
    name: 'rootMeta',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } } } },
    },
    fields: ['schema.properties[metadata]'],
  },
  {
    name: 'rootMetaName',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5, pattern: '^a' } } } },
    },
    fields: [],
  },
  {
    name: 'rootMetaDesc',
    schema: { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
    fields: ['schema.properties[metadata]'],
  },
  {
    name: 'rootMetaReq',
    schema: { type: 'object', properties: { metadata: { type: 'object', required: ['name'] } } },
    fields: ['schema.properties[metadata]'],
  },
  {
    name: 'rootMetaKeep',
    schema: { type: 'object', properties: { metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    fields: ['schema.properties[metadata]'],
  },
  {
    name: 'rootMetaDefault',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } } },
    },
    fields: ['schema.properties[metadata].default', 'schema.properties[metadata].properties[name].default'],
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
    fields: [
      'schema.properties[spec].anyOf[0].additionalProperties',
      'schema.properties[spec].anyOf[0].default',
      'schema.properties[spec].anyOf[0].description',
      'schema.properties[spec].anyOf[0].nullable',
      'schema.properties[spec].anyOf[0].properties[a].type',
      'schema.properties[spec].anyOf[0].properties[metadata]',
      'schema.properties[spec].anyOf[0].title',
      'schema.properties[spec].anyOf[0].type',
      'schema.properties[spec].anyOf[0].x-kubernetes-embedded-resource',
      'schema.properties[spec].anyOf[0].x-kubernetes-int-or-string',
      'schema.properties[spec].anyOf[0].x-kubernetes-list-map-keys',
      'schema.properties[spec].anyOf[0].x-kubernetes-list-type',
      'schema.properties[spec].anyOf[0].x-kubernetes-map-type',
      'schema.properties[spec].anyOf[0].x-kubernetes-preserve-unknown-fields',
      'schema.properties[spec].anyOf[0].x-kubernetes-validations',
      'schema.properties[spec].anyOf[0].type',
      'schema.properties[spec].anyOf[0].x-kubernetes-list-type',
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
    fields: [],
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
    fields: [],
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
    fields: ['schema.properties[spec].anyOf[0].additionalProperties'],
  },
  {
    name: 'pattern',
    schema: { type: 'object', properties: { spec: { type: 'string', pattern: '[' } } },
    fields: ['schema.properties[spec].pattern'],
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
    fields: [
      'schema.properties[spec].properties[p0].pattern',
      'schema.properties[spec].properties[p10].pattern',
      'schema.properties[spec].properties[p13].pattern',
      'schema.properties[spec].properties[p14].pattern',
      'schema.properties[spec].properties[p15].pattern',
      'schema.properties[spec].properties[p16].pattern',
      'schema.properties[spec].properties[p17].pattern',
      'schema.properties[spec].properties[p18].pattern',
      'schema.properties[spec].properties[p19].pattern',
      'schema.properties[spec].properties[p1].pattern',
      'schema.properties[spec].properties[p2].pattern',
      'schema.properties[spec].properties[p3].pattern',
      'schema.properties[spec].properties[p4].pattern',
      'schema.properties[spec].properties[p5].pattern',
      'schema.properties[spec].properties[p6].pattern',
      'schema.properties[spec].properties[p7].pattern',
      'schema.properties[spec].properties[p8].pattern',
      'schema.properties[spec].properties[p9].pattern',
    ],
  },
  {
    name: 'nestedPattern',
    schema: { type: 'object', properties: { spec: { type: 'string', not: { pattern: '(' } } } },
    fields: ['schema.properties[spec].not.pattern'],
  },
  {
    name: 'mapTypeNoObj',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-map-type': 'atomic' } } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'mapTypeBad',
    schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-map-type': 'x' } } },
    fields: ['schema.properties[spec].x-kubernetes-map-type'],
  },
  {
    name: 'mapTypeNone',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' } } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'listTypeNoArr',
    schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-list-type': 'set' } } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'listTypeNone',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'set' } } },
    fields: ['schema.properties[spec].type'],
  },
  {
    name: 'listTypeBad',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'x' } } },
    fields: ['schema.properties[spec].x-kubernetes-list-type'],
  },
  {
    name: 'keysNoType',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    fields: ['schema.properties[spec].x-kubernetes-list-type'],
  },
  {
    name: 'keysSet',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    fields: ['schema.properties[spec].x-kubernetes-list-type'],
  },
  {
    name: 'mapNoKeys',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } }, 'x-kubernetes-list-type': 'map' },
      },
    },
    fields: ['schema.properties[spec].x-kubernetes-list-map-keys'],
  },
  {
    name: 'mapNoItems',
    schema: {
      type: 'object',
      properties: { spec: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] } },
    },
    fields: ['schema.properties[spec].items', 'schema.properties[spec].items'],
  },
  {
    name: 'mapStr',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      },
    },
    fields: ['schema.properties[spec].items.type'],
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
    fields: [
      'schema.properties[spec].items.nullable',
      'schema.properties[spec].items.properties[c].nullable',
      'schema.properties[spec].items.properties[a].type',
      'schema.properties[spec].items.properties[d].type',
      'schema.properties[spec].x-kubernetes-list-map-keys',
      'schema.properties[spec].x-kubernetes-list-map-keys',
      'schema.properties[spec].items.properties[b].default',
      'schema.properties[spec].items.properties[b].default',
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
    fields: ['schema.properties[spec].items.x-kubernetes-map-type'],
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
    fields: [
      'schema.properties[spec].items.items.type',
      'schema.properties[spec].items.x-kubernetes-list-type',
      'schema.properties[spec].items.x-kubernetes-list-map-keys',
    ],
  },
  {
    name: 'setNull',
    schema: {
      type: 'object',
      properties: { spec: { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' } },
    },
    fields: ['schema.properties[spec].items.nullable'],
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
    fields: [],
  },
  {
    name: 'setObjList',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'array', items: { type: 'object', 'x-kubernetes-list-type': 'atomic' }, 'x-kubernetes-list-type': 'set' },
      },
    },
    fields: ['schema.properties[spec].items.type', 'schema.properties[spec].items.x-kubernetes-map-type'],
  },
  {
    name: 'defType',
    schema: { type: 'object', properties: { spec: { type: 'integer', default: 'x' } } },
    fields: ['schema.properties[spec].default'],
  },
  {
    name: 'defUnknown',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, default: { a: 'x', b: 1 } } } },
    fields: ['schema.properties[spec].default'],
  },
  {
    name: 'defNested',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 'x' } } } },
    fields: ['schema.properties[spec].default.a'],
  },
  {
    name: 'defEnum',
    schema: { type: 'object', properties: { spec: { type: 'string', enum: ['a'], default: 'b' } } },
    fields: ['schema.properties[spec].default'],
  },
  { name: 'defNull', schema: { type: 'object', properties: { spec: { type: 'string', default: null } } }, fields: [] },
  {
    name: 'defNullable',
    schema: { type: 'object', properties: { spec: { type: 'string', nullable: true, default: null } } },
    fields: [],
  },
  {
    name: 'defReq',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], default: {} } },
    },
    fields: ['schema.properties[spec].default.a'],
  },
  {
    name: 'defList',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'integer' }, default: ['x'] } } },
    fields: ['schema.properties[spec].default.[0]'],
  },
  {
    name: 'defInItems',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string', default: 5 } } } },
    fields: ['schema.properties[spec].items.default'],
  },
  {
    name: 'defInMap',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } } },
    fields: [],
  },
  {
    name: 'defInMapBad',
    schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string', default: 5 } } } },
    fields: [],
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
    fields: ['schema.properties[spec].default.apiVersion', 'schema.properties[spec].default.kind'],
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
    fields: ['schema.properties[spec].default.apiVersion'],
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
    fields: ['schema.properties[spec].default.metadata.labels'],
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
    fields: ['schema.properties[spec].properties[metadata].properties[labels].additionalProperties.default'],
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
    fields: ['schema.properties[spec].properties[metadata].properties[labels].x-kubernetes-embedded-resource'],
  },
  {
    name: 'defRule',
    schema: { type: 'object', properties: { spec: { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'self > 5' }] } } },
    fields: ['schema.properties[spec].default'],
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
    fields: ['schema.properties[spec].default.a'],
  },
  {
    name: 'defPattern',
    schema: { type: 'object', properties: { spec: { type: 'string', pattern: '^a', default: 'b', maxLength: 0 } } },
    fields: ['schema.properties[spec].default'],
  },
  { name: 'defIos', schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, default: true } } }, fields: [] },
  { name: 'defIosOk', schema: { type: 'object', properties: { spec: { 'x-kubernetes-int-or-string': true, default: 1 } } }, fields: [] },
  {
    name: 'defFormat',
    schema: { type: 'object', properties: { spec: { type: 'string', format: 'date', default: 'x' } } },
    fields: ['schema.properties[spec].default'],
  },
  {
    name: 'defKeep',
    schema: { type: 'object', properties: { spec: { 'x-kubernetes-preserve-unknown-fields': true, default: { a: 1 } } } },
    fields: [],
  },
  {
    name: 'defAtRootKind',
    schema: { type: 'object', properties: { kind: { type: 'string', default: 'x' } } },
    fields: ['schema.properties[kind].default'],
  },
  {
    name: 'rulesNested',
    schema: { type: 'object', properties: { spec: { type: 'integer', allOf: [{ 'x-kubernetes-validations': [{ rule: 'self > 1' }] }] } } },
    fields: ['schema.properties[spec].allOf[0].x-kubernetes-validations'],
  },
  {
    name: 'badAnd',
    schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'text' }, b: {} } } } },
    fields: ['schema.properties[spec].properties[a].type', 'schema.properties[spec].properties[b].type'],
  },
  {
    name: 'defOrder',
    schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, default: ['a', { b: 1, a: 2 }] } } },
    fields: ['schema.properties[spec].default', 'schema.properties[spec].default.[1]'],
  },
];
