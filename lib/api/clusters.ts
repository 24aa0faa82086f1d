// Clusters in the API: the record, and the age of the relay's watches.
import type { KindShown } from '../kinds/rows/kind-shown.ts';
import { SHOWN } from '../kinds/shown.ts';
import { manageOfBefore, type ManageOfBefore } from '../objects/manages.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { budgetLeft } from '../reconciler/cluster/budget.ts';
import type { ClusterState, ClusterStateName } from '../reconciler/cluster/cluster-state.ts';
import { clusterStatesOf } from '../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../reconciler/cluster/known-cluster.ts';
import { timeText } from '../objects/values/time-text.ts';

const MOST_PENDING = 1_000;

export interface ToldState {
  state: ClusterStateName;
  /** Absent if unknown. */
  sinceTime?: string;
  /** A sentence for people. */
  reason: string;
}

export interface ClusterSummary {
  name: string;
  /** The most important one of `states`. */
  state: ClusterStateName;
  /** Every state that holds, most important first; never empty. */
  states: ToldState[];
  /** The managed kinds, as words of `--manage`. */
  manages: ClusterRecord['manages'];
  /** The workloads that are managed, as a sentence without a full stop; absent if every managed kind is managed whole. */
  takesOnly?: string;
  /** The managed Jobs in one word, for clients of the version before. */
  manage: ManageOfBefore;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  era: number;
  kubeSystemUid?: string;
  budget: ClusterRecord['budget'];
  /** How passes reach the cluster: they call its API server, or its relay carries out their commands. */
  access: 'direct' | 'relayed';
  /** As registered by `farloop cluster add`; absent if the cluster was registered another way. */
  identity?: ClusterRecord['identity'] & string;
  credential?: ClusterRecord['credential'] & string;
  relayNamespace?: string;
  eks?: ClusterRecord['eks'] & object;
  /** Options of kinds, by flag. */
  options?: ClusterRecord['options'] & object;
  /** Of the write budget: writes that may go at once, and how long the API server has asked all clients to wait. */
  left: { writes: number; closedForSeconds: number };
  /** Workloads with a pass under way or waiting. Counts among the oldest thousand of all clusters. */
  backlog: number;
  /** Work that has begun is finished; no new work begins. */
  draining?: true;
  /** The cluster is being removed: passes do nothing on it any more. */
  leaving?: true;
  relay?: {
    session: string;
    heardTime: string;
    silentForSeconds: number;
    clockOffsetMs: number;
    /** `ageSeconds`: since the watch last proved to be alive, at the time of the answer. */
    watches: { resource: string; ageSeconds: number; resourceVersion: string }[];
    /** Workloads with a digest mismatch at the last heartbeat. */
    suspects: number;
  };
}

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
