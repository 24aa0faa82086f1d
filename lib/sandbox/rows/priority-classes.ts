// Classes of priority. The two of the system are there from the start; which one is the default decides nothing here.
import type { FieldError } from '../../objects/field-error.ts';
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

const SYSTEM_PREFIX = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** As an API server makes them at its start. */
export const systemPriorityClasses: readonly { name: string; value: number; description: string }[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** A false `globalDefault` is not stored. */
const withDefaults = ({ globalDefault, ...object }: ApiObject): ApiObject => ({
  preemptionPolicy: 'PreemptLowerPriority',
  ...object,
  ...(globalDefault === true && { globalDefault }),
});

function errorsOf(object: ApiObject): FieldError[] {
  const { name = '' } = object.metadata;
  const value = numberAt(object, 'value');
  const errors: FieldError[] = [];
  if (name.startsWith(SYSTEM_PREFIX)) {
    const known = systemPriorityClasses.find((each) => each.name === name);
    const why = known ? `value of ${name} PriorityClass must be ${known.value}` : `${name} is not a known system priority class`;
    if (known?.value !== value)
      errors.push(
        forbidden('metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`),
      );
  } else if (value > HIGHEST_OF_USERS)
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`));
  const policy = textAt(object, 'preemptionPolicy');
  if (policy === '') errors.push(requiredValue('preemptionPolicy'));
  else if (!POLICIES.includes(policy)) errors.push(unsupportedValue('preemptionPolicy', policy, POLICIES));
  return errors;
}

function updateErrors(next: ApiObject, previous: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (next['value'] !== previous['value']) errors.push(forbidden('value', 'may not be changed in an update.'));
  const policy = next['preemptionPolicy'];
  if (policy !== previous['preemptionPolicy']) errors.push(invalidValue('preemptionPolicy', policy, 'field is immutable'));
  return errors;
}

export const priorityClasses = row({
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  shortNames: ['pc'],
  namespaced: false,
  columns: [
    nameColumn,
    column('Value', (object) => numberAt(object, 'value'), { type: 'integer' }),
    column('Global-Default', (object) => object['globalDefault'] === true, { type: 'boolean' }),
    ageColumn,
    column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
  ],
  rules: {
    defaults: withDefaults,
    create: (object) => withDefaults({ ...object, metadata: { ...object.metadata, generation: 1 } }),
    validate: errorsOf,
    validateUpdate: updateErrors,
  },
});
