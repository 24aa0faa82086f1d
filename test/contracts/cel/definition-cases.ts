// Schemas whose rules are taken or refused by a kube-apiserver, and in which words; the real one is the judge (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { integer, integers, mapOf, objectOf, rule, text, texts } from './rule-schemas.ts';

export interface DefinitionCase {
  name: string;
  schema: JsonSchema;
  /** `field: message`, the field from the schema of `spec.value` on, the rule itself as `<rule>`; none for a schema that is taken. */
  causes: readonly string[];
}

const longRule = 'self.all(x, self.all(y, x == y))';

export const definitionCases: readonly DefinitionCase[] = [
  {
    name: 'a field that is not there',
    schema: { ...objectOf({ a: text }), ...rule('self.b == "x"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a name that is not there',
    schema: { ...integer, ...rule('selff > 1') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a function that is not there',
    schema: { ...text, ...rule('self.reversed() == "x"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'types that do not meet',
    schema: { ...integer, ...rule('self == "x"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an integer and a double',
    schema: { ...integer, ...rule('self + 1.0 > 2.0') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'no truth value',
    schema: { ...integer, ...rule('self + 1') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: cel expression must evaluate to a bool'],
  },
  {
    name: 'a field of a text',
    schema: { ...text, ...rule('self.a') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a loop over a number',
    schema: { ...integer, ...rule('self.all(x, true)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'mixed elements',
    schema: { ...integer, ...rule('self in [1, "a"]') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'has() of no field',
    schema: { ...integer, ...rule('has(self)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'two problems',
    schema: { ...objectOf({ a: text }), ...rule('self.b == 1 && self.c == 2') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an unescaped name',
    schema: { ...objectOf({ 'a-b': integer }), ...rule('self.a-b > 1') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an empty rule',
    schema: { ...integer, ...rule(' ') },
    causes: ['x-kubernetes-validations[0].rule: Required value: rule is not specified'],
  },
  {
    name: 'an empty message',
    schema: { ...integer, ...rule('self > 1', { message: ' ' }) },
    causes: ['x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified'],
  },
  {
    name: 'a line break without a message',
    schema: { ...integer, 'x-kubernetes-validations': [{ rule: 'self >\n1' }] },
    causes: ['x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks'],
  },
  {
    name: 'a line break in the message',
    schema: { ...integer, ...rule('self > 1', { message: 'a\nb' }) },
    causes: ['x-kubernetes-validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  },
  {
    name: 'an unknown reason',
    schema: { ...integer, ...rule('self > 1', { reason: 'Wrong' }) },
    causes: [
      'x-kubernetes-validations[0].reason: Unsupported value: "Wrong": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  },
  {
    name: 'a field path that is not there',
    schema: { ...objectOf({ a: text }), ...rule('true', { fieldPath: '.b' }) },
    causes: ['x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path'],
  },
  {
    name: 'a message expression of another type',
    schema: { ...integer, ...rule('self > 1', { messageExpression: 'self' }) },
    causes: ['x-kubernetes-validations[0].messageExpression: Invalid value: <rule>: messageExpression must evaluate to a string'],
  },
  {
    name: 'a message expression that does not compile',
    schema: { ...integer, ...rule('self > 1', { messageExpression: 'selff' }) },
    causes: ['x-kubernetes-validations[0].messageExpression: Invalid value: <rule>: messageExpression compilation failed'],
  },
  {
    name: 'oldSelf below a list without keys',
    schema: { ...texts, items: { ...text, ...rule('self == oldSelf') } },
    causes: [
      'items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[value]',
    ],
  },
  {
    name: 'an optional oldSelf that is not used',
    schema: { ...integer, ...rule('self > 1', { optionalOldSelf: true }) },
    causes: ['x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule'],
  },
  { name: 'a rule that is dear enough', schema: { type: 'array', maxItems: 1000, items: integer, ...rule(longRule) }, causes: [] },
  {
    name: 'unbounded texts added',
    schema: { ...objectOf({ a: { type: 'string' }, b: { type: 'string' } }), ...rule('(self.a + self.b) != "x"') },
    causes: [],
  },
  { name: 'a quadratic rule of bounded texts', schema: { ...texts, ...rule('self.all(x, self.exists_one(y, x == y))') }, causes: [] },
  {
    name: 'an unbounded map',
    schema: { type: 'object', additionalProperties: { type: 'string' }, ...rule('self.all(k, self[k] == k)') },
    causes: [],
  },

  {
    name: 'an invalid pattern',
    schema: { ...text, ...rule('self.matches("[")') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an invalid pattern to find',
    schema: { ...text, ...rule('self.find("(") == ""') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an invalid duration',
    schema: { ...integer, ...rule('duration("1x") > duration("1s")') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an invalid moment',
    schema: { ...integer, ...rule('timestamp("yesterday") < timestamp(self)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a clause that does not fit',
    schema: { ...text, ...rule('"%d".format(["a"]) == self') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a clause without a value',
    schema: { ...text, ...rule('"%s %s".format(["a"]) == self') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a value without a clause',
    schema: { ...text, ...rule('"%s".format(["a", "b"]) == self') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a clause that is none',
    schema: { ...text, ...rule('"%y".format(["a"]) == self') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a text and a number added',
    schema: { ...integer, ...rule('"a" + self == "a1"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'branches of two types',
    schema: { ...integer, ...rule('(self > 1 ? "a" : 2) == 2') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an object compared with a text',
    schema: { ...objectOf({ a: objectOf({ b: text }) }), ...rule('self.a == "x"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a list compared with another',
    schema: { ...texts, ...rule('self == [1]') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'arguments that do not fit',
    schema: { ...text, ...rule('self.startsWith(1) || self.size(2) > 1') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an unknown variable in a loop',
    schema: { ...texts, ...rule('self.all(x, y == x)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'no simple name in a loop',
    schema: { ...texts, ...rule('self.all(x.y, true)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'no truth value in a loop',
    schema: { ...texts, ...rule('self.all(x, x)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an index of another type',
    schema: { ...texts, ...rule('self["a"] == "b"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a key of another type',
    schema: { ...mapOf(text), ...rule('self[1] == "b"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a binding, which is not offered',
    schema: { ...text, ...rule('cel.bind(x, self, x == x)') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an optional field of an unknown name',
    schema: { ...objectOf({ a: text }), ...rule('self.?b.hasValue()') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'an optional compared with a text',
    schema: { ...objectOf({ a: text }), ...rule('self.?a == "x"') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a negated text',
    schema: { ...text, ...rule('!self') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  {
    name: 'a sum of texts',
    schema: { ...texts, ...rule('self.sum() == ""') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed'],
  },
  { name: 'a dear optional', schema: { ...objectOf({ a: { type: 'string' } }), ...rule('self.?a.orValue("") == "x"') }, causes: [] },
  {
    name: 'a bounded sort',
    schema: { ...integers, ...rule('self.sort() == self && self.distinct().size() == self.reverse().size()') },
    causes: [],
  },
  {
    name: 'a map of objects',
    schema: {
      type: 'object',
      additionalProperties: { ...objectOf({ a: { type: 'string' } }), required: ['a'] },
      ...rule('self.all(k, self[k].a.startsWith("x"))'),
    },
    causes: [],
  },
  {
    name: 'a text of an enumeration',
    schema: { type: 'array', items: { type: 'string', enum: ['abc', 'de'] }, ...rule('self.all(x, x.contains("b"))') },
    causes: [],
  },
];
