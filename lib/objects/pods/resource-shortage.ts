// Whether a node has enough left for one more pod, and which resources are missing.
import type { Amounts } from './pod-requests.ts';

export interface InsufficientResource {
  resource: string;
  /** Cpu in thousandths, everything else in whole units. */
  requested: bigint;
  used: bigint;
  capacity: bigint;
}

/** In this order, before all others by name. */
const FIRST_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** Resources that a scheduler counts. */
const isScalar = (resource: string): boolean => resource.includes('/') || /^(?:hugepages-|attachable-volumes-)/.test(resource);

/**
 * Resources of which there is not enough, in the order of the checks.
 * @param used what the node's pods take together; as `pods`, how many they are
 * @param wanted what one more pod asks for, besides being one more
 */
export function insufficientResources({
  capacities,
  used,
  wanted,
}: {
  capacities: Amounts;
  used: Amounts;
  wanted: Amounts;
}): InsufficientResource[] {
  const rest = [...wanted.keys()].filter((resource) => !FIRST_RESOURCES.includes(resource) && isScalar(resource));
  return ['pods', ...FIRST_RESOURCES, ...rest.toSorted(byCodeUnits)].flatMap((resource) => {
    const requested = resource === 'pods' ? 1n : (wanted.get(resource) ?? 0n);
    const capacity = capacities.get(resource) ?? 0n;
    const taken = used.get(resource) ?? 0n;
    return requested > 0n && requested > capacity - taken ? [{ resource, requested, used: taken, capacity }] : [];
  });
}

const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : 1);

/** How a kubelet refuses a pod for a resource. */
export const outOfResource = ({ resource, requested, used, capacity }: InsufficientResource): { reason: string; message: string } => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});
