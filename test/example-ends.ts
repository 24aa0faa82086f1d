// How each of examples/jobs must end, as its own header tells: for the sandbox and for a real API server alike.
import type { JobSpec, JobStatus, Pod } from '../lib/objects/kubernetes.ts';

/** As a merge patch has it. */
export type JobChange = Partial<Omit<JobSpec, 'template'>> & { template?: { spec: Partial<Pod['spec']> } };

export interface ExampleEnd {
  /** Of the file and of its Job. */
  name: string;
  /** `gone`: deleted by itself. */
  end: 'Complete' | 'Failed' | 'gone';
  reason?: string;
  status?: Partial<JobStatus>;
  /** What its header tells a user to do: to the Job, to one of its pods. */
  step?: { when: 'running' | 'Suspended'; change: JobChange } | { when: 'running'; pod: 'evict' | 'delete' };
  /** In every one of its pods. */
  podSpec?: Partial<Pod['spec']>;
}

const LINUX = { 'kubernetes.io/os': 'linux' };

export const EXAMPLE_ENDS: readonly ExampleEnd[] = [
  { name: 'indexed', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 5, completedIndexes: '0-4' } },
  { name: 'work-queue', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 3 } },
  { name: 'on-failure', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 1 } },
  { name: 'backoff-limit', end: 'Failed', reason: 'BackoffLimitExceeded', status: { failed: 2 } },
  { name: 'per-index-backoff', end: 'Failed', reason: 'FailedIndexes', status: { completedIndexes: '0,2', failedIndexes: '1', failed: 2 } },
  { name: 'max-failed-indexes', end: 'Failed', reason: 'MaxFailedIndexesExceeded', status: { failedIndexes: '0,1' } },
  { name: 'failure-policy-fail-job', end: 'Failed', reason: 'PodFailurePolicy', status: { failed: 1 } },
  { name: 'failure-policy-ignore', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 1, failed: 0 } },
  { name: 'failure-policy-count', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 1, failed: 1 } },
  {
    name: 'failure-policy-fail-index',
    end: 'Failed',
    reason: 'FailedIndexes',
    status: { completedIndexes: '1', failedIndexes: '0', failed: 1 },
  },
  { name: 'success-policy', end: 'Complete', reason: 'SuccessPolicy', status: { completedIndexes: '0' } },
  {
    name: 'failure-policy-disruption',
    end: 'Complete',
    reason: 'CompletionsReached',
    status: { succeeded: 1, failed: 0 },
    step: { when: 'running', pod: 'evict' },
  },
  {
    name: 'replace-when-failed',
    end: 'Complete',
    reason: 'CompletionsReached',
    status: { succeeded: 2, failed: 1 },
    step: { when: 'running', pod: 'delete' },
  },
  {
    name: 'elastic',
    end: 'Complete',
    reason: 'CompletionsReached',
    status: { succeeded: 2, completedIndexes: '0,1' },
    step: { when: 'running', change: { parallelism: 2, completions: 2 } },
  },
  {
    name: 'suspend',
    end: 'Complete',
    reason: 'CompletionsReached',
    status: { succeeded: 2 },
    step: { when: 'Suspended', change: { suspend: false } },
  },
  {
    name: 'suspend-placed',
    end: 'Complete',
    reason: 'CompletionsReached',
    status: { succeeded: 1 },
    step: { when: 'Suspended', change: { suspend: false, template: { spec: { nodeSelector: LINUX } } } },
    podSpec: { nodeSelector: LINUX },
  },
  { name: 'deadline', end: 'Failed', reason: 'DeadlineExceeded', status: { failed: 2 } },
  { name: 'ttl', end: 'gone' },
  { name: 'managed-by', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 1 } },
  { name: 'image-pull', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 1 } },
  { name: 'unschedulable', end: 'Failed', reason: 'DeadlineExceeded', status: { failed: 1 } },
  { name: 'evicted', end: 'Failed', reason: 'BackoffLimitExceeded', status: { failed: 1 } },
];

/** Of the examples beside that folder, whose Jobs have names of their own. */
export const OTHER_ENDS: readonly (ExampleEnd & { file: string })[] = [
  { file: 'job.yaml', name: 'demo', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 5, completedIndexes: '0-4' } },
  { file: 'retry.yaml', name: 'retry', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 3, failed: 1 } },
  { file: 'deadline.yaml', name: 'too-long', end: 'Failed', reason: 'DeadlineExceeded', status: { failed: 2 } },
  { file: 'managed-by.yaml', name: 'handed-over', end: 'Complete', reason: 'CompletionsReached', status: { succeeded: 4 } },
];
