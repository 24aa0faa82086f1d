// Rules of definitions beyond the tables (test/contracts/cel): budgets, ratcheting, roots, speed.
import { afterEach, expect, jest, test } from '@jest/globals';
import { schemaWith } from '../../contracts/cel/rule-answers.ts';
import { integer, objectOf, rule, texts } from '../../contracts/cel/rule-schemas.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { ruleProblems } from '../../../lib/sandbox/cel/object-rules.ts';
import { ruleProblemsOfSchema } from '../../../lib/sandbox/cel/schema-rules.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a rule that was broken before and whose value stays only warns', () => {
  const schema = schemaWith({ a: { ...integer, ...rule('self > 1') }, b: integer });
  const outcome = ruleProblems(schema, { spec: { a: 0, b: 2 } }, { spec: { a: 0, b: 1 } });
  expect(outcome).toEqual({ problems: [], warnings: ['spec.a: Invalid value: 0: broken'] });
});

test('rules at the root see the name and the kind of an object', () => {
  const schema = { ...schemaWith({}), ...rule('self.metadata.name == "a" && self.kind == "Case" && !has(self.metadata.generateName)') };
  expect(ruleProblemsOfSchema(schema, 'x')).toEqual([]);
  const object = { apiVersion: 'example.com/v1', kind: 'Case', metadata: { name: 'b' }, spec: {} };
  expect(ruleProblems(schema, object).problems).toEqual([
    { reason: 'FieldValueInvalid', field: '<nil>', message: 'Invalid value: broken' },
  ]);
  expect(ruleProblems(schema, { ...object, metadata: { name: 'a' } }).problems).toEqual([]);
});

test('no rules are run once the budget of an object is spent', () => {
  // Steps alone count: a busy machine might spend half a second on one rule.
  jest.spyOn(performance, 'now').mockReturnValue(0);
  const dear = { ...texts, ...rule('self.all(a, self.all(b, a == b))') };
  const names = Array.from({ length: 80 }, (_, index) => `a${index}`);
  const schema = schemaWith(Object.fromEntries(names.map((name) => [name, dear])));
  const list = Array.from({ length: 120 }, () => 'x');
  const { problems } = ruleProblems(schema, { spec: Object.fromEntries(names.map((name) => [name, list])) });
  expect(problems).toEqual([
    {
      reason: 'FieldValueInvalid',
      field: expect.stringMatching(/^spec\.a\d+$/),
      message: 'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    },
  ]);
});

test('a schema of more objects than the library compares keeps its rules', () => {
  const deep = (levels: number): JsonSchema =>
    levels === 0
      ? { type: 'string' }
      : objectOf(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f-${index}`, deep(levels - 1)])));
  const schema = { ...deep(4), ...rule('self.f__dash__8.f__dash__8.f__dash__8.f__dash__1 == "x"') };
  const holding = (text: string): object => ({ 'f-8': { 'f-8': { 'f-8': { 'f-1': text } } } });
  expect(ruleProblemsOfSchema(schema, 'x')).toEqual([]);
  expect(ruleProblems(schema, holding('x')).problems).toEqual([]);
  expect(ruleProblems(schema, holding('y')).problems).toHaveLength(1);
});

test('an object with twenty rules is checked within a millisecond', () => {
  const fields = Array.from({ length: 20 }, (_, index) => [`f${index}`, integer] as const);
  const schema = schemaWith({
    value: {
      ...objectOf({ ...Object.fromEntries(fields), list: { type: 'array', maxItems: 20, items: integer } }),
      'x-kubernetes-validations': fields.map(([name]) => ({ rule: `!has(self.${name}) || self.${name} < 100 && self.list.all(x, x > 0)` })),
    },
  });
  const object = { spec: { value: { ...Object.fromEntries(fields.map(([name], index) => [name, index])), list: [1, 2, 3, 4, 5] } } };
  expect(ruleProblems(schema, object).problems).toEqual([]);
  const times = Array.from({ length: 50 }, () => {
    const begun = performance.now();
    ruleProblems(schema, object);
    return performance.now() - begun;
  });
  expect(Math.min(...times)).toBeLessThan(1);
});
