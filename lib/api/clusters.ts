// Clusters as the API tells them: the record, and how fresh the relay's watches are.
import type { KindShown } from '../kinds/kind-shown.ts';
import { SHOWN } from '../kinds/shown.ts';
import { manageOfBefore, type ManageOfBefore } from '../objects/manages.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import { budgetLeft } from '../reconciler/cluster/budget.ts';
import type { ClusterState, ClusterStateName } from '../reconciler/cluster/cluster-state.ts';
import { clusterStatesOf } from '../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../reconciler/cluster/known-cluster.ts';
import { timeText } from './time-text.ts';

const MOST_PENDING = 1_000;

export interface ToldState {
  state: ClusterStateName;
  /** Absent where nobody knows. */
  sinceTime?: string;
  /** A sentence for people. */
  reason: string;
}

export interface ClusterSummary {
  name: string;
  /** The one that says most of those that hold. */
  state: ClusterStateName;
  /** Every state that holds, the first as `state`; never empty. */
  states: ToldState[];
  /** Which kinds are managed, by the words of `--manage`. */
  manages: ClusterRecord['manages'];
  /** Which workloads alone are managed, as a sentence without a full stop; absent where no kind is managed in part. */
  takesOnly?: string;
  /** What of Jobs is, for readers of before. */
  manage: ManageOfBefore;
  /** Empty: all. */
  namespaces: readonly string[];
  era: number;
  kubeSystemUid?: string;
  budget: ClusterRecord['budget'];
  /** How passes reach it: they dial it, or its relay carries out what they want. */
  access: 'direct' | 'relayed';
  /** How `farloop cluster add` registered it; absent where that did not. */
  identity?: ClusterRecord['identity'] & string;
  credential?: ClusterRecord['credential'] & string;
  relayNamespace?: string;
  eks?: ClusterRecord['eks'] & object;
  workloadWithJob?: true;
  /** Of the budget: writes that may go at once; and for how long the API server has asked everybody to wait. */
  left: { writes: number; closedForSeconds: number };
  /** Workloads that wait for a pass, or are in one; of a thousand of all clusters, the oldest. */
  backlog: number;
  /** Work that has begun is finished, none is begun. */
  draining?: true;
  /** It is being removed: nothing is done on it any more. */
  leaving?: true;
  relay?: {
    session: string;
    heardTime: string;
    silentForSeconds: number;
    clockOffsetMs: number;
    /** Age: seconds since the watch last proved to be alive, as of now. */
    watches: { resource: string; ageSeconds: number; resourceVersion: string }[];
    /** Workloads whose view differed at the last heartbeat. */
    suspects: number;
  };
}

/** Every registered cluster with how its relay and its workloads do; `backlog` counts to a bound. */
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
  const { identity, credential, relayNamespace, eks, workloadWithJob } = record;
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
    ...(workloadWithJob && { workloadWithJob }),
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
