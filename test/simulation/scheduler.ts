// Virtual time: a heap of what happens when. Whatever one event sets off runs to its next await on something scheduled before the
// next event, so that a run is the same each time.
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';

export interface Scheduled {
  atMs: number;
  order: number;
  run: (() => void) | undefined;
}

const START_MS = Date.UTC(2026, 0, 1);

export class Scheduler {
  /** In [0, 1), from the seed. */
  readonly random: () => number;
  /** Milliseconds since the run began; never goes back. */
  elapsedMs = 0;
  steps = 0;
  /** Unix milliseconds at which the run began, as the clocks of AWS tell it. */
  #wallStartMs = START_MS;
  #order = 0;
  readonly #heap: Scheduled[] = [];

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  wallMs(): number {
    return this.#wallStartMs + this.elapsedMs;
  }

  /** Sets the wall clock forward or back. */
  jump(ms: number): void {
    this.#wallStartMs += ms;
  }

  /** @returns what `cancel` takes */
  after(delayMs: number, run: () => void): Scheduled {
    const entry: Scheduled = { atMs: this.elapsedMs + Math.max(0, delayMs), order: this.#order++, run };
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
    return entry;
  }

  cancel(entry: Scheduled): void {
    entry.run = undefined;
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs the next event and all that it sets off. @returns false when nothing is left to happen before that moment */
  async step(untilMs: number): Promise<boolean> {
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.atMs > untilMs) return false;
      this.#pop();
      if (!next.run) continue;
      this.elapsedMs = Math.max(this.elapsedMs, next.atMs);
      this.steps += 1;
      next.run();
      await drained();
      return true;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (!one) break;
      const [child, childAt] = other && isBefore(other, one) ? [other, left + 1] : [one, left];
      if (!isBefore(child, last)) break;
      heap[at] = child;
      at = childAt;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Scheduled, b: Scheduled): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** So many are asked for together: the loop looks outside itself between one such row and the next, and that costs more than all else of a turn. */
const TURNS = 64;

/** Who waits for the next turn, in the order they came. */
let waiting: (() => void)[] = [];
/** Turns that were asked for and have not come. */
let turnsToCome = 0;

function turn(): void {
  turnsToCome -= 1;
  const present = waiting;
  waiting = [];
  for (const resolve of present) resolve();
}

/**
 * A turn of the event loop: by then every promise that could go on has, for Node empties its queues of promises and ticks between two of a row
 * as it does between two rounds of the loop. No time passes and nothing outside is waited for.
 */
export const drained = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (turnsToCome > 0) return;
    turnsToCome = TURNS;
    for (let each = 0; each < TURNS; each++) setImmediate(turn);
  });
