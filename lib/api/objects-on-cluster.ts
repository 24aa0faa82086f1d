// Objects of a kind and a name as the cluster itself has them, whoever manages them: for people who ask for one that Farloop does not know.
import type { KindFacts } from '../kinds/kind.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { manageOfBefore, type ManageOfBefore } from '../objects/manages.ts';
import { deadlineIn } from '../ports/clock.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { OBJECT_NAME } from '../wire/names.ts';

export interface ObjectOnCluster {
  namespace: string;
  name: string;
  uid: string;
  /** Whom it names as its manager. */
  managedBy?: string;
  /** Whether it is one of those that Farloop takes there. */
  managed: boolean;
}

export interface ObjectsOnCluster {
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
  items: ObjectOnCluster[];
}

const LOOK_MS = 10_000;
const MOST_NAMESPACES_LOOKED_AT = 20;

/** @param namespace absent: in all that Farloop works in. @returns undefined where no such cluster is registered */
export async function objectsOnCluster(
  { clock, clusters, lookUp }: Pick<Ports, 'clock' | 'clusters' | 'lookUp'>,
  { cluster, facts, name, namespace }: { cluster: string; facts: KindFacts; name: string; namespace?: string | undefined },
): Promise<ObjectsOnCluster | undefined> {
  const record = await clusters.get(cluster);
  if (!record) return undefined;
  const { manages, namespaces } = record;
  const there = { manages, manage: manageOfBefore(manages), namespaces };
  if (!lookUp) return { live: false, ...there, items: [] };
  // No object has such a name, and in a field selector it would ask for others. Nor has a kind without owners any.
  if (!OBJECT_NAME.test(name) || facts.isOwnerless) return { live: true, ...there, items: [] };
  const places =
    namespace !== undefined ? [namespace] : namespaces.length > 0 ? namespaces.slice(0, MOST_NAMESPACES_LOOKED_AT) : [undefined];
  const access = lookUp(record);
  const deadline = deadlineIn(clock, LOOK_MS);
  const items: ObjectOnCluster[] = [];
  try {
    for (const place of facts.resource.namespaced ? places : [undefined]) {
      const selection = { fieldSelector: `metadata.name=${name}`, ...(place !== undefined && { namespace: place }) };
      const found = await access.list<WorkloadObject>(facts.resource, selection, deadline);
      items.push(...found.items.map((object) => objectOnCluster(object, facts, record)));
    }
  } catch (error) {
    return { live: false, problem: error instanceof Error ? error.message : String(error), ...there, items: [] };
  }
  return { live: true, ...there, items };
}

function objectOnCluster(object: WorkloadObject, facts: KindFacts, record: ClusterRecord): ObjectOnCluster {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const managedBy = facts.managerOf(object);
  const isWithin = !facts.resource.namespaced || isInScope(record, namespace);
  return {
    namespace,
    name,
    uid,
    ...(managedBy !== undefined && { managedBy }),
    managed: isWithin && facts.isManaged(object, record.manages),
  };
}
