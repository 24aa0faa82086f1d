// Whether the defaults of a schema are values that the schema takes.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';
import { ruleProblems } from '../cel/object-rules.ts';
import { isIntOrString, itemsOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { embeddedProblems } from './embedded-resources.ts';
import { problemsOf } from './findings.ts';
import { unknownFieldsIn } from './pruning.ts';
import { sorted } from './sorted-keys.ts';
import { findingsOf } from './value-problems.ts';

/** The problems of all defaults of a schema that is structural. */
export const defaultProblems = (schema: JsonSchema, path: string): FieldError[] =>
  problemsAt({ ...schema, 'x-kubernetes-embedded-resource': true }, path);

function problemsAt(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema);
  const isGiven = schema.default !== undefined && schema.default !== null;
  return [
    ...(isGiven ? problemsOfDefault(schema.default, schema, `${path}.default`) : []),
    ...(items ? problemsAt(items, `${path}.items`) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => problemsAt(property, `${path}.properties[${name}]`)),
  ];
}

function problemsOfDefault(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  if (unknownFieldsIn(value, schema).length > 0) return [invalidValue(path, sorted(value), 'must not have unknown fields')];
  const embedded = embeddedProblems(value, schema, path);
  if (embedded.length > 0) return embedded;
  // The server does not ask of a default whether it is an integer or a text: objects that get another one are refused.
  const problems = isIntOrString(schema) ? [] : problemsOf(findingsOf(value, schema, '', undefined).found, path);
  if (problems.length > 0) return problems;
  return ruleProblems(schema, value).problems.map((problem) => ({
    ...problem,
    field: problem.field === '<nil>' ? path : `${path}.${problem.field}`,
  }));
}
