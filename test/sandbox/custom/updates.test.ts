import { describe, expect, test } from '@jest/globals';
import { objectProblems, statusProblems } from '../../../lib/sandbox/custom/object-problems.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import type { FieldError } from '../../../lib/objects/field-error.ts';
import { updateCases } from '../../contracts/custom-values/update-cases.ts';

const texts = (problems: readonly FieldError[]): string[] =>
  problems.map(({ reason, field, message }) => `${reason}: ${field}: ${message}`).toSorted();

describe.each(updateCases)('$name', ({ schema, stored, updates }) => {
  const whole: JsonSchema = { type: 'object', properties: { spec: schema, status: schema } };
  const named = { apiVersion: 'example.com/v1', kind: 'Thing' };

  test.each(updates.map((each) => [JSON.stringify(each.next), each] as const))('%s', (_, { next, problems }) => {
    expect(texts(objectProblems({ ...named, spec: next }, whole, { old: { ...named, spec: stored } }))).toEqual(problems);
  });
});

const status: JsonSchema = { type: 'object', properties: { a: { type: 'string', maxLength: 2 }, b: { type: 'integer' } } };
const thing: JsonSchema = { type: 'object', properties: { status } };

test('a status is checked by itself: texts name its fields from there', () => {
  const object = { status: { a: 'long', b: 'x' } };
  expect(texts(statusProblems(object, thing, {}))).toEqual([
    'FieldValueTooLong: status.a: Too long: may not be more than 2 bytes',
    'FieldValueTypeInvalid: status.b: Invalid value: "string": b in body must be of type integer: "string"',
  ]);
});

test('a status keeps what was wrong with it before', () => {
  expect(statusProblems({ status: { a: 'long', b: 1 } }, thing, { status: { a: 'long' } })).toEqual([]);
  expect(statusProblems({ status: { a: 'longer' } }, thing, { status: { a: 'long' } })).toHaveLength(1);
});
