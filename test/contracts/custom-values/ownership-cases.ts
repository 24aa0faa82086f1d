// Who owns what of a custom resource once it is applied on the server's side, and configurations that cannot be; a kube-apiserver is the
// judge (test/cluster/custom-resources.test.ts).
import { rowsOf } from '../case-table.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';

export interface OwnershipCase {
  /** Of the field at the top of an object. */
  name: string;
  schema: JsonSchema;
  given: unknown;
  /** What `managedFields` has of it. */
  fields?: object;
  /** Why the configuration is refused. */
  refused?: string;
}

export const ownershipCases: readonly OwnershipCase[] = [
  {
    name: 'scalars',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' }, d: { type: 'number' } },
    },
    given: { a: 'x', b: 1, c: true, d: 1.5 },
    fields: { 'f:a': {}, 'f:b': {}, 'f:c': {}, 'f:d': {} },
  },
  {
    name: 'emptyObject',
    schema: { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
    given: { a: {} },
    fields: { 'f:a': {} },
  },
  {
    name: 'emptyList',
    schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } },
    given: { a: [] },
    fields: { 'f:a': {} },
  },
  {
    name: 'list',
    schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } } } },
    given: { a: [{ b: 'x' }] },
    fields: { 'f:a': {} },
  },
  {
    name: 'atomicList',
    schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' } } },
    given: { a: ['x'] },
    fields: { 'f:a': {} },
  },
  {
    name: 'set',
    schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } },
    given: { a: ['x', 'y'] },
    fields: { 'f:a': { 'v:"x"': {}, 'v:"y"': {} } },
  },
  {
    name: 'setOfIntegers',
    schema: { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' } } },
    given: { a: [3, 1] },
    fields: { 'f:a': { 'v:1': {}, 'v:3': {} } },
  },
  {
    name: 'listMap',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, v: { type: 'object', properties: { x: { type: 'integer' } } } },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    given: { a: [{ name: 'x', v: { x: 1 } }, { name: 'y' }] },
    fields: { 'f:a': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:v': { 'f:x': {} } }, 'k:{"name":"y"}': { '.': {}, 'f:name': {} } } },
  },
  {
    name: 'keysWithDefaults',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, proto: { type: 'string', default: 'TCP' }, v: { type: 'string' } },
            required: ['port'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'proto'],
        },
      },
    },
    given: {
      a: [
        { port: 1, v: 'x' },
        { port: 1, proto: 'UDP' },
      ],
    },
    fields: {
      'f:a': {
        'k:{"port":1,"proto":"TCP"}': { '.': {}, 'f:port': {}, 'f:v': {} },
        'k:{"port":1,"proto":"UDP"}': { '.': {}, 'f:port': {}, 'f:proto': {} },
      },
    },
  },
  {
    name: 'keysWithNumberDefaults',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer', default: 5 } }, required: ['name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'n'],
        },
      },
    },
    given: { a: [{ name: 'x' }, { name: 'x', n: 1 }] },
    fields: { 'f:a': { 'k:{"n":1,"name":"x"}': { '.': {}, 'f:n': {}, 'f:name': {} }, 'k:{"n":5,"name":"x"}': { '.': {}, 'f:name': {} } } },
  },
  {
    name: 'map',
    schema: { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string' } } } },
    given: { m: { a: 'x', b: 'y' } },
    fields: { 'f:m': { 'f:a': {}, 'f:b': {} } },
  },
  {
    name: 'mapOfObjects',
    schema: {
      type: 'object',
      properties: { m: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } } },
    },
    given: { m: { a: { a: 'x' }, b: {} } },
    fields: { 'f:m': { 'f:a': { '.': {}, 'f:a': {} }, 'f:b': {} } },
  },
  {
    name: 'atomicMap',
    schema: {
      type: 'object',
      properties: { m: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' } },
    },
    given: { m: { a: 'x' } },
    fields: { 'f:m': {} },
  },
  {
    name: 'atomicObject',
    schema: {
      type: 'object',
      properties: { m: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' } },
    },
    given: { m: { a: 'x' } },
    fields: { 'f:m': {} },
  },
  {
    name: 'granularObject',
    schema: {
      type: 'object',
      properties: { m: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'granular' } },
    },
    given: { m: { a: 'x' } },
    fields: { 'f:m': { 'f:a': {} } },
  },
  {
    name: 'setOfObjects',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: { type: 'object', properties: { x: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
          'x-kubernetes-list-type': 'set',
        },
      },
    },
    given: { a: [{ x: 'y' }] },
    refused: ".setOfObjects.a: element 0: associative list without keys has an element that's a map type",
  },
  {
    name: 'setOfLists',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'atomic' },
          'x-kubernetes-list-type': 'set',
        },
      },
    },
    given: { a: [[1, 2], [3]] },
    refused: '.setOfLists.a: element 0: not supported: associative list with lists as elements',
  },
  {
    name: 'mapOfAtomicObjects',
    schema: {
      type: 'object',
      properties: {
        m: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
        },
      },
    },
    given: { m: { k: { a: 'x' } } },
    fields: { 'f:m': { 'f:k': {} } },
  },
  {
    name: 'mapOfAtomicMaps',
    schema: {
      type: 'object',
      properties: {
        m: {
          type: 'object',
          additionalProperties: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        },
      },
    },
    given: { m: { k: { a: 'x' } } },
    fields: { 'f:m': { 'f:k': {} } },
  },
  {
    name: 'listMapWithAtomicMaps',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              m: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
            },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    given: { a: [{ name: 'x', m: { a: 'b' } }] },
    fields: { 'f:a': { 'k:{"name":"x"}': { '.': {}, 'f:m': {}, 'f:name': {} } } },
  },
  {
    name: 'intOrString',
    schema: {
      type: 'object',
      properties: {
        a: { 'x-kubernetes-int-or-string': true },
        b: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      },
    },
    given: { a: 1, b: 'x' },
    fields: { 'f:a': {}, 'f:b': {} },
  },
  {
    name: 'intOrStringAsKey',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: { type: 'object', properties: { k: { 'x-kubernetes-int-or-string': true } }, required: ['k'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      },
    },
    given: { a: [{ k: 1 }, { k: 'x' }] },
    fields: { 'f:a': { 'k:{"k":"x"}': { '.': {}, 'f:k': {} }, 'k:{"k":1}': { '.': {}, 'f:k': {} } } },
  },
  {
    name: 'anything',
    schema: {
      type: 'object',
      properties: {
        a: { 'x-kubernetes-preserve-unknown-fields': true },
        b: { 'x-kubernetes-preserve-unknown-fields': true },
        c: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    given: { a: { x: { y: [1] } }, b: [{ x: 1 }], c: 5 },
    fields: { 'f:a': { 'f:x': { '.': {}, 'f:y': {} } }, 'f:b': {}, 'f:c': {} },
  },
  {
    name: 'objectThatKeeps',
    schema: { type: 'object', properties: { a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
    given: { a: { x: { y: 'z' }, l: [1, { a: 1 }] } },
    fields: { 'f:a': { 'f:l': {}, 'f:x': { '.': {}, 'f:y': {} } } },
  },
  {
    name: 'objectThatKeepsMore',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          properties: { k: { type: 'string' }, l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } },
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    },
    given: { a: { k: 'x', l: ['a'], z: { w: 1 } } },
    fields: { 'f:a': { 'f:k': {}, 'f:l': { 'v:"a"': {} }, 'f:z': { '.': {}, 'f:w': {} } } },
  },
  {
    name: 'atomicObjectThatKeeps',
    schema: {
      type: 'object',
      properties: { a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' } },
    },
    given: { a: { x: { y: 'z' } } },
    fields: { 'f:a': {} },
  },
  {
    name: 'anythingInIt',
    schema: { type: 'object', properties: { a: { type: 'object', additionalProperties: true } } },
    given: { a: { x: 1, y: ['z'] } },
    fields: { 'f:a': { 'f:x': {}, 'f:y': {} } },
  },
  {
    name: 'embedded',
    schema: {
      type: 'object',
      properties: { a: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
    },
    given: { a: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' }, finalizers: ['a.b/c'] }, spec: { x: [1] } } },
    fields: {
      'f:a': {
        'f:apiVersion': {},
        'f:kind': {},
        'f:metadata': { 'f:finalizers': { 'v:"a.b/c"': {} }, 'f:labels': { 'f:a': {} }, 'f:name': {} },
        'f:spec': { '.': {}, 'f:x': {} },
      },
    },
  },
  {
    name: 'embeddedWithFields',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } },
          },
          'x-kubernetes-embedded-resource': true,
        },
      },
    },
    given: { a: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'b' } }, spec: { l: ['x'] } } },
    fields: {
      'f:a': { 'f:apiVersion': {}, 'f:kind': {}, 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:l': { 'v:"x"': {} } } },
    },
  },
  {
    name: 'nullable',
    schema: {
      type: 'object',
      properties: { a: { type: 'string', nullable: true }, b: { type: 'object', properties: { c: { type: 'string' } }, nullable: true } },
    },
    given: { a: null, b: null },
    fields: { 'f:a': {}, 'f:b': {} },
  },
  {
    name: 'listOfLists',
    schema: {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'array', items: { type: 'object', properties: { x: { type: 'string' } } } } } },
    },
    given: { a: [[{ x: 'y' }]] },
    fields: { 'f:a': {} },
  },
  {
    name: 'setInListMap',
    schema: {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, b: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } },
            required: ['name'],
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
    given: { a: [{ name: 'x', b: ['p'] }] },
    fields: { 'f:a': { 'k:{"name":"x"}': { '.': {}, 'f:b': { 'v:"p"': {} }, 'f:name': {} } } },
  },
  {
    name: 'objectWithoutFields',
    schema: { type: 'object', properties: { a: { type: 'object' } } },
    given: { a: {} },
    fields: { 'f:a': {} },
  },
  {
    name: 'emptyMap',
    schema: { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string' } } } },
    given: { m: {} },
    fields: { 'f:m': {} },
  },
  {
    name: 'emptySet',
    schema: { type: 'object', properties: { m: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } },
    given: { m: [] },
  },
];

