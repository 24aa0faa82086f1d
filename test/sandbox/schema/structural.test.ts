import { describe, expect, test } from '@jest/globals';
import { fieldsSaid } from '../../../lib/sandbox/ownership/comparison.ts';
import { problemsOf } from '../../../lib/sandbox/ownership/configuration-problems.ts';
import { ordered } from '../../../lib/sandbox/objects/field-set.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { shapeOf } from '../../../lib/sandbox/schema/structural.ts';
import { valueIn } from '../../contracts/case-table.ts';
import { misfitCases, misfitSchemas, ownershipCases } from '../../contracts/custom-values/ownership-cases.ts';

const wholeOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: 'object', properties });

describe('the owner of', () => {
  test.each(ownershipCases)('$name', ({ name, schema, given, fields, refused }) => {
    const shape = shapeOf(wholeOf({ [name]: schema }), 'com.example.v1.Thing');
    const config = { [name]: given };
    expect(problemsOf(shape, config)).toEqual(refused === undefined ? [] : [refused]);
    if (refused === undefined) expect(ordered(fieldsSaid(shape, config))[`f:${name}`]).toEqual(fields);
  });
});

describe('applied as', () => {
  const shape = shapeOf(wholeOf({ spec: wholeOf(misfitSchemas) }), 'com.example.v1.Thing');
  test.each(misfitCases)('$name: $given', ({ name, given, refused }) => {
    const told = problemsOf(shape, { spec: { [name]: valueIn(given) } }).map((problem) => problem.replace(/, got .*$/s, ''));
    expect(told).toEqual(refused === '' ? [] : [refused]);
  });
});

test('every object has its type, its kind and its metadata, and every object within one has those too', () => {
  const shape = shapeOf(
    wholeOf({ a: { ...wholeOf({ b: { type: 'string' } }), 'x-kubernetes-embedded-resource': true } }),
    'com.example.v1.Thing',
  );
  expect([...shape.fields.keys()].toSorted()).toEqual(['a', 'apiVersion', 'kind', 'metadata']);
  const within = shape.fields.get('a')?.type;
  expect(within?.is === 'object' && [...within.fields.keys()].toSorted()).toEqual(['apiVersion', 'b', 'kind', 'metadata']);
});
