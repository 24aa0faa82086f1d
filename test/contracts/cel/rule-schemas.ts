// Schemas that cases are made of.
import type { RuleSchema, ValidationRule } from '../../../lib/sandbox/cel/schema-types.ts';

export const rule = (text: string, more: Omit<ValidationRule, 'rule'> = {}): RuleSchema => ({
  'x-kubernetes-validations': [{ rule: text, message: 'broken', ...more }],
});

export const text = { type: 'string', maxLength: 100 } satisfies RuleSchema;
export const integer = { type: 'integer' } satisfies RuleSchema;
export const texts = { type: 'array', maxItems: 20, items: text } satisfies RuleSchema;
export const integers = { type: 'array', maxItems: 20, items: integer } satisfies RuleSchema;
export const objectOf = (properties: Record<string, RuleSchema>): RuleSchema => ({ type: 'object', properties });
export const mapOf = (additionalProperties: RuleSchema): RuleSchema => ({ type: 'object', maxProperties: 20, additionalProperties });
