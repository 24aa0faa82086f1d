// The requests that a pod did not write down: of a container by its limits, of the whole pod by its containers.
import type { Quantity } from '../../objects/quantity.ts';
import { compareQuantities, formatQuantity, isQuantity, parseQuantity, sumOfQuantities } from '../../objects/quantity.ts';
import type { Fields } from '../../objects/untyped-fields.ts';
import { fieldsOf, isFields, listOf } from '../../objects/untyped-fields.ts';

type Totals = Map<string, Quantity>;

/** Resources that a whole pod can ask for and that may be promised more than once. */
const sharedResources = ['cpu', 'memory'];

/** Fills in a pod's spec, in place. Only pods: a template keeps what it says. */
export function setRequestDefaults(spec: Fields): void {
  for (const { resources } of [...listOf(spec['containers']), ...listOf(spec['initContainers'])]) {
    if (isFields(resources) && isFields(resources['limits'])) {
      resources['requests'] = { ...resources['limits'], ...fieldsOf(resources['requests']) };
    }
  }
  const whole = spec['resources'];
  if (!isFields(whole)) return;
  setHugePageLimits(whole, spec);
  if (!isFields(whole['limits'])) return;
  const byContainers = totalsOfContainers(spec, 'requests');
  const requests: Fields = { ...whole['limits'], ...fieldsOf(whole['requests']) };
  for (const [name, total] of byContainers) {
    if (sharedResources.includes(name) && !(name in fieldsOf(whole['requests']))) requests[name] = formatQuantity(total);
  }
  whole['requests'] = requests;
}

/** A pod that has resources of its own is limited to the huge pages of its containers. */
function setHugePageLimits(whole: Fields, spec: Fields): void {
  const [limits, requests] = [fieldsOf(whole['limits']), fieldsOf(whole['requests'])];
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return;
  for (const [name, total] of totalsOfContainers(spec, 'limits')) {
    if (!name.startsWith('hugepages-') || name in limits || name in requests) continue;
    whole['limits'] = { ...fieldsOf(whole['limits']), [name]: formatQuantity(total) };
  }
}

/** Resources that the containers of a spec need together: they run at once, after the init containers, of which sidecars stay. The most of any moment. */
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
