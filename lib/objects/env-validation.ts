// What the API server asks of the environment variables of a container and of what they are taken from.
import type { FieldError } from './field-error.ts';
import { problemsOfConfigKey, problemsOfDnsSubdomain, problemsOfEnvName, problemsOfQualifiedName } from './names.ts';
import { admittedQuantity, isQuantity } from './quantity.ts';
import { invalidFor, invalidValue, requiredValue, unsupportedValue } from './refusals.ts';
import type { Fields } from './untyped-fields.ts';
import { isFields, listOf, textOf } from './untyped-fields.ts';

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const variablePaths = [
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
/** Paths that exist, though a variable cannot hold all of them. */
const convertiblePaths = new Set([
  ...variablePaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.host',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const resources = ['cpu', 'ephemeral-storage', 'memory'];
const resourcePaths = ['limits', 'requests'].flatMap((list) => resources.map((resource) => `${list}.${resource}`));
const sizeDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** The refusals of a container's `env` and `envFrom`; `field` is the container's. */
export function validateEnvironment(container: Fields, field: string): FieldError[] {
  return [
    ...listOf(container['env']).flatMap((variable, at) => validateVariable(variable, `${field}.env[${at}]`)),
    ...listOf(container['envFrom']).flatMap((source, at) => validateEnvFrom(source, `${field}.envFrom`, at)),
  ];
}

function validateVariable(variable: Fields, field: string): FieldError[] {
  const name = textOf(variable['name']);
  const refusals = name === '' ? [requiredValue(`${field}.name`)] : invalidFor(`${field}.name`, name, problemsOfEnvName(name));
  const { valueFrom } = variable;
  if (!isFields(valueFrom)) return refusals;
  const path = `${field}.valueFrom`;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (isFields(fieldRef)) refusals.push(...validateFieldReference(fieldRef, `${path}.fieldRef`));
  if (isFields(resourceFieldRef)) refusals.push(...validateResourceReference(resourceFieldRef, `${path}.resourceFieldRef`));
  if (isFields(configMapKeyRef)) refusals.push(...validateKeyReference(configMapKeyRef, `${path}.configMapKeyRef`));
  if (isFields(secretKeyRef)) refusals.push(...validateKeyReference(secretKeyRef, `${path}.secretKeyRef`));
  if (isFields(fileKeyRef)) {
    for (const part of ['key', 'volumeName', 'path']) {
      if (textOf(fileKeyRef[part]) === '') refusals.push(requiredValue(`${path}.fileKeyRef.${part}`));
    }
  }
  const count = sources.filter((source) => isFields(valueFrom[source])).length;
  if (count === 0) {
    const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    refusals.push(invalidValue(path, '', detail));
  } else if (textOf(variable['value']) !== '') refusals.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) refusals.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return refusals;
}

function validateFieldReference(reference: Fields, field: string): FieldError[] {
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
    return variablePaths.includes(path) ? [] : [unsupportedValue(`${field}.fieldPath`, path, variablePaths)];
  }
  const [, path = '', key = ''] = subscripted;
  if (path === 'metadata.annotations') return invalidFor(field, key.toLowerCase(), problemsOfQualifiedName(key.toLowerCase()));
  if (path === 'metadata.labels') return invalidFor(field, key, problemsOfQualifiedName(key));
  return refuse(`field label does not support subscript: ${fieldPath}`);
}

function validateResourceReference(reference: Fields, field: string): FieldError[] {
  const resource = textOf(reference['resource']);
  const refusals: FieldError[] = [];
  if (resource === '') refusals.push(requiredValue(`${field}.resource`));
  else if (!resourcePaths.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    refusals.push(unsupportedValue(`${field}.resource`, resource, resourcePaths));
  }
  const divisor = reference['divisor'];
  const text = isQuantity(divisor) ? admittedQuantity(divisor) : '0';
  const isCpu = resource.endsWith('.cpu');
  const allowed = isCpu ? ['1m', '1'] : sizeDivisors;
  if (resource !== '' && text !== '0' && !allowed.includes(text)) {
    const what = isCpu
      ? 'cpu'
      : resource.includes('hugepages')
        ? 'hugepages'
        : resource.endsWith('memory')
          ? 'memory'
          : 'local ephemeral storage';
    const names = isCpu ? '1m and 1' : sizeDivisors.join(', ');
    refusals.push(invalidValue(`${field}.divisor`, resource, `only divisor's values ${names} are supported with the ${what} resource`));
  }
  return refusals;
}

function validateKeyReference(reference: Fields, field: string): FieldError[] {
  const [name, key] = [textOf(reference['name']), textOf(reference['key'])];
  const refusals = invalidFor(`${field}.name`, name, problemsOfDnsSubdomain(name));
  return [...refusals, ...(key === '' ? [requiredValue(`${field}.key`)] : invalidFor(`${field}.key`, key, problemsOfConfigKey(key)))];
}

function validateEnvFrom(source: Fields, listField: string, at: number): FieldError[] {
  const field = `${listField}[${at}]`;
  const prefix = textOf(source['prefix']);
  const refusals = prefix === '' ? [] : invalidFor(`${field}.prefix`, prefix, problemsOfEnvName(prefix));
  let count = 0;
  for (const kind of ['configMapRef', 'secretRef']) {
    const reference = source[kind];
    if (!isFields(reference)) continue;
    count += 1;
    const name = textOf(reference['name']);
    const path = `${field}.${kind}.name`;
    refusals.push(...(name === '' ? [requiredValue(path)] : invalidFor(path, name, problemsOfDnsSubdomain(name))));
  }
  // The API server names the whole list here, not the entry.
  if (count === 0) refusals.push(invalidValue(listField, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (count > 1) refusals.push(invalidValue(listField, '', 'may not have more than one field specified at a time'));
  return refusals;
}
