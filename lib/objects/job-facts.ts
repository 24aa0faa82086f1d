// What the view keeps of a Job: everything but its pod template, of which only the restart policy is needed to decide (R10 reads the rest live).
import type { Job } from './kubernetes.ts';
import type { WantedFields } from './wanted-fields.ts';

/** What `jobFactsOf` reads of a Job. */
export const JOB_FIELDS: WantedFields = {
  metadata: { '*': true, managedFields: false },
  spec: { '*': true, template: { spec: { restartPolicy: true } } },
  status: true,
};

/** The Job without template, managed fields and foreign annotations; `spec.template` keeps the restart policy alone. */
export function jobFactsOf(job: Job): Job {
  const { metadata, spec, status } = job;
  const { template, ...rest } = spec;
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, finalizers, ownerReferences } =
    metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => key.startsWith('farloop.dev/') || key.startsWith('batch.kubernetes.io/'),
  );
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels && { labels }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    spec: {
      ...rest,
      template: {
        spec: { containers: [], ...(template?.spec?.restartPolicy !== undefined && { restartPolicy: template.spec.restartPolicy }) },
      },
    },
    ...(status && { status }),
  };
}

/** Whether a terminal condition, `Complete` or `Failed`, is True. */
export const isJobFinished = (job: Job): boolean =>
  job.status?.conditions?.some(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True') ?? false;
