// Schemas of custom resources, and why a kube-apiserver refuses them; the real one is the judge (test/cluster/custom-resources.test.ts).
import { rowsOf, valueIn } from '../case-table.ts';

export interface SchemaCase {
  name: string;
  /** As somebody wrote it, with words that no schema may have. */
  schema: object;
  /** The fields that a kube-apiserver names; the schema's own path is `schema`. None for a schema that is taken. */
  fields: readonly string[];
}

export const schemaCases: readonly SchemaCase[] = rowsOf(
  ['name', 'fields', 'schema'],
  `
plain             |                                                    | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}
noType            | schema.type                                        | {}
emptyType         | schema.type                                        | {type: ''}
rootArray         | schema.type                                        | {type: array, items: {type: string}}
rootString        | schema.type                                        | {type: string}
rootNullable      | schema.nullable                                    | {type: object, nullable: true}
rootAdditional    | schema.additionalProperties                        | {type: object, additionalProperties: true}
rootKeep          |                                                    | {type: object, x-kubernetes-preserve-unknown-fields: true}
keepFalse         | schema.x-kubernetes-preserve-unknown-fields        | {type: object, x-kubernetes-preserve-unknown-fields: false}
rootDefault       | schema.default.apiVersion schema.default.kind      | {type: object, default: {}}
fieldNoType       | schema.properties[spec].type                       | {type: object, properties: {spec: {}}}
itemNoType        | schema.properties[spec].items.type                 | {type: object, properties: {spec: {type: array, items: {}}}}
arrayNoItems      | schema.properties[spec].items                      | {type: object, properties: {spec: {type: array}}}
itemsArray        | schema.properties[spec].items                      | {type: object, properties: {spec: {type: array, items: [{type: string}, {type: integer}]}}}
badType           | schema.properties[spec].type                       | {type: object, properties: {spec: {type: text}}}
nullType          | schema.properties[spec].type schema.properties[spec].type | {type: object, properties: {spec: {type: 'null'}}}
id                | schema.id                                          | {type: object, id: x}
dollarSchema      | schema                                             | {type: object, $schema: http://x}
ref               | schema.properties[spec].$ref                       | {type: object, properties: {spec: {$ref: '#/definitions/x'}}}
refType           | schema.properties[spec].$ref                       | {type: object, properties: {spec: {type: object, $ref: '#/definitions/x'}}}
definitions       | schema.definitions                                 | {type: object, definitions: {a: {type: string}}}
dependencies      | schema.dependencies                                | {type: object, dependencies: {a: [b]}}
patternProperties | schema.properties[spec].patternProperties          | {type: object, properties: {spec: {type: object, patternProperties: {^a: {type: string}}}}}
additionalItems   | schema.properties[spec].additionalItems            | {type: object, properties: {spec: {type: array, items: {type: string}, additionalItems: true}}}
unique            | schema.properties[spec].uniqueItems                | {type: object, properties: {spec: {type: array, items: {type: string}, uniqueItems: true}}}
mixed             | schema.properties[spec].additionalProperties       | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}}}
mixedTrue         |                                                    | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, additionalProperties: true}}}
mixedFalse        | schema.properties[spec].additionalProperties       | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, additionalProperties: false}}}
addNoType         | schema.properties[spec].additionalProperties.type  | {type: object, properties: {spec: {type: object, additionalProperties: {}}}}
addTrue           |                                                    | {type: object, properties: {spec: {type: object, additionalProperties: true}}}
embNoType         | schema.properties[spec].properties schema.properties[spec].type | {type: object, properties: {spec: {x-kubernetes-embedded-resource: true}}}
embString         | schema.properties[spec].type schema.properties[spec].properties | {type: object, properties: {spec: {type: string, x-kubernetes-embedded-resource: true}}}
embEmpty          | schema.properties[spec].properties                 | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true}}}
embKeep           |                                                    | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}
embAdd            | schema.properties[spec].additionalProperties schema.properties[spec].properties | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, additionalProperties: {type: string}}}}
embMeta           | schema.properties[spec].properties[apiVersion].type schema.properties[spec].properties[kind].type schema.properties[spec].properties[metadata].type | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: integer}, apiVersion: {type: integer}, metadata: {type: string}}}}}
embMetaOk         |                                                    | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, properties: {}}, metadata: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}}}}}
iosKeep           | schema.properties[spec].x-kubernetes-preserve-unknown-fields | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}}}
iosEmb            | schema.properties[spec].x-kubernetes-embedded-resource schema.properties[spec].x-kubernetes-preserve-unknown-fields | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, x-kubernetes-embedded-resource: true, type: object, x-kubernetes-preserve-unknown-fields: true}}}
iosAny            |                                                    | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}
iosAnyOther       | schema.properties[spec].anyOf[0].type schema.properties[spec].anyOf[1].type | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, anyOf: [{type: string}, {type: integer}]}}}
iosAll            |                                                    | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: a}]}}}
iosType           |                                                    | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, type: integer}}}
anyOfNoIos        |                                                    | {type: object, properties: {spec: {type: string, anyOf: [{type: integer}, {type: string}]}}}
rootKind          | schema.properties[apiVersion].type schema.properties[kind].type schema.properties[metadata].type | {type: object, properties: {kind: {type: integer}, apiVersion: {type: boolean}, metadata: {type: string}}}
rootMeta          | schema.properties[metadata]                        | {type: object, properties: {metadata: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}}}
rootMetaName      |                                                    | {type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 5, pattern: ^a}}}}}
rootMetaDesc      | schema.properties[metadata]                        | {type: object, properties: {metadata: {type: object, description: x}}}
rootMetaReq       | schema.properties[metadata]                        | {type: object, properties: {metadata: {type: object, required: [name]}}}
rootMetaKeep      | schema.properties[metadata]                        | {type: object, properties: {metadata: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
rootMetaDefault   | schema.properties[metadata].default schema.properties[metadata].properties[name].default | {type: object, properties: {metadata: {type: object, default: {}, properties: {name: {type: string, default: x}}}}}
nested            | schema.properties[spec].anyOf[0].additionalProperties schema.properties[spec].anyOf[0].default schema.properties[spec].anyOf[0].description schema.properties[spec].anyOf[0].nullable schema.properties[spec].anyOf[0].properties[a].type schema.properties[spec].anyOf[0].properties[metadata] schema.properties[spec].anyOf[0].title schema.properties[spec].anyOf[0].type schema.properties[spec].anyOf[0].x-kubernetes-embedded-resource schema.properties[spec].anyOf[0].x-kubernetes-int-or-string schema.properties[spec].anyOf[0].x-kubernetes-list-map-keys schema.properties[spec].anyOf[0].x-kubernetes-list-type schema.properties[spec].anyOf[0].x-kubernetes-map-type schema.properties[spec].anyOf[0].x-kubernetes-preserve-unknown-fields schema.properties[spec].anyOf[0].x-kubernetes-validations schema.properties[spec].anyOf[0].type schema.properties[spec].anyOf[0].x-kubernetes-list-type | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, anyOf: [{type: object, title: t, description: d, nullable: true, default: {}, properties: {a: {type: string}, metadata: {}}, additionalProperties: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true, x-kubernetes-int-or-string: true, x-kubernetes-list-type: set, x-kubernetes-list-map-keys: [a], x-kubernetes-map-type: atomic, x-kubernetes-validations: [{rule: 'true'}]}]}}}
nestedMissing     |                                                    | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, not: {properties: {b: {minimum: 1}}}, allOf: [{properties: {a: {pattern: x}}}], oneOf: [{items: {minimum: 1}}]}}}
nestedDeep        |                                                    | {type: object, properties: {spec: {type: object, properties: {a: {type: object, properties: {}}}, anyOf: [{properties: {a: {properties: {b: {items: {minimum: 1}}}}}}]}}}
nestedMap         | schema.properties[spec].anyOf[0].additionalProperties | {type: object, properties: {spec: {type: object, additionalProperties: {type: string}, anyOf: [{additionalProperties: {pattern: a}}, {properties: {x: {pattern: a}}}]}}}
pattern           | schema.properties[spec].pattern                    | {type: object, properties: {spec: {type: string, pattern: '['}}}
patterns          | schema.properties[spec].properties[p0].pattern schema.properties[spec].properties[p10].pattern schema.properties[spec].properties[p13].pattern schema.properties[spec].properties[p14].pattern schema.properties[spec].properties[p15].pattern schema.properties[spec].properties[p16].pattern schema.properties[spec].properties[p17].pattern schema.properties[spec].properties[p18].pattern schema.properties[spec].properties[p19].pattern schema.properties[spec].properties[p1].pattern schema.properties[spec].properties[p2].pattern schema.properties[spec].properties[p3].pattern schema.properties[spec].properties[p4].pattern schema.properties[spec].properties[p5].pattern schema.properties[spec].properties[p6].pattern schema.properties[spec].properties[p7].pattern schema.properties[spec].properties[p8].pattern schema.properties[spec].properties[p9].pattern | {type: object, properties: {spec: {type: object, properties: {p0: {type: string, pattern: (}, p1: {type: string, pattern: )}, p2: {type: string, pattern: '*'}, p3: {type: string, pattern: a**}, p4: {type: string, pattern: (?=a)}, p5: {type: string, pattern: 'a{2,1}'}, p6: {type: string, pattern: \\}, p7: {type: string, pattern: '[z-a]'}, p8: {type: string, pattern: 'a{1001}'}, p9: {type: string, pattern: \\Z}, p10: {type: string, pattern: \\8}, p12: {type: string, pattern: (?<x>a)}, p13: {type: string, pattern: \\pX}, p14: {type: string, pattern: '[[:foo:]]'}, p15: {type: string, pattern: (?i}, p16: {type: string, pattern: (?z)a}, p17: {type: string, pattern: 'x{2}{3}'}, p18: {type: string, pattern: '((a{100}){100}){100}'}, p19: {type: string, pattern: \\C}}}}}
nestedPattern     | schema.properties[spec].not.pattern                | {type: object, properties: {spec: {type: string, not: {pattern: (}}}}
mapTypeNoObj      | schema.properties[spec].type                       | {type: object, properties: {spec: {type: string, x-kubernetes-map-type: atomic}}}
mapTypeBad        | schema.properties[spec].x-kubernetes-map-type      | {type: object, properties: {spec: {type: object, x-kubernetes-map-type: x}}}
mapTypeNone       | schema.properties[spec].type                       | {type: object, properties: {spec: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-map-type: atomic}}}
listTypeNoArr     | schema.properties[spec].type                       | {type: object, properties: {spec: {type: string, x-kubernetes-list-type: set}}}
listTypeNone      | schema.properties[spec].type                       | {type: object, properties: {spec: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-list-type: set}}}
listTypeBad       | schema.properties[spec].x-kubernetes-list-type     | {type: object, properties: {spec: {type: array, items: {type: string}, x-kubernetes-list-type: x}}}
keysNoType        | schema.properties[spec].x-kubernetes-list-type     | {type: object, properties: {spec: {type: array, items: {type: object, properties: {a: {type: string}}}, x-kubernetes-list-map-keys: [a]}}}
keysSet           | schema.properties[spec].x-kubernetes-list-type     | {type: object, properties: {spec: {type: array, items: {type: string}, x-kubernetes-list-type: set, x-kubernetes-list-map-keys: [a]}}}
mapNoKeys         | schema.properties[spec].x-kubernetes-list-map-keys | {type: object, properties: {spec: {type: array, items: {type: object, properties: {a: {type: string}}}, x-kubernetes-list-type: map}}}
mapNoItems        | schema.properties[spec].items schema.properties[spec].items | {type: object, properties: {spec: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}}}
mapStr            | schema.properties[spec].items.type                 | {type: object, properties: {spec: {type: array, items: {type: string}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}}}
mapKeysBad        | schema.properties[spec].items.nullable schema.properties[spec].items.properties[c].nullable schema.properties[spec].items.properties[a].type schema.properties[spec].items.properties[d].type schema.properties[spec].x-kubernetes-list-map-keys schema.properties[spec].x-kubernetes-list-map-keys schema.properties[spec].items.properties[b].default schema.properties[spec].items.properties[b].default | {type: object, properties: {spec: {type: array, items: {type: object, properties: {a: {type: object, properties: {}}, b: {type: string}, c: {type: string, nullable: true, default: x}, d: {type: array, items: {type: string}}}, required: [a, d], nullable: true}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b, b, c, d, z]}}}
setObj            | schema.properties[spec].items.x-kubernetes-map-type | {type: object, properties: {spec: {type: array, items: {type: object, properties: {a: {type: string}}}, x-kubernetes-list-type: set}}}
setArr            | schema.properties[spec].items.items.type schema.properties[spec].items.x-kubernetes-list-type schema.properties[spec].items.x-kubernetes-list-map-keys | {type: object, properties: {spec: {type: array, items: {type: array, items: {type: string}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: []}, x-kubernetes-list-type: set}}}
setNull           | schema.properties[spec].items.nullable             | {type: object, properties: {spec: {type: array, items: {type: string, nullable: true}, x-kubernetes-list-type: set}}}
setAtomic         |                                                    | {type: object, properties: {spec: {type: array, items: {type: object, properties: {a: {type: string}}, x-kubernetes-map-type: atomic}, x-kubernetes-list-type: set}}}
setObjList        | schema.properties[spec].items.type schema.properties[spec].items.x-kubernetes-map-type | {type: object, properties: {spec: {type: array, items: {type: object, x-kubernetes-list-type: atomic}, x-kubernetes-list-type: set}}}
defType           | schema.properties[spec].default                    | {type: object, properties: {spec: {type: integer, default: x}}}
defUnknown        | schema.properties[spec].default                    | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, default: {a: x, b: 1}}}}
defNested         | schema.properties[spec].default.a                  | {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}, default: {a: x}}}}
defEnum           | schema.properties[spec].default                    | {type: object, properties: {spec: {type: string, enum: [a], default: b}}}
defNull           |                                                    | {type: object, properties: {spec: {type: string, default: null}}}
defNullable       |                                                    | {type: object, properties: {spec: {type: string, nullable: true, default: null}}}
defReq            | schema.properties[spec].default.a                  | {type: object, properties: {spec: {type: object, properties: {a: {type: string}}, required: [a], default: {}}}}
defList           | schema.properties[spec].default.[0]                | {type: object, properties: {spec: {type: array, items: {type: integer}, default: [x]}}}
defInItems        | schema.properties[spec].items.default              | {type: object, properties: {spec: {type: array, items: {type: string, default: 5}}}}
defInMap          |                                                    | {type: object, properties: {spec: {type: object, additionalProperties: {type: string, default: x}}}}
defInMapBad       |                                                    | {type: object, properties: {spec: {type: object, additionalProperties: {type: string, default: 5}}}}
defEmb            | schema.properties[spec].default.apiVersion schema.properties[spec].default.kind | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: {metadata: {name: x}}}}}
defEmbBad         | schema.properties[spec].default.apiVersion         | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: {apiVersion: 5, kind: x}}}}
defEmbOk          | schema.properties[spec].default.metadata.labels    | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: {apiVersion: v1, kind: Pod, metadata: {name: A, foo: 1, labels: {a b: x}}}}}}
defInMetaMap      | schema.properties[spec].properties[metadata].properties[labels].additionalProperties.default | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, properties: {metadata: {type: object, properties: {labels: {type: object, additionalProperties: {type: string, default: x}}}}}}}}
embInMeta         | schema.properties[spec].properties[metadata].properties[labels].x-kubernetes-embedded-resource | {type: object, properties: {spec: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, properties: {metadata: {type: object, properties: {labels: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}}}
defRule           | schema.properties[spec].default                    | {type: object, properties: {spec: {type: integer, default: 1, x-kubernetes-validations: [{rule: self > 5}]}}}
defRuleObj        | schema.properties[spec].default.a                  | {type: object, properties: {spec: {type: object, properties: {a: {type: integer}}, default: {a: 1}, x-kubernetes-validations: [{rule: self.a > 5, fieldPath: .a}]}}}
defPattern        | schema.properties[spec].default                    | {type: object, properties: {spec: {type: string, pattern: ^a, default: b, maxLength: 0}}}
defIos            |                                                    | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, default: true}}}
defIosOk          |                                                    | {type: object, properties: {spec: {x-kubernetes-int-or-string: true, default: 1}}}
defFormat         | schema.properties[spec].default                    | {type: object, properties: {spec: {type: string, format: date, default: x}}}
defKeep           |                                                    | {type: object, properties: {spec: {x-kubernetes-preserve-unknown-fields: true, default: {a: 1}}}}
defAtRootKind     | schema.properties[kind].default                    | {type: object, properties: {kind: {type: string, default: x}}}
rulesNested       | schema.properties[spec].allOf[0].x-kubernetes-validations | {type: object, properties: {spec: {type: integer, allOf: [{x-kubernetes-validations: [{rule: self > 1}]}]}}}
badAnd            | schema.properties[spec].properties[a].type schema.properties[spec].properties[b].type | {type: object, properties: {spec: {type: object, properties: {a: {type: text}, b: {}}}}}
defOrder          | schema.properties[spec].default schema.properties[spec].default.[1] | {type: object, properties: {spec: {type: array, items: {type: string}, default: [a, {b: 1, a: 2}]}}}
`,
).map(({ name, fields, schema }) => ({ name, schema: valueIn(schema) as object, fields: fields === '' ? [] : fields.split(' ') }));
