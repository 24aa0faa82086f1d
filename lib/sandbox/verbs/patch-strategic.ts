// Strategic merge patch: a merge patch that knows the types, so that lists are merged by key where their type says so.
// Directives: `$patch: replace|delete|merge`, `$deleteFromPrimitiveList/f`, `$setElementOrder/f`, `$retainKeys`.
import { ApiError, badRequest } from '../objects/api-error.ts';
import { isFields, isSame } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { goText } from '../objects/go-text.ts';
import type { FieldType, ListType, ObjectType } from '../schema/notation.ts';

const deleteFrom = '$deleteFromPrimitiveList/';
const elementOrder = '$setElementOrder/';
const isDirectiveKey = (key: string): boolean => key === '$patch' || key === '$retainKeys' || key.startsWith(elementOrder);

/**
 * The target with the patch applied; the target itself stays.
 * @param type undefined where the target has no shape of its own: then as a merge patch
 * @throws ApiError 400 and 500 for directives that do not fit or that nobody knows, 500 for list elements without their key or of several types
 */
export function strategicPatched(type: ObjectType | undefined, target: Fields, patch: Fields): Fields {
  if (Object.hasOwn(patch, '$patch')) {
    if (patch['$patch'] === 'replace') return withoutDirectives(patch);
    if (patch['$patch'] === 'delete') return {};
    throw unknownPatch(patch);
  }
  const retained = patch['$retainKeys'];
  if (retained !== undefined && !Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys');
  const result: Fields = { ...target };
  for (const key of Object.keys(patch)) {
    if (key.startsWith(deleteFrom)) {
      const name = key.slice(deleteFrom.length);
      const list = own(result, name);
      if (!Array.isArray(list)) continue;
      const values = listOf(patch[key], key);
      result[name] = list.filter((item) => !values.some((value) => isSame(value, item)));
      continue;
    }
    if (isDirectiveKey(key) || key === '__proto__') continue;
    const value = patch[key];
    if (value === null) delete result[key];
    else if (type?.fields.get(key)?.values?.isReplaced === true) result[key] = value;
    else result[key] = patchedField(type?.fields.get(key)?.type, own(result, key), value, { key, order: patch[elementOrder + key] });
  }
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(elementOrder)) continue;
    const name = key.slice(elementOrder.length);
    if (!Object.hasOwn(patch, name)) reorderIn(result, name, type, listOf(patch[key], key));
  }
  if (retained) for (const key of Object.keys(result)) if (!retained.includes(key)) delete result[key];
  return result;
}

function patchedField(
  type: FieldType | undefined,
  target: unknown,
  given: unknown,
  { key, order }: { key: string; order: unknown },
): unknown {
  const value = target === undefined || target === null ? withoutMarked(given) : given;
  if (Array.isArray(value)) {
    if (type?.is !== 'list' || type.patch === 'replace') return value.filter((item) => !isDirective(item));
    const existing: unknown[] = Array.isArray(target) ? target : [];
    checkAlike(existing, value);
    const merged = type.patch === 'set' ? mergedSet(existing, value) : mergedList(type, existing, value, key);
    const wanted = order === undefined ? value.filter((item) => !isDirective(item)) : listOf(order, elementOrder + key);
    return inOrder(merged, wanted, existing, type.patchKey);
  }
  if (!isFields(value)) return value;
  return strategicPatched(type?.is === 'object' ? type : undefined, isFields(target) ? target : {}, value);
}

/** @throws ApiError 500 where elements to be merged are of several types: a null is of none */
function checkAlike(existing: readonly unknown[], added: readonly unknown[]): void {
  const kinds = new Set([...existing, ...added].map((item) => (item === null ? 'null' : typeof item)));
  if (kinds.size > 1) throw new ApiError(500, '', `list element types are not identical: ${goText([existing, added])}`);
}

const mergedSet = (existing: readonly unknown[], added: readonly unknown[]): unknown[] => [
  ...existing,
  ...added.filter((value, index) => !existing.includes(value) && added.indexOf(value) === index),
];

