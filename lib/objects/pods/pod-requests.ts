// A pod's requests of its node. The fit check and the choice of victims count differently, as upstream's do.
import { totalsOfContainers } from './container-totals.ts';
import type { Pod } from '../kubernetes.ts';
import { isQuantity, parseQuantity } from '../values/quantity.ts';
import { fieldsOf, type Fields } from '../values/untyped-fields.ts';

/** By resource: cpu in thousandths, everything else in whole units. */
export type Amounts = ReadonlyMap<string, bigint>;

const NANOS_PER_MILLI = 10n ** 6n;
const NANOS_PER_UNIT = 10n ** 9n;

function roundedUp(resource: string, nanos: bigint): bigint {
  const unit = resource === 'cpu' ? NANOS_PER_MILLI : NANOS_PER_UNIT;
  const whole = nanos / unit;
  return nanos > 0n && nanos % unit !== 0n ? whole + 1n : whole;
}

/** Amounts of a resource list. What is no quantity is left out. */
export const amountsOf = (list: unknown): Amounts =>
  new Map([...nanosOf(fieldsOf(list))].map(([resource, nanos]) => [resource, roundedUp(resource, nanos)]));

function nanosOf(list: Fields): Map<string, bigint> {
  const nanos = new Map<string, bigint>();
  for (const [resource, quantity] of Object.entries(list)) if (isQuantity(quantity)) nanos.set(resource, parseQuantity(quantity).nanos);
  return nanos;
}

/** Resources that a whole pod can ask for. */
const isPodLevel = (resource: string): boolean => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-');

const containersNanosOf = ({ spec }: Pod): Map<string, bigint> =>
  new Map([...totalsOfContainers(spec, 'requests')].map(([resource, { nanos }]) => [resource, nanos]));

/** Requests at the level of the pod. Undefined: nothing that counts. */
function podLevelOf({ spec }: Pod): Map<string, bigint> | undefined {
  const { requests, limits } = fieldsOf(spec['resources']);
  if (![requests, limits].some((list) => Object.keys(fieldsOf(list)).some(isPodLevel))) return undefined;
  return new Map([...nanosOf(fieldsOf(requests))].filter(([resource]) => isPodLevel(resource)));
}

/**
 * Requests as the fit check counts them: the most that its containers need at any moment, or what the pod itself asks for, and its overhead.
 * @param isCounted whether a container's request of a resource counts
 */
export function effectiveRequestsOf(pod: Pod, isCounted: (resource: string) => boolean = () => true): Amounts {
  const nanos = new Map([...containersNanosOf(pod)].filter(([resource]) => isCounted(resource)));
  for (const [resource, own] of podLevelOf(pod) ?? []) nanos.set(resource, own);
  for (const [resource, more] of nanosOf(fieldsOf(pod.spec['overhead']))) nanos.set(resource, (nanos.get(resource) ?? 0n) + more);
  return new Map([...nanos].map(([resource, amount]) => [resource, roundedUp(resource, amount)]));
}

/**
 * Requests as the choice of victims counts them: a pod that asks for anything as a whole asks for nothing else, and overhead is added only to what is
 * asked for. Each pod counts as one of `pods`.
 */
export function victimRequestsOf(pod: Pod): Amounts {
  const overhead = nanosOf(fieldsOf(pod.spec['overhead']));
  const amounts = new Map<string, bigint>();
  for (const [resource, nanos] of podLevelOf(pod) ?? containersNanosOf(pod))
    amounts.set(resource, nanos === 0n ? 0n : roundedUp(resource, nanos + (overhead.get(resource) ?? 0n)));
  return amounts.set('pods', 1n);
}

/** By pod: each list of a provider shows those of every task. */
const knownTexts = new WeakMap<Pod, Readonly<Record<string, string>>>();

/** As quantities by resource. The pod must not change afterwards. */
export function requestTextsOf(pod: Pod): Readonly<Record<string, string>> {
  const known = knownTexts.get(pod);
  if (known) return known;
  const texts = Object.fromEntries(
    [...effectiveRequestsOf(pod)].flatMap(([resource, amount]) =>
      amount > 0n ? [[resource, resource === 'cpu' ? `${amount}m` : String(amount)]] : [],
    ),
  );
  knownTexts.set(pod, texts);
  return texts;
}
