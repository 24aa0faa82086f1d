// What the API server asks of the resources of a container or a whole pod.
import type { FieldError } from './field-error.ts';
import { problemsOfQualifiedName } from './names.ts';
import { compareQuantities, formatQuantity, isQuantity, parseQuantity } from './quantity.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, notFound, requiredValue, unsupportedValue } from './refusals.ts';
import type { Fields } from './untyped-fields.ts';
import { fieldsOf, listOf, textOf } from './untyped-fields.ts';

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

/** The refusals of the `resources` of a whole pod. */
export function validatePodResources(resources: Fields, field: string): FieldError[] {
  const refusals = validateLists(resources, field, (name, path) => {
    const problems = problemsOfQualifiedName(name);
    if (problems.length > 0) return invalidFor(path, name, problems);
    const isSupported = name === 'cpu' || name === 'memory' || isHugePages(name);
    return isSupported ? [] : [unsupportedValue(path, name, ['cpu', 'hugepages-', 'memory'])];
  });
  if (resources['claims'] === undefined) return refusals;
  return [...refusals, forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level')];
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
    const limit = limits[name];
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
  return refusals;
}

function validateClaims(claims: readonly Fields[], field: string, claimNames: readonly string[]): FieldError[] {
  const known = claimNames.length === 0 ? 'which is empty' : `(${claimNames.toSorted().join(', ')})`;
  const seen = new Set<string>();
  return claims.flatMap((claim, at) => {
    const [name, request] = [textOf(claim['name']), textOf(claim['request'])];
    if (name === '') return [requiredValue(`${field}[${at}]`)];
    const refusals: FieldError[] = [];
    const key = request === '' ? name : `${name}/${request}`;
    // A claim as a whole overlaps with each request in it.
    const isTaken = seen.has(name) || seen.has(key) || (request === '' && [...seen].some((other) => other.startsWith(`${name}/`)));
    if (isTaken) refusals.push(duplicateValue(`${field}[${at}]`, key));
    seen.add(key);
    if (!claimNames.includes(name)) {
      const { message, ...rest } = notFound(`${field}[${at}]`, name);
      refusals.push({ ...rest, message: `${message}: must be one of the names in pod.spec.resourceClaims ${known}` });
    }
    return refusals;
  });
}
