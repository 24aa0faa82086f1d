// Takes over the Node of another virtual kubelet, with the pods on it, where the options ask for that and nobody serves it any more.
import type { NodeKind } from '../../kinds/settings.ts';
import type { KubernetesObject, Node } from '../../objects/kubernetes.ts';
import { LEASES, NODE_LEASES, renewedAtMs, type Lease } from '../../objects/placement/lease.ts';
import { NODES } from '../../objects/resources.ts';
import type { Clock, Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { NotFoundError } from '../../ports/errors.ts';

/** A cluster takes a node for lost no sooner, so its agent may still be there. */
const SERVED_MS = 40_000;

export interface Adopting {
  clock: Pick<Clock, 'nowMs'>;
  cluster: Pick<Cluster, 'get' | 'patch'>;
  deadline: Deadline;
  kind: NodeKind;
  record: Pick<ClusterRecord, 'options'>;
}

/**
 * @param node that somebody else made
 * @returns the Node as it is then; or why it is left alone, for people; undefined: nobody has asked for it
 */
export async function adopted(
  { clock, cluster, deadline, kind, record }: Adopting,
  node: KubernetesObject,
): Promise<{ node: Node } | { problem: string } | undefined> {
  const { name = '', uid = '' } = node.metadata;
  const body = kind.nodes.adoptionOf(record, name);
  if (!body) return undefined;
  const agoMs = clock.nowMs() - (await latestRenewal(cluster, name, deadline));
  if (agoMs < SERVED_MS)
    return {
      problem: `the Node ${name} is still served: its lease was renewed ${Math.max(Math.round(agoMs / 1000), 0)} s ago. End the other virtual kubelet; then it is taken over`,
    };
  return { node: (await cluster.patch<Node>(NODES, { namespace: '', name, uid }, { type: 'merge', body }, deadline)).object };
}

/** Unix milliseconds; 0: it has no lease. */
async function latestRenewal(cluster: Adopting['cluster'], name: string, deadline: Deadline): Promise<number> {
  try {
    return renewedAtMs((await cluster.get<Lease>(LEASES, { namespace: NODE_LEASES, name }, deadline)).object);
  } catch (error) {
    if (error instanceof NotFoundError) return 0;
    throw error;
  }
}
