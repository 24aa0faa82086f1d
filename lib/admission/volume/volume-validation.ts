// The API server's rules for a pod's volumes.
import { validateEphemeralVolume } from './claim-template-validation.ts';
import type { FieldError } from '../../objects/field-error.ts';
import { validateDownwardFiles, validateItems, validateMode, validateProjections } from './file-volume-validation.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { validateNoBacksteps } from './path-validation.ts';
import { isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import { duplicateValue, forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import { storageRules } from './storage-volume-validation.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, listOf, ownEntry, textOf } from '../../objects/values/untyped-fields.ts';

const hostPathTypes = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
/** Texts that the kinds of volumes cannot do without. */
const requiredTexts: Record<string, readonly string[]> = {
  secret: ['secretName'],
  configMap: ['name'],
  persistentVolumeClaim: ['claimName'],
  nfs: ['server', 'path'],
  hostPath: ['path'],
  csi: ['driver'],
  iscsi: ['targetPortal', 'iqn'],
  gitRepo: ['repository'],
  rbd: ['image'],
  glusterfs: ['endpoints', 'path'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  awsElasticBlockStore: ['volumeID'],
  gcePersistentDisk: ['pdName'],
  flexVolume: ['driver'],
  cinder: ['volumeID'],
  quobyte: ['volume'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  storageos: ['volumeName'],
  scaleIO: ['gateway', 'system', 'volumeName'],
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
  // The API server has an older name for this one in its paths.
  const path = `${field}.${kind === 'gcePersistentDisk' ? 'persistentDisk' : kind}`;
  for (const key of ownEntry(requiredTexts, kind) ?? []) if (textOf(source[key]) === '') refusals.push(requiredValue(`${path}.${key}`));
  refusals.push(...validateMode(source['defaultMode'], `${path}.defaultMode`));
  if (kind === 'secret' || kind === 'configMap') refusals.push(...validateItems(source['items'], `${path}.items`));
  if (kind === 'hostPath') refusals.push(...validateHostPath(source, path));
  if (kind === 'emptyDir') refusals.push(...validateSizeLimit(source['sizeLimit'], `${path}.sizeLimit`));
  if (kind === 'nfs' && !textOf(source['path']).startsWith('/')) {
    refusals.push(invalidValue(`${path}.path`, textOf(source['path']), 'must be an absolute path'));
  }
  if (kind === 'downwardAPI') refusals.push(...validateDownwardFiles(source, path));
  if (kind === 'projected') refusals.push(...validateProjections(listOf(source['sources']), path));
  if (kind === 'ephemeral') refusals.push(...validateEphemeralVolume(source, path));
  if (kind === 'image' && !pullPolicies.includes(textOf(source['pullPolicy']))) {
    refusals.push(unsupportedValue(`${path}.pullPolicy`, textOf(source['pullPolicy']), pullPolicies));
  }
  return [...refusals, ...(storageRules.get(kind)?.(source, path) ?? [])];
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
