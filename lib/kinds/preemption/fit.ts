// Whether a node has room for one more pod.
import type { Node, Pod } from '../../objects/kubernetes.ts';
import type { InsufficientResource } from './admission-failures.ts';
import { amountsOf, effectiveRequestsOf, type Amounts } from './pod-requests.ts';

/** In this order, before all others by name. */
const FIRST_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** A resource that is not Kubernetes' own: a node that does not advertise it is not asked for it. */
const isExtended = (resource: string): boolean =>
  resource.includes('/') && !resource.includes('kubernetes.io/') && !resource.startsWith('requests.');

/** Resources that a scheduler counts. */
const isScalar = (resource: string): boolean => resource.includes('/') || /^(?:hugepages-|attachable-volumes-)/.test(resource);

/** The missing resources, in the order of the checks. @param others all that take room on the node */
export function insufficientResources(node: Node, others: readonly Pod[], incoming: Pod): InsufficientResource[] {
  const capacities = amountsOf(node.status?.allocatable);
  const wanted = effectiveRequestsOf(incoming, (resource) => !isExtended(resource) || capacities.has(resource));
  const rest = [...wanted.keys()].filter((resource) => !FIRST_RESOURCES.includes(resource) && isScalar(resource));
  const used = sumsOf(others.map((pod) => effectiveRequestsOf(pod)));
  const asked: Omit<InsufficientResource, 'capacity'>[] = [{ resource: 'pods', requested: 1n, used: BigInt(others.length) }];
  for (const resource of [...FIRST_RESOURCES, ...rest.toSorted(byCodeUnits)])
    asked.push({ resource, requested: wanted.get(resource) ?? 0n, used: used.get(resource) ?? 0n });
  return asked.flatMap((one) => {
    const capacity = capacities.get(one.resource) ?? 0n;
    return one.requested > 0n && one.requested > capacity - one.used ? [{ ...one, capacity }] : [];
  });
}

const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : 1);

function sumsOf(all: readonly Amounts[]): Amounts {
  const sums = new Map<string, bigint>();
  for (const amounts of all) for (const [resource, amount] of amounts) sums.set(resource, (sums.get(resource) ?? 0n) + amount);
  return sums;
}
