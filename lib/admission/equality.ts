// Whether two values of a field are the same to the API server, which reads JSON into typed fields: an empty list or map is one
// that is not given, and `1024Mi` is `1Gi`.
import { compareQuantities, isQuantity } from '../objects/values/quantity.ts';
import { isFields } from '../objects/values/untyped-fields.ts';

/** Objects whose emptiness says something: these are pointers to structures, all other objects that can be empty are maps. */
const structures = new Set(['emptyDir', 'securityContext', 'affinity', 'nodeAffinity', 'podAffinity', 'podAntiAffinity', 'selector']);

const quantityLists = new Set(['requests', 'limits', 'overhead']);

/**
 * Deep equality by meaning.
 * @param field the name of the field that holds the values; it distinguishes structures from maps and quantities from texts
 */
export function isSameValue(a: unknown, b: unknown, field = ''): boolean {
  if (Object.is(a, b) || (isNothing(a, field) && isNothing(b, field))) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameValue(item, b[at]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  if (quantityLists.has(field)) return isSameQuantityList(a, b);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSameValue(a[key], b[key], key));
}

function isSameQuantityList(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => {
    const [left, right] = [a[name], b[name]];
    return isQuantity(left) && isQuantity(right) ? compareQuantities(left, right) === 0 : isSameValue(left, right);
  });
}

function isNothing(value: unknown, field: string): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && !structures.has(field) && Object.keys(value).length === 0;
}
