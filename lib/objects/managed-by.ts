// `spec.managedBy`: whose Job it is, asked by the relay, the planner and whoever takes a cluster out of an installation.
import type { JobSpec } from './kubernetes.ts';

/** The values that stand for the built-in controller and for Farloop. */
const BUILT_IN_MANAGER = 'kubernetes.io/job-controller';
export const OUR_MANAGER = 'farloop.dev/job';

/** Whether the Job is ours to reconcile. `own`: it names Farloop; `all`: the built-in controller's too. */
export function isOurs({ managedBy }: JobSpec, manage: 'own' | 'all'): boolean {
  if (managedBy === OUR_MANAGER) return true;
  return manage === 'all' && (managedBy === undefined || managedBy === BUILT_IN_MANAGER);
}
