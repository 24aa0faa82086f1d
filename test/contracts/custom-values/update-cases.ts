// Updates of custom resources that a schema became too strict for, and what a kube-apiserver still takes; the real one is the judge
// (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { groupsOf, saidOf, valueIn } from '../case-table.ts';

export interface UpdateCase {
  name: string;
  /** Of the spec, after it was changed; before, it was free-form. */
  schema: JsonSchema;
  stored: Readonly<Record<string, unknown>>;
  /** The spec that is written over the stored one, and what is said against that: `reason: field: message`, ordered. */
  updates: readonly { next: Readonly<Record<string, unknown>>; problems: readonly string[] }[];
}

type Spec = Readonly<Record<string, unknown>>;

export const updateCases: readonly UpdateCase[] = groupsOf(
  ['name', 'schema', 'stored'],
  ['next', 'said'],
  `
field | {type: object, properties: {a: {type: string, maxLength: 2}, b: {type: string, maxLength: 2}}} | {a: long, b: x}
  {a: long, b: 'y'}
  {a: longer, b: x}     | FieldValueTooLong: spec.a: Too long: may not be more than 2 bytes
  {a: long, b: toolong} | FieldValueTooLong: spec.b: Too long: may not be more than 2 bytes
  {b: x}
  {a: ok}
required at the top | {type: object, properties: {a: {type: string}, b: {type: string}}, required: [a]} | {b: x}
  {b: x}
  {b: 'y'} | FieldValueRequired: spec.a: Required value
required within | {type: object, properties: {o: {type: object, properties: {a: {type: string}, b: {type: string}}, required: [a]}, c: {type: string}}} | {o: {b: x}, c: x}
  {o: {b: x}, c: 'y'}
  {o: {b: 'y'}, c: x} | FieldValueRequired: spec.o.a: Required value
elements with a key | {type: object, properties: {l: {type: array, items: {type: object, properties: {name: {type: string}, v: {type: string, maxLength: 2}, w: {type: string}}, required: [name]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}, c: {type: string}}} | {l: [{name: a, v: long}, {name: b, v: x}]}
  {l: [{name: b, v: 'y'}, {name: a, v: long}]}
  {l: [{name: a, v: long, w: new}]}
  {l: [{name: z, v: long}]}                    | FieldValueTooLong: spec.l[0].v: Too long: may not be more than 2 bytes
  {l: [{name: a, v: longer}]}                  | FieldValueTooLong: spec.l[0].v: Too long: may not be more than 2 bytes
number of elements with a key | {type: object, properties: {l: {type: array, items: {type: object, properties: {name: {type: string}, v: {type: string}, w: {type: string}}, required: [name]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], maxItems: 1}, c: {type: string}}} | {l: [{name: a}, {name: b}]}
  {l: [{name: b}, {name: a}]}
  {l: [{name: b}, {name: c}]}       | FieldValueTooMany: spec.l: Too many: 2: must have at most 1 item
  {l: [{name: a}, {name: b}], c: x}
atomic list | {type: object, properties: {l: {type: array, items: {type: string, maxLength: 2}}, c: {type: string}}} | {l: [long, x]}
  {l: [long, x], c: 'y'}
  {l: [long]}            | FieldValueTooLong: spec.l[0]: Too long: may not be more than 2 bytes
  {l: [x, long]}         | FieldValueTooLong: spec.l[1]: Too long: may not be more than 2 bytes
set | {type: object, properties: {l: {type: array, items: {type: string, maxLength: 2}, x-kubernetes-list-type: set}, c: {type: string}}} | {l: [long, x]}
  {l: [long, x], c: 'y'}
  {l: [x, long]}         | FieldValueTooLong: spec.l[1]: Too long: may not be more than 2 bytes
map | {type: object, properties: {m: {type: object, additionalProperties: {type: string, maxLength: 2}}}} | {m: {a: long}}
  {m: {a: long, b: x}}
  {m: {a: long, b: long}} | FieldValueTooLong: spec.m.b: Too long: may not be more than 2 bytes
atomic object | {type: object, properties: {m: {type: object, properties: {a: {type: string, maxLength: 2}, b: {type: string}}, x-kubernetes-map-type: atomic}}} | {m: {a: long}}
  {m: {a: long, b: x}}
anyOf | {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {properties: {b: {maxLength: 1}}, required: [b]}]} | {b: long}
  {b: long}
  {b: longer} | FieldValueInvalid: <nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)
              | FieldValueTooLong: spec.b: Too long: may not be more than 1 byte
  {b: x}
not | {type: object, properties: {a: {type: string}, b: {type: string}}, not: {required: [b]}} | {b: long}
  {b: longer} | FieldValueInvalid: <nil>: Invalid value: "": "spec" must not validate the schema (not)
duplicates | {type: object, properties: {l: {type: array, items: {type: string}, x-kubernetes-list-type: set}, c: {type: string}}} | {l: [a, a]}
  {l: [a, a], c: x}
  {l: [a, a, b, b]}
new duplicates | {type: object, properties: {l: {type: array, items: {type: string}, x-kubernetes-list-type: set}, c: {type: string}}} | {l: [a]}
  {l: [a, a]} | FieldValueDuplicate: spec.l[1]: Duplicate value: "a"
type | {type: object, properties: {a: {type: integer}, c: {type: string}}} | {a: x}
  {a: x, c: 'y'}
  {a: 'y'}       | FieldValueTypeInvalid: spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"
enum | {type: object, properties: {a: {type: string, enum: [q]}, c: {type: string}}} | {a: x}
  {a: x, c: 'y'}
  {a: 'y'}       | FieldValueNotSupported: spec.a: Unsupported value: "y": supported values: "q"
fields of which nothing is said | {type: object, properties: {o: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}, required: [z]}, c: {type: string}}} | {o: {a: x, free: 1}}
  {o: {a: x, free: 1}, c: 'y'} | FieldValueRequired: spec.o.z: Required value
object that keeps unknown fields | {type: object, properties: {o: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}, required: [z]}, c: {type: string}}} | {o: {a: x}}
  {o: {a: x}, c: 'y'}
embedded object | {type: object, properties: {o: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}, c: {type: string}}} | {o: {a: x}}
  {o: {a: x}, c: 'y'} | FieldValueRequired: spec.o.apiVersion: Required value
                      | FieldValueRequired: spec.o.kind: Required value
field within of the same name | {type: object, properties: {b: {type: string}, a: {type: object, properties: {b: {type: string, maxLength: 2}}}}} | {b: x}
  {b: x, a: {b: long}}   | FieldValueTooLong: spec.a.b: Too long: may not be more than 2 bytes
  {b: 'y', a: {b: long}} | FieldValueTooLong: spec.a.b: Too long: may not be more than 2 bytes
  {b: long, a: {b: 'y'}}
null | {type: object, properties: {a: {type: string, nullable: true, enum: [a]}, c: {type: string}}} | {a: null}
  {a: null, c: x}
`,
).map(({ head, rows }) => ({
  name: head.name,
  schema: valueIn(head.schema) as JsonSchema,
  stored: valueIn(head.stored) as Spec,
  updates: saidOf(rows, ({ next }) => next).map(({ first, said }) => ({ next: valueIn(first) as Spec, problems: said })),
}));
