// The API server's rules for a structured label selector in a spec.
import type { FieldError } from '../../objects/field-error.ts';
import type { LabelSelector } from '../../objects/kubernetes.ts';
import { problemsOfLabelValue, problemsOfQualifiedName } from '../../objects/names.ts';
import { validateLabels } from './object-metadata-validation.ts';
import { forbidden, invalidFor, invalidValue, requiredValue } from '../../objects/refusals.ts';

/** The refusals of a selector that lies at `field`. */
export function validateLabelSelector(selector: LabelSelector, field: string): FieldError[] {
  const refusals = validateLabels(selector.matchLabels, `${field}.matchLabels`);
  for (const [at, { key = '', operator = '', values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const path = `${field}.matchExpressions[${at}]`;
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues && values.length === 0) {
      refusals.push(requiredValue(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      refusals.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
    if (!takesValues && operator !== 'Exists' && operator !== 'DoesNotExist') {
      refusals.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
    }
    refusals.push(...invalidFor(`${path}.key`, key, problemsOfQualifiedName(key)));
    for (const [position, value] of values.entries()) {
      refusals.push(...invalidFor(`${path}.values[${position}]`, value, problemsOfLabelValue(value)));
    }
  }
  return refusals;
}
