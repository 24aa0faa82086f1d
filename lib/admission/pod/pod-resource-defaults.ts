// The requests that a pod did not write down: of a container by its limits, of the whole pod by its containers.
import { totalsOfContainers } from '../../objects/pods/container-totals.ts';
import { formatQuantity } from '../../objects/values/quantity.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf } from '../../objects/values/untyped-fields.ts';

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
