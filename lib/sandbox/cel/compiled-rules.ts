// The rules at one level of a schema, compiled; kept for as long as the schema is.
import { estimatedCost } from './estimated-cost.ts';
import { compiled } from './program.ts';
import type { Program } from './program.ts';
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
    const problem = rule.isType ? 'cel expression must evaluate to a bool' : `compilation failed: ${rule.problem}`;
    return { source, rule: { problem } };
  }
  if (!source.messageExpression) return { source, rule };
  const message = compiledAs('string', source.messageExpression, variables, declared);
  if (!('problem' in message)) return { source, rule, message };
  const problem = message.isType
    ? 'messageExpression must evaluate to a string'
    : `messageExpression compilation failed: ${message.problem}`;
  return { source, rule, message: { problem } };
}

function compiledAs(
  kind: 'bool' | 'string',
  text: string,
  variables: ReadonlyMap<string, Type>,
  declared: Declared,
): { program: Program; cost: number } | { problem: string; isType: boolean } {
  const program = compiled(text, variables);
  if ('problem' in program) return { problem: program.problem, isType: false };
  if (program.type.kind !== kind) return { problem: '', isType: true };
  return { program, cost: estimatedCost(program.root, declared) };
}
