// Looks up objects by kind and name live on the cluster, also those that others manage: for people who ask for a workload unknown to Farloop.
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { manageOfBefore } from '../objects/manages.ts';
import { fieldsOf } from '../objects/values/untyped-fields.ts';
import type { Cluster, ListSelection } from '../ports/cluster.ts';
import { deadlineIn } from '../ports/clock.ts';
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { OBJECT_NAME } from '../wire/words/names.ts';
import type { ObjectsOnCluster as Answer } from './answers/clusters.ts';
import type { Told } from './answers/values.ts';

export type ObjectsOnCluster = Told<typeof Answer>;
export type ObjectOnCluster = ObjectsOnCluster['items'][number];

type LookPorts = Pick<Ports, 'clock' | 'clusters'> & { lookUp?: (record: ClusterRecord) => Pick<Cluster, 'list'> };

const LOOK_MS = 10_000;
const MOST_NAMESPACES_LOOKED_AT = 20;

/** @param namespace absent: all that Farloop works in. @returns undefined if no such cluster is registered */
export async function objectsOnCluster(
  { clock, clusters, lookUp }: LookPorts,
  { cluster, facts, name, namespace }: { cluster: string; facts: KindFacts; name: string; namespace?: string | undefined },
): Promise<ObjectsOnCluster | undefined> {
  const record = await clusters.get(cluster);
  if (!record) return undefined;
  const { manages, namespaces } = record;
  const there = { manages, manage: manageOfBefore(manages), namespaces };
  if (!lookUp) return { live: false, ...there, items: [] };
  // An invalid name must not get into the field selector, where it would select other objects. A kind without owners has no object to find.
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

/** By the fields that its watch selects by; undefined: it selects all. */
const isSelected = (object: WorkloadObject, selections: readonly ListSelection[] | undefined): boolean =>
  selections?.some(({ fieldSelector = '' }) =>
    fieldSelector.split(',').every((term) => {
      const [path = '', value] = term.split('=');
      return term === '' || path.split('.').reduce<unknown>((part, name) => fieldsOf(part)[name], object) === value;
    }),
  ) ?? true;

function objectOnCluster(object: WorkloadObject, facts: KindFacts, record: ClusterRecord): ObjectOnCluster {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  const managedBy = facts.managerOf(object);
  const isWithin = !facts.resource.namespaced || isInScope(record, namespace);
  return {
    namespace,
    name,
    uid,
    ...(managedBy !== undefined && { managedBy }),
    managed: isWithin && isSelected(object, facts.ownersOn?.(record)) && facts.isManaged(object, record.manages),
  };
}
