// Clusters in the API: the record, and the age of the relay's watches.
import type { KindShown } from '../kinds/rows/kind-shown.ts';
import { SHOWN } from '../kinds/shown.ts';
import { manageOfBefore } from '../objects/manages.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { budgetLeft } from '../reconciler/cluster/budget.ts';
import type { ClusterState } from '../reconciler/cluster/cluster-state.ts';
import { clusterStatesOf } from '../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../reconciler/cluster/known-cluster.ts';
import { timeText } from '../objects/values/time-text.ts';
import type { Cluster } from './answers/clusters.ts';
import type { Told } from './answers/values.ts';

const MOST_PENDING = 1_000;

export type ClusterSummary = Told<typeof Cluster>;
export type ToldState = ClusterSummary['states'][number];

/** Every registered cluster with the state of its relay and workloads. `backlog` has an upper bound. */
export async function listClusters(ports: Pick<Ports, 'clusters' | 'store' | 'clock'>): Promise<ClusterSummary[]> {
  const records = await ports.clusters.list();
  const pending = await ports.store.pendingBefore(ports.clock.nowMs(), MOST_PENDING);
  return await Promise.all(
    records.map((record) => summaryOf(ports, record, pending.filter(({ cluster }) => cluster === record.name).length)),
  );
}

async function summaryOf(ports: Pick<Ports, 'store' | 'clock'>, record: ClusterRecord, backlog: number): Promise<ClusterSummary> {
  const { name, manages, namespaces, era, kubeSystemUid, budget, draining, leaving, access = 'direct' } = record;
  const takesOnly = Object.values<KindShown>(SHOWN)
    .flatMap(({ ownOnlyText }) => ownOnlyText(manages) ?? [])
    .join(', and ');
  const { identity, credential, relayNamespace, eks, options } = record;
  const left = await budgetLeft(ports, record);
  const { facts, marker } = await readKnownCluster(ports, record);
  const nowMs = ports.clock.nowMs();
  const states = clusterStatesOf({ ...facts, closedUntilMs: nowMs + left.closedForSeconds * 1000 }, nowMs);
  const told = {
    name,
    state: states[0].state,
    states: states.map(toldState),
    manages,
    manage: manageOfBefore(manages),
    ...(takesOnly !== '' && { takesOnly }),
    namespaces,
    era,
    budget,
    access,
    ...(identity && { identity }),
    ...(credential && { credential }),
    ...(relayNamespace !== undefined && { relayNamespace }),
    ...(eks && { eks }),
    ...(options && { options }),
    left,
    backlog,
    ...(draining && { draining }),
    ...(leaving && { leaving }),
    ...(kubeSystemUid !== undefined && { kubeSystemUid }),
  };
  if (!marker) return told;
  const silentForMs = Math.max(nowMs - marker.heardAtMs, 0);
  return {
    ...told,
    relay: {
      session: marker.session,
      heardTime: timeText(marker.heardAtMs),
      silentForSeconds: Math.round(silentForMs / 1000),
      clockOffsetMs: marker.clockOffsetMs,
      watches: marker.watches.map(({ resource, ageMs, resourceVersion }) => ({
        resource,
        ageSeconds: Math.round((ageMs + silentForMs) / 1000),
        resourceVersion,
      })),
      suspects: Object.keys(marker.suspects).length,
    },
  };
}

export const toldState = ({ state, sinceMs, text }: ClusterState): ToldState => ({
  state,
  ...(sinceMs !== undefined && { sinceTime: timeText(sinceMs) }),
  reason: text,
});
