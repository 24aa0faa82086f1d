// Schemas that cases are made of.
import type { JsonSchema, ValidationRule } from '../../../lib/sandbox/schema/json-schema.ts';

export const rule = (text: string, more: Omit<ValidationRule, 'rule'> = {}): JsonSchema => ({
  'x-kubernetes-validations': [{ rule: text, message: 'broken', ...more }],
});

export const text = { type: 'string', maxLength: 100 } satisfies JsonSchema;
export const integer = { type: 'integer' } satisfies JsonSchema;
export const texts = { type: 'array', maxItems: 20, items: text } satisfies JsonSchema;
export const integers = { type: 'array', maxItems: 20, items: integer } satisfies JsonSchema;
export const objectOf = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });
export const mapOf = (additionalProperties: JsonSchema): JsonSchema => ({ type: 'object', maxProperties: 20, additionalProperties });
