// The replicas of a training job by type: state, and the rank by which its logs speak of each.
import { fallOf } from '../../../objects/detail/falls.ts';
import { podStandingOf } from '../../../objects/detail/pod-standing.ts';
import type { Replica, ReplicaType } from '../../../objects/detail/workload-map.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import { fieldsOf } from '../../../objects/values/untyped-fields.ts';
import type { FrameworkNames } from '../names/framework-names.ts';
import { REPLICA_INDEX, REPLICA_TYPE, slotsOf } from '../names/slots.ts';
import type { TrainingJob } from '../terms/job-types.ts';

/** The order in which types start; any other comes behind them. */
const ORDER = ['Launcher', 'Chief', 'Master', 'Scheduler', 'PS', 'Server', 'Worker', 'Evaluator'];
const placeOf = (type: string): number => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

/** As many slots of one type are told. */
const MOST_REPLICAS = 10_000;

export function replicasOf(names: FrameworkNames, job: TrainingJob, pods: Iterable<PodFacts>): ReplicaType[] {
  const own = [...pods].filter(({ controller }) => controller?.uid === job.metadata.uid);
  const wantedOf = wantedByType(names, job);
  return [...wantedOf]
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([type, wanted]) => {
      const { inRange } = slotsOf(own, { type, wanted }, type === names.leader?.type ? 0 : undefined);
      const count = Math.min(wanted, MOST_REPLICAS);
      const rankOf = ranksOf(names, job, wantedOf);
      const replicas = Array.from({ length: count }, (_, index) =>
        replicaOf(index, { pods: inRange.get(index), rank: rankOf(type, index) }),
      );
      return { type, wanted, replicas };
    });
}

function wantedByType({ replicasField, types }: FrameworkNames, { spec }: TrainingJob): Map<string, number> {
  const wanted = new Map<string, number>();
  for (const [given, own] of Object.entries(fieldsOf(spec[replicasField]))) {
    const type = types.find((known) => known.toLowerCase() === given.toLowerCase()) ?? given;
    const { replicas = 1 } = fieldsOf(own);
    wanted.set(type, typeof replicas === 'number' && replicas > 0 ? replicas : 0);
  }
  return wanted;
}

/** As the environment of its pods says, see frameworks/. */
function ranksOf(
  { ranks }: FrameworkNames,
  { spec }: TrainingJob,
  wantedOf: ReadonlyMap<string, number>,
): (type: string, index: number) => number | undefined {
  if (ranks === 'byIndex') return (_type, index) => index;
  const masters = wantedOf.get('Master');
  if (ranks !== 'masterFirst' || masters === undefined || spec.elasticPolicy) return () => undefined;
  return (type, index) => (type === 'Master' ? index : type === 'Worker' ? index + masters : undefined);
}

/** Of several pods in one slot the youngest: those before it are on their way out. */
function replicaOf(index: number, { pods = [], rank }: { pods: readonly PodFacts[] | undefined; rank: number | undefined }): Replica {
  const [pod] = pods.toSorted((a, b) => b.createdAt - a.createdAt);
  const known = { index, ...(rank !== undefined && { rank }) };
  if (!pod) return { ...known, state: 'NotStarted' };
  const { state, reason } = podStandingOf(pod);
  const fall = fallOf(pod);
  const word = reason ?? fall?.reason;
  return {
    ...known,
    state,
    ...(word !== undefined && { reason: word }),
    pod: pod.name,
    restarts: pod.containers.reduce((sum, { restarts }) => sum + restarts, 0),
    ...(fall && { exitCode: fall.exitCode }),
  };
}

/** As its labels say; a leader's have no index. */
export function placeOfReplica({ types, leader }: FrameworkNames, { labels }: PodFacts): { type?: string; index?: string } {
  const told = labels[REPLICA_TYPE];
  const type = types.find((known) => known.toLowerCase() === told) ?? told;
  const index = labels[REPLICA_INDEX] ?? (type !== undefined && type === leader?.type ? '0' : undefined);
  return { ...(type !== undefined && { type }), ...(index !== undefined && { index }) };
}
