// Variables of an admission policy's expressions, and their programs.
import { compiled } from '../cel/program.ts';
import type { Program } from '../cel/program.ts';
import { declaredOf, readerOf } from '../cel/schema-types.ts';
import type { RuleSchema } from '../cel/schema-types.ts';
import { dyn, typeText } from '../cel/types.ts';
import type { Type } from '../cel/types.ts';
import type { Value } from '../cel/values.ts';
import type { PolicySpec } from './policy-shapes.ts';

const text: RuleSchema = { type: 'string' };
const moment: RuleSchema = { type: 'string', format: 'date-time' };
const integer: RuleSchema = { type: 'integer' };
const listOf = (items: RuleSchema): RuleSchema => ({ type: 'array', items });
const mapOf = (additionalProperties: RuleSchema): RuleSchema => ({ type: 'object', additionalProperties });
const objectOf = (properties: Readonly<Record<string, RuleSchema>>): RuleSchema => ({ type: 'object', properties });

const kind = objectOf({ group: text, version: text, kind: text });
const resource = objectOf({ group: text, version: text, resource: text });

const requestSchema = objectOf({
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: objectOf({ username: text, uid: text, groups: listOf(text), extra: mapOf(listOf(text)) }),
  dryRun: { type: 'boolean' },
  // Of no one type.
  options: { 'x-kubernetes-int-or-string': true },
});

const namespaceSchema = objectOf({
  metadata: objectOf({
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOf(text),
    annotations: mapOf(text),
    UID: text,
    creationTimestamp: moment,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: moment,
    generation: integer,
    resourceVersion: text,
    finalizers: listOf(text),
  }),
  spec: objectOf({ finalizers: listOf(text) }),
  status: objectOf({
    conditions: listOf(objectOf({ status: text, type: text, lastTransitionTime: moment, message: text, reason: text })),
    phase: text,
  }),
});

const typeNamed = (schema: RuleSchema, name: string): Type => declaredOf(schema, false, name)?.type ?? dyn;
const requestType = typeNamed(requestSchema, 'kubernetes.AdmissionRequest');
const namespaceType = typeNamed(namespaceSchema, 'kubernetes.Namespace');

export const requestValue = readerOf(requestSchema, false);
export const namespaceValue = readerOf(namespaceSchema, false);

export interface PolicyProgram {
  source: string;
  /** Or what the API server says is wrong with the expression. */
  program: Program | { problem: string; /** The API server takes the blame. */ isInternal?: true };
}

export interface PolicyPrograms {
  conditions: readonly PolicyProgram[];
  variables: readonly (PolicyProgram & { name: string })[];
  /** With the program of the message, where there is one. */
  validations: readonly (PolicyProgram & { message: PolicyProgram | undefined })[];
  annotations: readonly PolicyProgram[];
}

/** All programs of a policy. Later variables see the earlier ones; validations see all. */
export function programsOf(spec: PolicySpec): PolicyPrograms {
  const base = new Map<string, Type>([
    ['object', dyn],
    ['oldObject', dyn],
    ['namespaceObject', namespaceType],
    ['request', requestType],
    ...(spec.paramKind ? [['params', dyn] as const] : []),
  ]);
  const fields = new Map<string, Type>();
  const composed = (): ReadonlyMap<string, Type> =>
    (spec.variables ?? []).length === 0
      ? base
      : new Map([...base, ['variables', { kind: 'object', name: 'kubernetes.variables', fields: new Map(fields) }]]);
  const conditions = (spec.matchConditions ?? []).map(({ expression = '' }) => programOf(expression.trim(), base, ['bool']));
  const variables = (spec.variables ?? []).map(({ name = '', expression = '' }) => {
    const program = programOf(expression, composed());
    fields.set(name, 'type' in program.program ? program.program.type : dyn);
    return { name, ...program };
  });
  const all = composed();
  return {
    conditions,
    variables,
    validations: (spec.validations ?? []).map(({ expression = '', messageExpression = '' }) => ({
      ...programOf(expression, all, ['bool']),
      message: messageExpression.trim() === '' ? undefined : programOf(messageExpression, all, ['string']),
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression = '' }) =>
      programOf(valueExpression.trim(), all, ['string', 'null']),
    ),
  };
}

/** @param kinds the types that its value may have; any where nothing is said */
function programOf(source: string, variables: ReadonlyMap<string, Type>, kinds?: readonly Type['kind'][]): PolicyProgram {
  if (/\bauthorizer\b/.test(source)) {
    const problem = 'the sandbox has no `authorizer` to ask; decide by `request.userInfo` instead';
    return { source, program: { problem } };
  }
  const program = compiled(source, variables);
  if ('problem' in program) {
    if (program.isLate) return { source, program: { problem: `program instantiation failed: ${program.problem}`, isInternal: true } };
    return { source, program: { problem: `compilation failed: ${program.problem}` } };
  }
  if (!kinds || kinds.includes(program.type.kind)) return { source, program };
  const found = typeText(program.type);
  const problem =
    kinds.length === 1
      ? `must evaluate to ${kinds[0]} but got ${found}`
      : `must evaluate to one of [${kinds.map(named).join(' ')}] but got ${found}`;
  return { source, program: { problem } };
}

const named = (name: string): string => (name === 'null' ? 'null_type' : name);

/** The variables of one evaluation. */
export type Variables = ReadonlyMap<string, Value>;
