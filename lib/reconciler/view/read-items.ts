// Reads items of a view by their names, any number of them, and what is in them.
import type { Head, Store, ViewItem } from '../../ports/store.ts';
import type { AnyChild, ViewPart } from '../../wire/words/observations.ts';
import { readPart } from './recent-parts.ts';

/** Names in one request of a store. */
const MOST_NAMES = 100;

/** The items of these names that exist, by name. @param known these need not be read */
export async function readItems(
  store: Store,
  head: Head,
  names: readonly string[],
  known: ReadonlyMap<string, ViewItem> = new Map(),
): Promise<Map<string, ViewItem>> {
  const present = new Map<string, ViewItem>();
  const unknown: string[] = [];
  for (const name of names) {
    const item = known.get(name);
    if (item) present.set(name, item);
    else unknown.push(name);
  }
  for (let at = 0; at < unknown.length; at += MOST_NAMES)
    for (const item of await store.readItems(head.key, unknown.slice(at, at + MOST_NAMES))) present.set(item.name, item);
  return present;
}

/** The bytes as a part; undefined if absent, unreadable or of an earlier era. Such a part counts as missing (R1, R3). */
export function partOf<Child extends AnyChild>(bytes: Uint8Array | undefined, resource: string, era: number): ViewPart<Child> | undefined {
  if (!bytes) return undefined;
  try {
    const part = readPart<Child>(bytes);
    return part.era < era || part.resource !== resource ? undefined : part;
  } catch {
    return undefined;
  }
}
