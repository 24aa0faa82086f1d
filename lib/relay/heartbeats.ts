// Once a minute the relay says that it lives, how old its watches are, how far the cluster's clock is off, and what it knows in digests.
import type { ExternalJobs, Heartbeat, WatchState, WorkloadDigest } from '../wire/observations.ts';
import type { RelayCache } from './cache.ts';
import type { Workload } from './workload.ts';

/** Digests in one heartbeat. */
const MOST_DIGESTS = 2_000;
/** Beside those of what changed, the others' in turn: so many a minute at least, and all of them within half an hour. */
const SLICE_AT_LEAST = 50;
const SLICES = 30;

export interface HeartbeatInput {
  cache: RelayCache;
  watches: WatchState[];
  clockOffsetMs: number;
  /** Newest version heard of the pods of a namespace. */
  heardUntil: (namespace: string) => string;
  /** News of it wait to be sent: its digest would be ahead of what was told. */
  isWaiting: (workload: Workload) => boolean;
  fullList?: Heartbeat['fullList'];
  externalJobs: ExternalJobs[];
}

export class Heartbeats {
  #beat = 0;
  /** The heartbeat that told of it last, or that found it first: those that wait longest have their turn, whatever comes, goes or has news. */
  readonly #toldAt = new WeakMap<Workload, number>();

  build({ cache, watches, clockOffsetMs, heardUntil, isWaiting, fullList, externalJobs }: HeartbeatInput): Heartbeat {
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
        heardAt: heardUntil(workload.owner.namespace),
        ...(tables.length > 0 && { parts: tables.map((table) => table.digestOf(workload)) }),
      };
    });
    return { watches, clockOffsetMs, digests, ...(fullList && { fullList }), ...(externalJobs.length > 0 && { externalJobs }) };
  }

  /** Those whose turn it is: half of a heartbeat is theirs where it is needed, or what changes all the time would keep others away for ever. */
  #slice(known: readonly Workload[], left: number): readonly Workload[] {
    const size = Math.min(Math.max(SLICE_AT_LEAST, Math.ceil(known.length / SLICES)), Math.max(left, MOST_DIGESTS / 2));
    for (const workload of known) if (!this.#toldAt.has(workload)) this.#toldAt.set(workload, this.#beat);
    const lastBeat = (workload: Workload): number => this.#toldAt.get(workload) ?? this.#beat;
    return known.toSorted((a, b) => lastBeat(a) - lastBeat(b)).slice(0, size);
  }
}
