// `fieldValidation`: what becomes of fields that a type does not have, and of those that a body gives twice.
import { ApiError, invalid } from '../objects/api-error.ts';
import { goText } from '../objects/go-text.ts';
import { optionsKindOf } from './request.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { Misfit } from '../schema/decode.ts';
import { hasRepeatedKeys, strictProblems } from '../schema/strict-reading.ts';

export type Mode = 'Strict' | 'Warn' | 'Ignore';

/** How strictly a body is read. */
export interface Strictness {
  mode: Mode;
  /** Everything that is wrong, given the unknown fields of what was read. */
  problems: (unknown: readonly string[], row: ResourceRow) => string[];
  /** The refusal where it is not the ordinary one. @param misfit the value, where it is one alone that does not fit */
  refusal?: (text: string, misfit?: Misfit) => ApiError;
  /** Values that were read already are converted: large integers lose their upper bits. */
  converts?: true;
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
export function strictnessIn({ query }: ApiRequest): Mode {
  const asked = query.get('fieldValidation');
  return asked === 'Strict' || asked === 'Ignore' ? asked : 'Warn';
}

const unknownFields = (paths: readonly string[]): string[] => paths.map((path) => `unknown field ${JSON.stringify(path)}`);

/** The strictness of a whole body. @param text as it came */
export const strictnessOf = (request: ApiRequest, text: string): Strictness => ({
  mode: strictnessIn(request),
  problems: (unknown, row) => {
    if (!hasRepeatedKeys(text)) return unknownFields(unknown);
    // Of a defined resource the schema says what is unknown.
    return row.defined ? [...strictProblems(text, undefined), ...unknownFields(unknown)] : strictProblems(text, row.schema);
  },
});

/** The strictness of a patch: of its own text, and of what it makes of the object. */
export function patchStrictnessOf(request: ApiRequest, type: string, { patch, patched }: { patch: unknown; patched: unknown }): Strictness {
  const isStrategic = type === 'application/strategic-merge-patch+json';
  const isJsonPatch = type === 'application/json-patch+json';
  return {
    mode: strictnessIn(request),
    problems: (unknown) => {
      const repeated = hasRepeatedKeys(request.body) ? strictProblems(request.body, undefined) : [];
      return [...repeated.map((each) => (isJsonPatch ? `json patch ${each}` : each)), ...unknownFields(unknown)];
    },
    ...(isStrategic && { converts: true as const }),
    refusal: (text, misfit) => {
      const why = isStrategic ? converted(text, misfit) : text;
      const shown = isStrategic ? goText(patch) : JSON.stringify(patched);
      return invalid({ group: '', kind: '', name: '' }, [
        { reason: 'FieldValueInvalid', field: 'patch', message: `Invalid value: ${JSON.stringify(shown)}: ${why}` },
      ]);
    },
  };
}

/** For an applied configuration: unknown fields pass silently; a value that does not fit is not the request's fault. @param about the object */
export const applyingStrictness = (about: string, kind: string): Strictness => ({
  mode: 'Ignore',
  problems: () => [],
  converts: true,
  refusal: (text, misfit) =>
    new ApiError(
      500,
      '',
      `failed to convert new object (${about}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${converted(text, misfit)}`,
    ),
});

/** A value of the wrong type, in the words of what puts values that were read already into objects. */
function converted(text: string, misfit?: Misfit): string {
  const [, kind = '', type = ''] = /^json: cannot unmarshal (\w+).* of type (\S+)$/.exec(text) ?? [];
  if (type === '') return text;
  if (misfit?.type?.is === 'intOrString') return text.replace(/Go struct field \S+/, 'Go value');
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.startsWith('map')) return `cannot restore map from ${kind}`;
  if (type.startsWith('v1.')) return `cannot restore struct from: ${kind}`;
  if (kind !== 'number') return `unrecognized type: ${type}`;
  const isInteger = Number.isInteger(misfit?.value);
  if (isInteger ? type === 'string' : type.startsWith('int')) return `cannot convert ${isInteger ? 'int64' : 'float64'} to ${type}`;
  return `unrecognized type: ${type}`;
}

/** The keys that a configuration gives twice, as a reader of YAML reports them. */
export function repeatedKeysIn(text: string): string[] {
  if (!hasRepeatedKeys(text)) return [];
  return strictProblems(text, undefined).flatMap((problem) => {
    const key = /(?<![^.\]"])([^.\]"]+)"$/.exec(problem)?.[1];
    return key === undefined ? [] : [`line 1: key ${JSON.stringify(key)} already set in map`];
  });
}
