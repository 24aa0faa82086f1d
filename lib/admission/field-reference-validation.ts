// The API server's rules for references to a pod's own fields and resources: variables and files hold what they name.
import type { FieldError } from '../objects/field-error.ts';
import { problemsOfQualifiedName } from '../objects/names.ts';
import { admittedQuantity, isQuantity } from '../objects/values/quantity.ts';
import { invalidFor, invalidValue, requiredValue, unsupportedValue } from '../objects/refusals.ts';
import type { Fields } from '../objects/values/untyped-fields.ts';
import { textOf } from '../objects/values/untyped-fields.ts';

/** Paths that a variable can hold. */
export const variablePaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Paths that a file can hold. */
export const filePaths = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
/** Paths that exist, though neither holds all of them. */
const convertiblePaths = new Set([...variablePaths, ...filePaths, 'spec.host', 'spec.restartPolicy', 'spec.schedulerName', 'status.phase']);
const resources = ['cpu', 'ephemeral-storage', 'memory'];
const resourcePaths = ['limits', 'requests'].flatMap((list) => resources.map((resource) => `${list}.${resource}`));
const sizeDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** @param supported the paths that can be held, beside those with a subscript */
export function validateFieldReference(reference: Fields, field: string, supported: readonly string[]): FieldError[] {
  const fieldPath = textOf(reference['fieldPath']);
  const apiVersion = textOf(reference['apiVersion']);
  if (apiVersion === '') return [requiredValue(`${field}.apiVersion`)];
  if (fieldPath === '') return [requiredValue(`${field}.fieldPath`)];
  const refuse = (problem: string): FieldError[] => [
    invalidValue(`${field}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`),
  ];
  if (apiVersion !== 'v1') return refuse(`unsupported pod version: ${apiVersion}`);
  const subscripted = /^([^[]+)\['(.*)'\]$/.exec(fieldPath);
  if (subscripted === null) {
    if (!convertiblePaths.has(fieldPath)) return refuse(`field label not supported: ${fieldPath}`);
    const path = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
    return supported.includes(path) ? [] : [unsupportedValue(`${field}.fieldPath`, path, supported)];
  }
  const [, path = '', key = ''] = subscripted;
  if (path === 'metadata.annotations') return invalidFor(field, key.toLowerCase(), problemsOfQualifiedName(key.toLowerCase()));
  if (path === 'metadata.labels') return invalidFor(field, key, problemsOfQualifiedName(key));
  return refuse(`field label does not support subscript: ${fieldPath}`);
}

/** A file is of no container, so a reference in one says which it means. */
export function validateFileResourceReference(reference: Fields, field: string): FieldError[] {
  return textOf(reference['containerName']) === ''
    ? [requiredValue(`${field}.containerName`), ...validateDivisor(reference, field)]
    : validateResourceReference(reference, field);
}

export function validateResourceReference(reference: Fields, field: string): FieldError[] {
  const resource = textOf(reference['resource']);
  const refusals: FieldError[] = [];
  if (resource === '') refusals.push(requiredValue(`${field}.resource`));
  else if (!resourcePaths.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    refusals.push(unsupportedValue(`${field}.resource`, resource, resourcePaths));
  }
  return [...refusals, ...validateDivisor(reference, field)];
}

function validateDivisor({ resource: named, divisor }: Fields, field: string): FieldError[] {
  const resource = textOf(named);
  const text = isQuantity(divisor) ? admittedQuantity(divisor) : '0';
  const isCpu = resource.endsWith('.cpu');
  const allowed = isCpu ? ['1m', '1'] : sizeDivisors;
  if (resource === '' || text === '0' || allowed.includes(text)) return [];
  const what = isCpu
    ? 'cpu'
    : resource.includes('hugepages')
      ? 'hugepages'
      : resource.endsWith('memory')
        ? 'memory'
        : 'local ephemeral storage';
  const names = isCpu ? '1m and 1' : sizeDivisors.join(', ');
  return [invalidValue(`${field}.divisor`, resource, `only divisor's values ${names} are supported with the ${what} resource`)];
}
