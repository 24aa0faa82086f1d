// The static types of CEL expressions, how they are written in messages, and which fits where.

/** Types of which there is one each. `error` stands where a problem was reported already, so that it is reported once. */
export type PlainKind = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'dyn' | 'error' | 'timestamp' | 'duration';

export type Type =
  | { readonly kind: PlainKind }
  | { readonly kind: 'list' | 'optional' | 'type'; readonly of: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly of: Type }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, Type> }
  /** A type of a library, such as `net.IP`, that nothing but its functions reads. */
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'param'; readonly name: string };

const plain = new Map<PlainKind, Type>();

export function plainType(kind: PlainKind): Type {
  const known = plain.get(kind) ?? { kind };
  plain.set(kind, known);
  return known;
}

export const dyn = plainType('dyn');
export const errorType = plainType('error');
export const boolType = plainType('bool');
export const stringType = plainType('string');
export const intType = plainType('int');
export const listOf = (of: Type): Type => ({ kind: 'list', of });
export const mapOf = (key: Type, of: Type): Type => ({ kind: 'map', key, of });
export const optionalOf = (of: Type): Type => ({ kind: 'optional', of });
export const typeOf = (of: Type): Type => ({ kind: 'type', of });
export const opaque = (name: string): Type => ({ kind: 'opaque', name });

/** As the messages of a compiler spell a type: `list(string)`, `map(string, int)` */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'error':
      return '!error!';
    case 'list':
      return `list(${typeText(type.of)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.of)})`;
    case 'optional':
      return `optional_type(${typeText(type.of)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
    case 'object':
    case 'opaque':
    case 'param':
      return type.name;
    default:
      return type.kind;
  }
}

/** Types of type parameters, as far as the arguments determine them. */
export type Bindings = Map<string, Type>;

/** A type with its parameters replaced. @param free what stands for a parameter that nothing bound */
export function substituted(type: Type, bindings: Bindings, free?: Type): Type {
  switch (type.kind) {
    case 'param': {
      const known = bindings.get(type.name);
      if (known) return substituted(known, bindings, free);
      return free ?? type;
    }
    case 'list':
    case 'optional':
    case 'type':
      return { kind: type.kind, of: substituted(type.of, bindings, free) };
    case 'map':
      return mapOf(substituted(type.key, bindings, free), substituted(type.of, bindings, free));
    default:
      return type;
  }
}

/** Whether a value of one type may stand where the other is wanted. Binds parameters of either side as it goes. */
export function fits(wanted: Type, given: Type, bindings: Bindings): boolean {
  const left = wanted.kind === 'param' ? resolved(wanted, bindings) : wanted;
  const right = given.kind === 'param' ? resolved(given, bindings) : given;
  if (left === right) return true;
  if (left.kind === 'param') return bound(left.name, right, bindings);
  if (right.kind === 'param') return bound(right.name, left, bindings);
  if (isOpen(left) || isOpen(right)) return true;
  if (right.kind === 'null') return left.kind === 'null' || isNullable(left);
  if (left.kind === 'null') return isNullable(right);
  if (left.kind !== right.kind) return false;
  switch (left.kind) {
    case 'list':
    case 'optional':
      return fits(left.of, (right as typeof left).of, bindings);
    case 'type':
      return true;
    case 'map':
      return fits(left.key, (right as typeof left).key, bindings) && fits(left.of, (right as typeof left).of, bindings);
    case 'object':
    case 'opaque':
      return left.name === (right as typeof left).name;
    default:
      return true;
  }
}

/** Any type, or a problem was reported already. */
export const isOpen = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'error';

/** Messages and what stands for them may be null; scalars and containers may not. */
const isNullable = (type: Type): boolean => ['object', 'opaque', 'timestamp', 'duration'].includes(type.kind);

function resolved(type: Type & { kind: 'param' }, bindings: Bindings): Type {
  const next = bindings.get(type.name);
  return next?.kind === 'param' ? resolved(next, bindings) : (next ?? type);
}

function bound(name: string, type: Type, bindings: Bindings): boolean {
  if (mentions(type, name, bindings)) return false;
  bindings.set(name, type);
  return true;
}

function mentions(type: Type, name: string, bindings: Bindings): boolean {
  switch (type.kind) {
    case 'param': {
      const next = bindings.get(type.name);
      return type.name === name || (next !== undefined && mentions(next, name, bindings));
    }
    case 'list':
    case 'optional':
    case 'type':
      return mentions(type.of, name, bindings);
    case 'map':
      return mentions(type.key, name, bindings) || mentions(type.of, name, bindings);
    default:
      return false;
  }
}

/** The wider of two types that fit each other. */
export const widerOf = (left: Type, right: Type): Type => (isOpen(left) ? left : isOpen(right) ? right : left);

export const isSameType = (left: Type, right: Type): boolean => left === right || typeText(left) === typeText(right);