/** Schemas of the fields of a spec, by their names. */
export const misfitSchemas: Readonly<Record<string, JsonSchema>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  intOrString: { 'x-kubernetes-int-or-string': true },
  object: { type: 'object', properties: { a: { type: 'string' } } },
  atomicObject: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
  list: { type: 'array', items: { type: 'string' } },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  listMap: {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' }, v: { type: 'integer' } }, required: ['name'] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  map: { type: 'object', additionalProperties: { type: 'integer' } },
  atomicMap: { type: 'object', additionalProperties: { type: 'integer' }, 'x-kubernetes-map-type': 'atomic' },
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  objectThatKeeps: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  anythingInIt: { type: 'object', additionalProperties: true },
  embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
};

/** Field, value and refusal; without a refusal, ownership takes the value, whatever validation says of it. */
const misfits = `
  text            | 5                      | .spec.text: expected string
  text            | true                   | .spec.text: expected string
  text            | []                     | .spec.text: expected string
  text            | {}                     | .spec.text: expected string
  integer         | x                      | .spec.integer: expected numeric (int or float)
  integer         | 1.5                    |
  integer         | true                   | .spec.integer: expected numeric (int or float)
  integer         | []                     | .spec.integer: expected numeric (int or float)
  number          | x                      | .spec.number: expected numeric (int or float)
  boolean         | x                      | .spec.boolean: expected boolean
  boolean         | 1                      | .spec.boolean: expected boolean
  intOrString     | true                   |
  intOrString     | {}                     |
  intOrString     | 1.5                    |
  object          | x                      | .spec.object: expected map
  object          | []                     | .spec.object: expected map
  object          | {z: 1}                 | .spec.object.z: field not declared in schema
  object          | {a: 5}                 | .spec.object.a: expected string
  atomicObject    | {z: 1}                 | .spec.atomicObject.z: field not declared in schema
  atomicObject    | {a: 5}                 | .spec.atomicObject.a: expected string
  atomicObject    | x                      | .spec.atomicObject: expected map
  list            | x                      | .spec.list: expected list
  list            | {}                     | .spec.list: expected list
  list            | [5]                    | .spec.list[0]: expected string
  set             | [a, a]                 | .spec.set: duplicate entries for key [="a"]
  set             | [{}]                   | .spec.set: element 0: associative list without keys has an element that's a map type
  set             | [null]                 | .spec.set: element 0: associative list without keys has an element that's an explicit null
  set             | x                      | .spec.set: expected list
  listMap         | [{}]                   | .spec.listMap: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)
  listMap         | [x]                    | .spec.listMap: element 0: associative list with keys may not have non-map elements
  listMap         | [{name: a}, {name: a}] | .spec.listMap: duplicate entries for key [name="a"]
  listMap         | [{name: a, v: x}]      | .spec.listMap[name="a"].v: expected numeric (int or float)
  listMap         | [null]                 | .spec.listMap: element 0: associative list with keys may not have a null element
  map             | x                      | .spec.map: expected map
  map             | {a: x}                 | .spec.map.a: expected numeric (int or float)
  atomicMap       | {a: x}                 | .spec.atomicMap.a: expected numeric (int or float)
  atomicMap       | x                      | .spec.atomicMap: expected map
  anything        | 5                      |
  objectThatKeeps | x                      | .spec.objectThatKeeps: expected map
  anythingInIt    | x                      | .spec.anythingInIt: expected map
  embedded        | {apiVersion: 5}        | .spec.embedded.apiVersion: expected string
  embedded        | {metadata: {foo: 1}}   | .spec.embedded.metadata.foo: field not declared in schema
  embedded        | {metadata: {name: 5}}  | .spec.embedded.metadata.name: expected string
  embedded        | x                      | .spec.embedded: expected map
  map             | []                     | .spec.map: expected map
  unknown         | 1                      | .spec.unknown: field not declared in schema
`;

export const misfitCases = rowsOf(['name', 'given', 'refused'], misfits);
