// The write budget of a cluster, shared by all functions (R14): a token bucket in one note. Functions take slices that expire soon, so that
// not every pass writes the note. All functions honour a `Retry-After` that one received.
import * as v from 'valibot';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { StaleWriteError } from '../../ports/store.ts';

const NOTE = 'budget';
const SLICE_LAPSES_MS = 2_000;
const MOST_TRIES = 6;
const LONGEST_CLOSED_SECONDS = 300;
/** A time this far ahead was written before the clock was set back. */
const FUTURE_MS = 60_000;

const Bucket = v.looseObject({ tokens: v.number(), atMs: v.number(), closedUntilMs: v.number() });
type Bucket = v.InferOutput<typeof Bucket>;

export class WriteBudget {
  readonly #ports: Pick<Ports, 'store' | 'clock'>;
  readonly #slices = new Map<string, { left: number; lapsesAtMs: number }>();
  readonly #asking = new Map<string, Promise<number>>();

  constructor(ports: Pick<Ports, 'store' | 'clock'>) {
    this.#ports = ports;
  }

  /** @param wanted writes, 1 or more. @returns how many may be sent now; if 0, when to ask again */
  async take(record: ClusterRecord, wanted: number): Promise<{ granted: number; retryAfterMs: number }> {
    for (;;) {
      const slice = this.#slices.get(record.name);
      if (slice && slice.left > 0 && slice.lapsesAtMs > this.#ports.clock.nowMs())
        return { granted: spend(slice, wanted), retryAfterMs: 0 };
      // One request serves all callers: parallel passes of a process would only compete with each other.
      const asking = this.#asking.get(record.name);
      if (!asking) break;
      const retryAfterMs = await asking;
      if (retryAfterMs > 0) return { granted: 0, retryAfterMs };
    }
    const asked = this.#takeSlice(record, wanted).finally(() => this.#asking.delete(record.name));
    this.#asking.set(record.name, asked);
    const retryAfterMs = await asked;
    const slice = this.#slices.get(record.name);
    return retryAfterMs > 0 || !slice
      ? { granted: 0, retryAfterMs: Math.max(retryAfterMs, 1) }
      : { granted: spend(slice, wanted), retryAfterMs: 0 };
  }

  /** @returns 0 if a slice was taken, else milliseconds until asking again makes sense */
  async #takeSlice(record: ClusterRecord, wanted: number): Promise<number> {
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const nowMs = this.#ports.clock.nowMs();
      const { bucket, version } = await this.#read(record, nowMs);
      if (bucket.closedUntilMs > nowMs) return bucket.closedUntilMs - nowMs;
      if (bucket.tokens < 1) return Math.ceil(1000 / record.budget.writesPerSecond);
      const size = Math.min(Math.floor(bucket.tokens), Math.max(wanted, Math.ceil(record.budget.writesPerSecond / 4)));
      try {
        await this.#ports.store.putNote(record.name, NOTE, JSON.stringify({ ...bucket, tokens: bucket.tokens - size }), version);
        this.#slices.set(record.name, { left: size, lapsesAtMs: nowMs + SLICE_LAPSES_MS });
        return 0;
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
      }
    }
    return 500;
  }

  /** The API server asked Farloop to wait. This applies to all functions. */
  async close(record: ClusterRecord, seconds: number): Promise<void> {
    this.#slices.delete(record.name);
    const nowMs = this.#ports.clock.nowMs();
    for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
      const { bucket, version } = await this.#read(record, nowMs);
      const closedUntilMs = Math.max(bucket.closedUntilMs, nowMs + Math.min(Math.max(seconds, 1), LONGEST_CLOSED_SECONDS) * 1000);
      try {
        await this.#ports.store.putNote(record.name, NOTE, JSON.stringify({ ...bucket, closedUntilMs }), version);
        return;
      } catch (error) {
        // Another function took tokens meanwhile. Close the budget all the same.
        if (!(error instanceof StaleWriteError)) throw error;
      }
    }
  }

  async #read(record: ClusterRecord, nowMs: number): Promise<{ bucket: Bucket; version: number }> {
    return await readBucket(this.#ports, record, nowMs);
  }
}

/** For people: how many writes may go at once, and how long the API server has asked Farloop to wait. */
export async function budgetLeft(
  ports: Pick<Ports, 'store' | 'clock'>,
  record: ClusterRecord,
): Promise<{ writes: number; closedForSeconds: number }> {
  const nowMs = ports.clock.nowMs();
  const { bucket } = await readBucket(ports, record, nowMs);
  return { writes: Math.floor(bucket.tokens), closedForSeconds: Math.ceil(Math.max(bucket.closedUntilMs - nowMs, 0) / 1000) };
}

async function readBucket(
  { store }: Pick<Ports, 'store'>,
  { name, budget }: ClusterRecord,
  nowMs: number,
): Promise<{ bucket: Bucket; version: number }> {
  const note = await store.readNote(name, NOTE);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Bucket), note?.body);
  const isOfNow = parsed.success && parsed.output.atMs <= nowMs + FUTURE_MS;
  const stored = isOfNow ? parsed.output : { tokens: budget.burst, atMs: nowMs, closedUntilMs: 0 };
  const refill = (Math.max(nowMs - stored.atMs, 0) / 1000) * budget.writesPerSecond;
  return { bucket: { ...stored, tokens: Math.min(budget.burst, stored.tokens + refill), atMs: nowMs }, version: note?.version ?? 0 };
}

function spend(slice: { left: number }, wanted: number): number {
  const granted = Math.min(slice.left, wanted);
  slice.left -= granted;
  return granted;
}
