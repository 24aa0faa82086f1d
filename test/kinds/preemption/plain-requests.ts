// What pods request, slow and plain: a second formulation of sections 5.1 and 5.2 of the specification, for tests alone.
import type { Container, Pod } from '../../../lib/objects/kubernetes.ts';
import { parseQuantity } from '../../../lib/objects/values/quantity.ts';

/** By resource; cpu in thousandths, everything else in whole units. */
export type Amounts = Record<string, bigint>;
/** By resource, in billionths: sums are rounded, not what they are made of. */
type Nanos = Record<string, bigint>;

const NANOS_PER_UNIT = 10n ** 9n;
const NANOS_PER_MILLI = 10n ** 6n;

function roundedUp(resource: string, nanos: bigint): bigint {
  const unit = resource === 'cpu' ? NANOS_PER_MILLI : NANOS_PER_UNIT;
  return (nanos + unit - 1n) / unit;
}

export const amountOf = (resource: string, quantity: string | number): bigint => roundedUp(resource, parseQuantity(quantity).nanos);

type ResourceList = Record<string, string | number>;
interface Resources {
  requests?: ResourceList;
  limits?: ResourceList;
}

const nanosOf = (list: ResourceList = {}): Nanos =>
  Object.fromEntries(Object.entries(list).map(([resource, quantity]) => [resource, parseQuantity(quantity).nanos]));

function combined(one: Nanos, other: Nanos, combine: (a: bigint, b: bigint) => bigint): Nanos {
  const resources = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...resources].map((resource) => [resource, combine(one[resource] ?? 0n, other[resource] ?? 0n)]));
}
const sum = (one: Nanos, other: Nanos): Nanos => combined(one, other, (a, b) => a + b);
const larger = (one: Nanos, other: Nanos): Nanos => combined(one, other, (a, b) => (a > b ? a : b));

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
const requestsOf = ({ resources }: Container): Nanos => nanosOf(resources?.requests);

/** Steps 1 to 3 of 5.2: each moment of the pod's life by itself, and the largest of them. */
function containersRequest({ spec }: Pod): Nanos {
  const initContainers = spec.initContainers ?? [];
  const moments = [[...spec.containers, ...initContainers.filter(isSidecar)]];
  for (const [at, container] of initContainers.entries()) moments.push([...initContainers.slice(0, at).filter(isSidecar), container]);
  return moments.map((containers) => containers.map(requestsOf).reduce(sum, {})).reduce(larger, {});
}

const isPodLevel = (resource: string): boolean => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
const podLevelOf = ({ spec }: Pod): Resources => spec['resources'] ?? {};
const overheadOf = ({ spec }: Pod): Nanos => nanosOf(spec['overhead'] as ResourceList | undefined);

/** What the fit check counts (5.2). */
export function fitRequestOf(pod: Pod): Amounts {
  const podLevel = Object.entries(podLevelOf(pod).requests ?? {}).filter(([resource]) => isPodLevel(resource));
  const total = sum({ ...containersRequest(pod), ...nanosOf(Object.fromEntries(podLevel)) }, overheadOf(pod));
  return Object.fromEntries(Object.entries(total).map(([resource, nanos]) => [resource, roundedUp(resource, nanos)]));
}

function victimNanosOf(pod: Pod): Nanos {
  const { requests = {}, limits = {} } = podLevelOf(pod);
  const hasPodLevel = [...Object.keys(requests), ...Object.keys(limits)].some(isPodLevel);
  const amounts = hasPodLevel ? nanosOf(requests) : containersRequest(pod);
  const overhead = overheadOf(pod);
  return Object.fromEntries(
    Object.entries(amounts).map(([resource, nanos]) => [resource, nanos === 0n ? 0n : nanos + (overhead[resource] ?? 0n)]),
  );
}

const victimAmounts = new WeakMap<Pod, Nanos>();

/** What the choice of victims counts (5.1). A pod is not to be changed once this was asked of it. */
export function victimRequestOf(pod: Pod, resource: string): bigint {
  if (resource === 'pods') return 1n;
  const known = victimAmounts.get(pod) ?? victimNanosOf(pod);
  victimAmounts.set(pod, known);
  return roundedUp(resource, known[resource] ?? 0n);
}
