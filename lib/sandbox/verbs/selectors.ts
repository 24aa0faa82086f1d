// Which objects a request means: label and field selectors in their text form.
import { LabelSelectorError, parseLabelSelector } from '../../objects/label-selector.ts';
import { badRequest } from '../objects/api-error.ts';
import type { ApiObject } from '../objects/api-object.ts';
import type { Version } from '../storage/version.ts';

/** Says whether an object is selected. */
export type Selection = (version: Pick<Version, 'key' | 'labels' | 'glance'>) => boolean;

/** Fields by which a resource may be selected. */
export interface SelectableFields {
  /** The refusal of a field that cannot select. */
  refusal: (field: string) => string;
  /** The fields of one object; those that are not named here cannot be selected by. */
  fieldsOf: (object: ApiObject) => Record<string, string>;
  known: readonly string[];
}

/**
 * Both selectors of a request as one question; undefined where everything is selected.
 * @throws ApiError 400 for a text that is no selector, or a field that cannot be selected by
 */
export function selectionOf(labelSelector: string, fieldSelector: string, by: SelectableFields): Selection | undefined {
  const matchesLabels = labelSelector.trim() === '' ? undefined : labelsOf(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  for (const { key } of fields) {
    if (by.known.includes(key)) continue;
    throw badRequest(by.refusal(key));
  }
  if (!matchesLabels && fields.length === 0) return undefined;
  const names = fields.filter(({ key }) => key === 'metadata.name');
  const others = fields.filter(({ key }) => key !== 'metadata.name');
  return (version) => {
    if (matchesLabels && !matchesLabels(version.labels)) return false;
    const name = version.key.slice(version.key.indexOf('/') + 1);
    if (names.some(({ equal, value }) => (name === value) !== equal)) return false;
    if (others.length === 0) return true;
    const values = by.fieldsOf(version.glance());
    return others.every(({ key, equal, value }) => ((values[key] ?? '') === value) === equal);
  };
}

function labelsOf(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof LabelSelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** Reads `status.phase=Running,spec.nodeName!=`. A backslash escapes `,`, `=` and itself. @throws ApiError 400 */
function parseFieldSelector(text: string): { key: string; equal: boolean; value: string }[] {
  return (text.match(/(\\.|[^,\\])+/gs) ?? []).map((term) => {
    const found = /^([^=!]+)(!=|==|=)(.*)$/s.exec(term);
    if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, key = '', operator, value = ''] = found;
    return { key: key.trim(), equal: operator !== '!=', value: value.replace(/\\(.)/gs, '$1') };
  });
}
