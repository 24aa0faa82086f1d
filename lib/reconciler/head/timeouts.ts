// How long a loss may last: times that visibility, sweep, heartbeats and relays share. docs/recovery.md explains them to operators.

/**
 * A message that is being worked on becomes visible again after this time. A pass sends for 20 s, and its last request lives for 10 s more
 * (R17).
 */
export const VISIBILITY_SECONDS = 35;

/**
 * A function ends before its message becomes visible again. No function that creates heads lives longer, so removal of a cluster waits this
 * long.
 */
export const FUNCTION_SECONDS = VISIBILITY_SECONDS - 1;

/** A head queued or acquired for longer than this has lost its wake or its pass (R9). */
export const STALE_MS = (VISIBILITY_SECONDS + 1) * 1000;

/** Between two sweeps. */
export const SWEEP_EVERY_MS = 60_000;

/** Timers look for stuck heads this long after each sweep, so that a loss is found within a minute. */
export const STALE_LOOKS_AFTER_SECONDS = [20, 40] as const;

/** A digest mismatch counts only if it still stands after this time. */
export const DIGEST_MISMATCH_SECONDS = 4;
