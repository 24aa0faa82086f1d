// Decodes a request's body before anything looks at it: checked against its type, unknown fields and nulls dropped,
// empty lists and maps dropped where they would not be serialised. Always a copy, but for the managed fields of a
// stored object.
import { QuantityError, parseQuantity } from '../../objects/values/quantity.ts';
import { isFields } from '../objects/api-object.ts';
import type { Fields } from '../objects/api-object.ts';
import { readBytes, readTime } from './go-values.ts';
import { isWritten } from '../objects/field-set.ts';
import { fieldIn } from './free-form.ts';
import type { FieldType, ObjectType } from './notation.ts';
import { numberTextsIn } from './number-texts.ts';

/** A decoded body. `unknown`: paths that its type does not have. */
export interface Decoded {
  object: Fields;
  unknown: string[];
}

/** A value that has not the type of its place. */
export interface Misfit {
  /** Such as `spec.template.spec.volumes[0]`, keys of maps in braces; empty for the whole body. */
  path: string;
  value: unknown;
  /** Undefined where it is only nested too deep. */
  type: FieldType | undefined;
}

/** Deeper bodies are refused, since walkers recurse: schemas of definitions take two levels for each level of an object. */
export const maxDepth = 1024;
const tooDeep = `nested deeper than ${maxDepth} levels`;

/**
 * Checks a body against its type.
 * @param refuse makes the refusal where a value has the wrong type, from what is wrong
 * @param addsEmpty whether what is serialised though nobody gave it, such as `status: {}`, is there
 * @throws Error as `refuse` makes it
 */
export function decode(
  type: ObjectType,
  value: unknown,
  refuse: (message: string, misfit: Misfit) => Error,
  { addsEmpty = true }: { addsEmpty?: boolean } = {},
): Decoded {
  const unknown: string[] = [];
  const fail = (message: string, misfit: Misfit): never => {
    throw refuse(message, misfit);
  };
  let owner = type.name;
  const unfit = (kind: string, wanted: string, misfit: Misfit): never => {
    const place = misfit.path === '' ? 'value' : `struct field ${owner}.${withoutElements(misfit.path)}`;
    return fail(`json: cannot unmarshal ${kind} into Go ${place} of type ${wanted}`, misfit);
  };

  const object = (of: ObjectType, from: unknown, path: string, depth: number): Fields => {
    if (!isFields(from)) return unfit(jsonKind(from), `v1.${of.name}`, { path, value: from, type: of });
    if (depth > maxDepth) fail(tooDeep, { path, value: from, type: undefined });
    const result: Fields = {};
    const texts = numberTextsIn(from);
    const around = owner;
    owner = of.name;
    for (const key of Object.keys(from)) {
      const field = fieldIn(of, key);
      const at = path ? `${path}.${key}` : key;
      if (!field) {
        unknown.push(at);
        continue;
      }
      const given = from[key];
      if (field.type.is === 'free') {
        if (key !== '__proto__') result[key] = any(field.type, given, at, depth + 1); // a null is kept too
        continue;
      }
      if (given === null || given === undefined) continue;
      const read = any(field.type, given, at, depth + 1, texts?.get(key));
      if (!field.required && isEmpty(field.type, read)) continue;
      if (field.values?.omitsZero && (read === 0 || read === false)) continue;
      result[key] = read;
    }
    if (addsEmpty) for (const [key, given] of alwaysThere(of)) if (!(key in result)) result[key] = given();
    owner = around;
    return result;
  };

  /** An element of a list or map: a null there is not left out, but is its type's zero value. */
  const element = (of: FieldType, from: unknown, path: string, depth: number, written?: string): unknown => {
    if (from !== null) return any(of, from, path, depth, written);
    if (of.is !== 'object') return zeroOf(of);
    const zero = object(of, {}, path, depth);
    for (const { name, required, type: held } of of.fields.values()) if (required && isScalar(held)) zero[name] ??= zeroOf(held);
    return zero;
  };

  /** @param written how a number was written, where that says more than its value */
  const any = (of: FieldType, from: unknown, path: string, depth: number, written?: string): unknown => {
    const misfit = { path, value: from, type: of };
    const mismatch = (wanted: string): never => unfit(jsonKind(from), wanted, misfit);
    switch (of.is) {
      case 'object':
        return object(of, from, path, depth);
      case 'list': {
        if (!Array.isArray(from)) return mismatch(goNameOf(of));
        const texts = numberTextsIn(from);
        return from.map((item: unknown, index) => element(of.of, item, `${path}[${index}]`, depth + 1, texts?.get(String(index))));
      }
      case 'map': {
        if (!isFields(from)) return mismatch(goNameOf(of));
        const result: Fields = {};
        const texts = numberTextsIn(from);
        for (const key of Object.keys(from))
          if (key !== '__proto__') result[key] = element(of.of, from[key], `${path}{${key}}`, depth + 1, texts?.get(key));
        return result;
      }
      case 'string':
        return typeof from === 'string' ? from : mismatch('string');
      case 'boolean':
        return typeof from === 'boolean' ? from : mismatch('bool');
      case 'int32':
      case 'int64':
        if (typeof from !== 'number') return mismatch(of.is);
        return isWhole(from, of.is, written) ? from : unfit(`number ${written ?? from}`, of.is, misfit);
      case 'number':
        return typeof from === 'number' ? from : mismatch('float64');
      case 'time':
      case 'microTime':
        if (typeof from !== 'string') return mismatch('string');
        return readTime(from, of.is === 'microTime') ?? fail(`parsing time ${JSON.stringify(from)}: it is none of RFC 3339`, misfit);
      case 'bytes':
        return typeof from === 'string' ? (readBytes(from) ?? fail('illegal base64 data', misfit)) : mismatch('[]uint8');
      case 'quantity': {
        // Of an object it takes the text, and finds no quantity in that.
        const text = typeof from === 'string' ? from : typeof from === 'number' ? (written ?? String(from)) : JSON.stringify(from);
        const problem = problemOfQuantity(text);
        return problem === undefined ? text : fail(problem, misfit);
      }
      case 'intOrString':
        if (typeof from === 'string') return from;
        if (typeof from !== 'number') return mismatch('int32');
        return isWhole(from, 'int32', written) ? from : unfit(`number ${written ?? from}`, 'int32', misfit);
      case 'any':
      case 'free':
        return copyOf(from, path, depth);
      default:
        return of satisfies never;
    }
  };

  /** A free-form value, without keys that would change a prototype. */
  const copyOf = (from: unknown, path: string, depth: number): unknown => {
    if (depth > maxDepth) return fail(tooDeep, { path, value: from, type: undefined });
    if (Array.isArray(from)) return from.map((item: unknown) => copyOf(item, path, depth + 1));
    if (!isFields(from) || isWritten(from)) return from;
    const result: Fields = {};
    for (const key of Object.keys(from)) if (key !== '__proto__') result[key] = copyOf(from[key], path, depth + 1);
    return result;
  };

  return { object: object(type, value, '', 0), unknown };
}

