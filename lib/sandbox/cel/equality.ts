// When two values are equal, and which comes first.
import { CelMap, Duration, EvaluationError, List, Opaque, Optional, Timestamp, TypeValue, Uint } from './values.ts';
import type { Value } from './values.ts';
import { countWork } from './work.ts';

type Numeric = bigint | number | Uint;

const isNumeric = (value: Value): value is Numeric => typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

const plainNumber = (value: Numeric): bigint | number => (value instanceof Uint ? value.value : value);

/** Numbers of all three types are compared by their value; values of different types are not equal. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  countWork();
  // Integers and doubles of the same value are equal in CEL, which is what this comparison says of them.
  // oxlint-disable-next-line eqeqeq
  if (isNumeric(left)) return isNumeric(right) && plainNumber(left) == plainNumber(right);
  if (left === null || typeof left !== 'object' || right === null || typeof right !== 'object') return false;
  if (left instanceof List) return right instanceof List && areEqualLists(left, right);
  if (left instanceof CelMap) return right instanceof CelMap && areEqualMaps(left, right);
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof Opaque) return right instanceof Opaque && left.typeName === right.typeName && left.equals(right);
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false;
    if (left.value === undefined || right.value === undefined) return left.value === right.value;
    return isEqual(left.value, right.value);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0;
  return false;
}

function areEqualLists(left: List, right: List): boolean {
  if (left.size !== right.size) return false;
  const identity = left.identity ?? right.identity;
  if (!identity) return left.items.every((item, index) => isEqual(item, right.items[index] ?? null));
  const others = new Map(right.items.map((item) => [identity.keyOf(item), item]));
  return left.items.every((item) => {
    const other = others.get(identity.keyOf(item));
    return other !== undefined && isEqual(item, other);
  });
}

function areEqualMaps(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  return left.keys().every((key) => {
    const [one, other] = [left.get(key), right.get(key)];
    return one !== undefined && other !== undefined && isEqual(one, other);
  });
}

/** Below 0, 0 or above 0. @throws EvaluationError for values that have no order */
export function compare(left: Value, right: Value): number {
  if (isNumeric(left) && isNumeric(right)) return order(plainNumber(left), plainNumber(right));
  if (typeof left === 'string' && typeof right === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Timestamp && right instanceof Timestamp) return order(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return order(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  throw new EvaluationError('no such overload');
}

const order = (left: bigint | number, right: bigint | number): number => (left < right ? -1 : left > right ? 1 : 0);
