// The cost of a table's requests, counted by DynamoDB's own rules for the size of items: the same figures on every store.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

export interface Units {
  writeUnits: number;
  indexUnits: number;
  readUnits: number;
  requests: number;
}

/** Attributes that the sparse indexes are keyed by, beside the table's own keys; all of them project keys only. */
const INDEX_KEYS: readonly (readonly string[])[] = [
  ['h', 'p'],
  ['h', 'd'],
  ['c', 'pk'],
];

/** Names and values in UTF-8; a number takes a byte for two digits and one more; a map 3 bytes and one for each entry. */
export function itemSizeBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + valueSizeBytes(value);
  return bytes;
}

function valueSizeBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberSizeBytes(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.M !== undefined) return 3 + itemSizeBytes(value.M) + Object.keys(value.M).length;
  if (value.L !== undefined) return value.L.reduce((bytes, entry) => bytes + valueSizeBytes(entry) + 1, 3);
  return 1;
}

const numberSizeBytes = (number: string): number =>
  Math.ceil(number.replace(/^-|\./g, '').replace(/^0+|0+$/g, '').length / 2) + 1 + (number.startsWith('-') ? 1 : 0);

/** One for each KB begun; nothing there costs one as well. */
export const writeUnitsOf = (...items: (Item | undefined)[]): number =>
  Math.max(1, ...items.map((item) => (item ? Math.ceil(itemSizeBytes(item) / 1024) : 1)));

/** Strong reads: one for each 4 KB begun of all that is read in one request. */
export const readUnitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 4096));

/** Units that the indexes pay for a write: one to enter, one to leave, two to move, nothing when their keys stay as they were. */
export function indexUnitsOf(before: Item | undefined, after: Item | undefined): number {
  let units = 0;
  for (const keys of INDEX_KEYS) {
    const old = entryOf(before, keys);
    const fresh = entryOf(after, keys);
    if (old !== fresh) units += (old === undefined ? 0 : 1) + (fresh === undefined ? 0 : 1);
  }
  return units;
}

/** Undefined where a key is missing: the item is not in that index. View items and notes are in none. */
function entryOf(item: Item | undefined, keys: readonly string[]): string | undefined {
  if (!item || item['c'] === undefined) return undefined;
  const values = keys.map((key) => item[key]?.S ?? item[key]?.N);
  return values.includes(undefined) ? undefined : values.join(' ');
}

/** Adds up what a store's requests cost, in all and by the store's operations. */
export class WriteMeter implements Units {
  writeUnits = 0;
  indexUnits = 0;
  readUnits = 0;
  requests = 0;
  byOperation: Record<string, Units> = {};
  /** Told of each cost. */
  listener?: (cost: Partial<Units>) => void;

  /** @param cost.requests 1 when not given */
  add(operation: string, cost: Partial<Units>): void {
    this.listener?.(cost);
    const sum = (this.byOperation[operation] ??= { writeUnits: 0, indexUnits: 0, readUnits: 0, requests: 0 });
    for (const units of [this, sum]) {
      units.writeUnits += cost.writeUnits ?? 0;
      units.indexUnits += cost.indexUnits ?? 0;
      units.readUnits += cost.readUnits ?? 0;
      units.requests += cost.requests ?? 1;
    }
  }

  reset(): void {
    this.writeUnits = this.indexUnits = this.readUnits = this.requests = 0;
    this.byOperation = {};
  }
}
