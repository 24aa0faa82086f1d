// Field errors in the pattern of the API server's messages: what kind of mistake, the value, what was expected.
import type { FieldError } from './field-error.ts';

/** Texts quoted, numbers plain, anything else as JSON; `undefined` (a pointer to nothing) is `null`. */
const shown = (value: unknown): string => JSON.stringify(value ?? null);

const withDetail = (message: string, detail: string): string => (detail === '' ? message : `${message}: ${detail}`);

export const requiredValue = (field: string, detail = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: withDetail('Required value', detail),
});

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
});

/** @param value the name of its type, or a text that has not the format of its place */
export const typeInvalid = (field: string, value: string, detail: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
});

/** An invalid combination, where showing one value would mislead. */
export const invalid = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${detail}`,
});

export const unsupportedValue = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((name) => JSON.stringify(name)).join(', ')}`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: withDetail('Forbidden', detail),
});

export const duplicateValue = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${shown(value)}`,
});

export const notFound = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${shown(value)}`,
});

export const tooMany = (field: string, { count, limit }: { count: number; limit: number }): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${count}: must have at most ${limit} item${limit === 1 ? '' : 's'}`,
});

export const tooLong = (field: string, limitBytes: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${limitBytes} byte${limitBytes === 1 ? '' : 's'}`,
});

/** One refusal per problem of a value. */
export const invalidFor = (field: string, value: unknown, problems: readonly string[]): FieldError[] =>
  problems.map((problem) => invalidValue(field, value, problem));

/** Empty for a value that is absent or at least 0. */
export const unlessNonNegative = (field: string, value: number | undefined): FieldError[] =>
  value !== undefined && value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];

export const fieldIsImmutable = 'field is immutable';

/** Each refusal once: an update runs the same checks for the new object and for the change. */
export function uniqueRefusals(refusals: readonly FieldError[]): FieldError[] {
  const unique = new Map(refusals.map((refusal) => [`${refusal.reason} ${refusal.field} ${refusal.message}`, refusal]));
  return [...unique.values()];
}
