// The API server's rules for the places where containers mount a pod's volumes.
import type { FieldError } from '../../objects/field-error.ts';
import { validateDescendingPath } from './path-validation.ts';
import { forbidden, invalidValue, notFound, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, textOf } from '../../objects/values/untyped-fields.ts';

const mountPropagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursiveReadOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

/** The refusals of a container's `volumeMounts`; `field` is the container's. */
export function validateVolumeMounts(container: Fields, field: string, mountable: ReadonlyMap<string, Fields>): FieldError[] {
  const refusals: FieldError[] = [];
  const places = new Set<string>();
  const volumeDevices = listOf(container['volumeDevices']);
  const [devices, devicePaths] = [textsAt(volumeDevices, 'name'), textsAt(volumeDevices, 'devicePath')];
  for (const [at, mount] of listOf(container['volumeMounts']).entries()) {
    const path = `${field}.volumeMounts[${at}]`;
    const [name, mountPath] = [textOf(mount['name']), textOf(mount['mountPath'])];
    const [subPath, subPathExpr] = [textOf(mount['subPath']), textOf(mount['subPathExpr'])];
    if (name === '') refusals.push(requiredValue(`${path}.name`));
    if (!mountable.has(name)) refusals.push(notFound(`${path}.name`, name));
    if (mountPath === '') refusals.push(requiredValue(`${path}.mountPath`));
    if (places.has(mountPath)) refusals.push(invalidValue(`${path}.mountPath`, mountPath, 'must be unique'));
    places.add(mountPath);
    if (devices.has(name)) refusals.push(invalidValue(`${path}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      refusals.push(invalidValue(`${path}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
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
  return refusals;
}

/** The refusals of a container's `volumeDevices`: volumes that it has as they are, without files. */
export function validateVolumeDevices(container: Fields, field: string, mountable: ReadonlyMap<string, Fields>): FieldError[] {
  const refusals: FieldError[] = [];
  const mounts = listOf(container['volumeMounts']);
  const mounted = { name: textsAt(mounts, 'name'), devicePath: textsAt(mounts, 'mountPath') };
  const seen = { name: new Set<string>(), devicePath: new Set<string>() };
  for (const [at, device] of listOf(container['volumeDevices']).entries()) {
    const path = `${field}.volumeDevices[${at}]`;
    const [name, devicePath] = [textOf(device['name']), textOf(device['devicePath'])];
    const volume = mountable.get(name);
    if (name === '') refusals.push(requiredValue(`${path}.name`));
    if (volume === undefined) refusals.push(notFound(`${path}.name`, name));
    else if (!isFields(volume['persistentVolumeClaim']) && !isFields(volume['ephemeral'])) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      refusals.push(invalidValue(`${path}.name`, name, detail));
    }
    if (devicePath === '') refusals.push(requiredValue(`${path}.devicePath`));
    if (devicePath.split('/').includes('..')) {
      refusals.push(invalidValue(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    }
    for (const [key, text, as] of [
      ['name', name, ''],
      ['devicePath', devicePath, ' as a path'],
    ] as const) {
      if (seen[key].has(text)) refusals.push(invalidValue(`${path}.${key}`, text, 'must be unique'));
      if (mounted[key].has(text)) refusals.push(invalidValue(`${path}.${key}`, text, `must not already exist${as} in volumeMounts`));
      seen[key].add(text);
    }
  }
  return refusals;
}

const textsAt = (items: readonly Fields[], key: string): Set<string> => new Set(items.map((item) => textOf(item[key])));

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
