// The API server's rules for the volumes that show a pod as files what the cluster knows: keys, fields, tokens.
import type { FieldError } from '../../objects/field-error.ts';
import { filePaths, validateFieldReference, validateFileResourceReference } from '../field-reference-validation.ts';
import { validateLocalPath } from './path-validation.ts';
import { forbidden, invalidValue, requiredValue } from '../../objects/refusals.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { isFields, listOf, numberOf, fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';

/** The refusals of a `projected` source that lies at `field`. A source of nothing is taken. */
export function validateProjections(sources: readonly Fields[], field: string): FieldError[] {
  const refusals: FieldError[] = [];
  const taken = new Set<string>();
  for (const [at, source] of sources.entries()) {
    const kinds = Object.keys(source).filter((key) => isFields(source[key]));
    for (const kind of kinds) {
      const projection = fieldsOf(source[kind]);
      const path = `${field}.sources[${at}].${kind}`;
      if (kind === 'secret' || kind === 'configMap') {
        if (textOf(projection['name']) === '') refusals.push(requiredValue(`${path}.name`));
        refusals.push(...validateItems(projection['items'], `${path}.items`));
      }
      if (kind === 'downwardAPI') refusals.push(...validateDownwardFiles(projection, path));
      if (kind === 'serviceAccountToken') refusals.push(...validateToken(projection, { path, field }));
      // That a token lies where another file does is only warned of.
      for (const file of listOf(projection['items']).map((item) => textOf(item['path']))) {
        const shown = kind === 'downwardAPI' ? file : textOf(projection['name']);
        if (taken.has(file)) refusals.push(invalidValue(field, shown, 'conflicting duplicate paths'));
        if (file !== '') taken.add(file);
      }
    }
    if (kinds.length > 1) refusals.push(forbidden(`${field}.sources[${at}]`, 'may not specify more than 1 volume type per source'));
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

/** The keys of a ConfigMap or Secret that become files. */
export function validateItems(items: unknown, field: string): FieldError[] {
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

/** The refusals of a `downwardAPI` that lies at `field`. The API server leaves the place in the list out of these paths. */
export const validateDownwardFiles = ({ items }: Fields, field: string): FieldError[] =>
  listOf(items).flatMap((item) => validateDownwardFile(item, field));

function validateDownwardFile(item: Fields, field: string): FieldError[] {
  const path = textOf(item['path']);
  const { fieldRef, resourceFieldRef } = item;
  const refusals = [...(path === '' ? [requiredValue(`${field}.path`)] : []), ...validateLocalPath(path, `${field}.path`)];
  if (isFields(fieldRef)) {
    refusals.push(...validateFieldReference(fieldRef, `${field}.fieldRef`, filePaths));
    if (isFields(resourceFieldRef)) {
      refusals.push(invalidValue(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (isFields(resourceFieldRef)) {
    refusals.push(...validateFileResourceReference(resourceFieldRef, `${field}.resourceFieldRef`));
  } else refusals.push(requiredValue(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...refusals, ...validateMode(item['mode'], `${field}.mode`)];
}

/** Who may read and write files. */
export function validateMode(value: unknown, field: string): FieldError[] {
  const mode = numberOf(value);
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
