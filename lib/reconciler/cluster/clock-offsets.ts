// How far the clocks of clusters are from ours: as their relays tell, or as their API servers said themselves a moment ago (R12).
import type { Ports } from '../../ports/ports.ts';
import { LARGEST_OFFSET_MS, readMarker } from './heartbeats.ts';
import { OncePerKey } from '../once-per-key.ts';
import type { Pass } from '../pass/pass.ts';

/** What a relay told is read again so often. */
const READ_AGAIN_MS = 60_000;
/** Relays tell it once a minute: what seems older, or yet to come, was told before our clock moved, or by a relay that is silent. */
const TOLD_WITHIN_MS = 100_000;
/** Only of a pass so quick the answer's `Date` still tells the time when it ends, */
const QUICK_MS = 2_000;
/** and only so great a difference is none of whole seconds and ways. A clock that moved by so much more or less than time passed has jumped. */
const OFF_BY_MS = 5_000;

export class ClockOffsets {
  readonly #ports: Pick<Ports, 'clock' | 'store'>;
  readonly #passMs: number;
  readonly #known = new Map<string, { offsetMs: number; readAtMs: number }>();
  readonly #asking = new OncePerKey<number | undefined>();
  /** Our wall clock less our monotonic one. */
  #aheadMs: number;
  /** What relays tell of their clocks says nothing of one that went wrong under way. */
  #hasJumped = false;
  /** Clusters whose relays have told nothing for too long. */
  readonly #untold = new Set<string>();

  /** @param passMs from a pass's beginning to its deadline */
  constructor(ports: Pick<Ports, 'clock' | 'store'>, passMs: number) {
    this.#ports = ports;
    this.#passMs = passMs;
    this.#aheadMs = ports.clock.nowMs() - ports.clock.monotonicMs();
  }

  /** @returns cluster time minus ours, milliseconds; undefined where only the API server can tell: our clock has jumped, or seems to have, maybe before this process began */
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
    // Passes that begin side by side ask once.
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

  /** What the API server itself said counts for more than the relay: a clock may have jumped since that told. */
  learnFrom(pass: Pass): void {
    if (!pass.live) return;
    const { clock } = this.#ports;
    const nowMs = clock.nowMs();
    const tookMs = [nowMs - pass.startedAtMs, clock.monotonicMs() - (pass.deadline.monotonicMs - this.#passMs)];
    if (tookMs.some((ms) => ms < 0 || ms > QUICK_MS)) return;
    const offsetMs = pass.live.dateMs + 500 - nowMs;
    const isUnknown = this.#hasJumped || this.#untold.has(pass.key.cluster);
    if ((Math.abs(offsetMs - pass.offsetMs) < OFF_BY_MS && !isUnknown) || Math.abs(offsetMs) > LARGEST_OFFSET_MS) return;
    this.#known.set(pass.key.cluster, { offsetMs, readAtMs: nowMs });
  }
}
