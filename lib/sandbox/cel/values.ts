// Values of CEL expressions. Integers are bigint, doubles are number; null, booleans and text are JavaScript's own.

/** A rule that cannot be evaluated to its end. `||`, `&&`, `all` and `exists` may pass over it. */
export class EvaluationError extends Error {}

/** The evaluation costs more than it may. Nothing passes over this. */
export class BudgetError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    if (value < 0n || value >= 2n ** 64n) throw new EvaluationError('unsigned integer overflow');
    this.value = value;
  }
}

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

export class Optional {
  readonly value: Value | undefined;
  constructor(value?: Value) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library's own type. */
export abstract class Opaque {
  /** As `type()` names it: `net.IP` */
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
  /** As string() gives it; undefined for a type without one. */
  abstract text(): string | undefined;
}

export type Value =
  null | boolean | bigint | number | string | Uint | Uint8Array | Timestamp | Duration | Optional | TypeValue | Opaque | List | CelMap;

/** How the elements of a list of a schema are compared: in order, as a set, or by their keys. */
export interface ListIdentity {
  kind: 'set' | 'map';
  keyOf: (item: Value) => string;
}

export abstract class List {
  abstract readonly items: readonly Value[];
  abstract readonly size: number;
  readonly identity: ListIdentity | undefined;
  constructor(identity?: ListIdentity) {
    this.identity = identity;
  }
}

export class ListOfValues extends List {
  readonly items: readonly Value[];
  constructor(items: readonly Value[], identity?: ListIdentity) {
    super(identity);
    this.items = items;
  }
  get size(): number {
    return this.items.length;
  }
}

/** A list of an object, whose elements are read when they are first asked for. */
export class LazyList extends List {
  readonly #raw: readonly unknown[];
  readonly #read: (raw: unknown) => Value;
  #items: readonly Value[] | undefined;
  constructor(raw: readonly unknown[], read: (raw: unknown) => Value, identity?: ListIdentity) {
    super(identity);
    this.#raw = raw;
    this.#read = read;
  }
  get size(): number {
    return this.#raw.length;
  }
  get items(): readonly Value[] {
    this.#items ??= this.#raw.map(this.#read);
    return this.#items;
  }
}

export abstract class CelMap {
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract keys(): Value[];
  /** Of an object with a schema: its fields are no entries. */
  readonly typeName: string = 'map';
}

/** Keys that are equal have the same text: the numbers 1, 1u and 1.0 are one key. */
export function keyText(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `i${key}`;
  if (key instanceof Uint) return `i${key.value}`;
  if (typeof key === 'number' && Number.isInteger(key)) return `i${BigInt(key)}`;
  throw new EvaluationError(`unsupported key type: ${typeName(key)}`);
}

export class MapOfValues extends CelMap {
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;
  constructor(entries: Iterable<readonly [Value, Value]>) {
    super();
    this.#entries = new Map([...entries].map((entry) => [keyText(entry[0]), entry]));
  }
  get size(): number {
    return this.#entries.size;
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }
  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

/** A map of an object: keys are text, values are read when they are asked for. */
export class LazyMap extends CelMap {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #read: (raw: unknown) => Value;
  readonly #values = new Map<string, Value>();
  constructor(raw: Readonly<Record<string, unknown>>, read: (raw: unknown) => Value) {
    super();
    this.#raw = raw;
    this.#read = read;
  }
  get size(): number {
    return Object.keys(this.#raw).length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.#raw, key)) return undefined;
    let value = this.#values.get(key);
    if (value === undefined) this.#values.set(key, (value = this.#read(this.#raw[key])));
    return value;
  }
  keys(): string[] {
    return Object.keys(this.#raw);
  }
}

/** How one field of an object with a schema is read. */
export interface FieldReader {
  /** As JSON has it, where the expression has an escaped name. */
  name: string;
  read: (raw: unknown) => Value;
}

/** An object whose fields a schema names. */
export class LazyObject extends CelMap {
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #fields: ReadonlyMap<string, FieldReader>;
  readonly #values = new Map<string, Value>();
  override readonly typeName: string;
  constructor(raw: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, FieldReader>, name: string) {
    super();
    this.#raw = raw;
    this.#fields = fields;
    this.typeName = name;
  }
  get size(): number {
    return this.keys().length;
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    let value = this.#values.get(key);
    if (value !== undefined) return value;
    const field = this.#fields.get(key);
    if (!field || !Object.hasOwn(this.#raw, field.name)) return undefined;
    const raw = this.#raw[field.name];
    if (raw === undefined) return undefined;
    this.#values.set(key, (value = field.read(raw)));
    return value;
  }
  keys(): string[] {
    return [...this.#fields].flatMap(([key, { name }]) => (this.#raw[name] === undefined ? [] : [key]));
  }
}

/** As `type()` names the type of a value. */
export function typeName(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
  }
  if (value instanceof List) return 'list';
  if (value instanceof CelMap || value instanceof Opaque) return value.typeName;
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  return 'type';
}

/** The number of characters, bytes, elements or entries; 1 of anything else. What costs are counted by. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return characterCount(value);
  if (value instanceof List || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** Code points, as CEL counts a text. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
    }
  }
  return count;
}
