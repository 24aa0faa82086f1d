// The memory that a pod's passes keep for each other, in its head.
import * as v from 'valibot';

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(1_000));

export const KEPT = v.object({
  /** The Node that it is bound to, as read live. */
  node: v.optional(v.object({ name: text, uid: text })),
  attempt: v.pipe(whole, v.minValue(1)),
  /** A start is intended, and may have been sent: from then on the task may be there. */
  ordered: v.optional(
    v.object({
      /** When it was sent last, Unix milliseconds by the cluster's clock. */
      atMs: whole,
      /** Of the pod as it was sent. */
      digest: text,
      /** The provider has taken it. */
      isTaken: v.optional(v.literal(true)),
    }),
  ),
  /** The highest version at which the task was seen; 0: it was seen without one. Absent: it never was. */
  seen: v.optional(whole),
  /** The provider does not know a task that it had. */
  lost: v.optional(v.object({ sinceMs: whole, looks: whole })),
  /** It is to be stopped. The grace only shrinks (spec section 20.3). */
  stop: v.optional(
    v.object({
      atMs: whole,
      graceSeconds: whole,
      isSentAtMs: v.optional(whole),
      evicted: v.optional(v.literal(true)),
      isLate: v.optional(v.literal(true)),
    }),
  ),
  /** Nothing of it runs, and nothing will. */
  ended: v.optional(v.object({ wasKilled: v.boolean() })),
  /** Calls of the provider that failed in a row. */
  failures: v.optional(
    v.object({
      count: whole,
      untilMs: whole,
      message: text,
      /** It was not called: the environment names something that is not there. */
      isUnresolved: v.optional(v.literal(true)),
    }),
  ),
  /** Why it stands where it stands, for people. */
  note: v.optional(text),
});
export type Kept = v.InferOutput<typeof KEPT>;

export const NOTHING_KEPT: Kept = { attempt: 1 };
