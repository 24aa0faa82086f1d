// How people act on a Job.
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from '../../objects/job-labels.ts';
import type { Job } from '../../objects/kubernetes.ts';
import { countIndexes, formatIndexes, parseIndexes } from '../../objects/values/index-text.ts';
import { defineActions, type KindActions, type Remainder, type Scaling } from '../acting/kind-actions.ts';
import { counted } from '../rows/reasons.ts';
import { copiedMetadata } from '../acting/usual-actions.ts';

/** The API server sets them, by the uid of one Job. */
const LABELS_OF_ONE_JOB = [controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel];

export const jobActions: KindActions = defineActions<Job>({
  suspension: {
    isSuspended: ({ spec }) => spec.suspend === true,
    patchOf: (suspend) => ({ spec: { suspend } }),
    running: ({ status }) => status?.active ?? 0,
    started,
  },
  scalingOf,
  copyOf,
  remainderOf,
});

function started(job: Job): number {
  return Math.min(job.spec.parallelism ?? 1, completionsLeft(job));
}

/** Infinity: it says of no number when it is done. */
function completionsLeft({ spec: { completions }, status = {} }: Job): number {
  if (completions === undefined) return Infinity;
  const failed = status.failedIndexes === undefined ? 0 : countIndexes(parseIndexes(status.failedIndexes, completions));
  return Math.max(completions - (status.succeeded ?? 0) - failed, 0);
}

function scalingOf(job: Job, { replicas: to, type }: { replicas: number; type?: string | undefined }): Scaling | string {
  if (type !== undefined) return 'a Job has pods of one type only: leave out the type';
  const from = job.spec.parallelism ?? 1;
  const scaling = { patch: { spec: { parallelism: to } }, of: 'pods at a time', from, to };
  const left = completionsLeft(job);
  if (to <= from) return { ...scaling, pods: Math.max((job.status?.active ?? 0) - Math.min(to, left), 0) };
  // As the Job controller: once one has succeeded, the others have nothing left to begin with.
  if (left === Infinity && (job.status?.succeeded ?? 0) > 0) return { ...scaling, pods: 0, bound: 'one has succeeded already' };
  const more = Math.min(to, left) - Math.min(from, left);
  return { ...scaling, pods: more, ...(left < to && { bound: `${counted(left, 'completion is', 'completions are')} left` }) };
}

function copyOf({ apiVersion = 'batch/v1', kind = 'Job', metadata, spec }: Job): Job {
  const { selector, suspend: _suspend, template, ...rest } = structuredClone(spec);
  // One that a person chose is theirs, and so are the labels that it selects by.
  if (spec.manualSelector === true)
    return { apiVersion, kind, metadata: copiedMetadata(metadata), spec: { ...rest, selector, template } as Job['spec'] };
  const { metadata: ofPods = {}, ...pod } = template ?? { spec: { containers: [] } };
  const labels = Object.entries(ofPods.labels ?? {}).filter(([key]) => !LABELS_OF_ONE_JOB.includes(key));
  const { labels: _labels, creationTimestamp: _never, ...others } = ofPods;
  return {
    apiVersion,
    kind,
    metadata: copiedMetadata(metadata, LABELS_OF_ONE_JOB),
    spec: { ...rest, template: { metadata: { ...others, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) }, ...pod } },
  };
}

/** A Job whose status says that the other indexes have succeeded runs only these, under whatever controller. */
function remainderOf({ spec, status = {} }: Job): Remainder | string {
  const { completionMode, completions } = spec;
  if (completionMode !== 'Indexed' || completions === undefined) return 'it has no indexes: only all of it can be retried';
  const done = parseIndexes(status.completedIndexes ?? '', completions);
  const succeeded = countIndexes(done);
  if (succeeded === completions) return 'all of its indexes succeeded';
  const open = completions - succeeded;
  return { open, total: completions, of: 'indexes', status: { completedIndexes: formatIndexes(done), succeeded } };
}
