// Values of fields of custom resources, and what a kube-apiserver makes of them or says against them; the real one is the judge
// (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { groupsOf, saidOf, valueIn } from '../case-table.ts';

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

/** What is said of a value, a line each: `refused` and why, `dropped`, `kept` and as what, `unknown` and which fields; anything else is a problem. */
function caseOf(given: unknown, said: readonly string[]): ValueCase {
  const found: ValueCase = { given };
  const problems: string[] = [];
  for (const line of said) {
    const [word = '', ...rest] = line.split(' ');
    const words = rest.join(' ');
    if (word === 'refused') found.refused = words;
    else if (word === 'dropped') found.isDropped = true;
    else if (word === 'kept') found.kept = valueIn(words);
    else if (word === 'unknown') found.unknown = rest;
    else problems.push(line);
  }
  return problems.length > 0 ? { ...found, problems } : found;
}

export const valueCases: readonly SchemaValues[] = groupsOf(
  ['name', 'schema'],
  ['given', 'said'],
  `
text | {type: string}
  5    | FieldValueTypeInvalid: spec.text: Invalid value: "integer": spec.text in body must be of type string: "integer"
  true | FieldValueTypeInvalid: spec.text: Invalid value: "boolean": spec.text in body must be of type string: "boolean"
  1.5  | FieldValueTypeInvalid: spec.text: Invalid value: "number": spec.text in body must be of type string: "number"
  []   | FieldValueTypeInvalid: spec.text: Invalid value: "array": spec.text in body must be of type string: "array"
  {}   | FieldValueTypeInvalid: spec.text: Invalid value: "object": spec.text in body must be of type string: "object"
  null | dropped
  x
integer | {type: integer}
  a                    | FieldValueTypeInvalid: spec.integer: Invalid value: "string": spec.integer in body must be of type integer: "string"
  1.5                  | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.integer
                       | FieldValueTypeInvalid: spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"
  true                 | FieldValueTypeInvalid: spec.integer: Invalid value: "boolean": spec.integer in body must be of type integer: "boolean"
  9007199254740992
  10000000000000000000 | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.integer
                       | FieldValueTypeInvalid: spec.integer: Invalid value: "number": spec.integer in body must be of type integer: "number"
  0
  {}                   | FieldValueTypeInvalid: spec.integer: Invalid value: "object": spec.integer in body must be of type integer: "object"
int32 | {type: integer, format: int32}
  2147483648            | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32
  -2147483648
  1.5                   | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32
                        | FieldValueTypeInvalid: spec.int32: Invalid value: "float64": spec.int32 in body must be of type int32: "float64"
  x                     | FieldValueTypeInvalid: spec.int32: Invalid value: "string": spec.int32 in body must be of type integer: "string"
  100000000000000000000 | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.int32
                        | FieldValueTypeInvalid: spec.int32: Invalid value: "float64": spec.int32 in body must be of type int32: "float64"
int64 | {type: integer, format: int64}
  1.5                   | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.int64
                        | FieldValueTypeInvalid: spec.int64: Invalid value: "float64": spec.int64 in body must be of type int64: "float64"
  x                     | FieldValueTypeInvalid: spec.int64: Invalid value: "string": spec.int64 in body must be of type integer: "string"
  100000000000000000000 | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.int64
                        | FieldValueTypeInvalid: spec.int64: Invalid value: "float64": spec.int64 in body must be of type int64: "float64"
  true                  | FieldValueTypeInvalid: spec.int64: Invalid value: "": spec.int64 in body must be of type int64: ""
number | {type: number}
  1
  1.5
  x    | FieldValueTypeInvalid: spec.number: Invalid value: "string": spec.number in body must be of type number: "string"
  true | FieldValueTypeInvalid: spec.number: Invalid value: "boolean": spec.number in body must be of type number: "boolean"
float | {type: number, format: float}
  1.e+39 | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type number with format float in spec.float
  1.5
  x      | FieldValueTypeInvalid: spec.float: Invalid value: "string": spec.float in body must be of type number: "string"
  1
boolean | {type: boolean}
  'true' | FieldValueTypeInvalid: spec.boolean: Invalid value: "string": spec.boolean in body must be of type boolean: "string"
  1      | FieldValueTypeInvalid: spec.boolean: Invalid value: "integer": spec.boolean in body must be of type boolean: "integer"
  true
list | {type: array, items: {type: string}, minItems: 1, maxItems: 2}
  []        | FieldValueInvalid: spec.list: Invalid value: 0: spec.list in body should have at least 1 items
  [a, 5]    | FieldValueTypeInvalid: spec.list[1]: Invalid value: "integer": spec.list[1] in body must be of type string: "integer"
  [a, b, c] | FieldValueTooMany: spec.list: Too many: 3: must have at most 2 items
  {}        | FieldValueTypeInvalid: spec.list: Invalid value: "object": spec.list in body must be of type array: "object"
  x         | FieldValueTypeInvalid: spec.list: Invalid value: "string": spec.list in body must be of type array: "string"
listOfOne | {type: array, items: {type: string}, maxItems: 1}
  [a, b] | FieldValueTooMany: spec.listOfOne: Too many: 2: must have at most 1 item
map | {type: object, additionalProperties: {type: integer}, minProperties: 1, maxProperties: 2}
  {}                 | FieldValueInvalid: spec.map: Invalid value: 0: spec.map in body should have at least 1 properties
  {a: x}             | FieldValueTypeInvalid: spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"
  {a: 1, b: 2, c: 3} | FieldValueTooMany: spec.map: Too many: 3: must have at most 2 items
  []                 | FieldValueTypeInvalid: spec.map: Invalid value: "array": spec.map in body must be of type object: "array"
object | {type: object, required: [a, b], properties: {a: {type: string}, b: {type: integer}}}
  {}           | FieldValueRequired: spec.object.a: Required value
               | FieldValueRequired: spec.object.b: Required value
  {a: 1}       | FieldValueRequired: spec.object.b: Required value
               | FieldValueTypeInvalid: spec.object.a: Invalid value: "integer": spec.object.a in body must be of type string: "integer"
  {a: x, b: 1}
enumOfTexts | {type: string, enum: [a, b c]}
  z | FieldValueNotSupported: spec.enumOfTexts: Unsupported value: "z": supported values: "a", "b c"
  5 | FieldValueNotSupported: spec.enumOfTexts: Unsupported value: 5: supported values: "a", "b c"
    | FieldValueTypeInvalid: spec.enumOfTexts: Invalid value: "integer": spec.enumOfTexts in body must be of type string: "integer"
  a
enumOfIntegers | {type: integer, enum: [1, 2]}
  3   | FieldValueNotSupported: spec.enumOfIntegers: Unsupported value: 3: supported values: "1", "2"
  1
  1.5 | FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.enumOfIntegers
      | FieldValueTypeInvalid: spec.enumOfIntegers: Invalid value: "number": spec.enumOfIntegers in body must be of type integer: "number"
  x   | FieldValueNotSupported: spec.enumOfIntegers: Unsupported value: "x": supported values: "1", "2"
      | FieldValueTypeInvalid: spec.enumOfIntegers: Invalid value: "string": spec.enumOfIntegers in body must be of type integer: "string"
enumOfNumbers | {type: number, enum: [1, 2.5]}
  1.5
  2.5
  1
  3   | FieldValueNotSupported: spec.enumOfNumbers: Unsupported value: 3: supported values: "1", "2.5"
nullableEnum | {type: string, enum: [a], nullable: true}
  null | FieldValueNotSupported: spec.nullableEnum: Unsupported value: null: supported values: "a"
  a
  b    | FieldValueNotSupported: spec.nullableEnum: Unsupported value: "b": supported values: "a"
enumOfObjects | {type: object, properties: {a: {type: string}}, enum: [{a: x}]}
  {a: x}
  {a: 'y'} | FieldValueNotSupported: spec.enumOfObjects: Unsupported value: {"a":"y"}: supported values: "{\\"a\\":\\"x\\"}"
length | {type: string, minLength: 2, maxLength: 3}
  a    | FieldValueInvalid: spec.length: Invalid value: "a": spec.length in body should be at least 2 chars long
  abcd | FieldValueTooLong: spec.length: Too long: may not be more than 3 bytes
  😀😀
  😀😀😀😀 | FieldValueTooLong: spec.length: Too long: may not be more than 3 bytes
lengthOfOne | {type: string, maxLength: 1}
  abcd | FieldValueTooLong: spec.lengthOfOne: Too long: may not be more than 1 byte
pattern | {type: string, pattern: ^a+$}
  b  | FieldValueInvalid: spec.pattern: Invalid value: "b": spec.pattern in body should match '^a+$'
  aa
  '' | FieldValueInvalid: spec.pattern: Invalid value: "": spec.pattern in body should match '^a+$'
bounds | {type: integer, minimum: 2, maximum: 5}
  1 | FieldValueInvalid: spec.bounds: Invalid value: 1: spec.bounds in body should be greater than or equal to 2
  6 | FieldValueInvalid: spec.bounds: Invalid value: 6: spec.bounds in body should be less than or equal to 5
  2
  5
exclusiveBounds | {type: integer, minimum: 2, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true}
  2 | FieldValueInvalid: spec.exclusiveBounds: Invalid value: 2: spec.exclusiveBounds in body should be greater than 2
  5 | FieldValueInvalid: spec.exclusiveBounds: Invalid value: 5: spec.exclusiveBounds in body should be less than 5
  3
boundsOfNumbers | {type: number, minimum: 1.5, maximum: 2.5}
  1
  2
  3          | FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 3: spec.boundsOfNumbers in body should be less than or equal to 2
  1.4        | FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 1.4: spec.boundsOfNumbers in body should be greater than or equal to 1.5
  2.6        | FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 2.6: spec.boundsOfNumbers in body should be less than or equal to 2.5
  1234567.25 | FieldValueInvalid: spec.boundsOfNumbers: Invalid value: 1.23456725e+06: spec.boundsOfNumbers in body should be less than or equal to 2.5
largeBound | {type: number, maximum: 1000000}
  1000000.5 | FieldValueInvalid: spec.largeBound: Invalid value: 1.0000005e+06: spec.largeBound in body should be less than or equal to 1e+06
  2000000   | FieldValueInvalid: spec.largeBound: Invalid value: 2000000: spec.largeBound in body should be less than or equal to 1000000
smallBound | {type: number, maximum: 0.00001}
  0.5   | FieldValueInvalid: spec.smallBound: Invalid value: 0.5: spec.smallBound in body should be less than or equal to 1e-05
  1.e-7
multipleOf | {type: integer, multipleOf: 3}
  4 | FieldValueInvalid: spec.multipleOf: Invalid value: 4: spec.multipleOf in body should be a multiple of 3
  6
multipleOfFraction | {type: number, multipleOf: 0.5}
  1   | FieldValueInvalid: spec.multipleOfFraction: Invalid value: 0: factor MultipleOf declared for spec.multipleOfFraction must be positive: 0
  1.5
  1.3 | FieldValueInvalid: spec.multipleOfFraction: Invalid value: 1.3: spec.multipleOfFraction in body should be a multiple of 0.5
integersOfFraction | {type: integer, multipleOf: 0.5}
  1 | FieldValueInvalid: <nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in spec.integersOfFraction
  2 | FieldValueInvalid: <nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in spec.integersOfFraction
intOrString | {x-kubernetes-int-or-string: true}
  1
  a
  1.5  | FieldValueTypeInvalid: spec.intOrString: Invalid value: "number": spec.intOrString in body must be of type integer,string: "number"
  true | FieldValueTypeInvalid: spec.intOrString: Invalid value: "boolean": spec.intOrString in body must be of type integer,string: "boolean"
  {}   | FieldValueTypeInvalid: spec.intOrString: Invalid value: "object": spec.intOrString in body must be of type integer,string: "object"
  null | dropped
boundedIntOrString | {x-kubernetes-int-or-string: true, minimum: 2, pattern: ^a}
  1 | FieldValueInvalid: spec.boundedIntOrString: Invalid value: 1: spec.boundedIntOrString in body should be greater than or equal to 2
  b | FieldValueInvalid: spec.boundedIntOrString: Invalid value: "b": spec.boundedIntOrString in body should match '^a'
  3
  a
intOrStringByAnyOf | {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: ^a}
  1
  b    | FieldValueInvalid: spec.intOrStringByAnyOf: Invalid value: "b": spec.intOrStringByAnyOf in body should match '^a'
  true | FieldValueInvalid: <nil>: Invalid value: "": "spec.intOrStringByAnyOf" must validate at least one schema (anyOf)
       | FieldValueTypeInvalid: spec.intOrStringByAnyOf: Invalid value: "boolean": spec.intOrStringByAnyOf in body must be of type integer,string: "boolean"
       | FieldValueTypeInvalid: spec.intOrStringByAnyOf: Invalid value: "boolean": spec.intOrStringByAnyOf in body must be of type integer: "boolean"
anything | {x-kubernetes-preserve-unknown-fields: true}
  1
  a
  {a: {b: null}}
  [null]
nullable | {type: string, nullable: true}
  null
  x
  5    | FieldValueTypeInvalid: spec.nullable: Invalid value: "integer": spec.nullable in body must be of type string: "integer"
nullableObject | {type: object, nullable: true, properties: {a: {type: string}}}
  null
  {a: null} | kept {}
anyOf | {type: object, properties: {a: {type: string}, b: {type: integer}}, anyOf: [{required: [a]}, {required: [b], properties: {b: {minimum: 5}}}]}
  {}     | FieldValueInvalid: <nil>: Invalid value: "": "spec.anyOf" must validate at least one schema (anyOf)
         | FieldValueRequired: spec.anyOf.a: Required value
  {b: 1} | FieldValueInvalid: <nil>: Invalid value: "": "spec.anyOf" must validate at least one schema (anyOf)
         | FieldValueInvalid: spec.anyOf.b: Invalid value: 1: spec.anyOf.b in body should be greater than or equal to 5
  {a: x}
  {b: 6}
oneOf | {type: object, properties: {a: {type: string}, b: {type: integer}}, oneOf: [{required: [a]}, {required: [b]}]}
  {}           | FieldValueInvalid: <nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema (oneOf). Found none valid
               | FieldValueRequired: spec.oneOf.a: Required value
  {a: x, b: 1} | FieldValueInvalid: <nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema (oneOf). Found 2 valid alternatives
  {a: x}
allOf | {type: object, properties: {a: {type: string}, b: {type: integer}}, allOf: [{required: [a]}, {required: [b]}]}
  {}           | FieldValueInvalid: <nil>: Invalid value: "": "spec.allOf" must validate all the schemas (allOf). None validated
               | FieldValueRequired: spec.allOf.a: Required value
               | FieldValueRequired: spec.allOf.b: Required value
  {a: x}       | FieldValueInvalid: <nil>: Invalid value: "": "spec.allOf" must validate all the schemas (allOf)
               | FieldValueRequired: spec.allOf.b: Required value
  {a: x, b: 1}
not | {type: object, properties: {a: {type: string}, b: {type: integer}}, not: {required: [a]}}
  {}
  {a: x} | FieldValueInvalid: <nil>: Invalid value: "": "spec.not" must not validate the schema (not)
combinedBounds | {type: integer, anyOf: [{minimum: 10}, {enum: [3]}], not: {maximum: 3}}
  3  | FieldValueInvalid: <nil>: Invalid value: "": "spec.combinedBounds" must not validate the schema (not)
  11
  5  | FieldValueInvalid: <nil>: Invalid value: "": "spec.combinedBounds" must validate at least one schema (anyOf)
     | FieldValueInvalid: spec.combinedBounds: Invalid value: 5: spec.combinedBounds in body should be greater than or equal to 10
set | {type: array, items: {type: string}, x-kubernetes-list-type: set}
  [a, a, b, b, b] | FieldValueDuplicate: spec.set[1]: Duplicate value: "a"
                  | FieldValueDuplicate: spec.set[3]: Duplicate value: "b"
  [a]
setOfIntegers | {type: array, items: {type: integer}, x-kubernetes-list-type: set}
  [1, 1] | FieldValueDuplicate: spec.setOfIntegers[1]: Duplicate value: 1
  [1, 2]
setOfLists | {type: array, items: {type: array, items: {type: integer}, x-kubernetes-list-type: atomic}, x-kubernetes-list-type: set}
  [[1], [1]] | FieldValueDuplicate: spec.setOfLists[1]: Duplicate value: [1]
listMap | {type: array, items: {type: object, required: [name], properties: {name: {type: string}, x: {type: integer}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}
  [{name: a}, {name: a}] | FieldValueDuplicate: spec.listMap[1]: Duplicate value: {"name":"a"}
  [{}]                   | FieldValueRequired: spec.listMap[0].name: Required value
  [5]                    | FieldValueInvalid: spec.listMap[0]: Invalid value: 5: must be an object for an array of list-type map
                         | FieldValueTypeInvalid: spec.listMap[0]: Invalid value: "integer": spec.listMap[0] in body must be of type object: "integer"
  [{name: 5}, {name: 5}] | FieldValueDuplicate: spec.listMap[1]: Duplicate value: {"name":5}
                         | FieldValueTypeInvalid: spec.listMap[0].name: Invalid value: "integer": spec.listMap[0].name in body must be of type string: "integer"
                         | FieldValueTypeInvalid: spec.listMap[1].name: Invalid value: "integer": spec.listMap[1].name in body must be of type string: "integer"
listMapOfTwoKeys | {type: array, items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer, default: 1}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name, port]}
  [{name: a}, {name: a, port: 1}] | FieldValueDuplicate: spec.listMapOfTwoKeys[1]: Duplicate value: {"name":"a","port":1}
  [{name: a}, {name: a, port: 2}] | kept [{name: a, port: 1}, {name: a, port: 2}]
embedded | {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
  {}                                           | FieldValueRequired: spec.embedded.apiVersion: Required value
                                               | FieldValueRequired: spec.embedded.kind: Required value
  {apiVersion: v1, kind: Pod}
  {apiVersion: a/b/c, kind: P_d}               | FieldValueInvalid: spec.embedded.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c
                                               | FieldValueInvalid: spec.embedded.kind: Invalid value: "P_d": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
  {apiVersion: '', kind: ''}                   | FieldValueInvalid: spec.embedded.apiVersion: Invalid value: "": must not be empty
                                               | FieldValueInvalid: spec.embedded.kind: Invalid value: "": must not be empty
  {apiVersion: v1, kind: Pod, metadata: {name: A/b, labels: {a b: '!'}, foo: 1}} | FieldValueInvalid: spec.embedded.metadata.labels: Invalid value: "!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')
                                               | FieldValueInvalid: spec.embedded.metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
                                               | FieldValueInvalid: spec.embedded.metadata.name: Invalid value: "A/b": may not contain '/'
  {apiVersion: 5, kind: Pod}                   | refused spec.embedded.apiVersion: Invalid value: 5: must be a string
  {apiVersion: v1, kind: Pod, metadata: {name: 5}} | refused spec.embedded.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string
  {apiVersion: v1, kind: Pod, metadata: {namespace: A_b}} | FieldValueInvalid: spec.embedded.metadata.namespace: Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')
  {apiVersion: v1, kind: Pod, metadata: {finalizers: [x]}}
  {apiVersion: v1, kind: Pod, metadata: null}  | kept {apiVersion: v1, kind: Pod, metadata: {}}
  {apiVersion: v1, kind: Pod, metadata: x}     | refused spec.embedded.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta
nothingMore | {type: object, additionalProperties: false}
  {a: 1} | FieldValueInvalid: spec.nothingMore: Invalid value: "a": spec.nothingMore.a in body is a forbidden property
  {}
anythingMore | {type: object, additionalProperties: true}
  {a: 1, b: {c: 1}, d: [{e: 1}]} | kept {a: 1, b: {}, d: [{}]}
                                 | unknown spec.anythingMore.b.c spec.anythingMore.d[0].e
  {}
objectThatKeeps | {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {x: {type: integer}}}, l: {type: array, items: {type: object, properties: {x: {type: integer}}}}}}
  {a: {x: 1, 'y': 2}, b: {c: 1}, l: [{x: 1, 'y': 2}]} | kept {a: {x: 1}, b: {c: 1}, l: [{x: 1}]}
                                               | unknown spec.objectThatKeeps.a.y spec.objectThatKeeps.l[0].y
listThatKeeps | {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, properties: {x: {type: object, properties: {'y': {type: integer}}}}}}
  [{x: {'y': 1, z: 1}, w: 1}] | kept [{w: 1, x: {'y': 1}}]
                              | unknown spec.listThatKeeps[0].x.z
defaults | {type: object, default: {}, properties: {a: {type: string, default: x}, b: {type: array, items: {type: object, properties: {c: {type: integer, default: 3}}}}}}
  {}                            | kept {a: x}
  {a: null, b: [{}, {c: null}]} | kept {a: x, b: [{c: 3}, {c: 3}]}
  null                          | kept {a: x}
nullInMap | {type: object, additionalProperties: {type: string}}
  {a: null, b: x} | kept {b: x}
nullInList | {type: array, items: {type: string}}
  [a, null] | FieldValueTypeInvalid: spec.nullInList[1]: Invalid value: "null": spec.nullInList[1] in body must be of type string: "null"
date | {type: string, format: date}
  2020-02-30   | FieldValueTypeInvalid: spec.date: Invalid value: "2020-02-30": spec.date in body must be of type date: "2020-02-30"
  '2020-02-29'
  5            | FieldValueTypeInvalid: spec.date: Invalid value: "int64": spec.date in body must be of type date: "int64"
  [a]
  true         | FieldValueTypeInvalid: spec.date: Invalid value: "": spec.date in body must be of type date: ""
  {}           | FieldValueTypeInvalid: spec.date: Invalid value: "": spec.date in body must be of type date: ""
unknownFormat | {type: string, format: nonsense}
  x
  5 | FieldValueTypeInvalid: spec.unknownFormat: Invalid value: "integer": spec.unknownFormat in body must be of type string: "integer"
deep | {type: object, properties: {a: {type: object, additionalProperties: {type: object, required: [k], properties: {k: {type: array, items: {type: object, properties: {z: {type: integer}}}}}}}}}
  {a: {x.y/z: {k: [{z: q}]}, m: {}}} | FieldValueRequired: spec.deep.a.m.k: Required value
                                     | FieldValueTypeInvalid: spec.deep.a.x.y/z.k[0].z: Invalid value: "string": spec.deep.a.x.y/z.k[0].z in body must be of type integer: "string"
nearestOfTexts | {type: string, anyOf: [{maxLength: 2, pattern: c$}, {enum: [a, abc], not: {enum: [a]}}]}
  ''     | FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfTexts" must validate at least one schema (anyOf)
         | FieldValueInvalid: spec.nearestOfTexts: Invalid value: "": spec.nearestOfTexts in body should match 'c$'
  abcdef | FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfTexts" must validate at least one schema (anyOf)
         | FieldValueTooLong: spec.nearestOfTexts: Too long: may not be more than 2 bytes
nearestOfObject | {type: object, additionalProperties: {type: integer}, anyOf: [{minProperties: 2}, {maxProperties: 0, not: {enum: [1]}}]}
  {a: 1} | FieldValueInvalid: <nil>: Invalid value: "": "spec.nearestOfObject" must validate at least one schema (anyOf)
         | FieldValueInvalid: spec.nearestOfObject: Invalid value: 1: spec.nearestOfObject in body should have at least 2 properties
`,
).map(({ head, rows }) => ({
  name: head.name,
  schema: valueIn(head.schema) as JsonSchema,
  values: saidOf(rows, ({ given }) => given).map(({ first, said }) => caseOf(valueIn(first), said)),
}));
