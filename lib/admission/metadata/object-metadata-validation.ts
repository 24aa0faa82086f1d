// The API server's rules for the metadata of any object, when it is created and when it is changed.
import type { FieldError } from '../../objects/field-error.ts';
import type { ObjectMeta, OwnerReference } from '../../objects/kubernetes.ts';
import { problemsOfDnsLabel, problemsOfDnsSubdomain, problemsOfLabelValue, problemsOfQualifiedName } from '../../objects/names.ts';
import {
  fieldIsImmutable,
  forbidden,
  invalidFor,
  invalidValue,
  requiredValue,
  tooLong,
  uniqueRefusals,
  unlessNonNegative,
} from '../../objects/refusals.ts';

/** The rules that differ between kinds. */
export interface MetadataRules {
  /** Default: true. */
  isNamespaced?: boolean;
  /** Problems of a name; default: it must be a DNS-1123 subdomain. */
  problemsOfName?: (name: string) => string[];
  /** Kinds of a CustomResourceDefinition may have finalizers without a domain. Default: false. */
  isCustom?: boolean;
}

const annotationsLimitBytes = 256 * 1024;
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** The refusals of an object's metadata; its name must have been generated before. */
export function validateObjectMeta(
  metadata: ObjectMeta,
  { isNamespaced = true, problemsOfName = problemsOfDnsSubdomain, isCustom = false }: MetadataRules = {},
): FieldError[] {
  const { name = '', generateName = '', namespace = '', finalizers = [] } = metadata;
  const refusals: FieldError[] = [];
  // A dash at the end of a prefix is followed by the generated part.
  const prefix = generateName.length > 1 && generateName.endsWith('-') ? `${generateName.slice(0, -2)}a` : generateName;
  if (generateName !== '') refusals.push(...invalidFor('metadata.generateName', generateName, problemsOfName(prefix)));
  if (name === '') refusals.push(requiredValue('metadata.name', 'name or generateName is required'));
  else refusals.push(...invalidFor('metadata.name', name, problemsOfName(name)));
  if (isNamespaced && namespace === '') refusals.push(requiredValue('metadata.namespace'));
  else if (isNamespaced) refusals.push(...invalidFor('metadata.namespace', namespace, problemsOfDnsLabel(namespace)));
  else if (namespace !== '') refusals.push(forbidden('metadata.namespace', 'not allowed on this type'));
  refusals.push(
    ...unlessNonNegative('metadata.generation', metadata.generation),
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations, 'metadata.annotations'),
    ...validateOwnerReferences(metadata.ownerReferences ?? [], 'metadata.ownerReferences'),
    ...validateFinalizers(finalizers, 'metadata.finalizers'),
  );
  for (const [at, finalizer] of finalizers.entries()) {
    if (!isCustom && !finalizer.includes('/') && !standardFinalizers.has(finalizer)) {
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      refusals.push(invalidValue(`metadata.finalizers[${at}]`, finalizer, detail));
    }
  }
  return refusals;
}

/** The refusals of a change of metadata. @param next with what the server alone sets put back already */
export function validateObjectMetaUpdate(next: ObjectMeta, previous: ObjectMeta, rules: MetadataRules = {}): FieldError[] {
  const refusals = validateObjectMeta(next, { ...rules, problemsOfName: () => [] });
  if (previous.deletionTimestamp !== undefined) {
    const added = (next.finalizers ?? []).filter((finalizer) => !previous.finalizers?.includes(finalizer));
    if (added.length > 0) {
      const names = added.toSorted().map((finalizer) => JSON.stringify(finalizer));
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names.join(', ')}}`;
      refusals.push(forbidden('metadata.finalizers', detail));
    }
  }
  if ((next.generation ?? 0) < (previous.generation ?? 0)) {
    refusals.push(invalidValue('metadata.generation', next.generation ?? 0, 'must not be decremented'));
  }
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (next[field] !== previous[field]) refusals.push(invalidValue(`metadata.${field}`, next[field], fieldIsImmutable));
  }
  return uniqueRefusals(refusals);
}

/** Both keys and values are refused at the field itself: the API server names no key in the path. */
export function validateLabels(labels: Record<string, string> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidFor(field, key, problemsOfQualifiedName(key)),
    ...invalidFor(field, value, problemsOfLabelValue(value)),
  ]);
}

/** Keys of annotations may have capitals in their domain; all keys and values together have 256 KiB. */
export function validateAnnotations(annotations: Record<string, string> | undefined, field: string): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const refusals = entries.flatMap(([key]) => invalidFor(field, key, problemsOfQualifiedName(key.toLowerCase())));
  const sizeBytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return sizeBytes > annotationsLimitBytes ? [...refusals, tooLong(field, annotationsLimitBytes)] : refusals;
}

function validateOwnerReferences(references: readonly OwnerReference[], field: string): FieldError[] {
  const refusals = references.flatMap((reference) => validateOwnerReference(reference, field));
  const controllers = references.filter(({ controller }) => controller === true).map(({ kind, name }) => `${kind}/${name}`);
  for (const other of controllers.slice(1)) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0] ?? ''} and ${other}`;
    refusals.push(invalidValue(field, references, detail));
  }
  return refusals;
}

/** The API server leaves the place in the list out of these paths. */
function validateOwnerReference({ apiVersion = '', kind = '', name = '', uid = '' }: Partial<OwnerReference>, field: string): FieldError[] {
  const refusals: FieldError[] = [];
  if (apiVersion === '' || apiVersion.endsWith('/'))
    refusals.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  if (kind === '') refusals.push(invalidValue(`${field}.kind`, kind, 'must not be empty'));
  if (name === '') refusals.push(invalidValue(`${field}.name`, name, 'must not be empty'));
  if (uid === '') refusals.push(invalidValue(`${field}.uid`, uid, 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event') {
    refusals.push(invalidValue(field, { apiVersion, kind, name, uid }, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return refusals;
}

function validateFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const refusals = finalizers.flatMap((finalizer) => invalidFor(field, finalizer, problemsOfQualifiedName(finalizer)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    refusals.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return refusals;
}
