// The labels by which pods name their Job: the present ones, and those without a prefix from before Kubernetes 1.27.
import type { ObjectMeta } from './kubernetes.ts';

export const jobNameLabel = 'batch.kubernetes.io/job-name';
export const controllerUidLabel = 'batch.kubernetes.io/controller-uid';
export const legacyJobNameLabel = 'job-name';
export const legacyControllerUidLabel = 'controller-uid';

type Labels = NonNullable<ObjectMeta['labels']>;

/** The uid of the Job in the labels, whatever the pod's controller. */
export const labelledJobUid = (labels: Labels): string | undefined => labels[controllerUidLabel] ?? labels[legacyControllerUidLabel];

/** The name of the Job in the labels, whatever the pod's controller. */
export const labelledJobName = (labels: Labels): string | undefined => labels[jobNameLabel] ?? labels[legacyJobNameLabel];
