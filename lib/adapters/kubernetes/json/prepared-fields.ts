// Wanted fields → tables in which a reader finds a field's name by the hash of its bytes, without making a text of it.
import type { WantedFields } from '../../../objects/field-mask.ts';

/** Wanted fields, prepared for finding them by their bytes. */
export type Wanted = 'whole' | 'nothing' | WantedByName;

export interface WantedByName {
  /** By hash, a name a slot. */
  slots: readonly (WantedName | undefined)[];
  /** One less than their count, a power of two. */
  mask: number;
  rest: Wanted;
}

export interface WantedName {
  name: string;
  hash: number;
  wanted: Wanted;
}

const MOST_SLOTS = 65_536;

/** @throws Error field names that could not be distinguished, or not of plain ASCII: a mistake in the program */
export function prepare(fields: WantedFields): Wanted {
  if (typeof fields === 'boolean') return fields ? 'whole' : 'nothing';
  const { '*': rest = false, ...named } = fields;
  const names = Object.entries(named).map(([name, below]): WantedName => ({ name, hash: hashOf(name), wanted: prepare(below) }));
  for (let count = 1; count <= MOST_SLOTS; count *= 2) {
    const slots = Array.from({ length: count }, (_, slot) => names.find(({ hash }) => (hash & (count - 1)) === slot));
    if (names.every((name) => slots.includes(name))) return { slots, mask: count - 1, rest: prepare(rest) };
  }
  throw new Error(`fields that cannot be told apart: ${names.map(({ name }) => name).join(', ')}`);
}

/** As the reader computes it from bytes. */
function hashOf(name: string): number {
  if (!/^[\x20-\x7e]*$/.test(name)) throw new Error(`not a field's name: ${JSON.stringify(name)}`);
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = step(hash, name.charCodeAt(at));
  return hash;
}

/** Of the name until there, and its next byte. */
export const step = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;
