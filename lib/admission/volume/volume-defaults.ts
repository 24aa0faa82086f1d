// Defaults that the API server fills into the volumes of pods and pod templates.
import { defaultPullPolicyOf } from '../image-reference.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { dropUngiven, fieldsOf, isFields, listOf, ownEntry } from '../../objects/values/untyped-fields.ts';
import { admittedQuantity, isQuantity } from '../../objects/values/quantity.ts';

/** 0644 */
const defaultMode = 0o644;

/** Per kind of volume, the fields that are set where they are missing or empty. */
const sourceDefaults: Record<string, Fields> = {
  secret: { defaultMode },
  configMap: { defaultMode },
  downwardAPI: { defaultMode },
  projected: { defaultMode },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** Fills in one volume, in place. A volume that names no source is an empty directory. */
export function setVolumeDefaults(volume: Fields): void {
  const sources = Object.keys(volume).filter((field) => field !== 'name' && volume[field] !== null);
  if (sources.length === 0) volume['emptyDir'] = {};
  for (const source of sources) {
    const fields = volume[source];
    if (isFields(fields)) dropUngiven(fields);
    if (isFields(fields)) for (const [field, value] of Object.entries(ownEntry(sourceDefaults, source) ?? {})) fields[field] ??= value;
  }
  const { image, projected, downwardAPI, ephemeral, emptyDir } = volume;
  if (isFields(emptyDir) && isQuantity(emptyDir['sizeLimit'])) emptyDir['sizeLimit'] = admittedQuantity(emptyDir['sizeLimit']);
  if (isFields(image)) image['pullPolicy'] ||= defaultPullPolicyOf(typeof image['reference'] === 'string' ? image['reference'] : '');
  if (isFields(downwardAPI)) setFileDefaults(downwardAPI['items']);
  if (isFields(projected)) {
    for (const source of listOf(projected['sources'])) setProjectionDefaults(source);
    projected['sources'] ??= null;
  }
  if (isFields(ephemeral) && isFields(ephemeral['volumeClaimTemplate'])) setClaimDefaults(ephemeral['volumeClaimTemplate']);
}

function setProjectionDefaults(source: Fields): void {
  const { downwardAPI, serviceAccountToken } = source;
  if (isFields(downwardAPI)) setFileDefaults(downwardAPI['items']);
  if (!isFields(serviceAccountToken)) return;
  serviceAccountToken['expirationSeconds'] ??= 3600;
  if (serviceAccountToken['audience'] === '') delete serviceAccountToken['audience'];
}

function setFileDefaults(items: unknown): void {
  for (const { fieldRef, resourceFieldRef } of listOf(items)) {
    if (isFields(fieldRef)) fieldRef['apiVersion'] ||= 'v1';
    if (isFields(resourceFieldRef)) setDivisorDefault(resourceFieldRef);
  }
}

function setClaimDefaults(template: Fields): void {
  template['metadata'] ??= {};
  const { spec } = template;
  if (isFields(spec)) setClaimSpecDefaults(spec);
}

/** Of a claim of its own as of one that a pod has made. */
export function setClaimSpecDefaults(spec: Fields): void {
  spec['volumeMode'] ??= 'Filesystem';
  // Always present, even where the group is the default one.
  for (const source of [spec['dataSource'], spec['dataSourceRef']]) if (isFields(source)) source['apiGroup'] ??= null;
  const requests = fieldsOf(fieldsOf(spec['resources'])['requests']);
  for (const [name, amount] of Object.entries(requests)) if (isQuantity(amount)) requests[name] = admittedQuantity(amount);
}

/** The unit that a resource is divided by for a variable or a file: 0 means 1. */
export function setDivisorDefault(reference: Fields): void {
  const { divisor } = reference;
  reference['divisor'] = isQuantity(divisor) ? admittedQuantity(divisor) : (divisor ?? '0');
}
