// The rules at one level of a schema, compiled; kept for as long as the schema is.
import type { Environment } from '@marcbachmann/cel-js';
import { environment } from './environment.ts';
import { compiled } from './program.ts';
import type { Program } from './program.ts';
import { shapeOf } from './schema-types.ts';
import type { JsonSchema, ValidationRule } from '../schema/json-schema.ts';
import type { Value } from './values/values.ts';

export interface CompiledRule {
  source: ValidationRule;
  /** Or what is wrong with it. */
  rule: Program | { problem: string };
  /** Undefined where the rule has none, or is wrong itself. */
  message?: Program | { problem: string };
}

/** The value and the variables that rules see. */
export interface View {
  read: (raw: unknown) => Value;
  /** With `self` and `oldSelf`. */
  plain: Environment;
  /** With an `oldSelf` that may not be there. */
  optional: Environment;
}

/** @returns undefined for a value that expressions cannot see */
export function viewOf(schema: JsonSchema, isResourceRoot: boolean): View | undefined {
  const types = environment.clone();
  const shape = shapeOf(schema, isResourceRoot, 'selfType', types);
  if (!shape) return undefined;
  const withOld = (type: string): Environment => types.clone().registerVariable('self', shape.type).registerVariable('oldSelf', type);
  return { read: shape.read, plain: withOld(shape.type), optional: withOld(`optional<${shape.type}>`) };
}

export function compiledRule(source: ValidationRule, view: View): CompiledRule {
  const variables = source.optionalOldSelf === true ? view.optional : view.plain;
  const rule = compiled(source.rule, variables);
  if ('problem' in rule) return { source, rule: { problem: `compilation failed: ${rule.problem}` } };
  if (rule.type !== 'bool') return { source, rule: { problem: 'cel expression must evaluate to a bool' } };
  if (!source.messageExpression) return { source, rule };
  const message = compiled(source.messageExpression, variables);
  if ('problem' in message) return { source, rule, message: { problem: `messageExpression compilation failed: ${message.problem}` } };
  if (message.type === 'string') return { source, rule, message };
  return { source, rule, message: { problem: 'messageExpression must evaluate to a string' } };
}
