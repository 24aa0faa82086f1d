// Config maps, secrets and service accounts: data that others read.
import type { FieldError } from '../../objects/field-error.ts';
import { problemsOfConfigKey } from '../../objects/names.ts';
import { fieldIsImmutable, forbidden, invalidFor, invalidValue } from '../../objects/refusals.ts';
import { fieldsAt, textAt } from '../objects/api-object.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { ageColumn, column, nameColumn, row } from './row.ts';

const countOf = (object: ApiObject, ...fields: string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(fieldsAt(object, field)).length, 0);

function keyErrors(object: ApiObject): FieldError[] {
  return ['data', 'binaryData'].flatMap((field) =>
    Object.keys(fieldsAt(object, field)).flatMap((key) => invalidFor(`${field}[${key}]`, key, problemsOfConfigKey(key))),
  );
}

function immutableErrors(next: ApiObject, previous: ApiObject): FieldError[] {
  if (previous['immutable'] !== true) return [];
  return ['immutable', 'data', 'binaryData']
    .filter((field) => JSON.stringify(next[field]) !== JSON.stringify(previous[field]))
    .map((field) => forbidden(field, 'field is immutable when `immutable` is set'));
}

const validateUpdate = (next: ApiObject, previous: ApiObject): FieldError[] => [...immutableErrors(next, previous), ...keyErrors(next)];

export const configMaps = row({
  plural: 'configmaps',
  kind: 'ConfigMap',
  shortNames: ['cm'],
  columns: [nameColumn, column('Data', (object) => countOf(object, 'data', 'binaryData')), ageColumn],
  rules: { validate: keyErrors, validateUpdate },
});

/** `stringData` is for writing only: it goes into `data`. */
function withStringData(secret: ApiObject): ApiObject {
  const { stringData: _, ...rest } = secret;
  const texts = Object.entries(fieldsAt(secret, 'stringData'));
  const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  const data = { ...fieldsAt(secret, 'data'), ...Object.fromEntries(encoded) };
  return { ...rest, ...(Object.keys(data).length > 0 && { data }), type: textAt(secret, 'type') || 'Opaque' };
}

export const secrets = row({
  plural: 'secrets',
  kind: 'Secret',
  columns: [nameColumn, column('Type', (object) => textAt(object, 'type')), column('Data', (object) => countOf(object, 'data')), ageColumn],
  fieldsOf: (object) => ({ type: textAt(object, 'type') }),
  rules: {
    defaults: withStringData,
    validate: keyErrors,
    validateUpdate: (next, previous) => [
      ...(next['type'] === previous['type'] ? [] : [invalidValue('type', next['type'], fieldIsImmutable)]),
      ...validateUpdate(next, previous),
    ],
  },
});

export const serviceAccounts = row({
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  shortNames: ['sa'],
  answersDeleted: true,
  subresources: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
  columns: [nameColumn, ageColumn],
});
