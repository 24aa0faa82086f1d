// Counts of the last hour in spans of ten seconds: some hundred small objects, whatever is counted.
import { RATES, rateFor, type RateCount, type RateName } from '../../objects/detail/rates.ts';

const SPAN_MS = 10_000;
const KEPT_MS = 3_600_000;

export class RecentCounts {
  /** Nothing from before is known. Unix milliseconds. */
  readonly sinceMs: number;
  /** By the number of the span; the oldest first. */
  readonly #spans = new Map<number, Map<RateName, RateCount>>();

  constructor(sinceMs: number) {
    this.sinceMs = sinceMs;
  }

  note({ metric, value, dimensions, atMs }: { metric: string; value: number; dimensions: Record<string, string>; atMs: number }): void {
    const rate = rateFor(metric, dimensions);
    if (rate === undefined) return;
    const span = Math.floor(atMs / SPAN_MS);
    let counts = this.#spans.get(span);
    if (!counts) {
      counts = new Map();
      this.#spans.set(span, counts);
      for (const old of this.#spans.keys()) if (old * SPAN_MS <= atMs - KEPT_MS - SPAN_MS) this.#spans.delete(old);
    }
    const known = counts.get(rate) ?? { count: 0, sum: 0 };
    counts.set(rate, { count: known.count + 1, sum: known.sum + value });
  }

  /** The minutes up to now, the oldest first: sixty of them, of each rate. */
  minutes(nowMs: number): Record<RateName, RateCount[]> {
    const minutes = Object.fromEntries(RATES.map((rate) => [rate, Array.from({ length: 60 }, () => ({ count: 0, sum: 0 }))])) as Record<
      RateName,
      RateCount[]
    >;
    const last = Math.floor(nowMs / SPAN_MS);
    for (const [span, counts] of this.#spans) {
      // The span under way is of the youngest minute.
      const minute = 59 - Math.floor((last - span) / 6);
      for (const [rate, { count, sum }] of counts) {
        const into = minutes[rate][minute];
        if (!into || span > last) continue;
        into.count += count;
        into.sum += sum;
      }
    }
    return minutes;
  }
}
