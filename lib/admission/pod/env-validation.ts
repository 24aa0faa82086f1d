// The API server's rules for the environment variables of a container and of what they are taken from.
import type { FieldError } from '../../objects/field-error.ts';
import { validateFieldReference, validateResourceReference, variablePaths } from '../field-reference-validation.ts';
import { problemsOfConfigKey, problemsOfDnsLabel, problemsOfDnsSubdomain, problemsOfEnvName } from '../../objects/names.ts';
import { validateNoBacksteps } from '../volume/path-validation.ts';
import { invalidFor, invalidValue, notFound, requiredValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { isFields, listOf, textOf } from '../../objects/values/untyped-fields.ts';

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** The refusals of a container's `env` and `envFrom`; `field` is the container's, `volumes` are the pod's by name. */
export function validateEnvironment(container: Fields, field: string, volumes: ReadonlyMap<string, Fields>): FieldError[] {
  return [
    ...listOf(container['env']).flatMap((variable, at) => validateVariable(variable, `${field}.env[${at}]`, volumes)),
    ...listOf(container['envFrom']).flatMap((source, at) => validateEnvFrom(source, `${field}.envFrom`, at)),
  ];
}

function validateVariable(variable: Fields, field: string, volumes: ReadonlyMap<string, Fields>): FieldError[] {
  const name = textOf(variable['name']);
  const refusals = name === '' ? [requiredValue(`${field}.name`)] : invalidFor(`${field}.name`, name, problemsOfEnvName(name));
  const { valueFrom } = variable;
  if (!isFields(valueFrom)) return refusals;
  const path = `${field}.valueFrom`;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (isFields(fieldRef)) refusals.push(...validateFieldReference(fieldRef, `${path}.fieldRef`, variablePaths));
  if (isFields(resourceFieldRef)) refusals.push(...validateResourceReference(resourceFieldRef, `${path}.resourceFieldRef`));
  if (isFields(configMapKeyRef)) refusals.push(...validateKeyReference(configMapKeyRef, `${path}.configMapKeyRef`));
  if (isFields(secretKeyRef)) refusals.push(...validateKeyReference(secretKeyRef, `${path}.secretKeyRef`));
  if (isFields(fileKeyRef)) refusals.push(...validateFileReference(fileKeyRef, `${path}.fileKeyRef`, volumes));
  const count = sources.filter((source) => isFields(valueFrom[source])).length;
  if (count === 0) {
    const detail = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    refusals.push(invalidValue(path, '', detail));
  } else if (textOf(variable['value']) !== '') refusals.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) refusals.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return refusals;
}

function validateKeyReference(reference: Fields, field: string): FieldError[] {
  const [name, key] = [textOf(reference['name']), textOf(reference['key'])];
  const refusals = invalidFor(`${field}.name`, name, problemsOfDnsSubdomain(name));
  return [...refusals, ...(key === '' ? [requiredValue(`${field}.key`)] : invalidFor(`${field}.key`, key, problemsOfConfigKey(key)))];
}

/** Init containers leave such files in a directory of the pod for those after them. */
function validateFileReference(reference: Fields, field: string, volumes: ReadonlyMap<string, Fields>): FieldError[] {
  const [key, volumeName, path] = [textOf(reference['key']), textOf(reference['volumeName']), textOf(reference['path'])];
  const volume = volumes.get(volumeName);
  const refusals = [
    ...(key === '' ? [requiredValue(`${field}.key`)] : invalidFor(`${field}.key`, key, problemsOfEnvName(key))),
    ...(volumeName === ''
      ? [requiredValue(`${field}.volumeName`)]
      : invalidFor(`${field}.volumeName`, volumeName, problemsOfDnsLabel(volumeName))),
    ...(path === '' ? [requiredValue(`${field}.path`)] : validateNoBacksteps(path, `${field}.path`)),
  ];
  if (volume === undefined) return [...refusals, notFound(`${field}.volumeName`, volumeName)];
  if (isFields(volume['emptyDir'])) return refusals;
  return [...refusals, invalidValue(`${field}.volumeName`, volumeName, 'referenced volume must be of type emptyDir')];
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
