// The cost of one call as it runs, in the API server's units: one is a simple step, a tenth is a character looked at.
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import { List, Opaque, sizeOf } from './values.ts';
import type { Value } from './values.ts';
import { countWork } from './work.ts';

export type ActualCost = number | ((args: readonly Value[]) => number);

const perCharacter = 0.1;
const perPatternCharacter = 0.25;

const sizeAt = (args: readonly Value[], index: number): number => quickSize(args[index] ?? null);

/** Characters beyond the basic plane count twice: that is close enough for a cost, and needs no look at the text. */
const quickSize = (value: Value): number => (typeof value === 'string' ? value.length : sizeOf(value));

const traversal =
  (factor: number): ActualCost =>
  (args) =>
    Math.ceil(sizeAt(args, 0) * factor * perCharacter);

const pattern: ActualCost = (args) => Math.ceil((1 + sizeAt(args, 0)) * perCharacter) * Math.ceil(sizeAt(args, 1) * perPatternCharacter);

const smaller: ActualCost = (args) =>
  args[0] instanceof Opaque ? 1 : Math.ceil(Math.min(sizeAt(args, 0), sizeAt(args, 1)) * perCharacter);

function depth(value: Value): number {
  countWork();
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(quickSize(value) * perCharacter);
  if (value instanceof List) return value.items.reduce<number>((sum, item) => sum + depth(item), 0);
  return 1;
}

const quadratic: ActualCost = (args) => 1 + sizeAt(args, 0) * sizeAt(args, 1);

/** Two texts or lists as one. */
const joined: ActualCost = (args) => Math.ceil((sizeAt(args, 0) + sizeAt(args, 1)) * perCharacter);

const byFunction: Readonly<Record<string, ActualCost>> = {
  isSorted: (args) => depth(args[0] ?? null),
  sum: (args) => depth(args[0] ?? null),
  max: (args) => depth(args[0] ?? null),
  min: (args) => depth(args[0] ?? null),
  indexOf: (args) => depth(args[0] ?? null),
  lastIndexOf: (args) => depth(args[0] ?? null),
  url: traversal(1),
  isURL: traversal(1),
  lowerAscii: traversal(1),
  upperAscii: traversal(1),
  substring: traversal(1),
  trim: traversal(1),
  charAt: traversal(1),
  replace: traversal(2),
  split: traversal(2),
  join: (args) => depth(args[0] ?? null) * 2 + Math.ceil(sizeAt(args, 0) * sizeAt(args, 1) * 2 * perCharacter),
  find: pattern,
  findAll: pattern,
  matches: pattern,
  cidr: traversal(1),
  isIP: traversal(1),
  isCIDR: traversal(1),
  'ip.isCanonical': traversal(2),
  quantity: traversal(1),
  isQuantity: traversal(1),
  semver: traversal(1),
  isSemver: traversal(1),
  validate: (args) => Math.ceil((1 + sizeAt(args, 1)) * perCharacter) * Math.ceil(60 * perPatternCharacter),
  startsWith: (args) => Math.ceil(sizeAt(args, 1) * perCharacter),
  endsWith: (args) => Math.ceil(sizeAt(args, 1) * perCharacter),
  contains: (args) => Math.ceil(sizeAt(args, 0) * perCharacter) * Math.ceil(sizeAt(args, 1) * perCharacter),
  format: traversal(1),
  'strings.quote': traversal(1),
  '@in': (args) => (args[1] instanceof List ? args[1].size : 1),
  '_==_': smaller,
  '_!=_': smaller,
  '_<_': smaller,
  '_<=_': smaller,
  '_>_': smaller,
  '_>=_': smaller,
  'sets.contains': quadratic,
  'sets.equivalent': quadratic,
  'sets.intersects': quadratic,
  distinct: (args) => 10 + sizeAt(args, 0) ** 2,
  sort: (args) => 10 + sizeAt(args, 0) ** 2,
  '@sortByAssociatedKeys': (args) => 10 + sizeAt(args, 0) ** 2,
  slice: (args) => 10 + sizeAt(args, 0),
  flatten: (args) => 10 + depth(args[0] ?? null),
  reverse: (args) => 10 + sizeAt(args, 0),
  'lists.range': (args) => 10 + Number(typeof args[0] === 'bigint' ? args[0] : 0n),
  // Each insertion copies the map.
  'cel.@mapInsert': (args) => 1 + sizeAt(args, 0),
};

const byOverload: Readonly<Record<string, ActualCost>> = {
  add_string: joined,
  add_bytes: joined,
  // The elements are copied, which the API server does not do.
  add_list: (args) => 1 + joined0(args),
  string_to_bytes: traversal(1),
  bytes_to_string: traversal(1),
  string_to_ip: traversal(1),
  cidr_contains_ip_string: (args) => 4 + Math.ceil(sizeAt(args, 1) * perCharacter),
  cidr_contains_cidr_string: (args) => 7 + Math.ceil(sizeAt(args, 1) * perCharacter),
};

const joined0 = (args: readonly Value[]): number => Math.floor((sizeAt(args, 0) + sizeAt(args, 1)) * perCharacter);

export const actualCost = (name: string, overload: string): ActualCost => ownEntry(byOverload, overload) ?? ownEntry(byFunction, name) ?? 1;
