// Why Farloop does not manage a Job that is on a cluster, and what to do about it.
import type { JobOnCluster, JobsOnCluster } from '../api/jobs-on-cluster.ts';
import { isBuiltInOff, OUR_MANAGER } from '../objects/managed-by.ts';

const BUILT_IN = new Set([undefined, '', 'kubernetes.io/job-controller']);
const ANEW = `Give it "managedBy: ${OUR_MANAGER}" in its spec and create it anew, since that field cannot be changed`;

/** @param job one that is not managed. @param wanted what its manifest says. @returns sentences for people, the last without a full stop */
export function whoseJobText(
  { namespace, managedBy }: Pick<JobOnCluster, 'namespace' | 'managedBy'>,
  { manages, namespaces }: Pick<JobsOnCluster, 'manages' | 'namespaces'>,
  wanted?: string,
): string {
  if (namespaces.length > 0 && !namespaces.includes(namespace))
    return `Farloop works in ${namespaces.join(', ')} only. Let it work in ${namespace} too: --namespace ${namespace}`;
  if (managedBy === undefined && wanted !== undefined)
    return `the cluster dropped its spec.managedBy, which Kubernetes 1.32 and newer keep. Upgrade the cluster, or, where its built-in Job controller is off, let Farloop take all Jobs: --manage all-jobs`;
  if (!BUILT_IN.has(managedBy)) return `its spec.managedBy is ${JSON.stringify(managedBy)}, so that controller has it. ${ANEW}`;
  const who = managedBy === undefined ? 'it names no manager' : `its spec.managedBy is ${JSON.stringify(managedBy)}`;
  const all = !isBuiltInOff(manages) ? '; or, where that controller is off, let Farloop take all Jobs: --manage all-jobs' : '';
  return `${who}, so the built-in Job controller has it. ${ANEW}${all}`;
}

/** On a cluster where it does not take all. */
export const OWN_JOBS_ONLY = `Farloop takes only the Jobs that say "managedBy: ${OUR_MANAGER}"`;
