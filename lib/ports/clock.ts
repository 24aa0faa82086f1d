// Time and chance, so that tests and the simulator can hold both.

export interface Clock {
  /** Unix milliseconds by the wall. */
  nowMs(): number;
  /** Milliseconds that never jump; only differences mean something. */
  monotonicMs(): number;
  /**
   * Resolves after so long, or at once when the signal fires. Nothing waits like this inside a function (R11). Relay, pollers and local mode
   * do. A relayed call does too, between two looks for its answer, and a query of logs: they wait for
   * that as any call waits for its own.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** 22 random characters, URL-safe: fences, session ids. */
  randomId(): string;
  /** In [0, 1): jitter. */
  random(): number;
}

/** Nothing is sent after it (R17). Callers check both clocks, last before the socket. */
export interface Deadline {
  wallMs: number;
  monotonicMs: number;
}

/** @param ms from now, by both clocks */
export const deadlineIn = (clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, ms: number): Deadline => ({
  wallMs: clock.nowMs() + ms,
  monotonicMs: clock.monotonicMs() + ms,
});

export const hasPassed = (deadline: Deadline, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>): boolean =>
  clock.nowMs() >= deadline.wallMs || clock.monotonicMs() >= deadline.monotonicMs;
