// The facts that the table holds about a cluster, from which cluster-state.ts derives its state.
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Note, ReadsNotes, Store } from '../../ports/store.ts';
import type { ClusterFacts } from './cluster-state.ts';
import { readMarker, type RelayMarker } from './heartbeats.ts';
import { readLaterVersion } from './later-version.ts';
import { troubleOf } from './reachability.ts';

/** A heartbeat comes once a minute. */
const HEARD_WITHIN_MS = 75_000;

export interface KnownCluster {
  facts: ClusterFacts;
  /** Undefined before the relay's first heartbeat, or if the table was dropped. */
  marker: RelayMarker | undefined;
  /** Of the note that holds the marker; 0 if there is no note. */
  markerVersion: number;
}

/** @param namespace where rights count; absent: in every namespace for which the cluster is registered */
export async function readKnownCluster(
  ports: Pick<Ports, 'clock'> & ReadsNotes,
  record: ClusterRecord,
  namespace?: string,
): Promise<KnownCluster> {
  const [known, trouble] = await Promise.all([
    readMarker(ports, record.name),
    troubleOf(ports, record.name, (place) => (namespace === undefined ? isInScope(record, place) : place === namespace)),
  ]);
  const marker = known?.marker;
  // If heartbeats arrive, this build can read them.
  const isObserved = marker !== undefined && ports.clock.nowMs() - marker.heardAtMs < HEARD_WITHIN_MS;
  const laterVersion = isObserved ? undefined : await readLaterVersion(ports, record.name);
  return {
    facts: { record, ...(marker && { relay: marker }), ...(trouble && { trouble }), ...(laterVersion && { laterVersion }) },
    marker,
    markerVersion: known?.version ?? 0,
  };
}

/** The notes that a cluster's state is derived from. */
const NOTES = ['relay', 'reach', 'later'];

/** The notes of a cluster, read with one request, for readers that ask for many of its namespaces. */
export async function readNotesOfCluster({ store }: { store: Pick<Store, 'readNotes'> }, cluster: string): Promise<ReadsNotes> {
  const notes = await store.readNotes(cluster, NOTES);
  const read = new Map(NOTES.map((name, at): [string, Note | undefined] => [name, notes[at]]));
  return {
    store: {
      async readNote(_cluster, name) {
        if (!read.has(name)) throw new Error(`the note ${name} was not read with the others`);
        return read.get(name);
      },
    },
  };
}
