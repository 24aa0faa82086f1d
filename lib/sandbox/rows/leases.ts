// Leases: who holds what, until when.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalidValue, unlessNonNegative } from '../../objects/refusals.ts';
import { fieldsAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

function errorsOf({ spec }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  const transitions = numberAt(spec, 'leaseTransitions');
  if (spec?.['leaseDurationSeconds'] !== undefined && seconds <= 0) {
    errors.push(invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
  }
  errors.push(...unlessNonNegative('spec.leaseTransitions', transitions));
  if (textAt(spec, 'preferredHolder') !== '' && textAt(spec, 'strategy') === '') {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}

export const leases = row({
  group: 'coordination.k8s.io',
  plural: 'leases',
  kind: 'Lease',
  createsOnUpdate: true,
  needsVersion: true,
  columns: [nameColumn, column('Holder', (object) => textAt(fieldsAt(object, 'spec'), 'holderIdentity')), ageColumn],
  rules: { validate: errorsOf },
});
