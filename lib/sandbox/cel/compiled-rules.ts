// The rules at one level of a schema, compiled; kept for as long as the schema is.
import { estimatedCost } from './estimated-cost.ts';
import { compiled } from './program.ts';
import type { Program, ProgramProblem } from './program.ts';
import type { Declared, ValidationRule } from './schema-types.ts';
import { optionalOf } from './types.ts';
import type { Type } from './types.ts';

export interface CompiledRule {
  source: ValidationRule;
  /** Or what is wrong with it. */
  rule: { program: Program; cost: number } | { problem: string };
  /** Undefined where the rule has none, or is wrong itself. */
  message?: { program: Program; cost: number } | { problem: string };
}

/** @param declared of the value that the rules are about */
export function compiledRule(source: ValidationRule, declared: Declared): CompiledRule {
  const { type } = declared;
  const variables = new Map<string, Type>([
    ['self', type],
    ['oldSelf', source.optionalOldSelf === true ? optionalOf(type) : type],
  ]);
  const rule = compiledAs('bool', source.rule, variables, declared);
  if ('problem' in rule) {
    if (rule.isType) return { source, rule: { problem: 'cel expression must evaluate to a bool' } };
    return { source, rule: { problem: `${rule.isLate ? 'program instantiation' : 'compilation'} failed: ${rule.problem}` } };
  }
  if (!source.messageExpression) return { source, rule };
  const message = compiledAs('string', source.messageExpression, variables, declared);
  if (!('problem' in message)) return { source, rule, message };
  if (message.isType) return { source, rule, message: { problem: 'messageExpression must evaluate to a string' } };
  const step = message.isLate ? 'instantiation' : 'compilation';
  return { source, rule, message: { problem: `messageExpression ${step} failed: ${message.problem}` } };
}

function compiledAs(
  kind: 'bool' | 'string',
  text: string,
  variables: ReadonlyMap<string, Type>,
  declared: Declared,
): { program: Program; cost: number } | (ProgramProblem & { isType: boolean }) {
  const program = compiled(text, variables);
  if ('problem' in program) return { ...program, isType: false };
  if (program.type.kind !== kind) return { problem: '', isType: true };
  return { program, cost: estimatedCost(program.root, declared) };
}
