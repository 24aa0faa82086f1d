// The facts of a Job in the view: all fields except the pod template. Decisions need only the template's restart policy, and a pass reads
// the rest live (R10).
import type { Job, WorkloadObject } from '../../../objects/kubernetes.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';
import { ifSmall, keptOwner, present } from '../../rows/owner-facts.ts';

/** The fields that `jobFactsOf` reads. */
export const JOB_FIELDS: WantedFields = {
  metadata: { '*': true, managedFields: false },
  spec: { '*': true, template: { spec: { restartPolicy: true } } },
  status: true,
};

/**
 * The Job without template, managed fields and foreign annotations; `spec.template` keeps the restart policy alone. Of one that is still
 * larger than 64 K characters, or could not be read whole: its identity, its versions and a few small fields to show, see `isReadLive`.
 */
export function jobFactsOf(job: Job): Job {
  const { template, ...rest } = job.spec;
  const restartPolicy = template?.spec?.restartPolicy;
  return keptOwner<Job>(
    { ...job, apiVersion: 'batch/v1', kind: 'Job' },
    {
      keepsAnnotation: (key) => key.startsWith('farloop.dev/') || key.startsWith('batch.kubernetes.io/'),
      spec: { ...rest, template: { spec: { containers: [], ...(restartPolicy !== undefined && { restartPolicy }) } } },
      markOf,
    },
  );
}

function markOf({ spec, status }: Job): Pick<WorkloadObject, 'spec' | 'status'> {
  const { parallelism, completions, completionMode, suspend, managedBy, manualSelector, selector, template } = spec;
  const { active, ready, succeeded, failed, terminating, startTime, completionTime, conditions } = status ?? {};
  return {
    spec: present({ parallelism, completions, completionMode, suspend, managedBy, manualSelector, selector: ifSmall(selector), template }),
    status: present({ active, ready, succeeded, failed, terminating, startTime, completionTime, conditions: ifSmall(conditions) }),
  };
}

/** Whether a terminal condition, `Complete` or `Failed`, is True. */
export const isJobFinished = (job: Job): boolean =>
  job.status?.conditions?.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') ?? false;
