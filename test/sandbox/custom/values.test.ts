import { describe, expect, test } from '@jest/globals';
import { applyDefaults } from '../../../lib/sandbox/custom/defaulting.ts';
import { objectProblems } from '../../../lib/sandbox/custom/object-problems.ts';
import { prune } from '../../../lib/sandbox/custom/pruning.ts';
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { valueCases } from '../../contracts/custom-values/value-cases.ts';
import type { ValueCase } from '../../contracts/custom-values/value-cases.ts';

/** What becomes of a value, as a case tells it. */
function outcomeOf(name: string, schema: JsonSchema, given: unknown): Omit<ValueCase, 'given'> {
  const spec: Record<string, unknown> = { [name]: structuredClone(given) };
  const whole: JsonSchema = { type: 'object', properties: { spec: { type: 'object', properties: { [name]: schema } } } };
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', spec };
  let unknown: string[];
  try {
    unknown = prune(object, whole, (message) => new RangeError(message));
  } catch (error) {
    if (error instanceof RangeError) return { refused: error.message };
    throw error;
  }
  applyDefaults(object, whole);
  const problems = objectProblems(object, whole).map(({ reason, field, message }) => `${reason}: ${field}: ${message}`);
  if (problems.length > 0) return { problems: problems.toSorted() };
  return { ...(name in spec ? { kept: spec[name] } : { isDropped: true }), ...(unknown.length > 0 && { unknown }) };
}

describe.each(valueCases)('$name', ({ name, schema, values }) => {
  test.each(values.map((each) => [JSON.stringify(each.given), each] as const))('%s', (_, { given, ...expected }) => {
    const isKept = !expected.problems && expected.refused === undefined && !expected.isDropped && !('kept' in expected);
    expect(outcomeOf(name, schema, given)).toEqual({ ...expected, ...(isKept && { kept: given }) });
  });
});
