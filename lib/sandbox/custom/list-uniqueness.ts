// Lists that are sets, or maps by keys of their elements: none of those may occur twice.
import type { FieldError } from '../../objects/field-error.ts';
import { duplicateValue, invalidValue } from '../../objects/refusals.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { anywhere, itemsOf, propertyOf, valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { sorted } from './sorted-keys.ts';

const holdsUniqueLists = anywhere((schema) => ['map', 'set'].includes(schema['x-kubernetes-list-type'] ?? ''));

/** Duplicates in lists of a value, at any depth. Keys of maps stand in brackets. */
export function duplicateProblems(value: unknown, schema: JsonSchema, path = ''): FieldError[] {
  if (!holdsUniqueLists(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return [
      ...duplicatesIn(value, schema, path),
      ...(items ? value.flatMap((item: unknown, index) => duplicateProblems(item, items, `${path}[${index}]`)) : []),
    ];
  }
  if (!isFields(value)) return [];
  const values = valuesOf(schema);
  return Object.entries(value).flatMap(([key, item]) => {
    const named = propertyOf(schema, key);
    if (named) return duplicateProblems(item, named, path === '' ? key : `${path}.${key}`);
    return values ? duplicateProblems(item, values, `${path}[${key}]`) : [];
  });
}

function duplicatesIn(list: readonly unknown[], schema: JsonSchema, path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] === 'set')
    return repeatedIn(list).map((index) => duplicateValue(`${path}[${index}]`, sorted(list[index])));
  if (schema['x-kubernetes-list-type'] !== 'map') return [];
  const odd = list.findIndex((item) => item !== null && !isFields(item));
  if (odd >= 0) return [invalidValue(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map')];
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).toSorted();
  const identities = list.map((item): Fields => {
    const fields = isFields(item) ? item : {};
    return Object.fromEntries(keys.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]));
  });
  return repeatedIn(identities).map((index) => duplicateValue(`${path}[${index}]`, sorted(identities[index])));
}

/** Where values occur for the second time; a third is not reported. */
function repeatedIn(list: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = JSON.stringify(sorted(item)) ?? '';
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [index] : [];
  });
}
