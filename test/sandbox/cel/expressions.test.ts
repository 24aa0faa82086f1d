// What expressions give, as the API server's own library gives it; each case is one that people write.
import { describe, expect, test } from '@jest/globals';
import { compiled } from '../../../lib/sandbox/cel/program.ts';
import { environment } from '../../../lib/sandbox/cel/environment.ts';
import { isList, isMap, untyped } from '../../../lib/sandbox/cel/values/values.ts';
import type { Value } from '../../../lib/sandbox/cel/values/values.ts';

const ofAnything = environment.clone().registerVariable('self', 'dyn');
const ofText = environment.clone().registerVariable('self', 'string');

const self = {
  count: 2,
  share: 0.5,
  name: 'hello-World',
  list: [3, 1, 2],
  names: ['b', 'a'],
  replicas: { Master: { count: 1 }, Worker: { count: 2 } },
  nothing: null,
};

/** As JSON, with integers as numbers. */
function plain(value: Value): unknown {
  if (isList(value)) return value.map(plain);
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [String(plain(key)), plain(item)]));
  return typeof value === 'bigint' ? Number(value) : value;
}

function outcomeOf(text: string): unknown {
  const program = compiled(text, ofAnything);
  if ('problem' in program) return 'refused';
  const outcome = program.run(new Map([['self', untyped(self)]]));
  return 'value' in outcome ? plain(outcome.value) : 'error';
}

const cases: readonly (readonly [text: string, outcome: unknown])[] = [
  ['has(self.count) && !has(self.other)', true],
  ['has(self.replicas["Master"].count)', true],
  ['has(self.list[0].b)', false],
  ['self.list.all(item, item > 0)', true],
  ['self.list.exists(item, item.missing == 1 || item == 2)', true],
  ['self.list.exists_one(item, item > 2)', true],
  ['self.replicas.all(key, self.replicas[key].count > 0)', true],
  ['self.replicas.all(key, value, key == "Master" ? value.count == 1 : value.count > 1)', true],
  ['self.replicas.transformList(key, value, "%s=%d".format([key, value.count]))', ['Master=1', 'Worker=2']],
  ['self.replicas.transformMap(key, value, value.count * 2)', { Master: 2, Worker: 4 }],
  ['self.list.map(item, item > 1, item * 10)', [30, 20]],
  ['self.list.filter(item, item < 3)', [1, 2]],
  ['self.list.sort() == [1, 2, 3] && !self.list.isSorted()', true],
  ['self.list.sum() + self.list.max() - self.list.min()', 8],
  ['self.names.indexOf("a") + self.names.lastIndexOf("zz")', 0],
  ['self.list.sortBy(item, -item)', [3, 2, 1]],
  ['self.?missing.orValue(7)', 7],
  ['self.?count.optMap(count, count + 1).value()', 3],
  ['self.replicas[?"Evaluator"].hasValue()', false],
  ['self.replicas.?Master.?count.orValue(0)', 1],
  ['optional.none().or(optional.of(1)).value()', 1],
  [
    '"%s is %d, %.2f, %s, %s".format([self.name, self.count, self.share, self.names, self.replicas])',
    'hello-World is 2, 0.50, ["b", "a"], {"Master":{"count":1}, "Worker":{"count":2}}',
  ],
  ['self.name.lowerAscii().split("-")', ['hello', 'world']],
  ['self.name.substring(6) + self.name.charAt(0)', 'Worldh'],
  ['"a,b,c".replace(",", ";", 1)', 'a;b,c'],
  ['"tacocat".indexOf("c", 3)', 4],
  ['self.names.join("+")', 'b+a'],
  ['" x ".trim() + strings.quote("a\\n")', String.raw`x"a\n"`],
  [String.raw`self.name.matches(r'^[a-z]+-\w+$')`, true],
  ['"abc 123".find("[0-9]+") + "a1b2".findAll("[0-9]")[1]', '1232'],
  ['1 / 0 == 1 || true', true],
  ['1 / 0 == 1', 'error'],
  ['9223372036854775807 + 1', 'error'],
  ['-9223372036854775808', -9223372036854775808],
  ['self.share + 1.5', 2],
  ['self.share + 1', 'error'],
  ['1 == 1.0', 'refused'],
  ['dyn(1) == 1.0 && 1 < 1.5', true],
  ['int("12") + int(3.9) + int(double("1e1"))', 25],
  ['string(1.5) + string(true) + string(10)', '1.5true10'],
  ['type(self.count) == int && type(self.name) == string && type(self.nothing) == null_type', true],
  ['size("é€😀") + "abc".size() + size(self.list)', 9],
  ['self.nothing == null && self.name != null', true],
  ['timestamp("2024-02-29T12:30:00Z").getDayOfMonth() + timestamp("2024-02-29T12:30:00Z").getHours("+02:00")', 42],
  ['duration("1h30m") > duration("89m") && duration("90s").getMinutes() == 1', true],
  ['timestamp("2024-01-01T00:00:00Z") + duration("24h") == timestamp("2024-01-02T00:00:00Z")', true],
  ['string(duration("90.5s")) + string(timestamp("2024-01-01T00:00:00.5Z"))', '90.5s2024-01-01T00:00:00.5Z'],
  ['quantity("1.5Gi").isGreaterThan(quantity("1500M")) && quantity("200k").asInteger() == 200000', true],
  ['isQuantity("1Z") || quantity("50m").add(quantity("950m")).isInteger()', true],
  ['ip("10.0.0.1").family() == 4 && ip("::1").isLoopback() && !isIP("010.0.0.1")', true],
  ['cidr("10.0.0.0/8").containsIP("10.9.9.9") && !cidr("10.0.0.0/8").containsCIDR("11.0.0.0/16")', true],
  ['cidr("192.168.1.7/24").masked() == cidr("192.168.1.0/24")', true],
  ['url("https://example.com:80/path?k=a&k=b").getPort() + url("https://example.com/?k=a&k=b").getQuery()["k"][1]', '80b'],
  ['isURL("/path") && !isURL("../relative")', true],
  ['semver("1.2.3").isLessThan(semver("1.10.0")) && isSemver("v1.0", true) && !isSemver("1.0")', true],
  [
    '!format.dns1123Label().validate("a-b").hasValue() && format.named("uuid").value().validate("x").value() == ["does not match the UUID format"]',
    true,
  ],
  ['sets.contains([1, 2, 3], [1]) && sets.equivalent([1, 2], [2, 1]) && !sets.intersects([1], [2])', true],
  ['[1, [2, 3]].flatten()', 'refused'],
  ['[[1], [2, 3]].flatten().slice(1, 3) + lists.range(2).reverse()', [2, 3, 1, 0]],
  ['{"a": 1}.a + {1: 2}[1]', 3],
  ['1 in [1, 2] && "Master" in self.replicas && !("x" in self.names)', true],
  ['b"abc" == bytes("abc") && 1u + 2u == 3u', true],
  ['self.missing', 'error'],
  ['self.list[5]', 'error'],
  ['self.unknown(1)', 'refused'],
  ['other > 1', 'refused'],
  ['self.count && true', 'error'],
  ['"a" && true', 'refused'],
  ['"abc".all(x, true)', 'refused'],
];

