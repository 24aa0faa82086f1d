// The reference's metrics of training jobs, under its names.
import type { Counted } from '../../objects/upstream-metrics.ts';
import { isTrue, type ConditionType } from './conditions.ts';
import type { Framework } from './framework.ts';
import type { KindMetrics } from '../planner-row.ts';
import type { TrainingJob, TrainingStatus } from './job-types.ts';

const countOf = (metric: string, { name }: Framework, { metadata: { namespace = '' } }: TrainingJob): Counted => ({
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

/** Counts of confirmed writes. */
export const trainingMetrics = (framework: Framework): KindMetrics<TrainingJob, TrainingStatus> => ({
  ofStatus: (before, after) => countsOfStatus(framework, before, after),
  ofOwnerDelete: (job) => [countOf('deleted', framework, job)],
});
