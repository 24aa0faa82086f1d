// The API server's rules for the resources of a container or a whole pod.
import type { FieldError } from '../../objects/field-error.ts';
import type { PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfDnsLabel, problemsOfDnsSubdomain, problemsOfQualifiedName } from '../../objects/names.ts';
import { totalsOfContainers } from '../../objects/pods/container-totals.ts';
import type { Quantity } from '../../objects/values/quantity.ts';
import { compareQuantities, formatQuantity, isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, notFound, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, ownEntry, textOf } from '../../objects/values/untyped-fields.ts';

const nanosPerOne = 10n ** 9n;
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
/** Of these a pod may ask for less than its limit. */
const isOvercommitAllowed = (name: string): boolean => isNative(name) && !isHugePages(name);
const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && problemsOfQualifiedName(`requests.${name}`).length === 0;
const isForContainers = (name: string): boolean => ['cpu', 'memory', 'ephemeral-storage'].includes(name) || isHugePages(name);
/** Unqualified names that exist, though most of them are not for containers. */
const standardNames = new Set(
  'cpu memory ephemeral-storage requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage services.nodeports services.loadbalancers'.split(
    ' ',
  ),
);

/** The refusals of one container's `resources`, which lie at `field`. */
export function validateContainerResources(
  resources: Fields,
  { field, claimNames }: { field: string; claimNames: readonly string[] },
): FieldError[] {
  return [
    ...validateLists(resources, field, refusalsOfContainerResourceName),
    ...validateClaims(listOf(resources['claims']), `${field}.claims`, claimNames),
  ];
}

/** Claims that containers may use: the names of a spec's `resourceClaims`. */
export const claimNamesOf = (spec: PodSpec): string[] => listOf(spec['resourceClaims']).map((claim) => textOf(claim['name']));

