// Schemas of custom resources; test/contracts/custom-values/schema-cases.ts has those that a real kube-apiserver judges, too.
import { expect, test } from '@jest/globals';
import { schemaProblems } from '../../../lib/sandbox/custom/schema-problems.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';

test('a schema in schemas without an end in sight is refused before anybody walks it', () => {
  const nested = (levels: number): JsonSchema =>
    Array.from({ length: levels }).reduce<JsonSchema>((inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' });
  expect(schemaProblems(nested(450), 'schema')).toEqual([]);
  expect(schemaProblems(nested(100_000), 'schema').map(({ message }) => message)).toEqual([
    'Invalid value: "": nested deeper than 1000 levels of JSON',
  ]);
});
