// `spec.managedBy`, the manager of a Job: read by the relay, the planner and the removal of a cluster.
import type { JobSpec } from '../../../objects/kubernetes.ts';
import { ALL_JOBS, JOBS_THAT_NAME_US, type Manages } from '../../../objects/manages.ts';

/** The values for the built-in controller and for Farloop. */
const BUILT_IN_MANAGER = 'kubernetes.io/job-controller';
export const OUR_MANAGER = 'farloop.dev/job';

/** Whether no other controller looks after Jobs and their pods' finalizers. */
export const isBuiltInOff = (manages: Manages): boolean => manages.includes(ALL_JOBS);

/** Whether Farloop reconciles the Job. `jobs`: if it names Farloop. `all-jobs`: the built-in controller's Jobs too. */
export function isOurs({ managedBy }: JobSpec, manages: Manages): boolean {
  if (managedBy === OUR_MANAGER) return manages.includes(JOBS_THAT_NAME_US) || manages.includes(ALL_JOBS);
  return manages.includes(ALL_JOBS) && (managedBy === undefined || managedBy === BUILT_IN_MANAGER);
}
