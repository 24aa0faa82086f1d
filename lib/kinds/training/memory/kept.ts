// A job's part of the head: sets of slots as index ranges, or as bits where that is shorter, so that hundreds of replicas take a few bytes.
import * as v from 'valibot';
import type { Failures } from '../status/backoff.ts';
import { LONGEST_SET, packedSlots, slotSetIn } from './slot-sets.ts';

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
  /** Unix seconds: since when it deletes its pods for a suspension, which its status may not say yet. Absent once none of them is left. */
  suspendedAt: v.optional(v.number()),
  /** The other operator that the job's events have named. */
  operator: v.optional(v.string()),
});
export type Kept = v.InferOutput<typeof KEPT>;

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