const embedded = new Map<ObjectType, [string, () => unknown][]>();

/** The fields that are serialised even when nobody gave them, and as what. */
function alwaysThere(type: ObjectType): [string, () => unknown][] {
  let found = embedded.get(type);
  if (!found) {
    found = [...type.fields.values()].flatMap(({ name, type: of, isEmbedded }) =>
      isEmbedded ? [[name, () => (of.is === 'list' ? null : zeroOf(of))] as [string, () => unknown]] : [],
    );
    embedded.set(type, found);
  }
  return found;
}

/** Go's zero value of a type, as it is serialised. */
function zeroOf(type: FieldType): unknown {
  switch (type.is) {
    case 'object':
      return Object.fromEntries(alwaysThere(type).map(([name, given]) => [name, given()]));
    case 'list':
      return [];
    case 'map':
      return {};
    case 'string':
    case 'bytes':
      return '';
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'time':
    case 'microTime':
    case 'any':
    case 'free':
      return null;
    case 'int32':
    case 'int64':
    case 'number':
    case 'intOrString':
      return 0;
    default:
      return type satisfies never;
  }
}

const isScalar = ({ is }: FieldType): boolean => is !== 'object' && is !== 'list' && is !== 'map';

function isEmpty(type: FieldType, value: unknown): boolean {
  if (type.is === 'list') return Array.isArray(value) && value.length === 0;
  return type.is === 'map' && isFields(value) && Object.keys(value).length === 0;
}

/** A path as refusals show it: without the places in lists and the keys of maps. */
const withoutElements = (path: string): string => path.replaceAll(/\[\d+\]|\{[^}]*(?:\}|$)/g, '');

/** How Go calls a type. */
function goNameOf(type: FieldType): string {
  if (type.is === 'object') return `v1.${type.name}`;
  if (type.is === 'list') return `[]${goNameOf(type.of)}`;
  if (type.is === 'map') return `map[string]${goNameOf(type.of)}`;
  return type.is === 'boolean' ? 'bool' : type.is;
}

/** Where it is not known how it was written, the largest of 64 bits is 2 ** 63: nothing between it and that can be held. */
function isWhole(value: number, size: 'int32' | 'int64', written: string | undefined): boolean {
  if (size === 'int32') return (written === undefined || WHOLE.test(written)) && Number.isInteger(value) && value === (value | 0);
  if (written === undefined) return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
  return WHOLE.test(written) && BigInt.asIntN(64, BigInt(written)) === BigInt(written);
}

/** With no more digits than 64 bits hold. */
const WHOLE = /^-?\d{1,19}$/;

function problemOfQuantity(value: string): string | undefined {
  try {
    parseQuantity(value);
    return undefined;
  } catch (error) {
    if (error instanceof QuantityError) return error.message;
    throw error;
  }
}

/** The name of a JSON value's type in refusals. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
