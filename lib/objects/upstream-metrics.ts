// Upstream's metrics under their own names, so that existing dashboards and alarms keep working: name, type, labels and buckets of each.
// Code that publishes the telemetry's counts (a page, CloudWatch) looks up the shape of a metric here.

export interface UpstreamMetric {
  name: string;
  type: 'counter' | 'histogram';
  help: string;
  /** Spelled as upstream does. */
  labels: readonly string[];
  /** Upper bounds in seconds, ascending. Only for histograms. */
  buckets?: readonly number[];
}

const exponential = ({ first, count }: { first: number; count: number }): number[] =>
  Array.from({ length: count }, (_, at) => Number((first * 2 ** at).toPrecision(12)));

const counter = (name: string, labels: readonly string[], help: string): UpstreamMetric => ({ name, type: 'counter', help, labels });

const TRAINING_LABELS = ['job_namespace', 'framework'];

/** Count each name through the telemetry port with exactly these labels as dimensions; histograms in seconds. */
export const UPSTREAM_METRICS = [
  {
    name: 'job_controller_job_sync_duration_seconds',
    type: 'histogram',
    help: 'How long a pass over a Job took',
    labels: ['completion_mode', 'result', 'action'],
    buckets: exponential({ first: 0.004, count: 15 }),
  },
  counter('job_controller_job_syncs_total', ['completion_mode', 'result', 'action'], 'Passes over Jobs'),
  counter('job_controller_jobs_finished_total', ['completion_mode', 'result', 'reason'], 'Jobs that ended'),
  counter('job_controller_jobs_by_external_controller_total', ['controller_name'], 'Jobs that came and are managed by somebody else'),
  counter('job_controller_job_pods_finished_total', ['completion_mode', 'result'], 'Pods of Jobs that ended and were counted'),
  counter('job_controller_pod_failures_handled_by_failure_policy_total', ['action'], 'Failed pods that a rule of a failure policy matched'),
  counter(
    'job_controller_terminated_pods_tracking_finalizer_total',
    ['event'],
    'Ended pods with the tracking finalizer that came and went',
  ),
  counter('job_controller_job_finished_indexes_total', ['status', 'backoffLimit'], 'Indexes that succeeded or failed'),
  counter('job_controller_job_pods_creation_total', ['reason', 'status'], 'Tries to create a pod'),
  counter(
    'job_controller_stale_sync_skips_total',
    ['group', 'resource'],
    'Looks at an API server that was behind what had been heard from it',
  ),
  {
    name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
    type: 'histogram',
    help: 'From the moment a finished Job expired to its deletion',
    labels: [],
    buckets: exponential({ first: 0.1, count: 14 }),
  },
  counter('training_operator_jobs_created_total', TRAINING_LABELS, 'Training jobs that were seen for the first time'),
  counter('training_operator_jobs_deleted_total', TRAINING_LABELS, 'Finished training jobs that were deleted for their age'),
  counter('training_operator_jobs_successful_total', TRAINING_LABELS, 'Training jobs that succeeded'),
  counter('training_operator_jobs_failed_total', TRAINING_LABELS, 'Training jobs that failed'),
  counter('training_operator_jobs_restarted_total', TRAINING_LABELS, 'Restarts of replicas of training jobs'),
  counter('created_pods_total', [], 'Pods of training jobs that were created'),
  counter('deleted_pods_total', [], 'Pods of training jobs that went, whoever deleted them'),
  counter('failed_pods_total', [], 'Pods of training jobs that failed'),
  counter('succeeded_service_creation_total', [], 'Services of training jobs that were created'),
  counter('failed_service_creation_total', [], 'Services of training jobs that could not be created'),
  counter('created_pod_groups_total', [], 'Groups of pods of training jobs that were created'),
  counter('deleted_pod_groups_total', [], 'Groups of pods of training jobs that were deleted'),
] as const satisfies readonly UpstreamMetric[];

export type UpstreamMetricName = (typeof UPSTREAM_METRICS)[number]['name'];

/** One count of a metric. */
export interface Counted {
  /** One of `UPSTREAM_METRICS`, or a metric that only its kind has. */
  metric: string;
  /** Seconds for histograms, otherwise the amount to add. */
  value: number;
  labels: Record<string, string>;
}

const BY_NAME = new Map<string, UpstreamMetric>(UPSTREAM_METRICS.map((metric) => [metric.name, metric]));

/** @returns undefined for a metric of our own */
export const upstreamMetric = (name: string): UpstreamMetric | undefined => BY_NAME.get(name);
