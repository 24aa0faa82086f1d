// Debounces sends. The first change after a quiet time is sent at once. Changes within the following time are sent together, so that a
// burst takes few messages.
import type { Clock } from '../../ports/clock.ts';

export interface GatheringOptions {
  /** Debounce: how long a change waits. After so long without a change the next one is sent at once. */
  delayMs: number;
  /**
   * Set where each request has a price: changes of pods alone are sent no sooner than this after the latest message. A pass over a workload
   * for such changes runs once a second anyway.
   */
  podsEveryMs: number;
}

/** Delay of an immediate send: one turn of the event loop, so that it includes all that the API server sent in the same packet. */
const SAME_PACKET_MS = 0;
/** One abort reason for all waits: a new error at each abort would cost more than the rest. */
const NO_LONGER = 'nothing is waited for any longer';

export class Gathering {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'wait'>;
  readonly #options: GatheringOptions;
  #notedAtMs = -Infinity;
  #sentAtMs = -Infinity;
  #isHurried = false;
  #hasEnded = false;
  #waiting: AbortController | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs' | 'wait'>, options: GatheringOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /**
   * Records a change.
   * @param of a change of an owner is sent at once only if its spec changed: somebody waits for that. A change of a pod is sent at once
   * only if every other pod of its workload is already counted: a pass for the first of several would delay the others by a second (R9)
   */
  noted(of: { spec: boolean } | { pod: { isLast: () => boolean } }): void {
    const nowMs = this.#clock.monotonicMs();
    const isQuiet = nowMs - this.#notedAtMs >= this.#options.delayMs;
    this.#notedAtMs = nowMs;
    if (!isQuiet || !('spec' in of ? of.spec : nowMs >= this.#podsFromMs && of.pod.isLast())) return;
    this.#isHurried = true;
    this.#waiting?.abort(NO_LONGER);
  }

  sent(): void {
    this.#sentAtMs = this.#clock.monotonicMs();
  }

  /** Resolves when waiting changes must be sent, or after `end`. @param arePodsAlone whether all waiting changes are of pods */
  async over(arePodsAlone: () => boolean): Promise<void> {
    const waiting = new AbortController();
    this.#waiting = waiting;
    while (!this.#isHurried && !this.#hasEnded) {
      await this.#clock.wait(this.#options.delayMs, waiting.signal);
      if (this.#clock.monotonicMs() >= this.#podsFromMs || !arePodsAlone()) break;
    }
    this.#waiting = undefined;
    if (this.#isHurried && !this.#hasEnded) await this.#clock.wait(SAME_PACKET_MS);
    this.#isHurried = false;
  }

  /** From now on no change waits. */
  end(): void {
    this.#hasEnded = true;
    this.#waiting?.abort(NO_LONGER);
  }

  get #podsFromMs(): number {
    return this.#sentAtMs + this.#options.podsEveryMs;
  }
}
