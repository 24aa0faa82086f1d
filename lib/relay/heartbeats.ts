// Builds the heartbeat of each minute: the relay is alive, the age of its watches, the offset of the cluster's clock, and digests of its
// cache.
import type { ExternalOwners, Heartbeat, WatchState, WorkloadDigest } from '../wire/words/observations.ts';
import type { RelayCache } from './cache/cache.ts';
import type { Workload } from './cache/cached-workload.ts';

/** Most digests in one heartbeat. */
const MOST_DIGESTS = 2_000;
/** Each heartbeat also has digests of unchanged workloads in turn: at least so many, and all of them within half an hour. */
const SLICE_AT_LEAST = 50;
const SLICES = 30;

export interface HeartbeatInput {
  cache: RelayCache;
  watches: WatchState[];
  clockOffsetMs: number;
  /** The newest version observed of the pods of a namespace. */
  observedUntil: (namespace: string) => string;
  /** Whether changes of it wait to be sent. Its digest would then be ahead of the sent state. */
  isWaiting: (workload: Workload) => boolean;
  fullList?: Heartbeat['fullList'];
  externalJobs: ExternalOwners[];
}

export class Heartbeats {
  #beat = 0;
  /** Number of the heartbeat that last had the workload's digest, or first found it. The oldest are next, whatever else changes. */
  readonly #toldAt = new WeakMap<Workload, number>();

  build({ cache, watches, clockOffsetMs, observedUntil, isWaiting, fullList, externalJobs }: HeartbeatInput): Heartbeat {
    this.#beat += 1;
    const known = [...cache.workloads()].filter((workload) => (workload.known || cache.hasTracked(workload)) && !isWaiting(workload));
    const changed = known.filter((workload) => workload.changed);
    const slice = this.#slice(known, MOST_DIGESTS - changed.length);
    const chosen = new Set([...changed.slice(0, MOST_DIGESTS - slice.length), ...slice]);
    for (const workload of chosen) {
      workload.changed = false;
      this.#toldAt.set(workload, this.#beat);
    }
    const digests = [...chosen].map((workload): WorkloadDigest => {
      const tables = cache.childTablesOf(workload.owner.kind);
      return {
        owner: workload.owner,
        digest: cache.digestOf(workload),
        heardAt: observedUntil(workload.owner.namespace),
        ...(tables.length > 0 && { parts: tables.map((table) => table.digestOf(workload)) }),
      };
    });
    return { watches, clockOffsetMs, digests, ...(fullList && { fullList }), ...(externalJobs.length > 0 && { externalJobs }) };
  }

  /** The workloads whose turn it is. They may take half of a heartbeat, or workloads that change all the time would exclude them. */
  #slice(known: readonly Workload[], left: number): readonly Workload[] {
    const size = Math.min(Math.max(SLICE_AT_LEAST, Math.ceil(known.length / SLICES)), Math.max(left, MOST_DIGESTS / 2));
    for (const workload of known) if (!this.#toldAt.has(workload)) this.#toldAt.set(workload, this.#beat);
    const lastBeat = (workload: Workload): number => this.#toldAt.get(workload) ?? this.#beat;
    return known.toSorted((a, b) => lastBeat(a) - lastBeat(b)).slice(0, size);
  }
}
