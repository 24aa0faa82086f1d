// Variables of an admission policy's expressions, and their programs.
import type { Environment } from '@marcbachmann/cel-js';
import { environment } from '../cel/environment.ts';
import { compiled } from '../cel/program.ts';
import type { Program } from '../cel/program.ts';
import { shapeOf } from '../cel/schema-types.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { untyped } from '../cel/values/values.ts';
import type { Value } from '../cel/values/values.ts';
import type { PolicySpec } from './policy-shapes.ts';

const text: JsonSchema = { type: 'string' };
const moment: JsonSchema = { type: 'string', format: 'date-time' };
const integer: JsonSchema = { type: 'integer' };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (additionalProperties: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties });
const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: 'object', properties });

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

const base = environment.clone();
const declared = (name: string, schema: JsonSchema, type: string): ((raw: unknown) => Value) => {
  const shape = shapeOf(schema, false, type, base);
  base.registerVariable(name, shape?.type ?? 'dyn');
  return shape?.read ?? untyped;
};
export const requestValue = declared('request', requestSchema, 'kubernetes.AdmissionRequest');
export const namespaceValue = declared('namespaceObject', namespaceSchema, 'kubernetes.Namespace');
for (const name of ['object', 'oldObject']) base.registerVariable(name, 'dyn');
const withParams = base.clone().registerVariable('params', 'dyn');

export interface PolicyProgram {
  source: string;
  /** Or what the API server says is wrong with the expression. */
  program: Program | { problem: string };
}

export interface PolicyPrograms {
  conditions: readonly PolicyProgram[];
  variables: readonly (PolicyProgram & { name: string })[];
  /** With the program of the message, where there is one. */
  validations: readonly (PolicyProgram & { message: PolicyProgram | undefined })[];
  annotations: readonly PolicyProgram[];
}

/** The variables of a policy: each is worked out when it is first asked for, and once. */
export class LazyVariables extends Map<Value, Value> {
  readonly #find: (name: string) => Value | undefined;
  constructor(find: (name: string) => Value | undefined) {
    super();
    this.#find = find;
  }
  override get(key: Value): Value | undefined {
    if (super.has(key) || typeof key !== 'string') return super.get(key);
    const value = this.#find(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}

/** All programs of a policy. Later variables see the earlier ones; validations see all. */
export function programsOf(spec: PolicySpec): PolicyPrograms {
  const seen = spec.paramKind ? withParams : base;
  const fields: Record<string, string> = {};
  const composed = (): Environment => {
    if ((spec.variables ?? []).length === 0) return seen;
    const within = seen.clone();
    within.registerType('kubernetes.variables', { ctor: LazyVariables, fields });
    return within.registerVariable('variables', 'kubernetes.variables');
  };
  const conditions = (spec.matchConditions ?? []).map(({ expression = '' }) => programOf(expression.trim(), seen, ['bool']));
  const variables = (spec.variables ?? []).map(({ name = '', expression = '' }) => {
    const program = programOf(expression, composed());
    fields[name] = 'type' in program.program ? program.program.type : 'dyn';
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
function programOf(source: string, seen: Environment, kinds?: readonly string[]): PolicyProgram {
  if (/\bauthorizer\b/.test(source)) {
    const problem = 'the sandbox has no `authorizer` to ask; decide by `request.userInfo` instead';
    return { source, program: { problem } };
  }
  const program = compiled(source, seen);
  if ('problem' in program) return { source, program: { problem: `compilation failed: ${program.problem}` } };
  if (!kinds || kinds.includes(program.type)) return { source, program };
  const wanted = kinds.map((name) => (name === 'null' ? 'null_type' : name));
  const problem = `must evaluate to ${wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`} but got ${program.type}`;
  return { source, program: { problem } };
}

/** The variables of one evaluation. */
export type Variables = ReadonlyMap<string, Value>;
