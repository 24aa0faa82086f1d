// What the API server asks of the places where containers mount a pod's volumes.
import type { FieldError } from './field-error.ts';
import { validateDescendingPath } from './path-validation.ts';
import { forbidden, invalidValue, notFound, requiredValue, unsupportedValue } from './refusals.ts';
import type { Fields } from './untyped-fields.ts';
import { fieldsOf, isFields, listOf, textOf } from './untyped-fields.ts';

const mountPropagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursiveReadOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

/** The refusals of a container's `volumeMounts`; `field` is the container's. */
export function validateVolumeMounts(container: Fields, field: string, mountable: ReadonlyMap<string, Fields>): FieldError[] {
  const refusals: FieldError[] = [];
  const places = new Set<string>();
  const devices = listOf(container['volumeDevices']);
  for (const [at, mount] of listOf(container['volumeMounts']).entries()) {
    const path = `${field}.volumeMounts[${at}]`;
    const [name, mountPath] = [textOf(mount['name']), textOf(mount['mountPath'])];
    const [subPath, subPathExpr] = [textOf(mount['subPath']), textOf(mount['subPathExpr'])];
    if (name === '') refusals.push(requiredValue(`${path}.name`));
    if (!mountable.has(name)) refusals.push(notFound(`${path}.name`, name));
    if (mountPath === '') refusals.push(requiredValue(`${path}.mountPath`));
    if (places.has(mountPath)) refusals.push(invalidValue(`${path}.mountPath`, mountPath, 'must be unique'));
    places.add(mountPath);
    if (devices.some((device) => textOf(device['name']) === name)) {
      refusals.push(invalidValue(`${path}.name`, name, 'must not already exist in volumeDevices'));
    }
    // The API server leaves the place in the list out of these paths.
    if (subPath !== '') refusals.push(...validateDescendingPath(subPath, `${field}.volumeMounts.subPath`));
    if (subPathExpr !== '' && subPath !== '') {
      refusals.push(invalidValue(`${path}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
    }
    if (subPathExpr !== '') refusals.push(...validateDescendingPath(subPathExpr, `${field}.volumeMounts.subPathExpr`));
    const { mountPropagation } = mount;
    if (mountPropagation !== undefined) {
      const isPrivileged = fieldsOf(container['securityContext'])['privileged'] === true;
      refusals.push(...validatePropagation(mountPropagation, `${field}.volumeMounts.mountPropagation`, isPrivileged));
    }
    refusals.push(...validateRecursiveReadOnly(mount, `${field}.volumeMounts.recursiveReadOnly`));
  }
  for (const [at, device] of devices.entries()) {
    const name = textOf(device['name']);
    const path = `${field}.volumeDevices[${at}]`;
    const volume = mountable.get(name);
    if (name === '') refusals.push(requiredValue(`${path}.name`));
    if (volume === undefined) refusals.push(notFound(`${path}.name`, name));
    else if (!isFields(volume['persistentVolumeClaim']) && !isFields(volume['ephemeral'])) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      refusals.push(invalidValue(`${path}.name`, name, detail));
    }
    if (textOf(device['devicePath']) === '') refusals.push(requiredValue(`${path}.devicePath`));
  }
  return refusals;
}

function validatePropagation(propagation: unknown, field: string, isPrivileged: boolean): FieldError[] {
  if (!mountPropagations.includes(textOf(propagation))) return [unsupportedValue(field, propagation, mountPropagations)];
  if (propagation !== 'Bidirectional' || isPrivileged) return [];
  return [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

/** Whether what is mounted below is read only too: of a mount that is so itself, and shows nothing of what others mount. */
function validateRecursiveReadOnly({ recursiveReadOnly, readOnly, mountPropagation }: Fields, field: string): FieldError[] {
  if (typeof recursiveReadOnly !== 'string' || recursiveReadOnly === 'Disabled') return [];
  if (!recursiveReadOnlyModes.includes(recursiveReadOnly)) return [unsupportedValue(field, recursiveReadOnly, recursiveReadOnlyModes)];
  const refusals = readOnly === true ? [] : [forbidden(field, 'may only be specified when readOnly is true')];
  if (typeof mountPropagation !== 'string' || mountPropagation === 'None') return refusals;
  return [...refusals, forbidden(field, 'may only be specified when mountPropagation is None or not specified')];
}
