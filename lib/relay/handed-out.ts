// When a queue handed out what a relay has received, in the relay's own time. A relay may have stood still between: its machine suspended,
// its wall clock set back by nobody since. The queue tells when by its clock, and that is compared with what it told before.

/** So much later than usual is no slow answer any more. */
const TOLERANCE_MS = 2_000;

export class HandedOut {
  /** The queue's clock minus the relay's monotonic one, as the latest messages told that came at once. */
  #aheadMs: number | undefined;
  /** A difference that was much lower than that, once. */
  #doubtedMs: number | undefined;

  /**
   * @param receivedAtMs by the queue's clock. @param nowMs by the relay's monotonic clock
   * @returns by the relay's monotonic clock, not after `nowMs`
   */
  at(receivedAtMs: number, nowMs: number): number {
    const aheadMs = receivedAtMs - nowMs;
    const known = this.#aheadMs;
    const isLate = known !== undefined && aheadMs < known - TOLERANCE_MS;
    if (!isLate) {
      this.#aheadMs = aheadMs;
      this.#doubtedMs = undefined;
      return nowMs;
    }
    // Twice the same: nothing stood still, one of the clocks was set.
    if (this.#doubtedMs !== undefined && Math.abs(aheadMs - this.#doubtedMs) < TOLERANCE_MS) this.#aheadMs = aheadMs;
    this.#doubtedMs = aheadMs;
    return Math.min(receivedAtMs - known, nowMs);
  }
}
