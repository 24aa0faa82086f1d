// What the table knows of a cluster, for the answer to what state it is in (cluster-state.ts).
import { isInScope, type ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { ClusterFacts } from './cluster-state.ts';
import { readMarker, type RelayMarker } from './heartbeats.ts';
import { troubleOf } from './reachability.ts';

export interface KnownCluster {
  facts: ClusterFacts;
  /** Undefined before the relay's first heartbeat, or when the table was dropped. */
  marker: RelayMarker | undefined;
  /** Of the note that holds the marker; 0 where there is none. */
  markerVersion: number;
}

/** @param namespace where rights count; absent: in all that the cluster is registered for */
export async function readKnownCluster(ports: Pick<Ports, 'store'>, record: ClusterRecord, namespace?: string): Promise<KnownCluster> {
  const [known, trouble] = await Promise.all([
    readMarker(ports, record.name),
    troubleOf(ports, record.name, (place) => (namespace === undefined ? isInScope(record, place) : place === namespace)),
  ]);
  const marker = known?.marker;
  return {
    facts: { record, ...(marker && { relay: marker }), ...(trouble && { trouble }) },
    marker,
    markerVersion: known?.version ?? 0,
  };
}
