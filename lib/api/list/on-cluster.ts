// The facts of a cluster laid over the summaries of its workloads: a cluster that is silent, drained or cannot be reached changes where many
// of them stand, without a pass of any.
import { LEAVING, obstaclesOf } from '../../kinds/rows/reasons.ts';
import type { Circumstances } from '../../kinds/rows/reasons.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ReadsNotes } from '../../ports/store.ts';
import { clusterStatesOf } from '../../reconciler/cluster/cluster-state.ts';
import { readKnownCluster } from '../../reconciler/cluster/known-cluster.ts';
import type { TimedSummary } from '../../reconciler/summary/summary.ts';
import { clusterCircumstances } from '../reasons.ts';

interface Place {
  circumstances: Circumstances;
  /** The cluster's state in one sentence. It holds no time left: an answer is the same until something happens. */
  text: string;
  /** What was told last is from then. */
  asOfMs?: number;
}

export interface OnCluster extends TimedSummary {
  asOfMs?: number;
}

/** @param notes of the cluster, read before; so nothing is read for a namespace */
export async function overlayOf(
  notes: ReadsNotes,
  { record, clock, namespaces }: { record: ClusterRecord; clock: Ports['clock']; namespaces: Iterable<string> },
): Promise<(summary: TimedSummary, namespace: string) => OnCluster> {
  const places = new Map<string, Place>();
  for (const namespace of new Set(namespaces)) {
    const { facts, marker } = await readKnownCluster({ ...notes, clock }, record, namespace);
    const nowMs = clock.nowMs();
    const clusterStates = clusterStatesOf(facts, nowMs, namespace);
    const circumstances = clusterCircumstances({ clusterStates, trouble: facts.trouble, nextWakeAtMs: undefined }, nowMs);
    const isUnseen = circumstances.relaySilentMs !== undefined || circumstances.unobserved !== undefined;
    places.set(namespace, { circumstances, text: clusterStates[0].text, ...(isUnseen && marker && { asOfMs: marker.heardAtMs }) });
  }
  return (summary, namespace) => {
    const place = places.get(namespace);
    return place ? onCluster(summary, record, place) : summary;
  };
}

const GOES_ON = new Set(['Pending', 'Running', 'BackingOff', 'Waiting']);

function onCluster(summary: TimedSummary, { leaving, draining }: ClusterRecord, { circumstances, text, asOfMs }: Place): OnCluster {
  if (summary.removedAtMs !== undefined) return summary;
  const row: OnCluster = { ...summary, ...(asOfMs !== undefined && { asOfMs }) };
  if (leaving && GOES_ON.has(row.state)) return { ...row, state: 'Waiting', reason: LEAVING.code, why: LEAVING.text };
  const drained = draining && summary.yieldsToDrain ? { isDrained: true } : {};
  const [obstacle] = obstaclesOf({ ...(summary.yieldsToCluster && circumstances), ...drained });
  if (!obstacle) return row;
  return { ...row, state: 'Waiting', reason: obstacle.code, why: obstacle.code === 'ClusterDrained' ? obstacle.text : text };
}
