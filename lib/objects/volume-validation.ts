// What the API server asks of a pod's volumes and of the places where containers mount them.
import type { FieldError } from './field-error.ts';
import { problemsOfDnsLabel } from './names.ts';
import { isQuantity, parseQuantity } from './quantity.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, notFound, requiredValue, unsupportedValue } from './refusals.ts';
import type { Fields } from './untyped-fields.ts';
import { fieldsOf, isFields, listOf, numberOf, textOf } from './untyped-fields.ts';

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];
const mountPropagations = ['Bidirectional', 'HostToContainer', 'None'];
/** Texts that the kinds of volumes cannot do without. */
const requiredTexts: Record<string, readonly string[]> = {
  secret: ['secretName'],
  configMap: ['name'],
  persistentVolumeClaim: ['claimName'],
  nfs: ['server', 'path'],
  hostPath: ['path'],
  csi: ['driver'],
};

/** The volumes that containers may mount, by name (those in order only), and the refusals. */
export function validateVolumes(volumes: readonly Fields[], field: string): { mountable: Map<string, Fields>; refusals: FieldError[] } {
  const mountable = new Map<string, Fields>();
  const refusals: FieldError[] = [];
  for (const [at, volume] of volumes.entries()) {
    const path = `${field}[${at}]`;
    const name = textOf(volume['name']);
    const found = validateSource(volume, path);
    if (name === '') found.push(requiredValue(`${path}.name`));
    else found.push(...invalidFor(`${path}.name`, name, problemsOfDnsLabel(name)));
    if (mountable.has(name)) found.push(duplicateValue(`${path}.name`, name));
    if (found.length === 0) mountable.set(name, volume);
    refusals.push(...found);
  }
  return { mountable, refusals };
}

function validateSource(volume: Fields, field: string): FieldError[] {
  const kinds = Object.keys(volume).filter((key) => key !== 'name' && isFields(volume[key]));
  const [kind, ...others] = kinds;
  if (kind === undefined) return [requiredValue(field, 'must specify a volume type')];
  const refusals = others.map((other) => forbidden(`${field}.${other}`, 'may not specify more than 1 volume type'));
  const source = fieldsOf(volume[kind]);
  const path = `${field}.${kind}`;
  for (const key of requiredTexts[kind] ?? []) if (textOf(source[key]) === '') refusals.push(requiredValue(`${path}.${key}`));
  refusals.push(...validateMode(source['defaultMode'], `${path}.defaultMode`));
  if (kind === 'secret' || kind === 'configMap') refusals.push(...validateItems(source['items'], `${path}.items`));
  if (kind === 'hostPath') refusals.push(...validateHostPath(source, path));
  if (kind === 'emptyDir') refusals.push(...validateSizeLimit(source['sizeLimit'], `${path}.sizeLimit`));
  if (kind === 'nfs' && !textOf(source['path']).startsWith('/')) {
    refusals.push(invalidValue(`${path}.path`, textOf(source['path']), 'must be an absolute path'));
  }
  if (kind === 'downwardAPI') for (const item of listOf(source['items'])) refusals.push(...validateDownwardFile(item, path));
  if (kind === 'projected') refusals.push(...validateProjections(listOf(source['sources']), path));
  return refusals;
}

function validateHostPath(source: Fields, field: string): FieldError[] {
  const [path, type] = [textOf(source['path']), textOf(source['type'])];
  if (path === '') return [];
  const refusals = validateNoBacksteps(path, `${field}.path`);
  return hostPathTypes.includes(type) ? refusals : [...refusals, unsupportedValue(`${field}.type`, type, hostPathTypes)];
}

function validateSizeLimit(sizeLimit: unknown, field: string): FieldError[] {
  const isWrong = isQuantity(sizeLimit) ? parseQuantity(sizeLimit).nanos < 0n : sizeLimit !== undefined;
  return isWrong ? [forbidden(field, 'SizeLimit field must be a valid resource quantity')] : [];
}

function validateProjections(sources: readonly Fields[], field: string): FieldError[] {
  const refusals: FieldError[] = [];
  for (const [at, source] of sources.entries()) {
    const kinds = Object.keys(source).filter((key) => isFields(source[key]));
    for (const kind of kinds) {
      const projection = fieldsOf(source[kind]);
      const path = `${field}.sources[${at}].${kind}`;
      if (kind === 'secret' || kind === 'configMap') {
        if (textOf(projection['name']) === '') refusals.push(requiredValue(`${path}.name`));
        refusals.push(...validateItems(projection['items'], `${path}.items`));
      }
      if (kind === 'downwardAPI') for (const item of listOf(projection['items'])) refusals.push(...validateDownwardFile(item, path));
      if (kind === 'serviceAccountToken') refusals.push(...validateToken(projection, { path, field }));
    }
    if (kinds.length > 1) refusals.push(forbidden(`${field}.sources[${at}]`, 'may not specify more than 1 volume type per source'));
    if (kinds.length === 0) {
      refusals.push(requiredValue(`${field}.sources[${at}]`, 'must specify a volume type per source'));
    }
  }
  return refusals;
}

function validateToken(projection: Fields, { path, field }: { path: string; field: string }): FieldError[] {
  const refusals: FieldError[] = [];
  const seconds = numberOf(projection['expirationSeconds']) ?? 3600;
  if (seconds < 600) refusals.push(invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32)
    refusals.push(invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'));
  const file = textOf(projection['path']);
  return [...refusals, ...(file === '' ? [requiredValue(`${field}.path`)] : validateLocalPath(file, `${field}.path`))];
}

function validateItems(items: unknown, field: string): FieldError[] {
  return listOf(items).flatMap((item, at) => {
    const refusals: FieldError[] = [];
    for (const key of ['key', 'path']) if (textOf(item[key]) === '') refusals.push(requiredValue(`${field}[${at}].${key}`));
    return [
      ...refusals,
      ...validateLocalPath(textOf(item['path']), `${field}[${at}].path`),
      ...validateMode(item['mode'], `${field}[${at}].mode`),
    ];
  });
}

/** The API server leaves the place in the list out of these paths. */
function validateDownwardFile(item: Fields, field: string): FieldError[] {
  const path = textOf(item['path']);
  const refusals = path === '' ? [requiredValue(`${field}.path`)] : [];
  refusals.push(...validateLocalPath(path, `${field}.path`));
  const { fieldRef, resourceFieldRef } = item;
  if (isFields(fieldRef) && isFields(resourceFieldRef)) {
    refusals.push(invalidValue(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  }
  if (!isFields(fieldRef) && !isFields(resourceFieldRef))
    refusals.push(requiredValue(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...refusals, ...validateMode(item['mode'], `${field}.mode`)];
}

function validateMode(value: unknown, field: string): FieldError[] {
  const mode = numberOf(value);
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

const validateNoBacksteps = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];

/** A path below a folder that is not the pod's to choose. */
export function validateDescendingPath(path: string, field: string): FieldError[] {
  const refusals = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : [];
  return [...refusals, ...validateNoBacksteps(path, field)];
}

function validateLocalPath(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith('..') && path !== '..' && !path.startsWith('../');
  return [...validateDescendingPath(path, field), ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : [])];
}

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
