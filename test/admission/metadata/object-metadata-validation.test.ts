// What the API server asks of the metadata of any object, new or changed.
import { describe, expect, test } from '@jest/globals';
import type { ObjectMeta } from '../../../lib/objects/kubernetes.ts';
import { problemsOfDnsLabel } from '../../../lib/objects/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../lib/admission/metadata/object-metadata-validation.ts';

const stored: ObjectMeta = {
  name: 'a',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '5',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const fieldsOf = (next: ObjectMeta, previous: ObjectMeta = stored): string[] =>
  validateObjectMetaUpdate(next, previous).map(({ field }) => field);

describe('new objects', () => {
  test('a kind may have its own form of names, and no namespace', () => {
    const rules = { isNamespaced: false, problemsOfName: problemsOfDnsLabel };
    expect(validateObjectMeta({ name: 'a.b' }, rules).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
    expect(validateObjectMeta({ name: 'a', namespace: 'default' }, rules).map(({ message }) => message)).toEqual([
      'Forbidden: not allowed on this type',
    ]);
  });

  test('a finalizer without a domain is for custom resources only', () => {
    const metadata = { name: 'a', namespace: 'default', finalizers: ['mine'] };
    expect(validateObjectMeta(metadata, { isCustom: true })).toEqual([]);
    expect(validateObjectMeta(metadata)).toHaveLength(1);
  });

  test('a prefix of names may end in a dash', () => {
    expect(validateObjectMeta({ name: 'job-x1', generateName: 'job-', namespace: 'default' })).toEqual([]);
    expect(validateObjectMeta({ name: 'x', generateName: 'Job-', namespace: 'default' }).map(({ field }) => field)).toEqual([
      'metadata.generateName',
    ]);
  });

  test('a name and a namespace must be there', () => {
    expect(validateObjectMeta({}).map(({ field }) => field)).toEqual(['metadata.name', 'metadata.namespace']);
  });
});

describe('changes', () => {
  test('who it is does not change', () => {
    expect(fieldsOf(stored)).toEqual([]);
    expect(fieldsOf({ ...stored, name: 'b' })).toEqual(['metadata.name']);
    expect(fieldsOf({ ...stored, namespace: 'other' })).toEqual(['metadata.namespace']);
    expect(fieldsOf({ ...stored, uid: 'v' })).toEqual(['metadata.uid']);
    expect(fieldsOf({ ...stored, creationTimestamp: '2026-01-02T00:00:00Z' })).toEqual(['metadata.creationTimestamp']);
    expect(fieldsOf({ ...stored, generation: 1 })).toEqual(['metadata.generation']);
  });

  test('a dying object gets no more finalizers, but may lose them', () => {
    const dying = { ...stored, deletionTimestamp: '2026-01-01T00:01:00Z', finalizers: ['a/b', 'a/c'] };
    expect(fieldsOf({ ...dying, finalizers: ['a/c'] }, dying)).toEqual([]);
    expect(validateObjectMetaUpdate({ ...dying, finalizers: ['a/b', 'a/d'] }, dying)).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: 'metadata.finalizers',
        message: 'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/d"}',
      },
    ]);
  });
});