function mergedList({ patchKey, of }: ListType, existing: readonly unknown[], patch: readonly unknown[], field: string): unknown[] {
  const items = patch.map((item) => {
    if (!isFields(item)) throw badRequest(`the list ${field} is merged by ${patchKey}: its elements must be objects`);
    return item;
  });
  const directives = items.filter((item) => Object.hasOwn(item, '$patch'));
  for (const item of directives) {
    if (item['$patch'] === 'merge') throw new ApiError(500, '', 'merging lists cannot yet be specified in the patch');
    if (item['$patch'] !== 'replace' && item['$patch'] !== 'delete') throw unknownPatch(item);
  }
  // It says only: begin with an empty list.
  if (directives.some((item) => item['$patch'] === 'replace')) return items.filter((item) => !directives.includes(item));
  let result: unknown[] = [...existing];
  for (const item of items) {
    const directive = item['$patch'];
    if (!Object.hasOwn(item, patchKey))
      throw new ApiError(500, '', `map: ${goText(item)} does not contain declared merge key: ${patchKey}`);
    const isIt = (other: unknown): boolean => isFields(other) && isSame(other[patchKey], item[patchKey]);
    if (directive === 'delete') {
      result = result.filter((other) => !isIt(other));
      continue;
    }
    const index = result.findIndex(isIt);
    const known = result[index];
    const merged = strategicPatched(of.is === 'object' ? of : undefined, isFields(known) ? known : {}, item);
    if (index < 0) result.push(merged);
    else result[index] = merged;
  }
  return result;
}

/**
 * Elements that the order names stand in that order. The others, in the order they had, each stand before the first named one that
 * they stood before; those that cannot be compared come last.
 */
function inOrder(list: readonly unknown[], order: readonly unknown[], before: readonly unknown[], patchKey: string): unknown[] {
  const idOf = (item: unknown): unknown => (patchKey !== '' && isFields(item) ? item[patchKey] : item);
  const rankIn = (ids: readonly unknown[], item: unknown): number => ids.findIndex((id) => isSame(id, idOf(item)));
  const wanted = order.map(idOf);
  const had = before.map(idOf);
  const byRank = (ids: readonly unknown[], items: unknown[]): unknown[] => items.toSorted((a, b) => rankIn(ids, a) - rankIn(ids, b));
  const named = byRank(
    wanted,
    list.filter((item) => rankIn(wanted, item) >= 0),
  );
  const others = byRank(
    had,
    list.filter((item) => rankIn(wanted, item) < 0),
  );
  const result: unknown[] = [];
  for (const item of named) {
    const rank = rankIn(had, item);
    const behind = others.findIndex((other) => rankIn(had, other) < 0 || rankIn(had, other) > rank);
    if (rank >= 0) result.push(...others.splice(0, behind < 0 ? others.length : behind));
    result.push(item);
  }
  return [...result, ...others];
}

function reorderIn(result: Fields, name: string, of: ObjectType | undefined, order: readonly unknown[]): void {
  const type = of?.fields.get(name)?.type;
  if (of && !type) throw new ApiError(500, '', `unable to find api field in struct ${of.name} for the json field "${name}"`);
  const list = own(result, name);
  if (isFields(list)) throw new ApiError(500, '', 'expected a []interface {}, but received a map[string]interface {}');
  if (Array.isArray(list) && type?.is === 'list') result[name] = inOrder(list, order, list, type.patchKey);
}

/** `constructor` is a name like any other. */
const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

/** A value without a target is taken as it is; one that holds a directive is left out. */
function withoutMarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !(isFields(item) && Object.hasOwn(item, '$patch'))).map(withoutMarked);
  return isFields(value) && Object.hasOwn(value, '$patch') ? {} : value;
}

/** In the words of a real server, which shows a directive that is no text as Go does. */
function unknownPatch(map: Fields): ApiError {
  const directive = map['$patch'];
  const type = typeof directive === 'boolean' ? 'bool' : Number.isInteger(directive) ? 'int64' : 'float64';
  const isTyped = typeof directive === 'number' || typeof directive === 'boolean';
  const told = directive === null ? '%!s(<nil>)' : isTyped ? `%!s(${type}=${directive})` : goText(directive);
  return new ApiError(500, '', `unknown patch type: ${told} in map: ${goText(map)}`);
}

function listOf(value: unknown, key: string): unknown[] {
  if (!Array.isArray(value)) throw badRequest(`${key} must be a list`);
  return value;
}

const isDirective = (item: unknown): boolean => isFields(item) && Object.hasOwn(item, '$patch') && Object.keys(item).length === 1;

const withoutDirectives = (patch: Fields): Fields =>
  Object.fromEntries(Object.entries(patch).filter(([key]) => !isDirectiveKey(key) && !key.startsWith(deleteFrom)));
