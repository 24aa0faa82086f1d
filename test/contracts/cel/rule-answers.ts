// How an API server's answers to the cases of rules are asked for and compared.
import type { JsonSchema } from '../../../lib/sandbox/schema/json-schema.ts';
import { eventually } from '../api-server/client.ts';
import type { ApiClient, Body } from '../api-server/client.ts';
import type { RuleCase } from './rule-cases.ts';

const group = 'rules.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Cause {
  field: string;
  message: string;
}

/** The schema of an object whose `spec` has these fields. */
export const schemaWith = (fields: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: fields } },
});

/** Where a server says that a definition's only schema stands: where its author wrote it, or by an older path. */
export const withOnePath = (text: string): string => text.replaceAll('spec.versions[0].schema.', 'spec.validation.');
const schemaPath = 'spec.validation.openAPIV3Schema';

/** Causes about the schema of `spec.value`, with what differs between servers and moments taken out. */
const definitionCauses = (causes: readonly Cause[]): string[] =>
  causes
    .map(
      ({ field, message }) =>
        `${withOnePath(field).replace(`${schemaPath}.properties[spec].properties[value].`, '')}: ${withOnePath(withoutNames(message))}`,
    )
    .toSorted();

const withoutNames = (message: string): string =>
  withoutError(
    message.replace(
      /(?:\{"Rule":.*?"OptionalOldSelf":\w+\}|"(?:[^"\\]|\\.)*")(?=: (?:(?:messageExpression )?(?:compilation|program instantiation) failed|cel expression must|messageExpression must))/s,
      '<rule>',
    ),
  );

/** What is wrong with an expression is each evaluator's own to say. */
export const withoutError = (message: string): string =>
  message
    .replace(/(?:compilation|program instantiation) failed: .*$/s, 'compilation failed')
    .replace(/resulted in error: (?!operation cancelled).*$/s, 'resulted in error')
    .replace(/^(Invalid value: "[^"]*": ).* (?:evaluating rule|for rule): /s, '$1error in rule: ');

/** Causes about one field of `spec`, as if it were named `value`. */
const objectCauses = (causes: readonly Cause[], field: string): string[] =>
  causes.map((cause) => `${cause.field.replace(`spec.${field}`, 'spec.value')}: ${withoutError(cause.message)}`).toSorted();

const causesOf = ({ details }: Body): Cause[] => (details?.causes ?? []).map(({ field = '', message = '' }) => ({ field, message }));

function definitionOf(plural: string, schema: JsonSchema): unknown {
  const names = { plural, singular: plural.slice(0, -1), kind: `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}` };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Cluster', names, versions },
  };
}

/** What a server says to a definition, which it does not keep. */
export async function answerToSchema(api: ApiClient, schema: JsonSchema): Promise<string[]> {
  const { status, body } = await api.post(`${definitions}?dryRun=All`, definitionOf('trials', schemaWith({ value: schema })));
  if (status < 300 || body.details?.causes) return definitionCauses(causesOf(body));
  throw new Error(`the definition was answered with ${status}: ${body.message}`);
}

const fieldOf = (index: number): string => `case${index}`;

/** Defines one resource with a field for each case, and waits until it is served. */
export async function defineCases(api: ApiClient, cases: readonly RuleCase[]): Promise<void> {
  const schema = schemaWith(Object.fromEntries(cases.map((ruleCase, index) => [fieldOf(index), ruleCase.schema])));
  const { status, body } = await api.post(definitions, definitionOf('cases', schema));
  if (status !== 201) throw new Error(`the definition of all cases was answered with ${status}: ${body.message}`);
  await eventually(
    () => api.get(`/apis/${group}/v1/cases`),
    (answer) => answer.status === 200,
  );
}

/** What a server says to the last write of a case. */
export async function answerToCase(api: ApiClient, ruleCase: RuleCase, index: number): Promise<string[]> {
  const path = `/apis/${group}/v1/cases`;
  const name = `object-${index}`;
  const objectWith = (value: unknown, resourceVersion?: string): unknown => ({
    apiVersion: `${group}/v1`,
    kind: 'Case',
    metadata: { name, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { [fieldOf(index)]: value },
  });
  if (!('previous' in ruleCase)) return objectCauses(causesOf((await api.post(path, objectWith(ruleCase.value))).body), fieldOf(index));
  const first = await api.post(path, objectWith(ruleCase.previous));
  if (first.status !== 201) throw new Error(`the object before was answered with ${first.status}: ${first.body.message}`);
  const answer = await api.put(`${path}/${name}`, objectWith(ruleCase.value, first.body.metadata.resourceVersion));
  return objectCauses(causesOf(answer.body), fieldOf(index));
}
