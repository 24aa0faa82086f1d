// Fewer namespaces than a cluster was registered for: with the rights there, whoever looked after the Jobs in them goes.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import { isJobFinished } from '../objects/job-facts.ts';
import type { Job } from '../objects/kubernetes.ts';
import { isOurs } from '../objects/managed-by.ts';
import { JOBS } from '../objects/resources.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';

type Scope = Pick<ClusterRecord, 'namespaces'>;

const isWithin = (before: Scope, after: Scope): boolean =>
  after.namespaces.length === 0 || (before.namespaces.length > 0 && before.namespaces.every((name) => isInScope(after, name)));

/** @returns `namespace/name` of each unfinished Job that was looked after and would not be any more; the cluster is asked only where one may be */
export async function jobsLeft(
  administration: Pick<KubernetesAdministration, 'list'>,
  before: Scope & Pick<ClusterRecord, 'manage'>,
  after: Scope,
): Promise<string[]> {
  if (isWithin(before, after)) return [];
  const isLeft = (namespace: string): boolean => isInScope(before, namespace) && !isInScope(after, namespace);
  return (await administration.list<Job>(JOBS))
    .filter((job) => isLeft(job.metadata.namespace ?? '') && isOurs(job.spec, before.manage) && !isJobFinished(job))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted();
}
