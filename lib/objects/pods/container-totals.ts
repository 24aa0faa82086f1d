// Sums of the requests or limits of a pod: the most that its containers have together at any moment of its life.
import type { Quantity } from '../values/quantity.ts';
import { compareQuantities, isQuantity, parseQuantity, sumOfQuantities } from '../values/quantity.ts';
import type { Fields } from '../values/untyped-fields.ts';
import { fieldsOf, listOf } from '../values/untyped-fields.ts';

type Totals = Map<string, Quantity>;

/** Containers run at once, after the init containers, of which sidecars stay. @returns by resource */
export function totalsOfContainers(spec: Fields, list: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const sidecars: Totals = new Map();
  const needed: Totals = new Map();
  for (const container of listOf(spec['initContainers'])) {
    const own = amountsOf(container, list);
    if (container['restartPolicy'] === 'Always') addTo(sidecars, own);
    const moment = new Map(sidecars);
    if (container['restartPolicy'] !== 'Always') addTo(moment, own);
    raiseTo(needed, moment);
  }
  const together = new Map(sidecars);
  for (const container of listOf(spec['containers'])) addTo(together, amountsOf(container, list));
  raiseTo(needed, together);
  return needed;
}

function amountsOf(container: Fields, list: 'requests' | 'limits'): Totals {
  const totals: Totals = new Map();
  for (const [name, value] of Object.entries(fieldsOf(fieldsOf(container['resources'])[list]))) {
    if (isQuantity(value)) totals.set(name, parseQuantity(value));
  }
  return totals;
}

function addTo(totals: Totals, more: Totals): void {
  for (const [name, amount] of more) {
    const total = totals.get(name);
    totals.set(name, total === undefined ? amount : sumOfQuantities(total, amount));
  }
}

function raiseTo(totals: Totals, least: Totals): void {
  for (const [name, amount] of least) {
    const total = totals.get(name);
    if (total === undefined || compareQuantities(total, amount) < 0) totals.set(name, amount);
  }
}
