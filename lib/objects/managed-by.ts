// `spec.managedBy`: whose Job it is, asked by the relay, the planner and whoever takes a cluster out of an installation.
import type { JobSpec } from './kubernetes.ts';
import { ALL_JOBS, JOBS_THAT_NAME_US, type Manages } from './manages.ts';

/** The values that stand for the built-in controller and for Farloop. */
const BUILT_IN_MANAGER = 'kubernetes.io/job-controller';
export const OUR_MANAGER = 'farloop.dev/job';

/** Whether nobody but us looks after Jobs and the finalizers of their pods. */
export const isBuiltInOff = (manages: Manages): boolean => manages.includes(ALL_JOBS);

/** Whether the Job is ours to reconcile. `jobs`: it names Farloop; `all-jobs`: the built-in controller's too. */
export function isOurs({ managedBy }: JobSpec, manages: Manages): boolean {
  if (managedBy === OUR_MANAGER) return manages.includes(JOBS_THAT_NAME_US) || manages.includes(ALL_JOBS);
  return manages.includes(ALL_JOBS) && (managedBy === undefined || managedBy === BUILT_IN_MANAGER);
}
