// A job's part of the head: sets of slots as index ranges, or as bits where that is shorter, so that hundreds of replicas take a few bytes.
import * as v from 'valibot';
import { formatIndexes, indexSetOf, parseIndexes, type IndexSet } from '../../objects/values/index-text.ts';
import type { Failures } from './backoff.ts';
import { MOST_INDEXES, numberOfSlot } from './slots.ts';

/** Characters: bits of some 49,000 slots. */
const LONGEST_SET = 8_192;
const slotSet = v.pipe(v.string(), v.maxLength(LONGEST_SET));

export const KEPT = v.object({
  /** Findings in the templates of this generation. */
  checked: v.optional(
    v.object({
      generation: v.number(),
      /** Why the job is invalid. */
      problem: v.optional(v.string()),
      isGpu: v.optional(v.literal(true)),
      account: v.optional(v.string()),
      /** The account was seen among the job's own objects. */
      hasOwnAccount: v.optional(v.literal(true)),
      /** Digest of the spec of its pod group. */
      group: v.optional(v.string()),
    }),
  ),
  /** Slots with so many handled failures, by the number as text: a slot of several numbers has their sum. */
  failures: v.optional(v.record(v.string(), slotSet)),
  /** Handled failures of the job. */
  failed: v.optional(v.number()),
  /** Slots that have succeeded. */
  succeeded: v.optional(slotSet),
  /** Slots whose failure was reported as a restart. */
  restarting: v.optional(slotSet),
  /** Slots for which one thing was reported: by the thing. */
  told: v.optional(v.record(v.string(), slotSet)),
  /** The other operator that the job's events have named. */
  operator: v.optional(v.string()),
});
export type Kept = v.InferOutput<typeof KEPT>;

/**
 * A set of slot numbers, from its text: `0:0;1:0-3,7` is index 0 of the first type, and 0 to 3 and 7 of the second; `1:*jw` is the same set of the
 * second type as bits, the lowest index first. Other texts are empty sets.
 */
export function slotSetIn(text: string | undefined): ReadonlySet<number> {
  const slots = new Set<number>();
  for (const part of (text ?? '').split(';')) {
    const [role = '', indexes = ''] = part.split(':');
    if (!/^\d{1,2}$/.test(role)) continue;
    for (const { first, last } of indexes.startsWith(BITS)
      ? indexesInBits(indexes.slice(BITS.length))
      : parseIndexes(indexes, MOST_INDEXES))
      for (let index = first; index <= last && slots.size < MOST_SLOTS; index += 1) slots.add(numberOfSlot(Number(role), index));
  }
  return slots;
}

/** An annotation is anybody's to write. */
const MOST_SLOTS = 100_000;

/** As index ranges, which people read too. */
export const slotText = (slots: Iterable<number>): string => textByRole(slots, (indexes) => formatIndexes(indexSetOf(indexes)));

/** As index ranges, or as bits where the indexes are so scattered that ranges take more room. */
export const packedSlots = (slots: Iterable<number>): string =>
  textByRole(slots, (indexes) => {
    const set = indexSetOf(indexes);
    const ranges = formatIndexes(set);
    const bytes = Math.floor((set.at(-1)?.last ?? 0) / 8) + 1;
    const bitsLength = BITS.length + Math.ceil((bytes * 4) / 3);
    return bitsLength < ranges.length ? `${BITS}${bitsOf(set, bytes)}` : ranges;
  });

/** Begins a set that is written as bits, in base64url. */
const BITS = '*';

function bitsOf(set: IndexSet, bytes: number): string {
  const bits = Buffer.alloc(bytes);
  for (const { first, last } of set) for (let index = first; index <= last; index += 1) bits[index >> 3]! |= 1 << (index & 7);
  return bits.toString('base64url');
}

function indexesInBits(text: string): IndexSet {
  const indexes: number[] = [];
  for (const [at, byte] of Buffer.from(text.slice(0, LONGEST_SET), 'base64url').entries())
    for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) indexes.push(at * 8 + bit);
  return indexSetOf(indexes);
}

