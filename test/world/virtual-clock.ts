// A clock for tests and the simulator: time moves only when told, chance comes from a seed.
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../lib/ports/clock.ts';
import { seededBits } from '../../lib/adapters/embedded/seeded-chance.ts';

interface Timer {
  dueMs: number;
  order: number;
  fire: () => void;
}

/** Turns of the event loop that follow each timer, so that what it woke gets as far as its next wait. */
const TURNS_PER_TIMER = 3;

export class VirtualClock implements Clock {
  #elapsedMs = 0;
  #wallStartMs: number;
  #order = 0;
  readonly #chance: () => number;
  readonly #timers = new Set<Timer>();

  /** @param options.startMs Unix milliseconds of the first moment */
  constructor(options: { startMs?: number; seed?: number } = {}) {
    this.#wallStartMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#chance = seededBits(options.seed ?? 1);
  }

  nowMs(): number {
    return this.#wallStartMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const timer: Timer = {
        dueMs: this.#elapsedMs + ms,
        order: this.#order++,
        fire: () => {
          this.#timers.delete(timer);
          signal?.removeEventListener('abort', timer.fire);
          resolve();
        },
      };
      this.#timers.add(timer);
      signal?.addEventListener('abort', timer.fire, { once: true });
    });
  }

  randomId(): string {
    const bytes = Buffer.alloc(16);
    for (let index = 0; index < 16; index += 4) bytes.writeUInt32LE(this.#chance(), index);
    return bytes.toString('base64url');
  }

  random(): number {
    return this.#chance() / 2 ** 32;
  }

  /** Moves on by so much. Timers on the way fire in their order, each at its own moment, and what they woke runs before the next. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await turns();
    for (let timer = this.#first(); timer && timer.dueMs <= endMs; timer = this.#first()) {
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
      timer.fire();
      await turns();
    }
    this.#elapsedMs = endMs;
    await turns();
  }

  /** Moves on to the next timer and fires it. @returns false when nothing waits */
  async advanceToNextTimer(): Promise<boolean> {
    await turns();
    const first = this.#first();
    if (!first) return false;
    await this.advance(Math.max(0, first.dueMs - this.#elapsedMs));
    return true;
  }

  /** Milliseconds until the next timer; undefined when nothing waits. */
  get nextTimerInMs(): number | undefined {
    const first = this.#first();
    return first && Math.max(0, first.dueMs - this.#elapsedMs);
  }

  /** Sets the wall clock forward or back; monotonic time and timers stay as they are. */
  jumpWall(ms: number): void {
    this.#wallStartMs += ms;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers)
      if (!first || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order)) first = timer;
    return first;
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS_PER_TIMER; turn++) await setImmediate();
};
