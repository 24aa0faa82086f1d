// All pods that a relay knows, in rows of whole numbers: 80 bytes a pod, which no garbage collection has to look at. As objects with
// texts they took 300, and the heap around them as much again.
import { DICTIONARY_FACTS, NUMBER_FACTS } from '../../objects/pods/fact-table.ts';
import { NO_NUMBERS, NO_VALUES, type CompactPod, type PodShapes, type Shape } from './compact-pod.ts';
import { hashOfUid, packUid, UID_WORDS, unpackUid } from './packed-uid.ts';
import { SharedValues } from './shared-values.ts';

/** Where a pod stands. Given to another one once that pod is removed. */
export type PodRow = number;

/** Pods of one workload, in the order in which they came. */
export interface Members {
  /** Named by its rows. */
  readonly id: number;
  first: PodRow;
  last: PodRow;
  count: number;
}

export const NO_ROW = -1;

/** Places of the words in a row; its first words are the uid. */
const [CHAIN, MEMBERS, NEXT, PREVIOUS, LIST, VERSION_HIGH, VERSION_LOW, SHAPE] = [4, 5, 6, 7, 8, 9, 10, 11];
/** A word for each number fact of the table, and one for the time of a list. */
const FIRST_NUMBER = 12;
const NUMBER_COUNT = NUMBER_FACTS.length;
const [TIME, FLAGS, ROW_WORDS] = [FIRST_NUMBER + NUMBER_COUNT, FIRST_NUMBER + NUMBER_COUNT + 1, FIRST_NUMBER + NUMBER_COUNT + 2];
const FREE = -1;

/** Bits of the flags: what the row has. Those of its numbers come first, and behind these the ones of its dictionary values. */
const HAS_TIME = 2 ** NUMBER_COUNT,
  HAS_NAME = HAS_TIME * 2,
  /** Its values are no such numbers: they stand beside the table. */
  IS_ODD = HAS_NAME * 2,
  HAS_VALUES = IS_ODD * 2,
  FIRST_VALUE = HAS_VALUES * 2,
  HAS_ANY_VALUE = FIRST_VALUE * (2 ** DICTIONARY_FACTS.length - 1);
const [INDEX, NUMBER] = (['index', 'number'] as const).map((fact) => NUMBER_FACTS.findIndex(({ name }) => name === fact)) as [
  number,
  number,
];

const BLOCK_BITS = 11;
const BLOCK_ROWS = 2 ** BLOCK_BITS;
const FIRST_CHAINS = 1_024;
/** A version of so many digits is an exact number. */
const VERSION_DIGITS = 15;
const NEVER: readonly number[] = [];

export class PodTable {
  readonly #shapes: PodShapes;
  readonly #blocks: Int32Array[] = [];
  #rows = 0;
  #free: PodRow = NO_ROW;
  #size = 0;
  /** First rows of the chains of rows whose uids have the same hash. */
  #chains = new Int32Array(FIRST_CHAINS).fill(NO_ROW);
  readonly #uid = new Int32Array(UID_WORDS);
  /** Rows of pods that do not fit in the table. */
  readonly #oddRows = new Map<string, PodRow>();
  readonly #oddUids = new Map<PodRow, string>();
  readonly #odd = new Map<PodRow, CompactPod>();
  readonly #names = new Map<PodRow, string>();
  /** By dictionary fact. */
  readonly #values = DICTIONARY_FACTS.map(({ dictionary }) => new SharedValues(dictionary));

