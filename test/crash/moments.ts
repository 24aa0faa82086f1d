// The moments at which a process is killed: each lies between two calls of which the first has taken effect.
export const MOMENTS = [
  'relay before a send',
  'between merge and wake',
  'between intent and act',
  'in a wave of creates',
  'between act and record',
  'between status and finalizer',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** Environment of a process that is to die: which moment, and how many of its occurrences are let pass before. */
export const MOMENT_VARIABLE = 'CRASH_MOMENT';
export const SKIP_VARIABLE = 'CRASH_SKIP';
/** A seed: every message is delivered 1 to 3 times, out of order and late. */
export const CHAOS_VARIABLE = 'CRASH_CHAOS_SEED';
/** Milliseconds that a message is late at most. */
export const LATE_VARIABLE = 'CRASH_LATE_MS';
