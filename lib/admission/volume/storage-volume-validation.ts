// The API server's rules for the volumes that a storage system serves, each in its own words.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfDnsLabel, problemsOfDnsSubdomain } from '../../objects/names.ts';
import { validateDescendingPath } from './path-validation.ts';
import { invalidFor, invalidValue, requiredValue, tooLong, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, numberOf, textOf, textsOf } from '../../objects/values/untyped-fields.ts';

const iscsiNames: Record<string, RegExp> = {
  iqn: /iqn\.\d{4}-\d{2}\.[-.A-Za-z0-9]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};
const azureCachingModes = ['None', 'ReadOnly', 'ReadWrite'];
const azureKinds = ['Dedicated', 'Managed', 'Shared'];
const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const driverLimitBytes = 63;
const tenantLimitBytes = 64;

type Rule = (source: Fields, field: string) => FieldError[];

/** By the kind of volume. What each kind cannot do without is asked before. */
export const storageRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['awsElasticBlockStore', validatePartition],
  ['azureDisk', validateAzureDisk],
  ['cephfs', validateMonitors],
  ['cinder', (source, field) => validateSecretName(source['secretRef'], `${field}.secretRef`)],
  ['csi', validateCsi],
  ['fc', validateFibreChannel],
  ['flexVolume', validateFlexVolume],
  ['flocker', validateFlocker],
  ['gcePersistentDisk', validatePartition],
  ['gitRepo', ({ directory }, field) => validateDescendingPath(textOf(directory), `${field}.directory`)],
  ['iscsi', validateIscsi],
  ['quobyte', validateQuobyte],
  ['rbd', validateMonitors],
  ['storageos', validateStorageOs],
]);

function validateWithin(
  field: string,
  value: unknown,
  { least, most, words }: { least: number; most: number; words: string },
): FieldError[] {
  const number = numberOf(value) ?? 0;
  return number < least || number > most ? [invalidValue(field, number, words)] : [];
}

/** 0 stands for the whole disk. */
function validatePartition({ partition }: Fields, field: string): FieldError[] {
  return validateWithin(`${field}.partition`, partition, { least: 0, most: 255, words: 'must be between 1 and 255, inclusive' });
}

const validateLun = (lun: unknown, field: string): FieldError[] =>
  validateWithin(field, lun, { least: 0, most: 255, words: 'must be between 0 and 255, inclusive' });

function validateMonitors({ monitors }: Fields, field: string): FieldError[] {
  return textsOf(monitors).length === 0 ? [requiredValue(`${field}.monitors`)] : [];
}

const validateSecretName = (reference: unknown, field: string): FieldError[] =>
  isFields(reference) && textOf(reference['name']) === '' ? [requiredValue(`${field}.name`)] : [];

function validateCsi({ driver, nodePublishSecretRef }: Fields, field: string): FieldError[] {
  const [name, secretName] = [textOf(driver), textOf(fieldsOf(nodePublishSecretRef)['name'])];
  return [
    ...(Buffer.byteLength(name) > driverLimitBytes ? [tooLong(`${field}.driver`, driverLimitBytes)] : []),
    ...(name === '' ? [] : invalidFor(`${field}.driver`, name, problemsOfDnsSubdomain(name.toLowerCase()))),
    ...validateSecretName(nodePublishSecretRef, `${field}.nodePublishSecretRef`),
    // The API server leaves the reference out of this path.
    ...(secretName === '' ? [] : invalidFor(`${field}.name`, secretName, problemsOfDnsSubdomain(secretName))),
  ];
}