  /** @param shapes of the pods that are put here; a shape is released with its row */
  constructor(shapes: PodShapes) {
    this.#shapes = shapes;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns NO_ROW for a pod that is not here */
  find(uid: string): PodRow {
    if (!packUid(uid, this.#uid)) return this.#oddRows.get(uid) ?? NO_ROW;
    let row = this.#chains[hashOfUid(this.#uid) & (this.#chains.length - 1)] ?? NO_ROW;
    while (row !== NO_ROW && !this.#hasUid(row)) row = this.#get(row, CHAIN);
    return row;
  }

  /** A new row at the end of those of its workload; `put` is to follow. @param uid of a pod that is not here */
  add(uid: string, members: Members, list: number): PodRow {
    const row = this.#newRow();
    if (packUid(uid, this.#uid)) {
      for (let word = 0; word < UID_WORDS; word += 1) this.#set(row, word, this.#uid[word] ?? 0);
      if (this.#size >= this.#chains.length) this.#growChains();
      this.#chain(row);
    } else {
      this.#oddRows.set(uid, row);
      this.#oddUids.set(row, uid);
    }
    this.#size += 1;
    this.#set(row, MEMBERS, members.id);
    this.#set(row, LIST, list);
    this.#set(row, FLAGS, 0);
    this.#set(row, NEXT, NO_ROW);
    this.#set(row, PREVIOUS, members.last);
    if (members.last === NO_ROW) members.first = row;
    else this.#set(members.last, NEXT, row);
    members.last = row;
    members.count += 1;
    return row;
  }

  /** In the place of what was known of that pod. */
  put(row: PodRow, pod: CompactPod): void {
    this.#clear(row);
    let flags = HAS_VALUES;
    this.#set(row, SHAPE, pod.shape.id);
    if (pod.name !== undefined) {
      flags |= HAS_NAME;
      this.#names.set(row, pod.name);
    }
    for (let at = 0; at < pod.values.length; at += 1)
      if (pod.values[at] !== undefined && this.#values[at]?.put(row, pod.values[at])) flags |= FIRST_VALUE << at;
    if (!fits(pod)) {
      this.#odd.set(row, { ...pod, values: this.#valuesOf(row, flags) });
      this.#set(row, FLAGS, flags | IS_ODD);
      return;
    }
    const { version, numbers } = pod;
    const [time] = pod.times;
    const exact = Number(version);
    this.#set(row, VERSION_HIGH, Math.floor(exact / 2 ** 32));
    this.#set(row, VERSION_LOW, exact | 0);
    for (let at = 0; at < NUMBER_COUNT; at += 1) {
      const value = numbers[at];
      if (value === undefined) continue;
      this.#set(row, FIRST_NUMBER + at, value | 0);
      flags |= 1 << at;
    }
    if (time !== undefined) {
      this.#set(row, TIME, time | 0);
      flags |= HAS_TIME;
    }
    this.#set(row, FLAGS, flags);
  }

  /** @param members its workload's */
  remove(row: PodRow, members: Members): void {
    this.#clear(row);
    const [next, previous] = [this.#get(row, NEXT), this.#get(row, PREVIOUS)];
    if (previous === NO_ROW) members.first = next;
    else this.#set(previous, NEXT, next);
    if (next === NO_ROW) members.last = previous;
    else this.#set(next, PREVIOUS, previous);
    members.count -= 1;
    const uid = this.#oddUids.get(row);
    if (uid === undefined) this.#unchain(row);
    else {
      this.#oddRows.delete(uid);
      this.#oddUids.delete(row);
    }
    this.#size -= 1;
    this.#set(row, MEMBERS, FREE);
    this.#set(row, NEXT, this.#free);
    this.#free = row;
  }

  /** All rows; any may be removed meanwhile. */
  *rows(): Generator<PodRow> {
    for (let row = 0; row < this.#rows; row += 1) if (this.#get(row, MEMBERS) !== FREE) yield row;
  }

  /** Those of a workload; the one that was yielded last may be removed meanwhile. */
  *rowsOf({ first }: Members): Generator<PodRow> {
    for (let row = first; row !== NO_ROW;) {
      const next = this.#get(row, NEXT);
      yield row;
      row = next;
    }
  }

  /** @returns the id of its workload's members; of a row that is nobody's, of none */
  membersOf(row: PodRow): number {
    return this.#get(row, MEMBERS);
  }

  listOf(row: PodRow): number {
    return this.#get(row, LIST);
  }

  nameInList(row: PodRow, list: number): void {
    this.#set(row, LIST, list);
  }

  uidOf(row: PodRow): string {
    const odd = this.#oddUids.get(row);
    if (odd !== undefined) return odd;
    for (let word = 0; word < UID_WORDS; word += 1) this.#uid[word] = this.#get(row, word);
    return unpackUid(this.#uid);
  }

  versionOf(row: PodRow): string {
    const odd = this.#odd.size > 0 ? this.#odd.get(row) : undefined;
    return odd ? odd.version : String(this.#get(row, VERSION_HIGH) * 2 ** 32 + this.#unsigned(row, VERSION_LOW));
  }

  /** The state that its next one is compared with. */
  knownOf(row: PodRow): { shape: Shape; name: string | undefined; index: number | undefined; number: number | undefined } {
    const flags = this.#get(row, FLAGS);
    const odd = flags & IS_ODD ? this.#odd.get(row) : undefined;
    if (odd) return { shape: odd.shape, name: odd.name, index: odd.numbers[INDEX], number: odd.numbers[NUMBER] };
    return {
      shape: this.#shapes.at(this.#get(row, SHAPE)),
      name: flags & HAS_NAME ? this.#names.get(row) : undefined,
      index: this.#numberOf(row, flags, INDEX),
      number: this.#numberOf(row, flags, NUMBER),
    };
  }

  /** As it was put. */
  podOf(row: PodRow): CompactPod {
    const flags = this.#get(row, FLAGS);
    const odd = flags & IS_ODD ? this.#odd.get(row) : undefined;
    if (odd) return odd;
    const numbers = NO_NUMBERS.slice();
    for (let at = 0; at < NUMBER_COUNT; at += 1) numbers[at] = this.#numberOf(row, flags, at);
    return {
      uid: this.uidOf(row),
      name: flags & HAS_NAME ? this.#names.get(row) : undefined,
      version: this.versionOf(row),
      shape: this.#shapes.at(this.#get(row, SHAPE)),
      numbers,
      times: flags & HAS_TIME ? [this.#unsigned(row, TIME)] : NEVER,
      values: this.#valuesOf(row, flags),
    };
  }

  #numberOf(row: PodRow, flags: number, at: number): number | undefined {
    return flags & (1 << at) ? this.#unsigned(row, FIRST_NUMBER + at) : undefined;
  }

  #valuesOf(row: PodRow, flags: number): readonly unknown[] {
    return flags & HAS_ANY_VALUE ? this.#values.map((values) => values.of(row)) : NO_VALUES;
  }

  // --- rows

  #get(row: PodRow, word: number): number {
    return this.#blocks[row >> BLOCK_BITS]?.[(row & (BLOCK_ROWS - 1)) * ROW_WORDS + word] ?? 0;
  }

  #unsigned(row: PodRow, word: number): number {
    return this.#get(row, word) >>> 0;
  }

  #set(row: PodRow, word: number, value: number): void {
    const block = this.#blocks[row >> BLOCK_BITS];
    if (block) block[(row & (BLOCK_ROWS - 1)) * ROW_WORDS + word] = value;
  }

  #newRow(): PodRow {
    const row = this.#free;
    if (row !== NO_ROW) {
      this.#free = this.#get(row, NEXT);
      return row;
    }
    // A further block: one that grew would be copied, and leave its old self to the garbage.
    if (this.#rows === this.#blocks.length * BLOCK_ROWS) this.#blocks.push(new Int32Array(BLOCK_ROWS * ROW_WORDS));
    this.#rows += 1;
    return this.#rows - 1;
  }

  /** Takes away what was put. */
  #clear(row: PodRow): void {
    const flags = this.#get(row, FLAGS);
    if (flags === 0) return;
    this.#shapes.release(this.#shapes.at(this.#get(row, SHAPE)));
    if (flags & HAS_NAME) this.#names.delete(row);
    if (flags & IS_ODD) this.#odd.delete(row);
    if (flags & HAS_ANY_VALUE) for (const values of this.#values) values.delete(row);
    this.#set(row, FLAGS, 0);
  }

  // --- uids

  #hasUid(row: PodRow): boolean {
    for (let word = 0; word < UID_WORDS; word += 1) if (this.#get(row, word) !== this.#uid[word]) return false;
    return true;
  }

  #chainOf(row: PodRow): number {
    for (let word = 0; word < UID_WORDS; word += 1) this.#uid[word] = this.#get(row, word);
    return hashOfUid(this.#uid) & (this.#chains.length - 1);
  }

  #chain(row: PodRow): void {
    const chain = this.#chainOf(row);
    this.#set(row, CHAIN, this.#chains[chain] ?? NO_ROW);
    this.#chains[chain] = row;
  }

  #unchain(row: PodRow): void {
    const chain = this.#chainOf(row);
    const after = this.#get(row, CHAIN);
    let at = this.#chains[chain] ?? NO_ROW;
    if (at === row) {
      this.#chains[chain] = after;
      return;
    }
    for (let next = this.#get(at, CHAIN); next !== row; next = this.#get(at, CHAIN)) at = next;
    this.#set(at, CHAIN, after);
  }

  #growChains(): void {
    const chained = [...this.#chains];
    this.#chains = new Int32Array(this.#chains.length * 2).fill(NO_ROW);
    for (const first of chained)
      for (let row = first; row !== NO_ROW;) {
        const next = this.#get(row, CHAIN);
        this.#chain(row);
        row = next;
      }
  }
}

/** Whether all its values are numbers that a row can hold. */
function fits({ version, numbers, times }: CompactPod): boolean {
  if (version.length > VERSION_DIGITS || times.length > 1 || !isUnsigned(times[0])) return false;
  for (const value of numbers) if (!isUnsigned(value)) return false;
  return true;
}

/** Seconds until the year 2106; or absent. */
const isUnsigned = (value: number | undefined): boolean => value === undefined || value >>> 0 === value;
