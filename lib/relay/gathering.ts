// When what waits is sent. The first news after a quiet time is sent at once; what follows within that time waits for more, so that a burst
// takes few messages.
import type { Clock } from '../ports/clock.ts';

export interface GatheringOptions {
  /** A time without news is quiet from this on; and news that waits, waits so long. */
  delayMs: number;
  /** Where a request has its price: news of pods alone follows the latest message no sooner than this. A workload is looked at for such news once a second. */
  podsEveryMs: number;
}

/** How long the first news waits: a turn of the event loop, so that what the API server sent in the same packet goes with it. */
const SAME_PACKET_MS = 0;
/** Given to who waits: an error made anew each time would cost more than the rest. */
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
   * There is news.
   * @param of an owner's goes at once only where its spec has changed: somebody waits for that. A pod's only where no other of its workload
   * has yet to be counted: a pass that came for the first of several would have the others wait for a second (R9)
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

  /** Ends when what waits is to be sent, or nothing is any more. @param arePodsAlone whether it is news of pods, and of nothing else, that waits */
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

  /** From now on nothing waits. */
  end(): void {
    this.#hasEnded = true;
    this.#waiting?.abort(NO_LONGER);
  }

  get #podsFromMs(): number {
    return this.#sentAtMs + this.#options.podsEveryMs;
  }
}
