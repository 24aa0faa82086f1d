// Whether the defaults of a schema are values that the schema takes.
import type { FieldError } from '../../objects/field-error.ts';
import { invalidValue } from '../../objects/refusals.ts';
import { treeCopy } from '../../objects/values/tree-copy.ts';
import { isFields } from '../api-object.ts';
import type { Fields } from '../api-object.ts';
import { ruleProblems } from '../cel/object-rules.ts';
import { isEmbeddedResource, itemsOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { embeddedProblems, readEmbedded } from './embedded-resources.ts';
import { problemsOf } from './findings.ts';
import { unknownFieldsIn } from './pruning.ts';
import { sorted } from './sorted-keys.ts';
import { findingsOf } from './value-problems.ts';

interface Place {
  path: string;
  /** Inside the apiVersion, kind or metadata of an object: the steps that lead there from the object. */
  inObject: readonly (string | number)[] | undefined;
}

const ofEveryResource = new Set(['apiVersion', 'kind', 'metadata']);

/** The problems of all defaults of a schema that is structural. */
export const defaultProblems = (schema: JsonSchema, path: string): FieldError[] =>
  problemsAt({ ...schema, 'x-kubernetes-embedded-resource': true }, { path, inObject: undefined });

function problemsAt(schema: JsonSchema, { path, inObject: around }: Place): FieldError[] {
  const isEmbedded = isEmbeddedResource(schema);
  const inObject = isEmbedded ? undefined : around;
  const items = itemsOf(schema);
  return [
    ...(schema.default === undefined || schema.default === null
      ? []
      : problemsOfDefault(schema.default, schema, { path: `${path}.default`, inObject })),
    ...(items ? problemsAt(items, { path: `${path}.items`, inObject: inObject && [...inObject, 0] }) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const steps = isEmbedded && ofEveryResource.has(name) ? [] : inObject;
      return problemsAt(property, { path: `${path}.properties[${name}]`, inObject: steps && [...steps, name] });
    }),
  ];
}

function problemsOfDefault(value: unknown, schema: JsonSchema, { path, inObject }: Place): FieldError[] {
  if (inObject) {
    const problem = problemInObject(value, inObject);
    if (problem !== undefined) return [invalidValue(path, sorted(value), `must result in valid metadata: ${problem}`)];
    return problemsOfValue(value, schema, path);
  }
  const unknown = unknownFieldsIn(value, schema).length > 0 ? [invalidValue(path, sorted(value), 'must not have unknown fields')] : [];
  const misfit = firstMisfit(treeCopy(value), schema, path);
  if (misfit) return [...unknown, misfit];
  const embedded = embeddedProblems(value, schema, path);
  return [...unknown, ...(embedded.length > 0 ? embedded : problemsOfValue(value, schema, path))];
}

/** Problems of an object that has a value where some steps lead. */
function problemInObject(value: unknown, steps: readonly (string | number)[]): string | undefined {
  const within = steps.reduceRight<unknown>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), treeCopy(value));
  const object: Fields = { apiVersion: 'validation/v1', kind: 'Validation', ...(isFields(within) && within) };
  const schema: JsonSchema = { type: 'object', 'x-kubernetes-embedded-resource': true };
  const misfit = firstMisfit(object, schema, '');
  if (misfit) return textOf(misfit);
  const texts = embeddedProblems(object, schema).map(textOf);
  return texts.length === 0 ? undefined : texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
}

/** The first field of an embedded object that has a wrong type; the others are read as their own type, in place. */
function firstMisfit(value: unknown, schema: JsonSchema, path: string): FieldError | undefined {
  const found: FieldError[] = [];
  readEmbedded(value, schema, path, (problem) => found.push(problem));
  return found[0];
}

const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;

function problemsOfValue(value: unknown, schema: JsonSchema, path: string): FieldError[] {
  const problems = problemsOf(findingsOf(value, withoutIntOrString(schema), '', undefined).found, path);
  if (problems.length > 0) return problems;
  // As a change that changes nothing, and as a new value: some rules look at one of them only.
  const unchanged = ruleProblems(schema, value, value).problems;
  const broken = unchanged.length > 0 ? unchanged : ruleProblems(schema, value).problems;
  return broken.map((problem) => ({ ...problem, field: problem.field === '<nil>' ? path : `${path}.${problem.field}` }));
}

/** The server does not ask of a default whether it is an integer or a text: objects that get another one are refused. */
function withoutIntOrString(given: JsonSchema): JsonSchema {
  const { 'x-kubernetes-int-or-string': _, ...schema } = given;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, withoutIntOrString(property)]);
  return {
    ...schema,
    ...(items && { items: withoutIntOrString(items) }),
    ...(values && { additionalProperties: withoutIntOrString(values) }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}
