// Rules of custom resources, values that keep or break them, and what a kube-apiserver says; the real one is the judge (test/cluster/custom-resources.test.ts).
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { integer, integers, mapOf, objectOf, rule, text, texts } from './rule-schemas.ts';

export interface RuleCase {
  name: string;
  /** Of the field `spec.value`. */
  schema: JsonSchema;
  value: unknown;
  /** What the field was before the update; a creation where there is none. */
  previous?: unknown;
  /** `field: message` of each cause, sorted; none for a value that is taken. */
  causes: readonly string[];
}

const broken = ['spec.value: Invalid value: broken'];

/** A rule that holds for one value and is broken by another. */
const pair = (name: string, schema: JsonSchema, [good, bad]: [unknown, unknown], causes: readonly string[] = broken): RuleCase[] => [
  { name: `${name}: kept`, schema, value: good, causes: [] },
  { name: `${name}: broken`, schema, value: bad, causes },
];

const brokenText = (value: string): string[] => [`spec.value: Invalid value: ${JSON.stringify(value)}: broken`];

export const ruleCases: readonly RuleCase[] = [
  ...pair('a comparison of two fields', { ...objectOf({ min: integer, max: integer }), ...rule('self.min <= self.max') }, [
    { min: 1, max: 1 },
    { min: 2, max: 1 },
  ]),
  ...pair('a presence', { ...objectOf({ a: text, b: text }), ...rule('has(self.a) != has(self.b)') }, [{ a: 'x' }, { a: 'x', b: 'y' }]),
  ...pair('all', { ...integers, ...rule('self.all(x, x > 0)') }, [[1, 2], [0]]),
  ...pair('exists', { ...texts, ...rule('self.exists(x, x.startsWith("a"))') }, [['ab'], ['b']]),
  ...pair('exists_one', { ...integers, ...rule('self.exists_one(x, x == 1)') }, [
    [1, 2],
    [1, 1],
  ]),
  ...pair('map and sum', { ...integers, ...rule('self.map(x, x * 2).sum() < 10') }, [
    [1, 2],
    [4, 4],
  ]),
  ...pair('filter and size', { ...texts, ...rule('self.filter(x, x.endsWith("z")).size() == 1') }, [['z'], []]),
  ...pair('all over a map', { ...mapOf(integer), ...rule('self.all(k, k.size() < 4 && self[k] < 9)') }, [{ a: 1 }, { a: 9 }]),
  ...pair('all with two variables', { ...mapOf(integer), ...rule('self.all(k, v, k == "a" || v > 1)') }, [{ a: 1 }, { b: 1 }]),
  ...pair('a map made from a map', { ...mapOf(integer), ...rule('self.transformMap(k, v, v * 2).all(k, v, v < 5)') }, [{ a: 1 }, { a: 3 }]),
  ...pair('a list made from a map', { ...mapOf(integer), ...rule('self.transformList(k, v, v).sum() == 3') }, [{ a: 1, b: 2 }, { a: 1 }]),
  ...pair('a pattern', { ...text, ...rule('self.matches("^[a-z]([-a-z0-9]*[a-z0-9])?$")') }, ['a-b', 'A'], brokenText('A')),
  ...pair(
    'find and findAll',
    { ...text, ...rule('self.find("[0-9]+") == "12" && self.findAll("[a-z]").size() == 2') },
    ['a12b', 'a1'],
    brokenText('a1'),
  ),
  ...pair('split', { ...text, ...rule('self.split("/").size() == 2 && self.split("/")[1] == "b"') }, ['a/b', 'ab'], brokenText('ab')),
  ...pair('join', { ...texts, ...rule('self.join("-") == "a-b"') }, [['a', 'b'], ['ab']]),
  ...pair(
    'lower case, replace, substring',
    { ...text, ...rule('self.lowerAscii().replace("b", "c").substring(1) == "c"') },
    ['AB', 'ab1'],
    brokenText('ab1'),
  ),
  ...pair(
    'format',
    { ...text, ...rule('"%s-%d-%.1f-%s-%x".format([self, 3, 2.5, [1], 255]) == "a-3-2.5-[1]-ff"') },
    ['a', 'b'],
    brokenText('b'),
  ),
  ...pair(
    'quantities',
    { ...text, ...rule('isQuantity(self) && quantity(self).isLessThan(quantity("1Gi"))') },
    ['500Mi', '2Gi'],
    brokenText('2Gi'),
  ),
  ...pair(
    'addresses',
    { ...text, ...rule('isIP(self) && ip(self).family() == 4 && !ip(self).isLoopback()') },
    ['10.0.0.1', '127.0.0.1'],
    brokenText('127.0.0.1'),
  ),
  ...pair(
    'networks',
    { ...text, ...rule('isCIDR(self) && cidr(self).prefixLength() >= 24 && cidr("10.0.0.0/8").containsCIDR(self)') },
    ['10.1.2.0/24', '10.0.0.0/16'],
    brokenText('10.0.0.0/16'),
  ),
  ...pair(
    'URLs',
    {
      ...text,
      ...rule('isURL(self) && url(self).getScheme() == "https" && url(self).getHost() == "a.b:1" && url(self).getQuery()["q"] == ["1"]'),
    },
    ['https://a.b:1/c?q=1', 'http://a.b:1/c?q=1'],
    brokenText('http://a.b:1/c?q=1'),
  ),
  ...pair('named formats', { ...text, ...rule('!format.dns1123Label().validate(self).hasValue()') }, ['a-b', 'a.b'], brokenText('a.b')),
  ...pair(
    'versions',
    { ...text, ...rule('isSemver(self) && semver(self).isGreaterThan(semver("1.2.0"))') },
    ['1.10.0', '1.1.9'],
    brokenText('1.1.9'),
  ),
  ...pair('sorted lists', { ...integers, ...rule('self.isSorted() && self.min() == 1 && self.max() == 3 && self.indexOf(3) == 1') }, [
    [1, 3],
    [3, 1],
  ]),
  ...pair('sets', { ...texts, ...rule('sets.contains(["a", "b"], self)') }, [['a'], ['c']]),
  ...pair('sorting and slicing', { ...integers, ...rule('self.sort().slice(0, 1) == [1] && self.distinct().size() == self.size()') }, [
    [2, 1],
    [1, 1],
  ]),
  ...pair(
    'optional fields',
    { ...objectOf({ a: integer }), ...rule('self.?a.orValue(5) > 4 && self.?a.optMap(a, a * 2).orValue(12) == 12') },
    [{ a: 6 }, { a: 1 }],
  ),
  ...pair('an optional key', { ...mapOf(integer), ...rule('self[?"a"].hasValue()') }, [{ a: 1 }, {}]),
  ...pair(
    'escaped names',
    {
      ...objectOf({ 'a-b': integer, 'c.d': integer, 'e/f': integer, namespace: integer, x__y: integer }),
      ...rule('self.a__dash__b + self.c__dot__d + self.e__slash__f + self.__namespace__ + self.x__underscores__y == 5'),
    },
    [
      { 'a-b': 1, 'c.d': 1, 'e/f': 1, namespace: 1, x__y: 1 },
      { 'a-b': 2, 'c.d': 1, 'e/f': 1, namespace: 1, x__y: 1 },
    ],
  ),
  ...pair(
    'integers and doubles',
    {
      ...objectOf({ n: { type: 'number' }, i: integer }),
      ...rule('self.n > 1.5 && double(self.i) < self.n && self.i < self.n && int(self.n) >= self.i'),
    },
    [
      { n: 2, i: 1 },
      { n: 1, i: 0 },
    ],
  ),
  ...pair(
    'large integers',
    { ...integer, ...rule('self / 10 * 10 != self') },
    [1_000_001, 1_000_000],
    ['spec.value: Invalid value: 1000000: broken'],
  ),
  ...pair(
    'text or number',
    { 'x-kubernetes-int-or-string': true, ...rule('type(self) == int ? self < 5 : self.endsWith("%")') },
    ['5%', 7],
    ['spec.value: Invalid value: 7: broken'],
  ),
  ...pair(
    'moments',
    {
      ...objectOf({ from: { type: 'string', format: 'date-time' }, to: { type: 'string', format: 'date-time' } }),
      ...rule('self.from < self.to && self.to - self.from <= duration("24h")'),
    },
    [
      { from: '2024-01-01T00:00:00Z', to: '2024-01-01T12:00:00Z' },
      { from: '2024-01-01T00:00:00Z', to: '2024-01-03T00:00:00Z' },
    ],
  ),
  ...pair('durations', { type: 'string', format: 'duration', ...rule('self >= duration("1m")') }, ['90s', '5s'], brokenText('5s')),
  ...pair('bytes', { type: 'string', format: 'byte', ...rule('string(self) == "abc"') }, ['YWJj', 'YWI='], brokenText('YWI=')),
  ...pair(
    'a set is equal in any order',
    {
      ...objectOf({ a: { ...texts, 'x-kubernetes-list-type': 'set' }, b: { ...texts, 'x-kubernetes-list-type': 'set' } }),
      ...rule('self.a == self.b'),
    },
    [
      { a: ['x', 'y'], b: ['y', 'x'] },
      { a: ['x'], b: ['y'] },
    ],
  ),
  ...pair('a set is added to once', { ...texts, 'x-kubernetes-list-type': 'set', ...rule('(self + ["a"]).size() == 2') }, [
    ['a', 'b'],
    ['a'],
  ]),
  ...pair('a list is ordered', { ...objectOf({ a: texts, b: texts }), ...rule('self.a == self.b') }, [
    { a: ['x', 'y'], b: ['x', 'y'] },
    { a: ['x', 'y'], b: ['y', 'x'] },
  ]),
  ...pair(
    'a list with keys',
    {
      ...objectOf({
        a: {
          type: 'array',
          maxItems: 9,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { ...objectOf({ k: text, v: integer }), required: ['k'] },
        },
        b: {
          type: 'array',
          maxItems: 9,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { ...objectOf({ k: text, v: integer }), required: ['k'] },
        },
      }),
      ...rule('self.a.all(x, self.b.exists(y, x.k == y.k && x.v == y.v)) && self.a.size() == self.b.size()'),
    },
    [
      {
        a: [
          { k: 'x', v: 1 },
          { k: 'y', v: 2 },
        ],
        b: [
          { k: 'y', v: 2 },
          { k: 'x', v: 1 },
        ],
      },
      { a: [{ k: 'x', v: 1 }], b: [{ k: 'x', v: 2 }] },
    ],
  ),
  ...pair('nullable', { ...objectOf({ a: { ...text, nullable: true } }), ...rule('has(self.a) && self.a.size() > 0') }, [{ a: 'x' }, {}]),

  {
    name: 'a message of its own expression',
    schema: { ...integer, ...rule('self < 5', { messageExpression: '"%d is too much".format([self])' }) },
    value: 7,
    causes: ['spec.value: Invalid value: 7: 7 is too much'],
  },
  {
    name: 'a message expression that fails',
    schema: { ...integers, ...rule('self.size() == 1', { messageExpression: '"first is %d".format([self[0]])' }) },
    value: [],
    causes: broken,
  },
  {
    name: 'no message',
    schema: { ...integers, 'x-kubernetes-validations': [{ rule: ' self.size() == 1 ' }] },
    value: [],
    causes: ['spec.value: Invalid value: failed rule: self.size() == 1'],
  },
  {
    name: 'forbidden',
    schema: { ...objectOf({ a: text }), ...rule('!has(self.a)', { reason: 'FieldValueForbidden', fieldPath: '.a' }) },
    value: { a: 'x' },
    causes: ['spec.value.a: Forbidden: broken'],
  },
  {
    name: 'required',
    schema: { ...objectOf({ a: text }), ...rule('has(self.a)', { reason: 'FieldValueRequired', fieldPath: '.a' }) },
    value: {},
    causes: ['spec.value.a: Required value: broken'],
  },
  {
    name: 'duplicate',
    schema: { ...texts, ...rule('self.size() < 2', { reason: 'FieldValueDuplicate' }) },
    value: ['a', 'b'],
    causes: ['spec.value: Duplicate value'],
  },
  {
    name: 'a field path with a key',
    schema: { ...objectOf({ a: mapOf(objectOf({ b: text })) }), ...rule('false', { fieldPath: ".a['x.y'].b" }) },
    value: {},
    causes: ['spec.value.a[x.y].b: Invalid value: broken'],
  },
  {
    name: 'each element',
    schema: { ...integers, items: { ...integer, ...rule('self != 2') } },
    value: [1, 2, 2],
    causes: ['spec.value[1]: Invalid value: 2: broken', 'spec.value[2]: Invalid value: 2: broken'],
  },
  {
    name: 'each value of a map',
    schema: mapOf({ ...text, ...rule('self != "x"') }),
    value: { a: 'x', b: 'y' },
    causes: ['spec.value[a]: Invalid value: "x": broken'],
  },
  {
    name: 'a missing key fails the rule',
    schema: { ...objectOf({ a: text, b: text }), ...rule('self.b == "x"') },
    value: { a: 'x' },
    causes: ['spec.value: Invalid value: "object": error in rule: broken'],
  },
  {
    name: 'an index out of bounds fails the rule',
    schema: { ...integers, ...rule('self[1] == 1') },
    value: [1],
    causes: ['spec.value: Invalid value: "array": error in rule: broken'],
  },
  {
    name: 'a division by zero fails the rule',
    schema: { ...integer, ...rule('1 / self > 1') },
    value: 0,
    causes: ['spec.value: Invalid value: "integer": error in rule: broken'],
  },
  {
    name: 'types that do not meet',
    schema: { 'x-kubernetes-int-or-string': true, ...rule('self + 1 == 2') },
    value: 'a',
    causes: [`spec.value: Invalid value: "": error in rule: broken`],
  },
  { name: 'an absent value has no rule', schema: objectOf({ a: { ...text, ...rule('false') } }), value: {}, causes: [] },

  { name: 'a transition that is kept', schema: { ...integer, ...rule('self >= oldSelf') }, value: 2, previous: 1, causes: [] },
  {
    name: 'a transition that is broken',
    schema: { ...integer, ...rule('self >= oldSelf') },
    value: 1,
    previous: 2,
    causes: ['spec.value: Invalid value: 1: broken'],
  },
  { name: 'a transition rule says nothing of a creation', schema: { ...integer, ...rule('self > oldSelf') }, value: 1, causes: [] },
  {
    name: 'a transition rule says nothing of a field that comes',
    schema: objectOf({ a: { ...integer, ...rule('self == oldSelf') } }),
    value: { a: 1 },
    previous: {},
    causes: [],
  },
  {
    name: 'immutable',
    schema: { ...objectOf({ a: { ...text, ...rule('self == oldSelf') } }) },
    value: { a: 'y' },
    previous: { a: 'x' },
    causes: ['spec.value.a: Invalid value: "y": broken'],
  },
  {
    name: 'an optional old value at a creation',
    schema: { ...integer, ...rule('oldSelf.hasValue() || self == 1', { optionalOldSelf: true }) },
    value: 2,
    causes: ['spec.value: Invalid value: 2: broken'],
  },
  {
    name: 'an optional old value at an update',
    schema: { ...integer, ...rule('!oldSelf.hasValue() || oldSelf.value() < self', { optionalOldSelf: true }) },
    value: 2,
    previous: 3,
    causes: ['spec.value: Invalid value: 2: broken'],
  },
  {
    name: 'elements with keys are matched',
    schema: {
      type: 'array',
      maxItems: 9,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { ...objectOf({ k: text, v: integer }), required: ['k'], ...rule('self.v >= oldSelf.v') },
    },
    value: [
      { k: 'b', v: 1 },
      { k: 'a', v: 1 },
    ],
    previous: [
      { k: 'a', v: 2 },
      { k: 'b', v: 1 },
    ],
    causes: ['spec.value[1]: Invalid value: broken'],
  },
  {
    name: 'values of a map are matched',
    schema: mapOf({ ...integer, ...rule('self == oldSelf') }),
    value: { a: 1, b: 2 },
    previous: { b: 1 },
    causes: ['spec.value[b]: Invalid value: 2: broken'],
  },
];
