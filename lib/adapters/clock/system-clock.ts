// The machine's own clock and chance.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';

/** The longest wait of setTimeout, 24.8 days; longer waits go by in pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  /** The timer keeps the process alive: who waits in the background gives a signal and ends it. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    // A timer takes a millisecond at least, often two.
    if (ms <= 0) return await new Promise((resolve) => setImmediate(resolve));
    const untilMs = this.monotonicMs() + ms;
    for (let leftMs = ms; ; leftMs = untilMs - this.monotonicMs()) {
      await pieceOf(Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS), signal);
      if (leftMs <= LONGEST_TIMER_MS || signal?.aborted) return;
    }
  }

  randomId(): string {
    // The id of a pass is typed behind a command, which would take a dash in front for an option.
    return randomBytes(16).toString('base64url').replace(/^-/, '_');
  }

  random(): number {
    return Math.random();
  }
}

const pieceOf = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
