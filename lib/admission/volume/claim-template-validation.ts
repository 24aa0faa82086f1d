// The API server's rules for claims of volumes: those of their own, and those that a pod's volume has made for it and that end with the pod.
import type { FieldError } from '../../objects/field-error.ts';
import { validateLabelSelector } from '../metadata/label-selector-validation.ts';
import { problemsOfDnsLabel, problemsOfDnsSubdomain } from '../../objects/names.ts';
import { validateAnnotations, validateLabels } from '../metadata/object-metadata-validation.ts';
import { isQuantity, formatQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import { forbidden, invalidFor, invalidValue, requiredValue, unsupportedValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { fieldsOf, isFields, textOf, textsOf } from '../../objects/values/untyped-fields.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const volumeModes = ['Block', 'Filesystem'];
/** Fields that the claim gets when it is made, so that a template cannot hold them. The API server spells one of them so. */
const givenToClaims: Record<string, string> = {
  name: 'name',
  generateName: 'generateName',
  namespace: 'namespace',
  selfLink: 'selfLink',
  uid: 'uID',
  resourceVersion: 'resourceVersion',
  generation: 'generation',
  creationTimestamp: 'creationTimestamp',
  deletionTimestamp: 'deletionTimestamp',
  deletionGracePeriodSeconds: 'deletionGracePeriodSeconds',
  ownerReferences: 'ownerReferences',
  finalizers: 'finalizers',
  managedFields: 'managedFields',
};

/** The refusals of the `ephemeral` source of a volume that lies at `field`. */
export function validateEphemeralVolume({ volumeClaimTemplate: template }: Fields, field: string): FieldError[] {
  const path = `${field}.volumeClaimTemplate`;
  if (!isFields(template)) return [requiredValue(path)];
  const metadata = fieldsOf(template['metadata']);
  return [
    ...validateAnnotations(textMapOf(metadata['annotations']), `${path}.metadata.annotations`),
    ...validateLabels(textMapOf(metadata['labels']), `${path}.metadata.labels`),
    ...Object.entries(givenToClaims).flatMap(([key, spelled]) =>
      isGiven(metadata[key]) ? [forbidden(`${path}.metadata.${spelled}`, 'cannot be set')] : [],
    ),
    ...validateClaimSpec(fieldsOf(template['spec']), `${path}.spec`),
  ];
}

const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const textMapOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, text]) => [key, textOf(text)]));

/** The refusals of the spec of a claim, one of its own or one that a pod has made. */
export function validateClaimSpec(spec: Fields, field: string): FieldError[] {
  const { selector, storageClassName, volumeAttributesClassName, volumeMode, dataSource, dataSourceRef } = spec;
  const classNames = { storageClassName: textOf(storageClassName), volumeAttributesClassName: textOf(volumeAttributesClassName) };
  return [
    ...validateAccessModes(textsOf(spec['accessModes']), `${field}.accessModes`),
    ...(isFields(selector) ? validateLabelSelector(selector, `${field}.selector`) : []),
    ...validateStorage(fieldsOf(fieldsOf(spec['resources'])['requests'])['storage'], `${field}.resources[storage]`),
    ...Object.entries(classNames).flatMap(([key, name]) =>
      name === '' ? [] : invalidFor(`${field}.${key}`, name, problemsOfDnsSubdomain(name)),
    ),
    ...(typeof volumeMode !== 'string' || volumeModes.includes(volumeMode)
      ? []
      : [unsupportedValue(`${field}.volumeMode`, volumeMode, volumeModes)]),
    ...(isFields(dataSource) ? validateDataSource(dataSource, `${field}.dataSource`) : []),
    ...(isFields(dataSourceRef) ? validateDataSource(dataSourceRef, `${field}.dataSourceRef`) : []),
    ...(isFields(dataSource) && isFields(dataSourceRef) ? validateOneSource(dataSource, dataSourceRef, field) : []),
  ];
}

function validateAccessModes(modes: readonly string[], field: string): FieldError[] {
  if (modes.length === 0) return [requiredValue(field, 'at least 1 access mode is required')];
  const supported = new Set(modes.filter((mode) => accessModes.includes(mode)));
  return [
    ...modes.filter((mode) => !supported.has(mode)).map((mode) => unsupportedValue(field, mode, accessModes)),
    ...(supported.has('ReadWriteOncePod') && supported.size > 1
      ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ];
}

function validateStorage(amount: unknown, field: string): FieldError[] {
  if (!isQuantity(amount)) return [requiredValue(field)];
  const quantity = parseQuantity(amount);
  return quantity.nanos > 0n ? [] : [invalidValue(field, formatQuantity(quantity), 'must be greater than zero')];
}

function validateDataSource(source: Fields, field: string): FieldError[] {
  const [kind, apiGroup, namespace] = [textOf(source['kind']), textOf(source['apiGroup']), textOf(source['namespace'])];
  const refusals = ['name', 'kind'].filter((key) => textOf(source[key]) === '').map((key) => requiredValue(`${field}.${key}`));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    refusals.push(invalidValue(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== '') refusals.push(...invalidFor(`${field}.apiGroup`, apiGroup, problemsOfDnsSubdomain(apiGroup)));
  if (namespace !== '') refusals.push(...invalidFor(`${field}.namespace`, namespace, problemsOfDnsLabel(namespace)));
  return refusals;
}

/** The two names of one thing. Only the newer one reaches into another namespace. */
function validateOneSource(dataSource: Fields, dataSourceRef: Fields, field: string): FieldError[] {
  if (textOf(dataSourceRef['namespace']) !== '') {
    return [invalidValue(field, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const isSame = ['apiGroup', 'kind', 'name'].every((key) => (dataSource[key] ?? null) === (dataSourceRef[key] ?? null));
  return isSame ? [] : [invalidValue(field, {}, 'must match dataSourceRef')];
}
