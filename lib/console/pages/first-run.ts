// What a newcomer types next.
import type { ClusterSummary } from '../state/answers.ts';

/** Shown if no cluster has a workload: a command that creates one for Farloop. */
export function noWorkloadText(clusters: readonly ClusterSummary[]): string {
  const [first] = clusters;
  return first === undefined || clusters.some(({ takesOnly }) => takesOnly === undefined)
    ? 'No workload yet. Try: kubectl apply -f examples/job.yaml'
    : `No workload yet. ${first.takesOnly}. Try: kubectl apply -f examples/managed-by.yaml`;
}
