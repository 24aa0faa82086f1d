// `fieldValidation`: what becomes of fields that a type does not have.
import { ApiError, invalid } from '../objects/api-error.ts';
import { optionsKindOf } from './request.ts';
import type { ApiRequest } from './request.ts';

export type Mode = 'Strict' | 'Warn' | 'Ignore';

/** How strictly a body is read. */
export interface Strictness {
  mode: Mode;
  /** The refusal where it is not the ordinary one. */
  refusal?: (text: string) => ApiError;
}

const modes: readonly string[] = ['Strict', 'Warn', 'Ignore', ''];

/** @throws ApiError 422 for a word that says nothing of validation */
export function checkFieldValidation(request: ApiRequest): void {
  const asked = request.query.get('fieldValidation');
  if (asked === null || modes.includes(asked) || !['POST', 'PUT', 'PATCH'].includes(request.method)) return;
  const message = `Unsupported value: ${JSON.stringify(asked)}: supported values: "", "Ignore", "Strict", "Warn"`;
  throw invalid({ group: 'meta.k8s.io', kind: optionsKindOf(request), name: '' }, [
    { reason: 'FieldValueNotSupported', field: 'fieldValidation', message },
  ]);
}

/** The strictness that a request asks for; a warning where it does not say. */
export function strictnessOf({ query }: ApiRequest): Strictness {
  const asked = query.get('fieldValidation');
  return { mode: asked === 'Strict' || asked === 'Ignore' ? asked : 'Warn' };
}

/** The strictness of a patch: of what it makes of the object. */
export const patchStrictnessOf = (request: ApiRequest, patched: unknown): Strictness => ({
  ...strictnessOf(request),
  refusal: (text) => {
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${text}`;
    return invalid({ group: '', kind: '', name: '' }, [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
  },
});

/** For an applied configuration: unknown fields pass silently; a value that does not fit is not the request's fault. @param about the object */
export const applyingStrictness = (about: string, kind: string): Strictness => ({
  mode: 'Ignore',
  refusal: (text) => new ApiError(500, '', `failed to convert new object (${about}; ${kind}) to proper version: ${text}`),
});
