// How a function of CEL is declared: its signature in one line, what it does, and the id that costs are counted by.
import { dyn, listOf, mapOf, opaque, optionalOf, plainType, typeOf } from '../types.ts';
import type { PlainKind, Type } from '../types.ts';
import { CelMap, Duration, List, Opaque, Optional, Timestamp, TypeValue, Uint } from '../values.ts';
import type { Value } from '../values.ts';

/** Arguments fit the parameters when this is called: what is declared as text is text. */
export type Run = (...args: never[]) => Value;

export interface Overload {
  id: string;
  /** With a target before the name; the first parameter is the target then. */
  isMember: boolean;
  parameters: readonly Type[];
  result: Type;
  run: Run;
}

export type Declarations = ReadonlyMap<string, readonly Overload[]>;

/** One line of a table: id, signature, implementation. */
export type Line = readonly [id: string, signature: string, run: Run];

/**
 * @param lines such as `['contains_string', 'string -> contains(string): bool', (text, part) => text.includes(part)]`;
 *   a capital letter is a type parameter
 */
export function declared(lines: readonly Line[]): Map<string, Overload[]> {
  const table = new Map<string, Overload[]>();
  for (const [id, signature, run] of lines) {
    const [name, overload] = overloadOf(id, signature, run);
    table.set(name, [...(table.get(name) ?? []), overload]);
  }
  return table;
}

function overloadOf(id: string, signature: string, run: Run): [string, Overload] {
  const arrow = signature.indexOf(' -> ');
  const target = arrow < 0 ? undefined : signature.slice(0, arrow);
  const rest = arrow < 0 ? signature : signature.slice(arrow + 4);
  const [open, close] = [rest.indexOf('('), rest.lastIndexOf('): ')];
  const given = separated(rest.slice(open + 1, close)).map(typeNamed);
  const parameters = target === undefined ? given : [typeNamed(target), ...given];
  return [rest.slice(0, open), { id, isMember: target !== undefined, parameters, result: typeNamed(rest.slice(close + 3)), run }];
}

/** Splits at the commas that no bracket encloses. */
function separated(text: string): string[] {
  if (text === '') return [];
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts.map((part) => part.trim());
}

const plainKinds: readonly string[] = [
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'null',
  'dyn',
  'timestamp',
  'duration',
] satisfies PlainKind[];

function typeNamed(text: string): Type {
  if (plainKinds.includes(text)) return plainType(text as PlainKind);
  if (/^[A-Z]$/.test(text)) return { kind: 'param', name: text };
  const [, outer, inner = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const [first = dyn, second = dyn] = separated(inner).map(typeNamed);
  switch (outer) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'optional':
      return optionalOf(first);
    case 'type':
      return typeOf(first);
    default:
      return opaque(text);
  }
}

/** Whether a value may be given for a parameter, at the time of evaluation. */
export function accepts(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'uint':
      return value instanceof Uint;
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'bytes':
      return value instanceof Uint8Array;
    case 'null':
      return value === null;
    case 'timestamp':
      return value instanceof Timestamp;
    case 'duration':
      return value instanceof Duration;
    case 'list':
      return value instanceof List && (value.size === 0 || accepts(type.of, value.items[0] ?? null));
    case 'map':
    case 'object':
      return value instanceof CelMap;
    case 'optional':
      return value instanceof Optional;
    case 'type':
      return value instanceof TypeValue;
    case 'opaque':
      return value instanceof Opaque && value.typeName === type.name;
    default:
      return true;
  }
}
