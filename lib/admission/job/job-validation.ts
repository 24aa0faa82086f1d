// The API server's rules for a Job and of a change of its spec. Takes Jobs with their defaults (job-defaults.ts); its rules
// for a status are in job-status-validation.ts.
import type { FieldError } from '../../objects/field-error.ts';
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from '../../objects/job-labels.ts';
import { validatePodFailurePolicy, validatePodReplacementPolicy, validateSuccessPolicy } from './job-policy-validation.ts';
import { validateJobScheduling, validateJobSchedulingUpdate } from './job-scheduling-validation.ts';
import { validateTemplateUpdate } from './job-template-update-validation.ts';
import type { Job, JobSpec, ObjectMeta } from '../../objects/kubernetes.ts';
import type { LabelMatcher } from '../../objects/label-selector.ts';
import { LabelSelectorError, matcherOf } from '../../objects/label-selector.ts';
import { validateLabelSelector } from '../metadata/label-selector-validation.ts';
import { problemsOfDnsLabel, problemsOfDomainPrefixedPath } from '../../objects/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../metadata/object-metadata-validation.ts';
import { validatePodTemplate } from '../pod/pod-validation.ts';
import {
  fieldIsImmutable,
  invalidValue,
  requiredValue,
  tooLong,
  uniqueRefusals,
  unlessNonNegative,
  unsupportedValue,
} from '../../objects/refusals.ts';
import { isSameValue } from '../equality.ts';

export { validateJobStatusUpdate } from './job-status-validation.ts';

const parallelismLimit = 100_000;
const failedIndexesLimit = 100_000;
/** Above so many completions a Job with per-index backoff must keep within the two limits below. */
const manyCompletions = 100_000;
const parallelismLimitForMany = 10_000;
const failedIndexesLimitForMany = 10_000;
const managedByLimitBytes = 63;
const generatedLabels = new Set([jobNameLabel, controllerUidLabel, legacyJobNameLabel, legacyControllerUidLabel]);

/** Fields that a stored template may keep, since an earlier server took them. */
const sparedOnceStored = /\.(resizePolicy|seLinuxChangePolicy|hostUsers|sysctls|matchLabelKeys)\b|hugepages-|pod-deletion-cost/;

/** The refusals of a new Job; none means that it is admitted. */
export function validateJob(job: Job): FieldError[] {
  return uniqueRefusals([
    ...validateObjectMeta(metadataBeforeStorage(job)),
    ...validateGeneratedSelector(job),
    ...validateSpec(job.spec),
    ...validateHostnames(job),
  ]);
}

/** The refusals of a change of a Job: `next` with its defaults, `previous` as stored, its status included. */
export function validateJobUpdate(next: Job, previous: Job): FieldError[] {
  const keepsTemplate = isSameValue(next.spec.template, previous.spec.template);
  const hadPrefixedLabels = [jobNameLabel, controllerUidLabel].every((label) => label in (previous.spec.template?.metadata?.labels ?? {}));
  return uniqueRefusals([
    ...validateObjectMetaUpdate(next.metadata, previous.metadata),
    ...validateGeneratedSelector(next, { mustHavePrefixedLabels: hadPrefixedLabels }),
    ...validateSpec(next.spec).filter(({ field }) => !(keepsTemplate && sparedOnceStored.test(field))),
    ...validateHostnames(next),
    ...validateCompletionsUpdate(next.spec, previous.spec),
    ...validateTemplateUpdate(next, previous),
    ...validateImmutableFields(next.spec, previous.spec),
    ...validateJobSchedulingUpdate(next.spec, previous.spec),
  ]);
}

/** A Job whose template had no labels takes those made for it only when it is stored, so they are not asked about twice. */
function metadataBeforeStorage({ metadata, spec }: Job): ObjectMeta {
  const labels = spec.template?.metadata?.labels ?? {};
  const areGenerated = Object.keys(labels).every((label) => generatedLabels.has(label));
  if (!areGenerated || !isSameValue(metadata.labels, labels)) return metadata;
  const { labels: _labels, ...rest } = metadata;
  return rest;
}

function validateSpec(spec: JobSpec): FieldError[] {
  return [
    ...validateNumbers(spec),
    ...validateManagedBy(spec),
    ...validateCompletionMode(spec),
    ...validatePodFailurePolicy(spec),
    ...validateSuccessPolicy(spec),
    ...validatePodReplacementPolicy(spec),
    ...validateJobScheduling(spec),
    ...validatePodTemplate(spec.template ?? { spec: { containers: [] } }, 'spec.template'),
    ...validateRestartPolicy(spec),
    ...validateSelector(spec),
  ];
}

