// When two values are equal, and which comes first.
import { Optional } from '@marcbachmann/cel-js';
import { Duration, EvaluationError, Opaque, Timestamp, Uint, identities, isList, isMap, typeText } from './values.ts';
import type { CelMap, List, Value } from './values.ts';
import { countSteps } from './work.ts';

type Numeric = bigint | number | Uint;

const isNumeric = (value: Value): value is Numeric => typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

const plainNumber = (value: Numeric): bigint | number => (value instanceof Uint ? value.value : value);

/** Numbers of all three types are compared by their value; values of different types are not equal. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  countSteps();
  // Integers and doubles of the same value are equal in CEL, which is what this comparison says of them.
  // oxlint-disable-next-line eqeqeq
  if (isNumeric(left)) return isNumeric(right) && plainNumber(left) == plainNumber(right);
  if (left === null || typeof left !== 'object' || right === null || typeof right !== 'object') return false;
  if (isList(left)) return isList(right) && areEqualLists(left, right);
  if (isMap(left)) return isMap(right) && areEqualMaps(left, right);
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof Opaque) return right instanceof Opaque && left.equals(right);
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false;
    if (!left.hasValue() || !right.hasValue()) return left.hasValue() === right.hasValue();
    return isEqual(left.value() as Value, right.value() as Value);
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0;
  return typeText(left) !== undefined && typeText(left) === typeText(right);
}

function areEqualLists(left: List, right: List): boolean {
  if (left.length !== right.length) return false;
  const identity = identities.get(left) ?? identities.get(right);
  if (!identity) return left.every((item, index) => isEqual(item, right[index] ?? null));
  const others = new Map(right.map((item) => [identity.keyOf(item), item]));
  return left.every((item) => {
    const other = others.get(identity.keyOf(item));
    return other !== undefined && isEqual(item, other);
  });
}

function areEqualMaps(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other === undefined || !isEqual(value, other)) return false;
  }
  return true;
}

/** Below 0, 0 or above 0. @throws EvaluationError for values that have no order */
export function compare(left: Value, right: Value): number {
  countSteps();
  if (isNumeric(left) && isNumeric(right)) return order(plainNumber(left), plainNumber(right));
  if (typeof left === 'string' && typeof right === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Timestamp && right instanceof Timestamp) return order(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return order(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  throw new EvaluationError('no such overload');
}

const order = (left: bigint | number, right: bigint | number): number => (left < right ? -1 : left > right ? 1 : 0);