function validateIscsi(source: Fields, field: string): FieldError[] {
  const { iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  const refusals = textOf(iqn) === '' ? [] : validateIscsiName(textOf(iqn), `${field}.iqn`);
  refusals.push(...validateLun(lun, `${field}.lun`));
  if ((chapAuthDiscovery === true || chapAuthSession === true) && !isFields(secretRef)) refusals.push(requiredValue(`${field}.secretRef`));
  if (typeof initiatorName === 'string') refusals.push(...validateIscsiName(initiatorName, `${field}.initiatorname`));
  return refusals;
}

function validateIscsiName(name: string, field: string): FieldError[] {
  const pattern = iscsiNames[name.slice(0, 3)];
  if (pattern === undefined) return [invalidValue(field, name, 'must be valid format starting with iqn, eui, or naa')];
  return pattern.test(name) ? [] : [invalidValue(field, name, 'must be valid format')];
}

function validateFibreChannel({ targetWWNs, wwids, lun }: Fields, field: string): FieldError[] {
  const [targets, identifiers] = [textsOf(targetWWNs), textsOf(wwids)];
  const path = `${field}.targetWWNs`;
  if (targets.length === 0) {
    return identifiers.length > 0 ? [] : [requiredValue(path, 'must specify either targetWWNs or wwids, but not both')];
  }
  return [
    ...(identifiers.length > 0 ? [invalidValue(path, targets, 'targetWWNs and wwids can not be specified simultaneously')] : []),
    ...(numberOf(lun) === undefined
      ? [requiredValue(`${field}.lun`, 'lun is required if targetWWNs is specified')]
      : validateLun(lun, `${field}.lun`)),
  ];
}

function validateAzureDisk({ diskURI, cachingMode, kind }: Fields, field: string): FieldError[] {
  const uri = textOf(diskURI);
  const supportedOf = (key: string, value: unknown, supported: readonly string[]): FieldError[] =>
    typeof value !== 'string' || supported.includes(value) ? [] : [unsupportedValue(`${field}.${key}`, value, supported)];
  const [prefix, pattern] = kind === 'Managed' ? ['/subscriptions/', managedDisk] : ['https://', blobDisk];
  return [
    ...supportedOf('cachingMode', cachingMode, azureCachingModes),
    ...supportedOf('kind', kind, azureKinds),
    ...(typeof kind !== 'string' || uri.startsWith(prefix) ? [] : [unsupportedValue(`${field}.diskURI`, uri, [pattern])]),
  ];
}

/** Options are the driver's, but for those that Kubernetes adds. */
function validateFlexVolume({ options }: Fields, field: string): FieldError[] {
  return Object.keys(fieldsOf(options))
    .filter((key) => /(^|\.)(kubernetes\.io|k8s\.io)$/.test((key.split('/')[0] ?? '').toLowerCase()))
    .map((key) => invalidValue(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'));
}

function validateFlocker({ datasetName, datasetUUID }: Fields, field: string): FieldError[] {
  const [name, uuid] = [textOf(datasetName), textOf(datasetUUID)];
  if (name === '' && uuid === '') return [requiredValue(field, 'one of datasetName and datasetUUID is required')];
  return [
    ...(name !== '' && uuid !== ''
      ? [invalidValue(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
      : []),
    ...(name.includes('/') ? [invalidValue(`${field}.datasetName`, name, "must not contain '/'")] : []),
  ];
}

/** One refusal at most: each question follows the one before it. */
function validateQuobyte({ registry: named, tenant }: Fields, field: string): FieldError[] {
  const registry = textOf(named);
  const words = 'must be a host:port pair or multiple pairs separated by commas';
  if (registry === '') return [requiredValue(`${field}.registry`, words)];
  if (Buffer.byteLength(textOf(tenant)) > tenantLimitBytes) {
    return [requiredValue(`${field}.tenant`, `must be a UUID and may not exceed a length of ${tenantLimitBytes} characters`)];
  }
  const arePairs = registry.split(',').every((pair) => /^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair));
  return arePairs ? [] : [invalidValue(`${field}.registry`, registry, words)];
}

function validateStorageOs({ volumeName, volumeNamespace, secretRef }: Fields, field: string): FieldError[] {
  const labels = { volumeName: textOf(volumeName), volumeNamespace: textOf(volumeNamespace) };
  return [
    ...Object.entries(labels).flatMap(([key, text]) => (text === '' ? [] : invalidFor(`${field}.${key}`, text, problemsOfDnsLabel(text)))),
    ...validateSecretName(secretRef, `${field}.secretRef`),
  ];
}
