// Values of CEL expressions: those of the library, and the types that it has not, or not as Kubernetes has them.
// Integers are bigint, doubles are number; null, booleans, text, arrays and maps are JavaScript's own.
import { Environment } from '@marcbachmann/cel-js';
import type { Optional } from '@marcbachmann/cel-js';
import { ownEntry } from '../../../objects/values/untyped-fields.ts';

/** A rule that cannot be evaluated to its end. `||`, `&&`, `all` and `exists` may pass over it. */
export class EvaluationError extends Error {}

/** The evaluation costs more than it may. Nothing passes over this. */
export class BudgetError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export interface Uint {
  readonly value: bigint;
}

/** The library does not give its classes away, only their instances. */
const classOf = (expression: string): unknown => new Environment().evaluate(expression).constructor;

export const Uint = classOf('0u') as new (value: bigint) => Uint;

interface TypeValue {
  readonly name: string;
}

export const TypeValue = classOf('int') as new (name: string) => TypeValue;

/** A moment, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  /** Of the zone that it was written in, which it is written in again. */
  readonly offsetMinutes: number;
  constructor(nanos: bigint, offsetMinutes = 0) {
    if (nanos < -62_135_596_800_000_000_000n || nanos > 253_402_300_799_999_999_999n) throw new EvaluationError('timestamp overflow');
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    if (nanos < -(2n ** 63n) || nanos >= 2n ** 63n) throw new EvaluationError('duration overflow');
    this.nanos = nanos;
  }
}

/** A value of one of Kubernetes' own types; two of one type are equal where their identities are. */
export abstract class Opaque {
  readonly identity: string;
  constructor(identity: string) {
    this.identity = identity;
  }
  equals(other: Opaque): boolean {
    return other.constructor === this.constructor && other.identity === this.identity;
  }
}

/** Whether a text can be read, by what reads it. */
export const readable =
  <Args extends unknown[]>(read: (...args: Args) => unknown) =>
  (...args: Args): boolean => {
    try {
      read(...args);
      return true;
    } catch (error) {
      if (error instanceof EvaluationError) return false;
      throw error;
    }
  };

const decoder = new TextDecoder('utf-8', { fatal: true });

/** @throws EvaluationError for bytes that are no UTF-8 */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string', { cause });
  }
}

export type List = readonly Value[];
export type CelMap = ReadonlyMap<Value, Value>;

export type Value =
  null | boolean | bigint | number | string | Uint | Uint8Array | Timestamp | Duration | Optional | TypeValue | Opaque | List | CelMap;

export const isList = (value: Value): value is List => Array.isArray(value);
export const isMap = (value: Value): value is CelMap => value instanceof Map;

/** How the elements of a list of a schema are compared, where not in their order: as a set, or by their keys. */
export interface ListIdentity {
  kind: 'set' | 'map';
  keyOf: (item: Value) => string;
}

export const identities = new WeakMap<List, ListIdentity>();

/** JSON of which nothing is known: a whole number is an integer. */
export function untyped(raw: unknown): Value {
  if (typeof raw === 'number') return Number.isInteger(raw) ? BigInt(raw) : raw;
  if (typeof raw === 'string' || typeof raw === 'boolean') return raw;
  if (Array.isArray(raw)) return raw.map(untyped);
  if (typeof raw !== 'object' || raw === null) return null;
  return new Map(Object.entries(raw).flatMap(([key, value]) => (value === undefined ? [] : [[key, untyped(value)] as const])));
}

const typeNames: Readonly<Record<string, string>> = {
  null: 'null_type',
  optional: 'optional_type',
  Timestamp: 'google.protobuf.Timestamp',
  Duration: 'google.protobuf.Duration',
};

/** The text of a type; undefined for a value that is no type. */
export function typeText(value: Value): string | undefined {
  return value instanceof TypeValue ? (ownEntry(typeNames, value.name) ?? value.name) : undefined;
}

/** @throws EvaluationError for a number beyond 64 bits */
export function int64(value: bigint): bigint {
  if (value === BigInt.asIntN(64, value)) return value;
  throw new EvaluationError('integer overflow');
}
