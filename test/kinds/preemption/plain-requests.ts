// What pods request, slow and plain: a second formulation of sections 5.1 and 5.2 of the specification, for tests alone.
import type { Container, Pod } from '../../../lib/objects/kubernetes.ts';
import { parseQuantity } from '../../../lib/objects/quantity.ts';

/** By resource; cpu in thousandths, everything else in whole units. */
export type Amounts = Record<string, bigint>;

const NANOS_PER_UNIT = 10n ** 9n;
const NANOS_PER_MILLI = 10n ** 6n;

export function amountOf(resource: string, quantity: string | number): bigint {
  const unit = resource === 'cpu' ? NANOS_PER_MILLI : NANOS_PER_UNIT;
  const { nanos } = parseQuantity(quantity);
  return (nanos + unit - 1n) / unit;
}

type ResourceList = Record<string, string | number>;
interface Resources {
  requests?: ResourceList;
  limits?: ResourceList;
}

const amountsOf = (list: ResourceList = {}): Amounts =>
  Object.fromEntries(Object.entries(list).map(([resource, quantity]) => [resource, amountOf(resource, quantity)]));

function combined(one: Amounts, other: Amounts, combine: (a: bigint, b: bigint) => bigint): Amounts {
  const resources = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...resources].map((resource) => [resource, combine(one[resource] ?? 0n, other[resource] ?? 0n)]));
}
const sum = (one: Amounts, other: Amounts): Amounts => combined(one, other, (a, b) => a + b);
const larger = (one: Amounts, other: Amounts): Amounts => combined(one, other, (a, b) => (a > b ? a : b));

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
const requestsOf = ({ resources }: Container): Amounts => amountsOf(resources?.requests);

/** Steps 1 to 3 of 5.2: each moment of the pod's life by itself, and the largest of them. */
function containersRequest({ spec }: Pod): Amounts {
  const initContainers = spec.initContainers ?? [];
  const sidecars = initContainers.filter(isSidecar);
  const moments = [[...spec.containers, ...sidecars]];
  for (const [at, container] of initContainers.entries()) moments.push([...initContainers.slice(0, at).filter(isSidecar), container]);
  return moments.map((containers) => containers.map(requestsOf).reduce(sum, {})).reduce(larger, {});
}

const isPodLevel = (resource: string): boolean => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');
const podLevelOf = ({ spec }: Pod): Resources => spec['resources'] ?? {};
const overheadOf = ({ spec }: Pod): Amounts => amountsOf(spec['overhead'] as ResourceList | undefined);

/** What the fit check counts (5.2). */
export function fitRequestOf(pod: Pod): Amounts {
  const podLevel = Object.entries(podLevelOf(pod).requests ?? {}).filter(([resource]) => isPodLevel(resource));
  return sum({ ...containersRequest(pod), ...amountsOf(Object.fromEntries(podLevel)) }, overheadOf(pod));
}

/** What the choice of victims counts (5.1). */
export function victimRequestOf(pod: Pod, resource: string): bigint {
  if (resource === 'pods') return 1n;
  const { requests = {}, limits = {} } = podLevelOf(pod);
  const hasPodLevel = [...Object.keys(requests), ...Object.keys(limits)].some(isPodLevel);
  const amount = (hasPodLevel ? amountsOf(requests) : containersRequest(pod))[resource] ?? 0n;
  return amount === 0n ? 0n : amount + (overheadOf(pod)[resource] ?? 0n);
}
