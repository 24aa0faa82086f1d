// How long what was lost may stay lost: the times that visibility, sweep, heartbeats and relays share. docs/recovery.md tells them to people.

/** Messages being worked on come back after so long. A pass sends for 20 s, and what it sent last lives for 10 s more (R17). */
export const VISIBILITY_SECONDS = 35;

/** A function ends before what it works on comes back. None that begins heads lives longer: for so long removal of a cluster waits. */
export const FUNCTION_SECONDS = VISIBILITY_SECONDS - 1;

/** A head queued or open for longer than that has lost its wake or its pass (R9). */
export const STALE_MS = (VISIBILITY_SECONDS + 1) * 1000;

/** Between two sweeps. */
export const SWEEP_EVERY_MS = 60_000;

/** Between two sweeps, timers have stale heads looked for so long after the first one: a loss is found within a minute. */
export const STALE_LOOKS_AFTER_SECONDS = [20, 40] as const;

/** A difference between a relay's digest and the view counts when it still stands after so long. */
export const DOUBT_SECONDS = 4;
