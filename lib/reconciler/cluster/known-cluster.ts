// What the table knows of a cluster, for the answer to what state it is in (cluster-state.ts).
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ClusterFacts } from './cluster-state.ts';
import { readMarker, type RelayMarker } from './heartbeats.ts';
import { readLaterVersion } from '../later-version.ts';
import { troubleOf } from './reachability.ts';

/** A heartbeat comes once a minute. */
const HEARD_WITHIN_MS = 75_000;

export interface KnownCluster {
  facts: ClusterFacts;
  /** Undefined before the relay's first heartbeat, or when the table was dropped. */
  marker: RelayMarker | undefined;
  /** Of the note that holds the marker; 0 where there is none. */
  markerVersion: number;
}

/** @param namespace where rights count; absent: in all that the cluster is registered for */
export async function readKnownCluster(
  ports: Pick<Ports, 'store' | 'clock'>,
  record: ClusterRecord,
  namespace?: string,
): Promise<KnownCluster> {
  const [known, trouble] = await Promise.all([
    readMarker(ports, record.name),
    troubleOf(ports, record.name, (place) => (namespace === undefined ? isInScope(record, place) : place === namespace)),
  ]);
  const marker = known?.marker;
  // Where heartbeats come, they are read.
  const isHeard = marker !== undefined && ports.clock.nowMs() - marker.heardAtMs < HEARD_WITHIN_MS;
  const laterVersion = isHeard ? undefined : await readLaterVersion(ports, record.name);
  return {
    facts: { record, ...(marker && { relay: marker }), ...(trouble && { trouble }), ...(laterVersion && { laterVersion }) },
    marker,
    markerVersion: known?.version ?? 0,
  };
}