function textByRole(slots: Iterable<number>, textOf: (indexes: number[]) => string): string {
  const byRole = Map.groupBy(slots, (slot) => Math.floor(slot / MOST_INDEXES));
  return [...byRole]
    .toSorted(([a], [b]) => a - b)
    .map(([role, own]) => `${role}:${textOf(own.map((slot) => slot % MOST_INDEXES))}`)
    .join(';');
}

/** From the first index to the last of each type. */
const stretchesOf = (slots: Iterable<number>): string =>
  textByRole(slots, (indexes) => formatIndexes([{ first: Math.min(...indexes), last: Math.max(...indexes) }]));

export function failuresIn({ failures = {}, failed = 0 }: Kept): Failures {
  const bySlot = new Map<number, number>();
  for (const [count, slots] of Object.entries(failures))
    for (const slot of slotSetIn(slots)) bySlot.set(slot, (bySlot.get(slot) ?? 0) + Number(count));
  return { bySlot, total: failed };
}

/** By powers of two: however the counts differ from slot to slot, up to 15 failures of each take four sets. */
export function keptFailures({ bySlot, total }: Failures): Pick<Kept, 'failures' | 'failed'> {
  const byPower = new Map<number, number[]>();
  for (const [slot, count] of bySlot)
    for (let power = 1; power <= count; power *= 2)
      if (Math.floor(count / power) % 2 === 1) byPower.set(power, [...(byPower.get(power) ?? []), slot]);
  return {
    ...(byPower.size > 0 && { failures: Object.fromEntries([...byPower].map(([power, slots]) => [String(power), packedSlots(slots)])) }),
    ...(total > 0 && { failed: total }),
  };
}

/** Words for the report that somebody else has the name of a slot's pod, of its service, of the autoscaler. */
export const TAKEN = { pods: 'taken', services: 'takenService', scaler: 'takenScaler' } as const;

/** More kinds of reports are not kept of one job at a time. */
const MOST_NEWS = 8;
/** Of the sets of all of them together, but for one stretch of each type. */
const MOST_TOLD_CHARACTERS = 120;

/** Reports by slot. A thing that a slot no longer has is forgotten, and reported again if it comes back. */
export class Told {
  readonly #before: ReadonlyMap<string, ReadonlySet<number>>;
  readonly #now = new Map<string, number[]>();

  constructor(before: Readonly<Record<string, string>> = {}) {
    this.#before = new Map(Object.entries(before).map(([about, slots]) => [about, slotSetIn(slots)]));
  }

  /** @returns whether to report it now @param about a short word or digest: 16 characters at most */
  isNews(about: string, slot: number): boolean {
    const slots = this.#now.get(about);
    if (!slots && this.#now.size >= MOST_NEWS) return false;
    this.#now.set(about, [...(slots ?? []), slot]);
    return !(this.#before.get(about)?.has(slot) ?? false);
  }

  /** It is not known in this plan whether it is still so: a report stays noted. */
  stillTold(about: string, slot: number): void {
    if (this.#before.get(about)?.has(slot)) this.isNews(about, slot);
  }

  /**
   * Where the slots are so many and so scattered that they take too much room, whole stretches count as reported, the longest text first: a thing that
   * comes up between two such slots is then not reported.
   */
  toKeep(): Record<string, string> {
    const kept = [...this.#now].map(([about, slots]) => ({ about, slots, text: packedSlots(slots) }));
    let length = kept.reduce((sum, { text }) => sum + text.length, 0);
    for (const each of kept.toSorted((a, b) => b.text.length - a.text.length)) {
      if (length <= MOST_TOLD_CHARACTERS) break;
      length -= each.text.length;
      each.text = stretchesOf(each.slots);
      length += each.text.length;
    }
    return Object.fromEntries(kept.map(({ about, text }) => [about, text]));
  }
}
