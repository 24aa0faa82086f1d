// A workload that was named and is not known: whose it is, where it is, or which one may have been meant.
import type { ClusterSummary } from '../api/clusters.ts';
import type { JobsOnCluster } from '../api/jobs-on-cluster.ts';
import type { WorkloadSummary } from '../api/workloads.ts';
import { isBuiltInOff } from '../objects/managed-by.ts';
import { readManages } from '../objects/manages.ts';
import type { ApiClient } from './api-client.ts';
import { FailedError } from './exit.ts';
import { suggestionText } from './suggestions.ts';
import { OWN_JOBS_ONLY, whoseJobText } from './whose-job.ts';

export interface SoughtWorkload {
  kind?: string | undefined;
  name: string;
  namespace?: string | undefined;
  cluster?: string | undefined;
}

/** More clusters are not asked. */
const MOST_CLUSTERS_ASKED = 10;

/**
 * Why a workload that was named is not known. A Job is looked for on the clusters themselves, where the API can: one that somebody else
 * manages is not one that does not exist.
 * @param known all workloads of that kind. @returns sentences, the last without a full stop
 */
export async function absenceOf(api: ApiClient, sought: SoughtWorkload, known: readonly WorkloadSummary[]): Promise<string> {
  const absence = absenceText(sought, known);
  if (sought.kind !== undefined && sought.kind.toLowerCase() !== 'job') return absence;
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const clusters = items.filter(({ name }) => sought.cluster === undefined || name === sought.cluster);
  const query = sought.namespace === undefined ? '' : `?namespace=${encodeURIComponent(sought.namespace)}`;
  const unseen: string[] = [];
  const silent: string[] = [];
  for (const { name, ...told } of clusters.slice(0, MOST_CLUSTERS_ASKED)) {
    const path = `/v1/clusters/${encodeURIComponent(name)}/jobs/${encodeURIComponent(sought.name)}${query}`;
    const jobs = await api.get<JobsOnCluster>(path).catch((error: unknown) => {
      // An API of before does not know this question; what is known is told all the same.
      if (error instanceof FailedError) return undefined;
      throw error;
    });
    if (jobs?.problem !== undefined) silent.push(`cluster ${name} could not be asked: ${jobs.problem}`);
    else if (jobs?.live !== true && !isBuiltInOff(readManages(told))) unseen.push(name);
    const [job] = jobs?.items ?? [];
    if (!jobs || !job) continue;
    const what = `Job ${job.name} is in namespace ${job.namespace} on cluster ${name}`;
    if (job.managed) return `${what}, and Farloop has not observed it yet: ask again in a moment`;
    return `${what}, and Farloop does not manage it: ${whoseJobText(job, { ...jobs, manages: readManages(jobs) })}`;
  }
  if (silent.length > 0) return `${unknownText(sought, known)}: ${silent.join('; ')}`;
  return unseen.length === 0 ? absence : `${absence}. On ${unseen.join(', ')} ${OWN_JOBS_ONLY}`;
}

/** A Job of a cluster that does not answer may be there all the same. */
function unknownText(sought: SoughtWorkload, known: readonly WorkloadSummary[]): string {
  const names = [...new Set(known.map(({ name }) => name))];
  const meant = names.includes(sought.name) ? '' : suggestionText(sought.name, names);
  return `Farloop knows of no Job ${sought.name}${placeText(sought)}${meant}, and cannot tell whether there is one`;
}

const placeText = ({ namespace, cluster }: SoughtWorkload): string =>
  `${namespace === undefined ? '' : ` in namespace ${namespace}`}${cluster === undefined ? '' : ` on cluster ${cluster}`}`;

/** @param known all workloads of that kind. @returns one sentence without a full stop */
export function absenceText(sought: SoughtWorkload, known: readonly WorkloadSummary[]): string {
  const { kind = 'workload', name } = sought;
  const what = `there is no ${kind} ${name}${placeText(sought)}`;
  if (known.length === 0) return `${what}: Farloop knows of no ${kind} yet`;
  const elsewhere = known.filter((workload) => workload.name === name);
  if (elsewhere.length > 0) {
    const places = new Set(elsewhere.map((workload) => `in namespace ${workload.namespace} on cluster ${workload.cluster}`));
    return `${what}: there is one ${[...places].slice(0, 3).join(', and one ')}`;
  }
  const names = [...new Set(known.map((workload) => workload.name))];
  return `${what}${suggestionText(name, names)}: "farloop get workloads" shows what there is`;
}
