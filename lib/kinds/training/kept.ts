// What a job keeps in the head: sets of slots as index ranges, so that 256 replicas take a few bytes.
import * as v from 'valibot';
import { formatIndexes, indexSetOf, parseIndexes } from '../../objects/index-text.ts';
import type { Failures } from './backoff.ts';
import { MOST_INDEXES, numberOfSlot } from './slots.ts';

const ranges = v.pipe(v.string(), v.maxLength(400));

export const KEPT = v.object({
  /** What the templates of this generation were found to be. */
  checked: v.optional(
    v.object({
      generation: v.number(),
      /** Why the job is invalid. */
      problem: v.optional(v.string()),
      isGpu: v.optional(v.literal(true)),
      account: v.optional(v.string()),
      /** Digest of the spec of its pod group. */
      group: v.optional(v.string()),
    }),
  ),
  /** Slots with so many handled failures, by the number as text. */
  failures: v.optional(v.record(v.string(), ranges)),
  /** Handled failures of the job. */
  failed: v.optional(v.number()),
  /** Slots that have succeeded. */
  succeeded: v.optional(ranges),
  /** Slots whose failure was told as a restart. */
  restarting: v.optional(ranges),
  /** Slots of which one thing was told: by the thing. */
  told: v.optional(v.record(v.string(), ranges)),
});
export type Kept = v.InferOutput<typeof KEPT>;

/** A set of slot numbers, from its text: `0:0;1:0-3,7` is index 0 of the first type, and 0 to 3 and 7 of the second. Other texts are empty sets. */
export function slotSetIn(text: string | undefined): ReadonlySet<number> {
  const slots = new Set<number>();
  for (const part of (text ?? '').split(';')) {
    const [role = '', indexes = ''] = part.split(':');
    if (!/^\d{1,2}$/.test(role)) continue;
    for (const { first, last } of parseIndexes(indexes, MOST_INDEXES))
      for (let index = first; index <= last && slots.size < MOST_SLOTS; index += 1) slots.add(numberOfSlot(Number(role), index));
  }
  return slots;
}

/** An annotation is anybody's to write. */
const MOST_SLOTS = 100_000;

export function slotText(slots: Iterable<number>): string {
  const byRole = Map.groupBy(slots, (slot) => Math.floor(slot / MOST_INDEXES));
  return [...byRole]
    .toSorted(([a], [b]) => a - b)
    .map(([role, own]) => `${role}:${formatIndexes(indexSetOf(own.map((slot) => slot % MOST_INDEXES)))}`)
    .join(';');
}

export function failuresIn({ failures = {}, failed = 0 }: Kept): Failures {
  const bySlot = new Map<number, number>();
  for (const [count, slots] of Object.entries(failures)) for (const slot of slotSetIn(slots)) bySlot.set(slot, Number(count));
  return { bySlot, total: failed };
}

export function keptFailures({ bySlot, total }: Failures): Pick<Kept, 'failures' | 'failed'> {
  const byCount = Map.groupBy(bySlot.keys(), (slot) => bySlot.get(slot) ?? 0);
  return {
    ...(byCount.size > 0 && { failures: Object.fromEntries([...byCount].map(([count, slots]) => [String(count), slotText(slots)])) }),
    ...(total > 0 && { failed: total }),
  };
}

/** More kinds of news are not told of one job at a time. */
const MOST_NEWS = 8;

/** What was told of which slot. A thing that a slot no longer has is forgotten, and told again if it comes back. */
export class Told {
  readonly #before: ReadonlyMap<string, ReadonlySet<number>>;
  readonly #now = new Map<string, number[]>();

  constructor(before: Readonly<Record<string, string>> = {}) {
    this.#before = new Map(Object.entries(before).map(([about, slots]) => [about, slotSetIn(slots)]));
  }

  /** @returns whether it is to be told now @param about a short word or digest: 16 characters at most */
  isNews(about: string, slot: number): boolean {
    const slots = this.#now.get(about);
    if (!slots && this.#now.size >= MOST_NEWS) return false;
    this.#now.set(about, [...(slots ?? []), slot]);
    return !(this.#before.get(about)?.has(slot) ?? false);
  }

  toKeep(): Record<string, string> {
    return Object.fromEntries([...this.#now].map(([about, slots]) => [about, slotText(slots)]));
  }
}
