// The API server's rules for a Job's policies: which failures count, when it has succeeded, when a pod is replaced.
import type { FieldError } from '../../objects/field-error.ts';
import { checkIndexes } from '../../objects/values/index-text.ts';
import type { JobSpec, PodFailurePolicyRule } from '../../objects/kubernetes.ts';
import { problemsOfQualifiedName } from '../../objects/names.ts';
import {
  duplicateValue,
  invalid,
  invalidFor,
  invalidValue,
  requiredValue,
  tooLong,
  tooMany,
  unlessNonNegative,
  unsupportedValue,
} from '../../objects/refusals.ts';

const rulesLimit = 20;
const exitCodesLimit = 255;
const conditionsLimit = 20;
const succeededIndexesLimitBytes = 64 * 1024;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

type ExitCodes = NonNullable<PodFailurePolicyRule['onExitCodes']>;
type Conditions = NonNullable<PodFailurePolicyRule['onPodConditions']>;

/** A list of names as the API server shows it: `["In" "NotIn"]`. */
const validValues = (names: readonly string[]): string => `valid values: [${names.map((name) => JSON.stringify(name)).join(' ')}]`;

function oneOf(field: string, value: string | undefined, names: readonly string[]): FieldError[] {
  if (value === undefined || value === '') return [requiredValue(field, validValues(names))];
  return names.includes(value) ? [] : [unsupportedValue(field, value, names)];
}

/** The refusals of `spec.podFailurePolicy`, rule by rule. */
export function validatePodFailurePolicy(spec: JobSpec): FieldError[] {
  if (spec.podFailurePolicy === undefined) return [];
  const field = 'spec.podFailurePolicy.rules';
  const rules = spec.podFailurePolicy.rules ?? [];
  const refusals = rules.length > rulesLimit ? [tooMany(field, { count: rules.length, limit: rulesLimit })] : [];
  return [...refusals, ...rules.flatMap((rule, at) => validateFailureRule(rule, spec, `${field}[${at}]`))];
}

function validateFailureRule(
  { action, onExitCodes, onPodConditions = [] }: PodFailurePolicyRule,
  spec: JobSpec,
  field: string,
): FieldError[] {
  const refusals = oneOf(`${field}.action`, action, actions);
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    refusals.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  if (onExitCodes !== undefined) refusals.push(...validateExitCodes(onExitCodes, spec, `${field}.onExitCodes`));
  refusals.push(...validateConditions(onPodConditions, `${field}.onPodConditions`));
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    refusals.push(invalid(field, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    refusals.push(invalid(field, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return refusals;
}

function validateExitCodes(
  { containerName, operator, values = [] }: Partial<ExitCodes>,
  { template }: JobSpec,
  field: string,
): FieldError[] {
  const refusals = oneOf(`${field}.operator`, operator, operators);
  const containers = [...(template?.spec.containers ?? []), ...(template?.spec.initContainers ?? [])];
  if (containerName !== undefined && !containers.some(({ name }) => name === containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    refusals.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  const valuesField = `${field}.values`;
  if (values.length === 0) refusals.push(invalidValue(valuesField, values, 'at least one value is required'));
  if (values.length > exitCodesLimit) refusals.push(tooMany(valuesField, { count: values.length, limit: exitCodesLimit }));
  const seen = new Set<number>();
  for (const [at, value] of values.entries()) {
    if (operator === 'In' && value === 0) refusals.push(invalidValue(`${valuesField}[${at}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) refusals.push(duplicateValue(`${valuesField}[${at}]`, value));
    seen.add(value);
  }
  const isOrdered = values.every((value, at) => at === 0 || (values[at - 1] ?? value) <= value);
  return isOrdered ? refusals : [...refusals, invalidValue(valuesField, values, 'must be ordered')];
}

function validateConditions(patterns: Conditions, field: string): FieldError[] {
  const refusals = patterns.length > conditionsLimit ? [tooMany(field, { count: patterns.length, limit: conditionsLimit })] : [];
  for (const [at, { type = '', status }] of patterns.entries()) {
    refusals.push(
      ...invalidFor(`${field}[${at}].type`, type, problemsOfQualifiedName(type)),
      ...oneOf(`${field}[${at}].status`, status, statuses),
    );
  }
  return refusals;
}

/** The refusals of `spec.successPolicy`, rule by rule. */
export function validateSuccessPolicy({ successPolicy, completionMode, completions = 0 }: JobSpec): FieldError[] {
  if (successPolicy === undefined) return [];
  if (completionMode !== 'Indexed') return [invalidValue('spec.successPolicy', successPolicy, 'requires indexed completion mode')];
  const field = 'spec.successPolicy.rules';
  const rules = successPolicy.rules ?? [];
  const refusals: FieldError[] = [];
  if (rules.length === 0) refusals.push(requiredValue(field, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > rulesLimit) refusals.push(tooMany(field, { count: rules.length, limit: rulesLimit }));
  return [...refusals, ...rules.flatMap((rule, at) => validateSuccessRule(rule, completions, `${field}[${at}]`))];
}

function validateSuccessRule(
  { succeededIndexes, succeededCount }: { succeededIndexes?: string; succeededCount?: number },
  completions: number,
  field: string,
): FieldError[] {
  const refusals: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    refusals.push(requiredValue(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  const checked = checkIndexes(succeededIndexes ?? '', completions);
  const indexesField = `${field}.succeededIndexes`;
  if (succeededIndexes !== undefined && Buffer.byteLength(succeededIndexes) > succeededIndexesLimitBytes) {
    refusals.push(tooLong(indexesField, succeededIndexesLimitBytes));
  }
  if ('problem' in checked) {
    refusals.push(invalidValue(indexesField, succeededIndexes, `error parsing succeededIndexes: ${checked.problem}`));
  }
  if (succeededCount === undefined) return refusals;
  const countField = `${field}.succeededCount`;
  const atMost = (most: number, what: string): void => {
    if (succeededCount > most)
      refusals.push(invalidValue(countField, succeededCount, `must be less than or equal to ${most} (the number of ${what})`));
  };
  refusals.push(...unlessNonNegative(countField, succeededCount));
  atMost(completions, 'specified completions');
  if (succeededIndexes !== undefined) {
    atMost('count' in checked ? checked.count : 0, 'indexes in the specified succeededIndexes field');
  }
  return refusals;
}

/** The refusals of `spec.podReplacementPolicy`; beside a failure policy only `Failed` is taken. */
export function validatePodReplacementPolicy({ podReplacementPolicy, podFailurePolicy }: JobSpec): FieldError[] {
  if (podReplacementPolicy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (supported.includes(podReplacementPolicy)) return [];
  return [unsupportedValue('spec.podReplacementPolicy', podReplacementPolicy, supported)];
}
