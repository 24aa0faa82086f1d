// A pod's quality-of-service class, from its resource requests and limits.
import type { PodSpec } from './kubernetes.ts';
import type { Quantity } from './quantity.ts';
import type { Fields } from './untyped-fields.ts';
import { fieldsOf, isFields } from './untyped-fields.ts';
import { compareQuantities, isQuantity, parseQuantity, sumOfQuantities } from './quantity.ts';

type Totals = Map<string, Quantity>;

/**
 * `Guaranteed` if every container limits cpu and memory and requests exactly that. `BestEffort` if no container requests or limits either.
 */
export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const whole = spec['resources'];
  const parts = isFields(whole)
    ? [whole]
    : [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => fieldsOf(resources));
  const [requests, limits]: [Totals, Totals] = [new Map(), new Map()];
  let areAllLimited = true;
  for (const part of parts) {
    addTo(requests, fieldsOf(part['requests']));
    const limited = addTo(limits, fieldsOf(part['limits']));
    areAllLimited &&= limited === 2;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const areEqual = [...requests].every(([name, amount]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, amount) === 0;
  });
  return areAllLimited && areEqual && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

/** Adds cpu and memory, where more than nothing, and says how many of the two there were. */
function addTo(totals: Totals, resources: Fields): number {
  let found = 0;
  for (const name of ['cpu', 'memory']) {
    const value = resources[name];
    const amount = isQuantity(value) ? parseQuantity(value) : undefined;
    if (amount === undefined || amount.nanos <= 0n) continue;
    const total = totals.get(name);
    totals.set(name, total === undefined ? amount : sumOfQuantities(total, amount));
    found += 1;
  }
  return found;
}
