// What holds for the metadata of every object: names, labels, finalizers, owners; and what an update may not touch.
import type { FieldError } from '../objects/field-error.ts';
import { problemsOfLabelValue, problemsOfQualifiedName } from '../objects/names.ts';
import { isSame } from './api-object.ts';
import type { ApiObject } from './api-object.ts';
import type { ResourceRow } from './resource-row.ts';

const largestAnnotations = 256 * 1024;
/** Finalizers without a domain that Kubernetes itself uses. */
const plainFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

const invalidValue = (field: string, value: unknown, problem: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${problem}`,
});

/** Refusals of an object's metadata, its name included. */
export function metadataErrors(row: ResourceRow, { metadata }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', generateName, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  if (generateName !== undefined) {
    const base = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
    errors.push(...row.rules.nameProblems(base).map((problem) => invalidValue('metadata.generateName', generateName, problem)));
  }
  if (name === '')
    errors.push({ reason: 'FieldValueRequired', field: 'metadata.name', message: 'Required value: name or generateName is required' });
  else errors.push(...row.rules.nameProblems(name).map((problem) => invalidValue('metadata.name', name, problem)));
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...problemsOfQualifiedName(key).map((problem) => invalidValue('metadata.labels', key, problem)));
    errors.push(...problemsOfLabelValue(value).map((problem) => invalidValue('metadata.labels', value, problem)));
  }
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...problemsOfQualifiedName(key.toLowerCase()).map((problem) => invalidValue('metadata.annotations', key, problem)));
    size += key.length + value.length;
  }
  if (size > largestAnnotations) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${largestAnnotations} bytes`,
    });
  }
  for (const [index, { apiVersion, kind, name: owner, uid }] of ownerReferences.entries()) {
    const at = `metadata.ownerReferences[${index}]`;
    if (!apiVersion) errors.push(invalidValue(`${at}.apiVersion`, apiVersion ?? '', 'version must not be empty'));
    if (!kind) errors.push(invalidValue(`${at}.kind`, kind ?? '', 'must not be empty'));
    if (!owner) errors.push(invalidValue(`${at}.name`, owner ?? '', 'must not be empty'));
    if (!uid) errors.push(invalidValue(`${at}.uid`, uid ?? '', 'must not be empty'));
  }
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    errors.push(
      invalidValue(
        'metadata.ownerReferences',
        ownerReferences,
        `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`,
      ),
    );
  }
  for (const [index, finalizer] of finalizers.entries()) {
    const at = `metadata.finalizers[${index}]`;
    const problems = problemsOfQualifiedName(finalizer);
    errors.push(...problems.map((problem) => invalidValue(at, finalizer, problem)));
    if (problems.length === 0 && !finalizer.includes('/') && !plainFinalizers.has(finalizer)) {
      errors.push(invalidValue(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
    }
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/** What the server alone sets, put back into the body of an update. A uid that the body names stays, to be judged. */
export function withServerMetadata(next: ApiObject, previous: ApiObject): ApiObject {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, uid, managedFields, generateName } =
    previous.metadata;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, generation: ___, managedFields: ____, ...given } = next.metadata;
  return {
    ...next,
    metadata: {
      ...given,
      ...(generateName !== undefined && given.generateName === undefined && { generateName }),
      ...(uid !== undefined && given.uid === undefined && { uid }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(generation !== undefined && { generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
      ...(managedFields && { managedFields }),
    },
  };
}

/** Refusals of what an update changes in the metadata. */
export function metadataUpdateErrors(next: ApiObject, previous: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (next.metadata.uid !== previous.metadata.uid) errors.push(invalidValue('metadata.uid', next.metadata.uid ?? '', 'field is immutable'));
  if (previous.metadata.deletionTimestamp !== undefined) {
    const before = previous.metadata.finalizers ?? [];
    const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
    if (added.length > 0) {
      errors.push({
        reason: 'FieldValueForbidden',
        field: 'metadata.finalizers',
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
      });
    }
  }
  return errors;
}

/** Whether two versions differ in what counts as the object's specification. */
export const changesSpec = (next: ApiObject, previous: ApiObject): boolean => !isSame(next.spec, previous.spec);
