// What a request's body becomes before anything looks at it: checked against its type, unknown fields and nulls dropped,
// empty lists and maps dropped where they would not be serialised. Always a copy.
import { isTime } from '../../objects/time.ts';
import { isFields } from '../api-object.ts';
import type { Fields } from '../api-object.ts';
import type { FieldType, ObjectType } from './notation.ts';

/** What became of a body. `unknown`: paths that its type does not have. */
export interface Decoded {
  object: Fields;
  unknown: string[];
}

/** Deeper bodies are refused: no type here comes near, and walkers recurse. */
const maxDepth = 64;

const quantityPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+|[KMGTPE]i|[numkMGTPE])?$/;
const base64Pattern = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;

/**
 * Checks a body against its type.
 * @param refuse makes the refusal where a value has the wrong type, from what is wrong
 * @throws Error as `refuse` makes it
 */
export function decode(type: ObjectType, value: unknown, refuse: (message: string) => Error): Decoded {
  const unknown: string[] = [];
  const fail = (message: string): never => {
    throw refuse(message);
  };
  let owner = type.name;
  const mismatch = (found: unknown, wanted: string, path: string): never =>
    fail(`json: cannot unmarshal ${jsonKind(found)} into Go struct field ${owner}.${withoutElements(path)} of type ${wanted}`);

  const object = (of: ObjectType, from: unknown, path: string, depth: number): Fields => {
    if (!isFields(from)) return mismatch(from, `v1.${of.name}`, path);
    if (depth > maxDepth) fail(`nested deeper than ${maxDepth} levels`);
    const result: Fields = {};
    const around = owner;
    owner = of.name;
    for (const key of Object.keys(from)) {
      const field = of.fields.get(key);
      const at = path ? `${path}.${key}` : key;
      if (!field) {
        unknown.push(at);
        continue;
      }
      const given = from[key];
      if (given === null || given === undefined) continue;
      const read = any(field.type, given, at, depth + 1);
      if (!field.required && isEmpty(field.type, read)) continue;
      result[key] = read;
    }
    for (const [key, given] of alwaysThere(of)) if (!(key in result)) result[key] = given();
    owner = around;
    return result;
  };

  const any = (of: FieldType, from: unknown, path: string, depth: number): unknown => {
    switch (of.is) {
      case 'object':
        return object(of, from, path, depth);
      case 'list':
        if (!Array.isArray(from)) return mismatch(from, goNameOf(of), path);
        return from.map((item: unknown, index) => any(of.of, item, `${path}[${index}]`, depth + 1));
      case 'map': {
        if (!isFields(from)) return mismatch(from, goNameOf(of), path);
        const result: Fields = {};
        for (const key of Object.keys(from)) if (key !== '__proto__') result[key] = any(of.of, from[key], `${path}{${key}}`, depth + 1);
        return result;
      }
      case 'string':
        return typeof from === 'string' ? from : from === null ? '' : mismatch(from, 'string', path);
      case 'boolean':
        return typeof from === 'boolean' ? from : mismatch(from, 'bool', path);
      case 'int32':
      case 'int64':
        if (typeof from !== 'number') return mismatch(from, of.is, path);
        return isWhole(from, of.is)
          ? from
          : fail(`json: cannot unmarshal number ${from} into Go struct field ${owner}.${withoutElements(path)} of type ${of.is}`);
      case 'number':
        return typeof from === 'number' ? from : mismatch(from, 'float64', path);
      case 'time':
      case 'microTime':
        if (typeof from !== 'string') return mismatch(from, 'string', path);
        if (!isTime(from)) {
          fail(`parsing time ${JSON.stringify(from)} as "2006-01-02T15:04:05Z07:00": cannot parse it (field ${path})`);
        }
        return from;
      case 'bytes':
        if (typeof from !== 'string') return mismatch(from, '[]byte', path);
        return base64Pattern.test(from) ? from : fail(`illegal base64 data in field ${path}`);
      case 'quantity':
        if (typeof from === 'number') return String(from);
        if (typeof from !== 'string') return mismatch(from, 'resource.Quantity', path);
        return quantityPattern.test(from)
          ? from
          : fail("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
      case 'intOrString':
        return typeof from === 'string' || typeof from === 'number' ? from : mismatch(from, 'intstr.IntOrString', path);
      case 'any':
        return copyOf(from, depth);
      default:
        return of satisfies never;
    }
  };

  /** A free-form value, without keys that would change a prototype. */
  const copyOf = (from: unknown, depth: number): unknown => {
    if (depth > maxDepth) return fail(`nested deeper than ${maxDepth} levels`);
    if (Array.isArray(from)) return from.map((item: unknown) => copyOf(item, depth + 1));
    if (!isFields(from)) return from;
    const result: Fields = {};
    for (const key of Object.keys(from)) if (key !== '__proto__') result[key] = copyOf(from[key], depth + 1);
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
      isEmbedded ? [[name, () => emptyOf(of)] as [string, () => unknown]] : [],
    );
    embedded.set(type, found);
  }
  return found;
}

/** What is serialised for a field to which nobody gave anything. */
function emptyOf(type: FieldType): unknown {
  if (type.is === 'object') return Object.fromEntries(alwaysThere(type).map(([name, given]) => [name, given()]));
  if (type.is === 'string') return '';
  return type.is === 'time' || type.is === 'microTime' ? null : 0;
}

function isEmpty(type: FieldType, value: unknown): boolean {
  if (type.is === 'list') return Array.isArray(value) && value.length === 0;
  return type.is === 'map' && isFields(value) && Object.keys(value).length === 0;
}

/** A path as refusals tell it: without the places in lists and the keys of maps. */
const withoutElements = (path: string): string => path.replaceAll(/\[\d+\]|\{[^}]*\}/g, '');

/** How Go calls a type. */
function goNameOf(type: FieldType): string {
  if (type.is === 'object') return `v1.${type.name}`;
  if (type.is === 'list') return `[]${goNameOf(type.of)}`;
  if (type.is === 'map') return `map[string]${goNameOf(type.of)}`;
  return type.is === 'boolean' ? 'bool' : type.is;
}

const isWhole = (value: number, size: 'int32' | 'int64'): boolean =>
  Number.isInteger(value) && (size === 'int64' || (value >= -2147483648 && value <= 2147483647));

function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
