// The reference's metrics of training jobs, under its names.
import type { Counted } from '../../objects/upstream-metrics.ts';
import { isTrue, type ConditionType } from './status/conditions.ts';
import type { Framework } from './terms/framework.ts';
import type { CountedPods } from '../rows/kind.ts';
import type { KindMetrics } from '../rows/planner-row.ts';
import type { TrainingJob, TrainingStatus } from './terms/job-types.ts';

const countOf = (metric: string, { name }: Framework, { metadata: { namespace = '' } }: Pick<TrainingJob, 'metadata'>): Counted => ({
  metric: `training_operator_jobs_${metric}_total`,
  value: 1,
  labels: { job_namespace: namespace, framework: name },
});

/** @param before and `after`: the job before the write, and in the answer */
function countsOfStatus(framework: Framework, before: TrainingJob, after: TrainingJob): Counted[] {
  const became = (type: ConditionType): boolean => !isTrue(before.status?.conditions, type) && isTrue(after.status?.conditions, type);
  return [
    ...(became('Created') ? [countOf('created', framework, after)] : []),
    ...(became('Succeeded') ? [countOf('successful', framework, after)] : []),
    ...(became('Failed') ? [countOf('failed', framework, after)] : []),
  ];
}

const unlabelled = (metric: string, value = 1): Counted[] => (value > 0 ? [{ metric, value, labels: {} }] : []);

/** Counts of confirmed writes, and of restarts, each of which has one event. */
export const trainingMetrics = (framework: Framework): KindMetrics<TrainingJob, TrainingStatus> => ({
  ofStatus: (before, after) => countsOfStatus(framework, before, after),
  ofOwnerDelete: (job) => [countOf('deleted', framework, job)],
  ofCreate: (_, result) => (result === 'succeeded' ? unlabelled('created_pods_total') : []),
  ofOtherCreate({ kind }, result) {
    if (kind === 'Service') return unlabelled(`${result}_service_creation_total`);
    return kind === 'PodGroup' && result === 'succeeded' ? unlabelled('created_pod_groups_total') : [];
  },
  ofOtherDelete: ({ kind }) => (kind === 'PodGroup' ? unlabelled('deleted_pod_groups_total') : []),
  ofEvent: ({ reason, regarding: { namespace } }) =>
    reason === `${framework.kind}Restarting` ? [countOf('restarted', framework, { metadata: { namespace } })] : [],
});

/** Pods as views come to know and lose them: each counts once. */
export const PODS_COUNTED: readonly CountedPods[] = [
  { has: ({ controller }) => controller !== undefined, countsOf: ({ went }) => unlabelled('deleted_pods_total', went) },
  { has: ({ phase }) => phase === 'Failed', countsOf: ({ came }) => unlabelled('failed_pods_total', came) },
];
