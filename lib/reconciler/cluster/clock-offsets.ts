// How far the clocks of clusters differ from ours: as their relays report, or as their API servers' own answers showed a moment ago (R12).
import type { Ports } from '../../ports/ports.ts';
import { LARGEST_OFFSET_MS, readMarker } from './heartbeats.ts';
import { OncePerKey } from '../invocation/once-per-key.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { WorkloadKey } from '../../objects/workload.ts';

/** How often to read the relay's report again. */
const READ_AGAIN_MS = 60_000;
/**
 * Relays report it once a minute. A report that seems older or in the future was made before our clock moved, or by a relay that is silent.
 */
const TOLD_WITHIN_MS = 100_000;
/** Learn the offset only from a pass this quick: the answer's `Date` is then still current when the pass ends. */
const QUICK_MS = 2_000;
/**
 * A smaller difference can come from whole seconds and network delay. If the wall clock and the monotonic clock diverge by more, our clock
 * has jumped.
 */
const OFF_BY_MS = 5_000;

/** The times of a pass. */
export interface TimedPass {
  key: Pick<WorkloadKey, 'cluster'>;
  startedAtMs: number;
  deadline: Deadline;
  /** The offset that the pass went by. */
  offsetMs: number;
  /** The answer of its last live read of the owner. */
  known: { live: { dateMs: number } | undefined };
}

export class ClockOffsets {
  readonly #ports: Pick<Ports, 'clock' | 'store'>;
  readonly #passMs: number;
  readonly #known = new Map<string, { offsetMs: number; readAtMs: number }>();
  readonly #asking = new OncePerKey<number | undefined>();
  /** Our wall clock minus our monotonic clock. */
  #aheadMs: number;
  /** After a jump of our clock, the relays' reports say nothing about it. */
  #hasJumped = false;
  /** Clusters whose relays have reported nothing for too long. */
  readonly #untold = new Set<string>();

  /** @param passMs from a pass's beginning to its deadline */
  constructor(ports: Pick<Ports, 'clock' | 'store'>, passMs: number) {
    this.#ports = ports;
    this.#passMs = passMs;
    this.#aheadMs = ports.clock.nowMs() - ports.clock.monotonicMs();
  }

  /**
   * @returns cluster time minus ours, milliseconds; undefined if only the API server knows: our clock has jumped, or seems to have,
   * maybe before this process began
   */
  async of(cluster: string): Promise<number | undefined> {
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const aheadMs = nowMs - clock.monotonicMs();
    if (Math.abs(aheadMs - this.#aheadMs) > OFF_BY_MS) {
      this.#aheadMs = aheadMs;
      this.#hasJumped = true;
      this.#known.clear();
    }
    const known = this.#known.get(cluster);
    if (known && nowMs - known.readAtMs < READ_AGAIN_MS) return known.offsetMs;
    if (this.#hasJumped) return undefined;
    // Parallel passes share one read.
    return await this.#asking.of(cluster, async () => await this.#read(cluster));
  }

  async #read(cluster: string): Promise<number | undefined> {
    const readAtMs = this.#ports.clock.nowMs();
    const { clockOffsetMs: offsetMs, heardAtMs } = (await readMarker(this.#ports, cluster))?.marker ?? {
      clockOffsetMs: 0,
      heardAtMs: readAtMs,
    };
    if (Math.abs(readAtMs - heardAtMs) > TOLD_WITHIN_MS) {
      this.#untold.add(cluster);
      return undefined;
    }
    this.#untold.delete(cluster);
    this.#known.set(cluster, { offsetMs, readAtMs });
    return offsetMs;
  }

  /** The API server's own time counts for more than the relay's report: a clock may have jumped since that report. */
  learnFrom(pass: TimedPass): void {
    if (!pass.known.live) return;
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const tookMs = [nowMs - pass.startedAtMs, clock.monotonicMs() - (pass.deadline.monotonicMs - this.#passMs)];
    if (tookMs.some((ms) => ms < 0 || ms > QUICK_MS)) return;
    const offsetMs = pass.known.live.dateMs + 500 - nowMs;
    const isUnknown = this.#hasJumped || this.#untold.has(pass.key.cluster);
    if ((Math.abs(offsetMs - pass.offsetMs) < OFF_BY_MS && !isUnknown) || Math.abs(offsetMs) > LARGEST_OFFSET_MS) return;
    this.#known.set(pass.key.cluster, { offsetMs, readAtMs: nowMs });
  }
}
