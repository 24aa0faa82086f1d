// Options of a run (spec section 11), with their defaults.

export const UNTIL = ['running', 'started', 'completed'] as const;
export const REJECTED = ['ignore', 'fail'] as const;
export const CLEANUP = ['keep', 'onFailure', 'always'] as const;
export const CAPACITY = ['run', 'node'] as const;

export interface RunOptions {
  /** When a pod is done. */
  until: (typeof UNTIL)[number];
  /** Whether a pod that its node rejects fails the run. */
  rejected: (typeof REJECTED)[number];
  /** Absent: tasks stay after the run, and a cancelled run deletes them. */
  cleanup?: (typeof CLEANUP)[number];
  /** `run`: only this run's pods take room. `node`: so does everything that the provider lists on the node. */
  capacity: (typeof CAPACITY)[number];
  maxRetries: number;
  retryDelayMs: number;
  backoffFactor: number;
  /** Pods that are being started at once; absent: any number. */
  parallelism?: number;
  /** Lines of each container's log that are kept with the results. */
  logs?: number;
  /** Mirror pods are created in an API server. */
  mirror?: true;
  /** With `capacity: node`: critical pods take the place of pods of the node's cluster. */
  preempt?: true;
  /** Seconds from the start until every open pod fails; absent: long enough for all waits. */
  deadlineSeconds?: number;
  /** How long the record is kept once the run has finished. */
  ttlSeconds: number;
}

export const USUAL_OPTIONS: RunOptions = {
  until: 'running',
  rejected: 'ignore',
  capacity: 'run',
  maxRetries: 10,
  retryDelayMs: 1_000,
  backoffFactor: 2,
  ttlSeconds: 24 * 3_600,
};

/** How often a task is looked at that has not ended yet. */
export const POLL_MS = { first: 5_000, most: 60_000 } as const;

/** A timer beyond this is set in pieces: no delayed message waits longer. */
export const LONGEST_TIMER_MS = 900_000;

const LONGEST_RUN_MS = 24 * 3_600_000;
/** For looks and syncs of a pod, beside its waits. */
const PASSES_MS = 10 * 20_000;

/** Milliseconds from the start to the deadline: the sum of all waits, and time for the passes. */
export function deadlineMsOf({ until, maxRetries, retryDelayMs, backoffFactor, deadlineSeconds }: RunOptions): number {
  if (deadlineSeconds !== undefined) return deadlineSeconds * 1_000;
  if (until === 'completed') return LONGEST_RUN_MS;
  let [sumMs, delayMs] = [0, retryDelayMs];
  for (let retry = 0; retry < maxRetries && sumMs < LONGEST_RUN_MS; retry += 1) {
    sumMs += delayMs;
    delayMs *= backoffFactor;
  }
  return Math.min(sumMs + PASSES_MS, LONGEST_RUN_MS);
}

/** Of one run. Its record is one item, and a node takes no more. */
export const MOST_PODS = 1_000;