describe('expressions', () => {
  test.each(cases)('%s', (text, outcome) => {
    expect(outcomeOf(text)).toEqual(outcome);
  });
});

test('a problem shows its place in the line', () => {
  const program = compiled('self.a ==\n  other', ofAnything);
  expect('problem' in program && program.problem).toBe('ERROR: <input>:2:3: Unknown variable: other');
});

test('an evaluation ends at its limit, whatever passes over errors', () => {
  const text = 'self.list.exists(a, self.list.exists(b, self.list.exists(c, self.list.exists(d, false)))) || true';
  const program = compiled(text, ofAnything);
  if ('problem' in program) throw new Error(program.problem);
  const list = Array.from({ length: 200 }, (_, index) => index);
  const outcome = program.run(new Map([['self', untyped({ list })]]));
  expect('error' in outcome && outcome.error.message).toBe('operation cancelled: actual cost limit exceeded');
});

test.each([
  ['equality', (list: string) => `${list} == ${list}`],
  ['formatting', (list: string) => `"%s".format([${list}]) == ""`],
  ['flattening', (list: string) => `dyn(${list}).flatten(99) == []`],
])('%s ends for lists that hold others many times over', (_, textOf) => {
  const doubled = `[0]${Array.from({ length: 40 }, (_each, index) => `.map(x${index}, [x${index}, x${index}])`).join('')}`;
  const program = compiled(textOf(doubled), environment);
  if ('problem' in program) throw new Error(program.problem);
  const outcome = program.run(new Map());
  expect('error' in outcome && outcome.error.message).toBe('operation cancelled: actual cost limit exceeded');
});

test.each([
  ['duration(self)', '1'.repeat(100_000)],
  ['int(self)', '9'.repeat(1_000_000)],
  ['url(self)', `https://${'a:'.repeat(200_000)}x`],
  ['self.format([1.5])', '%.1000f'],
])('%s of an odd text fails at once', (text, value) => {
  const program = compiled(text, ofText);
  if ('problem' in program) throw new Error(program.problem);
  const begun = performance.now();
  expect(program.run(new Map([['self', value]]))).toHaveProperty('error');
  expect(performance.now() - begun).toBeLessThan(500);
});

test('a pattern that would take others for ever is matched in time linear in the text', () => {
  const program = compiled('self.matches("^(a+)+$")', ofAnything);
  if ('problem' in program) throw new Error(program.problem);
  const outcome = program.run(new Map([['self', `${'a'.repeat(5_000)}!`]]));
  expect('value' in outcome && outcome.value).toBe(false);
});

test.each([
  ['nested too deep', `${'('.repeat(500)}1${')'.repeat(500)}`],
  ['of too many parts', `1${'+1'.repeat(20_000)}`],
])('an expression %s is refused', (_, text) => {
  const program = compiled(text, environment);
  expect('problem' in program && program.problem).toMatch(/Syntax error/);
});

test.each(['b"abc".json()', 'b"abc".hex()', 'cel.bind(x, 1, x)'])('%s, which the library alone has, is refused', (text) => {
  expect(compiled(text, environment)).toHaveProperty('problem');
});
