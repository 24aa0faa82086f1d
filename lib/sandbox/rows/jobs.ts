// Jobs of batch/v1.
import { withJobDefaults, withJobUpdateDefaults, withTemplateLabels } from '../../admission/job/job-defaults.ts';
import { validateJob, validateJobStatusUpdate, validateJobUpdate } from '../../admission/job/job-validation.ts';
import type { Job } from '../../objects/kubernetes.ts';
import { fieldsAt, isSame, listAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { humanDuration } from './human-duration.ts';
import { ageColumn, nameColumn, readAndWrite, row } from './row.ts';

/** As the schema has checked it. */
const asJob = (object: ApiObject): Job => ({ ...object, spec: { ...fieldsAt(object, 'spec') } });
const asObject = (job: Job): ApiObject => ({ ...job, spec: { ...job.spec }, status: { ...job.status } });

/** Fields that are left out at zero, and texts left out when empty. */
const zeroes = ['active', 'succeeded', 'failed'] as const;

function withoutZeroes(object: ApiObject): ApiObject {
  const status = { ...object.status };
  for (const name of zeroes) if (status[name] === 0) delete status[name];
  if (status['completedIndexes'] === '') delete status['completedIndexes'];
  return { ...object, status };
}

function create(object: ApiObject): ApiObject {
  return { ...asObject(withJobDefaults(asJob({ ...object, metadata: { ...object.metadata, generation: 1 } }))), status: {} };
}

const update = (next: ApiObject, previous: ApiObject): ApiObject => ({
  ...(isSame(next.spec, previous.spec) ? next : asObject(withJobUpdateDefaults(asJob(next)))),
  status: previous.status ?? {},
});

function statusText(job: ApiObject): string {
  const isTrue = (type: string): boolean =>
    listAt(job.status, 'conditions').some((condition) => condition['type'] === type && condition['status'] === 'True');
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (isTrue('Suspended')) return 'Suspended';
  if (isTrue('FailureTarget')) return 'FailureTarget';
  if (isTrue('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function completionsText({ spec, status }: ApiObject): string {
  const succeeded = numberAt(status, 'succeeded');
  if (spec?.['completions'] !== undefined) return `${succeeded}/${textAt(spec, 'completions')}`;
  const parallelism = numberAt(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: ApiObject, nowMs: number): string {
  const startedMs = Date.parse(textAt(status, 'startTime'));
  if (Number.isNaN(startedMs)) return '';
  const endedMs = Date.parse(textAt(status, 'completionTime'));
  return humanDuration((Number.isNaN(endedMs) ? nowMs : endedMs) - startedMs);
}

const containersOf = (job: ApiObject, field: string): string =>
  listAt(fieldsAt(fieldsAt(job.spec, 'template'), 'spec'), 'containers')
    .map((container) => textAt(container, field))
    .join(',');

const selectorText = (job: ApiObject): string =>
  Object.entries(fieldsAt(fieldsAt(job.spec, 'selector'), 'matchLabels'))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',') || '<none>';

export const jobs = row({
  group: 'batch',
  plural: 'jobs',
  singular: 'job',
  kind: 'Job',
  categories: ['all'],
  subresources: [{ name: 'status', kind: 'Job', verbs: readAndWrite }],
  countsGenerations: true,
  dependents: 'orphan',
  columns: [
    nameColumn,
    { name: 'Status', type: 'string', description: 'Running, or how it ended.', cell: statusText },
    { name: 'Completions', type: 'string', description: 'Succeeded pods of those wanted.', cell: completionsText },
    { name: 'Duration', type: 'string', description: 'Time from its start to its end.', cell: durationText },
    ageColumn,
    { name: 'Containers', type: 'string', description: 'Names of its containers.', priority: 1, cell: (job) => containersOf(job, 'name') },
    { name: 'Images', type: 'string', description: 'Images of its containers.', priority: 1, cell: (job) => containersOf(job, 'image') },
    { name: 'Selector', type: 'string', description: 'Labels of its pods.', priority: 1, cell: selectorText },
  ],
  selectable: ['status.successful'],
  fieldsOf: (job) => ({ 'status.successful': String(numberAt(job.status, 'succeeded')) }),
  rules: {
    defaults: (object, previous) =>
      previous?.spec && isSame(object.spec, previous.spec)
        ? { ...asObject(withTemplateLabels(asJob(object))), spec: previous.spec }
        : asObject(withJobUpdateDefaults(asJob(object))),
    create,
    validateMetadata: false,
    validate: (object) => validateJob(asJob(object)),
    update,
    validateUpdate: (next, previous) => validateJobUpdate(asJob(next), asJob(previous)),
    validateStatus: (next, previous) => validateJobStatusUpdate(asJob(next), asJob(previous)),
    updateStatus: (next, previous) =>
      asObject(withTemplateLabels(asJob(isSame(next.status, previous.status) ? next : withoutZeroes(next)))),
  },
});
