// The reference's metrics of training jobs, under its names.
import type { Counted, UpstreamMetric } from '../../objects/upstream-metrics.ts';
import { isTrue, type ConditionType } from './conditions.ts';
import type { Framework } from './framework.ts';
import type { TrainingJob } from './job-types.ts';

const LABELS = ['job_namespace', 'framework'];
const counter = (name: string, labels: readonly string[], help: string): UpstreamMetric => ({ name, type: 'counter', help, labels });

export const TRAINING_METRICS = [
  counter('training_operator_jobs_created_total', LABELS, 'Training jobs that were seen for the first time'),
  counter('training_operator_jobs_deleted_total', LABELS, 'Finished training jobs that were deleted for their age'),
  counter('training_operator_jobs_successful_total', LABELS, 'Training jobs that succeeded'),
  counter('training_operator_jobs_failed_total', LABELS, 'Training jobs that failed'),
  counter('training_operator_jobs_restarted_total', LABELS, 'Restarts of replicas of training jobs'),
  counter('created_pods_total', [], 'Pods of training jobs that were created'),
  counter('deleted_pods_total', [], 'Pods of training jobs that were deleted'),
  counter('failed_pods_total', [], 'Pods of training jobs that failed'),
  counter('succeeded_service_creation_total', [], 'Services of training jobs that were created'),
  counter('failed_service_creation_total', [], 'Tries to create a service of a training job that failed'),
  counter('created_pod_groups_total', [], 'Pod groups of training jobs that were created'),
  counter('deleted_pod_groups_total', [], 'Pod groups of training jobs that were deleted'),
] as const satisfies readonly UpstreamMetric[];

const countOf = (metric: string, { name }: Framework, { metadata: { namespace = '' } }: TrainingJob): Counted => ({
  metric: `training_operator_jobs_${metric}_total`,
  value: 1,
  labels: { job_namespace: namespace, framework: name },
});

/** Counts of a stored status. @param before and `after`: the job before the write, and in the answer */
export function countsOfStatus(framework: Framework, before: TrainingJob, after: TrainingJob): Counted[] {
  const became = (type: ConditionType): boolean => !isTrue(before.status?.conditions, type) && isTrue(after.status?.conditions, type);
  return [
    ...(became('Created') ? [countOf('created', framework, after)] : []),
    ...(became('Succeeded') ? [countOf('successful', framework, after)] : []),
    ...(became('Failed') ? [countOf('failed', framework, after)] : []),
  ];
}

export const countsOfDeletion = (framework: Framework, job: TrainingJob): Counted[] => [countOf('deleted', framework, job)];
