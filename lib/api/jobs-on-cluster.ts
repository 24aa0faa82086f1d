// Jobs of a name as the cluster itself has them, whoever manages them: for people who ask for one that Farloop does not know.
import type { Job } from '../objects/kubernetes.ts';
import { isOurs } from '../objects/managed-by.ts';
import { manageOfBefore, type ManageOfBefore } from '../objects/manages.ts';
import { JOBS } from '../objects/resources.ts';
import { deadlineIn } from '../ports/clock.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { OBJECT_NAME } from '../wire/names.ts';

export interface JobOnCluster {
  namespace: string;
  name: string;
  uid: string;
  /** `spec.managedBy`. */
  managedBy?: string;
  /** Whether it is one of those that Farloop takes there. */
  managed: boolean;
}

export interface JobsOnCluster {
  /** False: nobody could look, and nothing is said of what there is. */
  live: boolean;
  /** Why nobody could look, where somebody tried. */
  problem?: string;
  /** Which kinds are managed there, by the words of `--manage`. */
  manages: ClusterRecord['manages'];
  /** What of Jobs is, for readers of before. */
  manage: ManageOfBefore;
  /** Those that Farloop works in; none: all. */
  namespaces: readonly string[];
  items: JobOnCluster[];
}

const LOOK_MS = 10_000;
const MOST_NAMESPACES_LOOKED_AT = 20;

/** @param namespace absent: in all that Farloop works in. @returns undefined where no such cluster is registered */
export async function jobsOnCluster(
  { clock, clusters, lookUp }: Pick<Ports, 'clock' | 'clusters' | 'lookUp'>,
  { cluster, name, namespace }: { cluster: string; name: string; namespace?: string | undefined },
): Promise<JobsOnCluster | undefined> {
  const record = await clusters.get(cluster);
  if (!record) return undefined;
  const { manages, namespaces } = record;
  const there = { manages, manage: manageOfBefore(manages), namespaces };
  if (!lookUp) return { live: false, ...there, items: [] };
  // No object has such a name, and in a field selector it would ask for others.
  if (!OBJECT_NAME.test(name)) return { live: true, ...there, items: [] };
  const places =
    namespace !== undefined ? [namespace] : namespaces.length > 0 ? namespaces.slice(0, MOST_NAMESPACES_LOOKED_AT) : [undefined];
  const access = lookUp(record);
  const deadline = deadlineIn(clock, LOOK_MS);
  const items: JobOnCluster[] = [];
  try {
    for (const place of places) {
      const selection = { fieldSelector: `metadata.name=${name}`, ...(place !== undefined && { namespace: place }) };
      const found = await access.list<Job>(JOBS, selection, deadline);
      items.push(...found.items.map((job) => jobOnCluster(job, record)));
    }
  } catch (error) {
    return { live: false, problem: error instanceof Error ? error.message : String(error), ...there, items: [] };
  }
  return { live: true, ...there, items };
}

function jobOnCluster({ metadata, spec }: Job, record: ClusterRecord): JobOnCluster {
  const { namespace = '', name = '', uid = '' } = metadata;
  return {
    namespace,
    name,
    uid,
    ...(spec.managedBy !== undefined && { managedBy: spec.managedBy }),
    managed: isOurs(spec, record.manages) && isInScope(record, namespace),
  };
}
