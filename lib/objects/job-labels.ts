// The labels by which pods name their Job: those of today, and those without a prefix from before Kubernetes 1.27.
import type { ObjectMeta } from './kubernetes.ts';

export const jobNameLabel = 'batch.kubernetes.io/job-name';
export const controllerUidLabel = 'batch.kubernetes.io/controller-uid';
export const legacyJobNameLabel = 'job-name';
export const legacyControllerUidLabel = 'controller-uid';

type Labels = NonNullable<ObjectMeta['labels']>;

/** uid of the Job that the labels name, whoever controls the pod. */
export const labelledJobUid = (labels: Labels): string | undefined => labels[controllerUidLabel] ?? labels[legacyControllerUidLabel];

/** Name of the Job that the labels name, whoever controls the pod. */
export const labelledJobName = (labels: Labels): string | undefined => labels[jobNameLabel] ?? labels[legacyJobNameLabel];