function validateNumbers(spec: JobSpec): FieldError[] {
  const fields = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  const refusals = fields.flatMap((field) => unlessNonNegative(`spec.${field}`, spec[field]));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    refusals.push(requiredValue('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  }
  return refusals;
}

function validateManagedBy({ managedBy }: JobSpec): FieldError[] {
  if (managedBy === undefined) return [];
  const field = 'spec.managedBy';
  const refusals =
    managedBy === ''
      ? [requiredValue(field)]
      : problemsOfDomainPrefixedPath(managedBy).map(({ part, problem }) => invalidValue(field, part, problem));
  return Buffer.byteLength(managedBy) > managedByLimitBytes ? [...refusals, tooLong(field, managedByLimitBytes)] : refusals;
}

function validateCompletionMode(spec: JobSpec): FieldError[] {
  const { completionMode = 'NonIndexed', backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completionMode === 'Indexed') return validateIndexed(spec);
  if (completionMode !== 'NonIndexed') return [unsupportedValue('spec.completionMode', completionMode, ['NonIndexed', 'Indexed'])];
  const refusals: FieldError[] = [];
  const detail = 'requires indexed completion mode';
  if (backoffLimitPerIndex !== undefined) refusals.push(invalidValue('spec.backoffLimitPerIndex', backoffLimitPerIndex, detail));
  if (maxFailedIndexes !== undefined) refusals.push(invalidValue('spec.maxFailedIndexes', maxFailedIndexes, detail));
  return refusals;
}

function validateIndexed({ completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex }: JobSpec): FieldError[] {
  const refusals: FieldError[] = [];
  const limit = (field: 'parallelism' | 'maxFailedIndexes', value: number, most: number, when = ''): void => {
    if (value > most) refusals.push(invalidValue(`spec.${field}`, value, `must be less than or equal to ${most}${when}`));
  };
  if (completions === undefined) refusals.push(requiredValue('spec.completions', 'when completion mode is Indexed'));
  limit('parallelism', parallelism, parallelismLimit, ' when completion mode is Indexed');
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions) {
      refusals.push(invalidValue('spec.maxFailedIndexes', maxFailedIndexes, 'must be less than or equal to completions'));
    }
    limit('maxFailedIndexes', maxFailedIndexes, failedIndexesLimit);
  }
  if (completions === undefined || completions <= manyCompletions || backoffLimitPerIndex === undefined) return refusals;
  const when = ` when completions are above ${manyCompletions} and used with backoff limit per index`;
  limit('parallelism', parallelism, parallelismLimitForMany, when);
  if (maxFailedIndexes !== undefined) limit('maxFailedIndexes', maxFailedIndexes, failedIndexesLimitForMany, when);
  else refusals.push(requiredValue('spec.maxFailedIndexes', `must be specified when completions is above ${manyCompletions}`));
  return refusals;
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec): FieldError[] {
  const field = 'spec.template.spec.restartPolicy';
  const restartPolicy = template?.spec.restartPolicy ?? '';
  if (restartPolicy === '' || restartPolicy === 'Always') return [requiredValue(field, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') return [unsupportedValue(field, restartPolicy, ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || restartPolicy === 'Never') return [];
  return [invalidValue(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function validateSelector({ selector, template }: JobSpec): FieldError[] {
  const field = 'spec.template.metadata.labels';
  const labels = template?.metadata?.labels;
  // Go writes the keys of a map in their order.
  const shown = labels && Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const mismatch = invalidValue(field, shown, '`selector` does not match template `labels`');
  if (selector === undefined) return [requiredValue('spec.selector'), mismatch];
  const matches = matcherIfAny(selector);
  const refusals = validateLabelSelector(selector, 'spec.selector');
  return matches !== undefined && !matches(labels) ? [...refusals, mismatch] : refusals;
}

/** The selector that the API server makes must find the pods of this Job, and the template carry the labels made with it. */
function validateGeneratedSelector({ metadata, spec }: Job, { mustHavePrefixedLabels = true } = {}): FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const { name = '', uid = '' } = metadata;
  const refusals = uid === '' ? [requiredValue('metadata.uid')] : [];
  const prefixed = mustHavePrefixedLabels ? { [controllerUidLabel]: uid, [jobNameLabel]: name } : {};
  const expected: Record<string, string> = { [legacyControllerUidLabel]: uid, [legacyJobNameLabel]: name, ...prefixed };
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) refusals.push(requiredValue(field, `must be '${value}'`));
    else if (labels[key] !== value) refusals.push(invalidValue(field, labels, `must be '${value}'`));
  }
  const matches = matcherIfAny(spec.selector);
  if (matches !== undefined && !matches(expected)) {
    refusals.push(invalidValue('spec.selector', spec.selector, '`selector` not auto-generated'));
  }
  return refusals;
}

function matcherIfAny(selector: JobSpec['selector']): LabelMatcher | undefined {
  try {
    return matcherOf(selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}

/** The pods of an Indexed Job have `<name>-<index>` as hostname. */
function validateHostnames({ metadata: { name = '' }, spec: { completionMode, completions = 0 } }: Job): FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const hostname = `${name}-${completions - 1}`;
  if (problemsOfDnsLabel(hostname).length === 0) return [];
  return [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${hostname}`)];
}

/** Only an Indexed Job may change its completions, and only together with its parallelism. */
function validateCompletionsUpdate(next: JobSpec, previous: JobSpec): FieldError[] {
  if (next.completions === previous.completions) return [];
  const field = 'spec.completions';
  if (next.completionMode !== 'Indexed') return [invalidValue(field, next.completions, fieldIsImmutable)];
  if (next.completions === undefined || next.completions === next.parallelism) return [];
  return [invalidValue(field, next.completions, 'can only be modified in tandem with spec.parallelism')];
}

function validateImmutableFields(next: JobSpec, previous: JobSpec): FieldError[] {
  const fields = ['selector', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;
  return fields
    .filter((field) => !isSameValue(next[field], previous[field], field))
    .map((field) => invalidValue(`spec.${field}`, next[field], fieldIsImmutable));
}
