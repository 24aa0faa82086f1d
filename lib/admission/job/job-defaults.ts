// Defaults of the fields that a Job leaves out, and the selector and labels that the API server makes for it.
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from '../../objects/job-labels.ts';
import type { Job, JobSpec, PodTemplate } from '../../objects/kubernetes.ts';
import { withPodTemplateDefaults } from '../pod/pod-defaults.ts';
import { dropSwitchedOffFields } from '../switched-off-fields.ts';
import { treeCopy } from '../../objects/values/tree-copy.ts';

/**
 * A Job as the API server answers its creation: defaults, selector and template labels (unless `manualSelector`).
 * `metadata.name` and `metadata.uid` must be set before. The input stays untouched; a `status` is passed through.
 */
export function withJobDefaults(job: Job): Job {
  const defaulted = withSentFieldDefaults(job);
  if (defaulted.spec.manualSelector !== true) generateSelector(defaulted);
  return withTemplateLabels(defaulted);
}

/**
 * A Job with the defaults of its fields alone, as the API server reads the body of an update: no selector is made, for a
 * stored Job has one.
 */
export const withJobUpdateDefaults = (job: Job): Job => withTemplateLabels(withSentFieldDefaults(job));

/** A Job that a cluster holds: as `withJobUpdateDefaults`, but what is in it the cluster knows, whatever features it has on. */
export const withStoredJobDefaults = (job: Job): Job => withTemplateLabels(withFieldDefaults(job));

function withSentFieldDefaults(job: Job): Job {
  const defaulted = withFieldDefaults(job);
  if (defaulted.spec.template) dropSwitchedOffFields(defaulted.spec.template.spec);
  return defaulted;
}

function withFieldDefaults(job: Job): Job {
  const defaulted = treeCopy(job);
  // JSON's null in a field means that the field is not given.
  const spec: JobSpec = Object.fromEntries(Object.entries(defaulted.spec).filter(([, value]) => value !== null));
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : LARGEST_INT32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  }
  spec.template = withPodTemplateDefaults(spec.template ?? emptyTemplate());
  return { ...defaulted, spec, status: defaulted.status ?? {} };
}

const emptyTemplate = (): PodTemplate => ({ metadata: {}, spec: { containers: [] } });

/** A Job without labels carries its template's. */
export function withTemplateLabels(job: Job): Job {
  const labels = job.spec.template?.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata.labels ?? {}).length > 0) return job;
  return { ...job, metadata: { ...job.metadata, labels: { ...labels } } };
}

/** Labels that are there already stay: validation refuses those that differ. */
function generateSelector(job: Job): void {
  const template = (job.spec.template ??= emptyTemplate());
  const metadata = (template.metadata ??= {});
  const [name, uid] = [job.metadata.name ?? '', job.metadata.uid ?? ''];
  const generated = { [legacyJobNameLabel]: name, [jobNameLabel]: name, [legacyControllerUidLabel]: uid, [controllerUidLabel]: uid };
  metadata.labels = { ...generated, ...metadata.labels };
  const selector = (job.spec.selector ??= {});
  selector.matchLabels = { [controllerUidLabel]: uid, ...selector.matchLabels };
}
