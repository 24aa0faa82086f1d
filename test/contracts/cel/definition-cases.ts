// Schemas whose rules are taken or refused by a kube-apiserver, and in which words; the real one is the judge (test/cluster/cel-rules.test.ts).
import type { RuleSchema } from '../../../lib/sandbox/cel/schema-types.ts';
import { integer, integers, mapOf, objectOf, rule, text, texts } from './rule-schemas.ts';

export interface DefinitionCase {
  name: string;
  schema: RuleSchema;
  /** `field: message`, the field from the schema of `spec.value` on, the rule itself as `<rule>`; none for a schema that is taken. */
  causes: readonly string[];
}

const longRule = 'self.all(x, self.all(y, x == y))';

export const definitionCases: readonly DefinitionCase[] = [
  {
    name: 'a field that is not there',
    schema: { ...objectOf({ a: text }), ...rule('self.b == "x"') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: undefined field \'b\'\n | self.b == "x"\n | ....^',
    ],
  },
  {
    name: 'a name that is not there',
    schema: { ...integer, ...rule('selff > 1') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:1: undeclared reference to 'selff' (in container '')\n | selff > 1\n | ^",
    ],
  },
  {
    name: 'a function that is not there',
    schema: { ...text, ...rule('self.reversed() == "x"') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:14: undeclared reference to 'reversed' (in container '')\n | self.reversed() == \"x\"\n | .............^",
    ],
  },
  {
    name: 'types that do not meet',
    schema: { ...integer, ...rule('self == "x"') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(int, string)'\n | self == \"x\"\n | .....^",
    ],
  },
  {
    name: 'an integer and a double',
    schema: { ...integer, ...rule('self + 1.0 > 2.0') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(int, double)'\n | self + 1.0 > 2.0\n | .....^",
    ],
  },
  {
    name: 'no truth value',
    schema: { ...integer, ...rule('self + 1') },
    causes: ['x-kubernetes-validations[0].rule: Invalid value: <rule>: cel expression must evaluate to a bool'],
  },
  {
    name: 'a field of a text',
    schema: { ...text, ...rule('self.a') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.a\n | ....^",
    ],
  },
  {
    name: 'a loop over a number',
    schema: { ...integer, ...rule('self.all(x, true)') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.all(x, true)\n | ^",
    ],
  },
  {
    name: 'mixed elements',
    schema: { ...integer, ...rule('self in [1, "a"]') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:13: expected type 'int' but found 'string'\n | self in [1, \"a\"]\n | ............^",
    ],
  },
  {
    name: 'has() of no field',
    schema: { ...integer, ...rule('has(self)') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^',
    ],
  },
  {
    name: 'two problems',
    schema: { ...objectOf({ a: text }), ...rule('self.b == 1 && self.c == 2') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1 && self.c == 2\n | ....^\nERROR: <input>:1:20: undefined field 'c'\n | self.b == 1 && self.c == 2\n | ...................^",
    ],
  },
  {
    name: 'an unescaped name',
    schema: { ...objectOf({ 'a-b': integer }), ...rule('self.a-b > 1') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: undefined field 'a'\n | self.a-b > 1\n | ....^\nERROR: <input>:1:8: undeclared reference to 'b' (in container '')\n | self.a-b > 1\n | .......^",
    ],
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
    causes: [
      "x-kubernetes-validations[0].messageExpression: Invalid value: <rule>: messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'selff' (in container '')\n | selff\n | ^",
    ],
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
  {
    name: 'a rule that is too dear',
    schema: { type: 'array', items: integer, ...rule(longRule) },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a rule that is a little too dear',
    schema: { type: 'array', maxItems: 2000, items: integer, ...rule(longRule) },
    causes: [
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 2.0x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  { name: 'a rule that is dear enough', schema: { type: 'array', maxItems: 1000, items: integer, ...rule(longRule) }, causes: [] },
  {
    name: 'a pattern over an unbounded text',
    schema: { type: 'array', items: { type: 'string' }, ...rule('self.all(x, x.matches("^[a-z]+$"))') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a rule below an unbounded list',
    schema: { type: 'array', items: { type: 'string', maxLength: 1000, ...rule('self.contains("abcdefghij")') } },
    causes: [
      'items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 42.0x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 4.2x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'two unbounded texts',
    schema: { ...objectOf({ a: { type: 'string' }, b: { type: 'string' } }), ...rule('self.a.contains(self.b)') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
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
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:14: invalid matches argument\n | self.matches("[")\n | .............^',
    ],
  },
  {
    name: 'an invalid pattern to find',
    schema: { ...text, ...rule('self.find("(") == ""') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: program instantiation failed: error parsing regexp: missing closing ): `(`',
    ],
  },
  {
    name: 'an invalid duration',
    schema: { ...integer, ...rule('duration("1x") > duration("1s")') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration("1x") > duration("1s")\n | .........^',
    ],
  },
  {
    name: 'an invalid moment',
    schema: { ...integer, ...rule('timestamp("yesterday") < timestamp(self)') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp("yesterday") < timestamp(self)\n | ..........^',
    ],
  },
  {
    name: 'a clause that does not fit',
    schema: { ...text, ...rule('"%d".format(["a"]) == self') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string\n | "%d".format(["a"]) == self\n | .............^',
    ],
  },
  {
    name: 'a clause without a value',
    schema: { ...text, ...rule('"%s %s".format(["a"]) == self') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:15: index 1 out of range\n | "%s %s".format(["a"]) == self\n | ..............^',
    ],
  },
  {
    name: 'a value without a clause',
    schema: { ...text, ...rule('"%s".format(["a", "b"]) == self') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)\n | "%s".format(["a", "b"]) == self\n | ...........^',
    ],
  },
  {
    name: 'a clause that is none',
    schema: { ...text, ...rule('"%y".format(["a"]) == self') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:12: could not parse formatting clause: unrecognized formatting clause "y"\n | "%y".format(["a"]) == self\n | ...........^',
    ],
  },
  {
    name: 'a text and a number added',
    schema: { ...integer, ...rule('"a" + self == "a1"') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: found no matching overload for \'_+_\' applied to \'(string, int)\'\n | "a" + self == "a1"\n | ....^',
    ],
  },
  {
    name: 'branches of two types',
    schema: { ...integer, ...rule('(self > 1 ? "a" : 2) == 2') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:11: found no matching overload for '_?_:_' applied to '(bool, string, int)'\n | (self > 1 ? \"a\" : 2) == 2\n | ..........^",
    ],
  },
  {
    name: 'an object compared with a text',
    schema: { ...objectOf({ a: objectOf({ b: text }) }), ...rule('self.a == "x"') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(selfType.a, string)'\n | self.a == \"x\"\n | .......^",
    ],
  },
  {
    name: 'a list compared with another',
    schema: { ...texts, ...rule('self == [1]') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(list(string), list(int))'\n | self == [1]\n | .....^",
    ],
  },
  {
    name: 'arguments that do not fit',
    schema: { ...text, ...rule('self.startsWith(1) || self.size(2) > 1') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:16: found no matching overload for 'startsWith' applied to 'string.(int)'\n | self.startsWith(1) || self.size(2) > 1\n | ...............^\nERROR: <input>:1:32: found no matching overload for 'size' applied to 'string.(int)'\n | self.startsWith(1) || self.size(2) > 1\n | ...............................^",
    ],
  },
  {
    name: 'an unknown variable in a loop',
    schema: { ...texts, ...rule('self.all(x, y == x)') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:13: undeclared reference to 'y' (in container '')\n | self.all(x, y == x)\n | ............^",
    ],
  },
  {
    name: 'no simple name in a loop',
    schema: { ...texts, ...rule('self.all(x.y, true)') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:11: argument must be a simple name\n | self.all(x.y, true)\n | ..........^',
    ],
  },
  {
    name: 'no truth value in a loop',
    schema: { ...texts, ...rule('self.all(x, x)') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:13: expected type 'bool' but found 'string'\n | self.all(x, x)\n | ............^",
    ],
  },
  {
    name: 'an index of another type',
    schema: { ...texts, ...rule('self["a"] == "b"') },
    causes: [
      'x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: found no matching overload for \'_[_]\' applied to \'(list(string), string)\'\n | self["a"] == "b"\n | ....^',
    ],
  },
  {
    name: 'a key of another type',
    schema: { ...mapOf(text), ...rule('self[1] == "b"') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: found no matching overload for '_[_]' applied to '(map(string, string), int)'\n | self[1] == \"b\"\n | ....^",
    ],
  },
  {
    name: 'a binding, which is not offered',
    schema: { ...text, ...rule('cel.bind(x, self, x == x)') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(x, self, x == x)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(x, self, x == x)\n | ........^\nERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n | cel.bind(x, self, x == x)\n | .........^\nERROR: <input>:1:19: undeclared reference to 'x' (in container '')\n | cel.bind(x, self, x == x)\n | ..................^\nERROR: <input>:1:24: undeclared reference to 'x' (in container '')\n | cel.bind(x, self, x == x)\n | .......................^",
    ],
  },
  {
    name: 'an optional field of an unknown name',
    schema: { ...objectOf({ a: text }), ...rule('self.?b.hasValue()') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.?b.hasValue()\n | ....^",
    ],
  },
  {
    name: 'an optional compared with a text',
    schema: { ...objectOf({ a: text }), ...rule('self.?a == "x"') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(optional_type(string), string)'\n | self.?a == \"x\"\n | ........^",
    ],
  },
  {
    name: 'a negated text',
    schema: { ...text, ...rule('!self') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(string)'\n | !self\n | ^",
    ],
  },
  {
    name: 'a sum of texts',
    schema: { ...texts, ...rule('self.sum() == ""') },
    causes: [
      "x-kubernetes-validations[0].rule: Invalid value: <rule>: compilation failed: ERROR: <input>:1:9: found no matching overload for 'sum' applied to 'list(string).()'\n | self.sum() == \"\"\n | ........^",
    ],
  },
  { name: 'a dear optional', schema: { ...objectOf({ a: { type: 'string' } }), ...rule('self.?a.orValue("") == "x"') }, causes: [] },
  {
    name: 'a dear join',
    schema: { type: 'array', items: { type: 'string' }, ...rule('self.join("") == ""') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a dear sort',
    schema: { type: 'array', items: integer, ...rule('self.sort() == self') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a bounded sort',
    schema: { ...integers, ...rule('self.sort() == self && self.distinct().size() == self.reverse().size()') },
    causes: [],
  },
  {
    name: 'a dear set',
    schema: { type: 'array', items: integer, ...rule('sets.contains(self, self)') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a dear loop of loops',
    schema: { type: 'array', items: { type: 'array', items: integer }, ...rule('self.all(x, x.all(y, y > 0))') },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
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
    name: 'a list of objects with defaults',
    schema: {
      type: 'array',
      items: { ...objectOf({ a: { type: 'string', maxLength: 10 } }), required: ['a'] },
      ...rule('self.all(x, self.all(y, x.a == y.a))'),
    },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'a text of an enumeration',
    schema: { type: 'array', items: { type: 'string', enum: ['abc', 'de'] }, ...rule('self.all(x, x.contains("b"))') },
    causes: [],
  },
  {
    name: 'a dear message',
    schema: {
      ...objectOf({ a: { type: 'array', items: { type: 'string' } } }),
      ...rule('true', { messageExpression: 'self.a.join(",")' }),
    },
    causes: [
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
      'x-kubernetes-validations[0].messageExpression: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
  {
    name: 'rules that are dear together',
    schema: {
      ...objectOf(
        Object.fromEntries(
          Array.from({ length: 15 }, (_, index) => [
            `a${index}`,
            { type: 'array', maxItems: 1240 + index, items: integer, ...rule(longRule) },
          ]),
        ),
      ),
    },
    causes: [
      'properties[a11].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'properties[a12].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'properties[a13].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'properties[a14].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.167206x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    ],
  },
];
