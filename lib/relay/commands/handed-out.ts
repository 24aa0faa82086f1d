// Computes in the relay's own time when a queue handed out a received message. The relay may have stood still in between, its machine
// suspended, with nothing setting its wall clock right. The queue states the time by its own clock; it is compared with earlier statements.

/** A message this much later than usual shows that the relay stood still. A slow answer takes less. */
const TOLERANCE_MS = 2_000;

export class HandedOut {
  /** The queue's clock minus the relay's monotonic one, from the latest messages that arrived without a delay. */
  #aheadMs: number | undefined;
  /** A much lower difference, seen once and unconfirmed. */
  #unconfirmedMs: number | undefined;

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
      this.#unconfirmedMs = undefined;
      return nowMs;
    }
    // The same low difference twice: the relay did not stand still, one of the clocks was set.
    if (this.#unconfirmedMs !== undefined && Math.abs(aheadMs - this.#unconfirmedMs) < TOLERANCE_MS) this.#aheadMs = aheadMs;
    this.#unconfirmedMs = aheadMs;
    return Math.min(receivedAtMs - known, nowMs);
  }
}
