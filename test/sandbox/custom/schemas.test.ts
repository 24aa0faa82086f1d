import { expect, test } from '@jest/globals';
import { schemaProblems } from '../../../lib/sandbox/custom/schema-problems.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { schemaCases } from '../../contracts/custom-values/schema-cases.ts';

/** Rules have tables of their own. */
const withoutRules = schemaCases.filter(({ problems }) => !problems.some((problem) => problem.includes('.rule: ')));

test.each(withoutRules)('$name', ({ schema, problems }) => {
  const found = schemaProblems(schema, 'schema').map(({ reason, field, message }) => `${reason}: ${field}: ${message}`);
  expect(found.toSorted()).toEqual(problems);
});

test('a schema in schemas without an end in sight is refused before anybody walks it', () => {
  const nested = (levels: number): JsonSchema =>
    Array.from({ length: levels }).reduce<JsonSchema>((inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' });
  expect(schemaProblems(nested(450), 'schema')).toEqual([]);
  expect(schemaProblems(nested(100_000), 'schema').map(({ message }) => message)).toEqual([
    'Invalid value: "": nested deeper than 1000 levels of JSON',
  ]);
});
