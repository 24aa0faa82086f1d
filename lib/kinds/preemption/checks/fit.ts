// Whether a node has room for one more pod.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { amountsOf, effectiveRequestsOf, type Amounts } from '../../../objects/pods/pod-requests.ts';
import { insufficientResources, type InsufficientResource } from '../../../objects/pods/resource-shortage.ts';

/** A resource that is not Kubernetes' own: a node that does not advertise it is not asked for it. */
const isExtended = (resource: string): boolean =>
  resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.');

/** Resources of which there is not enough, in the order of the checks. @param others all that take room on the node */
export function missingFor(incoming: Pod, node: Node, others: readonly Pod[]): InsufficientResource[] {
  const capacities = amountsOf(node.status?.allocatable);
  return insufficientResources({
    capacities,
    used: sumsOf(others.map(requestsOf)).set('pods', BigInt(others.length)),
    wanted: effectiveRequestsOf(incoming, (resource) => !isExtended(resource) || capacities.has(resource)),
  });
}

/** A node's pass counts each of its pods once for every pod that it decides on. */
const counted = new WeakMap<Pod, Amounts>();

function requestsOf(pod: Pod): Amounts {
  const known = counted.get(pod) ?? effectiveRequestsOf(pod);
  counted.set(pod, known);
  return known;
}

function sumsOf(all: readonly Amounts[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const amounts of all) for (const [resource, amount] of amounts) sums.set(resource, (sums.get(resource) ?? 0n) + amount);
  return sums;
}
