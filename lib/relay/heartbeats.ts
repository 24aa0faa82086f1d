// Once a minute the relay says that it lives, how old its watches are, how far the cluster's clock is off, and what it knows in digests.
import type { ExternalJobs, Heartbeat, WatchState, WorkloadDigest } from '../wire/observations.ts';
import type { RelayCache, Workload } from './cache.ts';

/** Digests in one heartbeat: those of what changed come first. */
const MOST_DIGESTS = 2_000;
/** The others take turns; so many a minute at least, and all of them within half an hour. */
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
  /** Uid of the workload after which the next slice begins. */
  #after: string | undefined;

  build({ cache, watches, clockOffsetMs, heardUntil, isWaiting, fullList, externalJobs }: HeartbeatInput): Heartbeat {
    const known = [...cache.workloads()].filter((workload) => (workload.job || cache.hasTracked(workload)) && !isWaiting(workload));
    const changed = known.filter((workload) => workload.changed).slice(0, MOST_DIGESTS);
    const chosen = new Set([...changed, ...this.#slice(known)].slice(0, MOST_DIGESTS));
    for (const workload of chosen) workload.changed = false;
    const digests = [...chosen].map((workload): WorkloadDigest => ({
      owner: workload.owner,
      digest: cache.digestOf(workload),
      heardAt: heardUntil(workload.owner.namespace),
    }));
    return { watches, clockOffsetMs, digests, ...(fullList && { fullList }), ...(externalJobs.length > 0 && { externalJobs }) };
  }

  #slice(known: readonly Workload[]): Workload[] {
    const size = Math.max(SLICE_AT_LEAST, Math.ceil(known.length / SLICES));
    const from = known.findIndex(({ owner }) => owner.uid === this.#after) + 1;
    const slice = known.slice(from, from + size);
    this.#after = from + size >= known.length ? undefined : slice.at(-1)?.owner.uid;
    return slice;
  }
}
