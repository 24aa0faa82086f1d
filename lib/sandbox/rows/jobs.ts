// Jobs of batch/v1.
import { withJobDefaults, withJobUpdateDefaults, withTemplateLabels } from '../../admission/job/job-defaults.ts';
import { validateJob, validateJobStatusUpdate, validateJobUpdate } from '../../admission/job/job-validation.ts';
import type { Job } from '../../objects/kubernetes.ts';
import { selectorTextOf } from '../../objects/label-selector.ts';
import { fieldsAt, hasCondition, isSame, listAt, numberAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { humanDuration } from './human-duration.ts';
import { ageColumn, column, nameColumn, row, wide } from './row.ts';

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
  return { ...asObject(withJobDefaults(asJob(object))), status: {} };
}

const update = (next: ApiObject, previous: ApiObject): ApiObject =>
  isSame(next.spec, previous.spec) ? next : asObject(withJobUpdateDefaults(asJob(next)));

function statusText(job: ApiObject): string {
  const ended = ['Complete', 'Failed'].find((type) => hasCondition(job, type));
  if (ended !== undefined) return ended;
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running';
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

export const jobs = row({
  group: 'batch',
  plural: 'jobs',
  kind: 'Job',
  categories: ['all'],
  hasStatus: true,
  countsGenerations: true,
  dependents: 'orphan',
  columns: [
    nameColumn,
    column('Status', statusText),
    column('Completions', completionsText),
    column('Duration', durationText),
    ageColumn,
    column('Containers', (job) => containersOf(job, 'name'), wide),
    column('Images', (job) => containersOf(job, 'image'), wide),
    column('Selector', ({ spec }) => selectorTextOf(fieldsAt(spec, 'selector')) || '<none>', wide),
  ],
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