/** The refusals of a pod's `resourceClaims`, which lie at `field`. */
export function validateResourceClaims(spec: PodSpec, field: string): FieldError[] {
  const seen = new Set<string>();
  return listOf(spec['resourceClaims']).flatMap((claim, at) => {
    const [name, path] = [textOf(claim['name']), `${field}[${at}]`];
    const sources = ['resourceClaimName', 'resourceClaimTemplateName'].filter((source) => typeof claim[source] === 'string');
    const refusals: FieldError[] = [];
    if (name === '') refusals.push(requiredValue(`${path}.name`));
    else if (seen.has(name)) refusals.push(duplicateValue(`${path}.name`, name));
    else refusals.push(...invalidFor(`${path}.name`, name, problemsOfDnsLabel(name)));
    seen.add(name);
    if (sources.length > 1) {
      refusals.push(invalidValue(path, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    } else if (sources.length === 0) {
      refusals.push(invalidValue(path, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    }
    for (const source of sources) {
      const object = textOf(claim[source]);
      refusals.push(...invalidFor(`${path}.${source}`, object, problemsOfDnsSubdomain(object)));
    }
    return refusals;
  });
}

/** The refusals of the `resources` of a whole pod, which lie at `field`. */
export function validatePodResources(spec: PodSpec, field: string): FieldError[] {
  const { resources } = spec;
  if (!isFields(resources)) return [];
  if (fieldsOf(spec['os'])['name'] === 'windows') return [forbidden(field, 'may not be set for a windows pod')];
  const ofLists = validateLists(resources, field, (name, path) => {
    const problems = problemsOfQualifiedName(name);
    if (problems.length > 0) return invalidFor(path, name, problems);
    const isSupported = name === 'cpu' || name === 'memory' || isHugePages(name);
    return isSupported ? [] : [unsupportedValue(path, name, ['cpu', 'hugepages-', 'memory'])];
  });
  return [
    ...(Array.isArray(resources['claims']) ? [forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level')] : []),
    ...ofLists,
    ...validateClaims(listOf(resources['claims']), `${field}.claims`, claimNamesOf(spec)),
    ...validateShares(spec, resources, field),
  ];
}

/** The requests of its containers must fit into those of the pod as a whole, where it has any. */
function validateShares(spec: PodSpec, resources: Fields, field: string): FieldError[] {
  const refusals: FieldError[] = [];
  for (const list of ['requests', 'limits'] as const) {
    for (const [name, total] of totalsOfContainers(spec, list)) {
      const whole = ownEntry(fieldsOf(resources[list]), name);
      // Only of huge pages no more may be promised than there are.
      if (!isQuantity(whole) || (list === 'limits' && !isHugePages(name)) || compareQuantities(total, whole) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container ${list} of ${formatQuantity(total)}`;
      refusals.push(invalidValue(`${field}.${list}[${name}]`, formatQuantity(parseQuantity(whole)), detail));
    }
  }
  for (const [at, container] of listOf(spec['containers']).entries()) {
    for (const [name, limit] of Object.entries(fieldsOf(fieldsOf(container['resources'])['limits']))) {
      const most = ownEntry(fieldsOf(resources['limits']), name);
      if (!isQuantity(limit) || !isQuantity(most) || compareQuantities(limit, most) <= 0) continue;
      const detail = `must be less than or equal to pod limits of ${formatQuantity(parseQuantity(most))}`;
      refusals.push(invalidValue(`${field}.containers[${at}][${name}].limits`, formatQuantity(parseQuantity(limit)), detail));
    }
  }
  return refusals;
}

function validateLists(resources: Fields, field: string, refusalsOfName: (name: string, field: string) => FieldError[]): FieldError[] {
  const [limits, requests] = [fieldsOf(resources['limits']), fieldsOf(resources['requests'])];
  const [limitsField, requestsField] = [`${field}.limits`, `${field}.requests`];
  const refusals: FieldError[] = [];
  for (const [list, path] of [
    [limits, limitsField],
    [requests, requestsField],
  ] as const) {
    for (const [name, value] of Object.entries(list)) {
      refusals.push(...refusalsOfName(name, `${path}[${name}]`), ...validateAmount(name, value, `${path}[${name}]`));
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const limit = ownEntry(limits, name);
    if (limit === undefined && !isOvercommitAllowed(name)) {
      refusals.push(requiredValue(limitsField, 'Limit must be set for non overcommitable resources'));
    }
    if (!isQuantity(limit) || !isQuantity(request)) continue;
    const order = compareQuantities(request, limit);
    const [asked, most] = [formatQuantity(parseQuantity(request)), formatQuantity(parseQuantity(limit))];
    if (order !== 0 && !isOvercommitAllowed(name)) {
      refusals.push(invalidValue(requestsField, asked, `must be equal to ${name} limit of ${most}`));
    } else if (order > 0) refusals.push(invalidValue(requestsField, asked, `must be less than or equal to ${name} limit of ${most}`));
  }
  const names = Object.keys({ ...limits, ...requests });
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    refusals.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return refusals;
}

function refusalsOfContainerResourceName(name: string, field: string): FieldError[] {
  const problems = problemsOfQualifiedName(name);
  if (problems.length > 0) return invalidFor(field, name, problems);
  if (!name.includes('/')) {
    if (isForContainers(name)) return [];
    const refusal = invalidValue(field, name, 'must be a standard resource for containers');
    return standardNames.has(name)
      ? [refusal]
      : [invalidValue(field, name, 'must be a standard resource type or fully qualified'), refusal];
  }
  return isNative(name) || isExtended(name) ? [] : [invalidValue(field, name, "doesn't follow extended resource name standard")];
}

function validateAmount(name: string, value: unknown, field: string): FieldError[] {
  // The API server cannot even decode such a body, and says so without naming a field.
  if (!isQuantity(value)) return [invalidValue(field, value, 'must be a valid resource quantity')];
  const quantity = parseQuantity(value);
  const refusals: FieldError[] = [];
  if (quantity.nanos < 0n) refusals.push(invalidValue(field, formatQuantity(quantity), 'must be greater than or equal to 0'));
  if (isExtended(name) && quantity.nanos % nanosPerOne !== 0n)
    refusals.push(invalidValue(field, formatQuantity(quantity), 'must be an integer'));
  if (isHugePages(name) && !areWholePages(quantity, name.slice('hugepages-'.length))) {
    const detail = `${formatQuantity(quantity)} is not positive integer multiple of ${name}`;
    refusals.push(invalidValue(field, formatQuantity(quantity), detail));
  }
  return refusals;
}

/** @param size of one page, as the resource's name ends */
function areWholePages({ nanos }: Quantity, size: string): boolean {
  if (!isQuantity(size)) return false;
  const page = parseQuantity(size).nanos;
  if (page <= 0n || page % nanosPerOne !== 0n) return false;
  // A part of a byte counts as one.
  const bytes = ((nanos < 0n ? -nanos : nanos) + nanosPerOne - 1n) / nanosPerOne;
  return bytes % (page / nanosPerOne) === 0n;
}

function validateClaims(claims: readonly Fields[], field: string, claimNames: readonly string[]): FieldError[] {
  const known = claimNames.length === 0 ? ' which is empty' : `: ${claimNames.toSorted().join(', ')}`;
  const seen = new Set<string>();
  return claims.flatMap((claim, at) => {
    const [name, request] = [textOf(claim['name']), textOf(claim['request'])];
    if (name === '') return [requiredValue(`${field}[${at}]`)];
    const refusals: FieldError[] = [];
    if (request !== '' && !seen.has(name)) {
      refusals.push(...invalidFor(`${field}[${at}].request`, request, problemsOfDnsLabel(request)));
    }
    const key = request === '' ? name : `${name}/${request}`;
    // A claim as a whole overlaps with each request in it.
    const isTaken = seen.has(name) || seen.has(key) || (request === '' && [...seen].some((other) => other.startsWith(`${name}/`)));
    if (isTaken) refusals.push(duplicateValue(`${field}[${at}]`, key));
    seen.add(key);
    if (!claimNames.includes(name)) {
      const { message, ...rest } = notFound(`${field}[${at}]`, name);
      refusals.push({ ...rest, message: `${message}: must be one of the names in pod.spec.resourceClaims${known}` });
    }
    return refusals;
  });
}
