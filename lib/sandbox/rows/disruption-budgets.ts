// Disruption budgets, which evictions read. No controller here fills their status; a test of evictions writes it.
import type { FieldError } from '../../objects/field-error.ts';
import { validateLabelSelector } from '../../admission/metadata/label-selector-validation.ts';
import { invalidValue, unlessNonNegative, unsupportedValue } from '../../objects/refusals.ts';
import { fieldsAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { Column } from './resource-row.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

const policies = ['AlwaysAllow', 'IfHealthyBudget'];
const percentProblem =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

function amountErrors(spec: Fields, name: string): FieldError[] {
  const [value, field] = [spec[name], `spec.${name}`];
  if (typeof value === 'number') return unlessNonNegative(field, value);
  if (typeof value !== 'string') return [];
  if (!/^\d+%$/.test(value)) return [invalidValue(field, value, percentProblem)];
  return Number(value.slice(0, -1)) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}

function errorsOf({ spec = {} }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined) {
    errors.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  }
  errors.push(...amountErrors(spec, 'minAvailable'), ...amountErrors(spec, 'maxUnavailable'));
  if (spec['selector'] !== undefined) errors.push(...validateLabelSelector(fieldsAt(spec, 'selector'), 'spec.selector'));
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  if (spec['unhealthyPodEvictionPolicy'] !== undefined && !policies.includes(policy)) {
    errors.push(unsupportedValue('spec.unhealthyPodEvictionPolicy', policy, policies));
  }
  return errors;
}

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

const amountColumn = (name: string, field: string): Column => column(name, ({ spec }) => textAt(spec, field) || 'N/A');

export const disruptionBudgets = row({
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  shortNames: ['pdb'],
  hasStatus: true,
  countsGenerations: true,
  needsVersion: true,
  columns: [
    nameColumn,
    amountColumn('Min Available', 'minAvailable'),
    amountColumn('Max Unavailable', 'maxUnavailable'),
    column('Allowed Disruptions', ({ status }) => numberAt(status, 'disruptionsAllowed'), { type: 'integer' }),
    ageColumn,
  ],
  rules: {
    create: (object) => ({ ...object, status: Object.fromEntries(counts.map((name) => [name, 0])) }),
    validate: errorsOf,
    validateStatus: ({ status }) => counts.flatMap((name) => unlessNonNegative(`status.${name}`, numberAt(status, name))),
  },
});
