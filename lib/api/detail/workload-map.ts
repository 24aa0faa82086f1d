// The parts of a workload at a glance, in at most 20 KB: states of indexes as packed ranges, replicas by type.
import {
  countStates,
  INDEX_LETTERS,
  INDEX_STATES,
  packWithin,
  type IndexState,
  type PackedStates,
  type StateCounts,
} from '../../objects/detail/packed-states.ts';
import type { IndexStates, NotableIndex, Replica, ReplicaType } from '../../objects/detail/workload-map.ts';
import { isOfPrefix, namePrefixOf } from '../../objects/child-names.ts';
import { fallOf, type Falls } from '../../objects/detail/falls.ts';
import { timeText } from '../../objects/values/time-text.ts';
import { podStandingOf, type PodState } from '../../objects/detail/pod-standing.ts';
import { livingIn } from '../../reconciler/view/view.ts';
import { indexesIn, ownerIn, type Known } from './known.ts';
import { podSummaryOf, type PodSummary } from './pod-summary.ts';
import { fallsIn } from './ends.ts';
import { placeOf } from './pod-place.ts';

/** Bytes of the ranges or blocks; the rest of an answer takes 8 KB at most. */
const PACKED_BYTES = 12_000;
const MOST_NOTABLE = 30;
/** Replicas of one type in an answer. */
const MOST_REPLICAS = 100;
const MOST_PODS_AT = 5;

export interface IndexMap {
  of: 'indexes';
  /** Indexes of the Job. */
  total: number;
  /** Of the whole Job, by letter. */
  counts: StateCounts;
  /** The first index that is told, and the one behind the last. */
  from: number;
  to: number;
  /** `ranges`, or `blocks` where those would be too long: then ask for a part. */
  states: PackedStates;
  /** Each letter's word. */
  legend: typeof INDEX_STATES;
  lagging: number;
  /** Indexes that succeeded and whose length is known, and their median. */
  measured: number;
  medianSeconds?: number;
  /** Between `from` and `to`: lagging, failed, backing off, waiting. */
  notable: NotableIndex[];
  notableLeftOut: number;
  /** Of the index that was asked for. */
  at?: { index: number; state: IndexState; lags?: true; seconds?: number; pods: PodSummary[]; gone?: GonePod };
}

/** The latest pod of an index that has none any more, as far as it is remembered. */
export interface GonePod {
  pod: string;
  container?: string;
  exitCode?: number;
  reason?: string;
  time?: string;
}

export interface ReplicaMap {
  of: 'replicas';
  types: (ReplicaType & { replicasLeftOut: number; counts: Partial<Record<Replica['state'], number>> })[];
}

/** Of a workload whose pods stand for nothing but themselves. */
export interface PodMap {
  of: 'pods';
  counts: Partial<Record<PodState, number>>;
}

export interface MapQuery {
  from?: number;
  to?: number;
  at?: number;
}

/** @param nowMs by the cluster's clock. @returns a sentence where it has no such indexes */
export function mapOf(known: Known, query: MapQuery, nowMs: number): IndexMap | ReplicaMap | PodMap | string {
  const owner = ownerIn(known);
  const { kind, name } = known.head.key;
  if (!owner) return `nothing is known of ${kind} ${name} yet`;
  const states = indexesIn(known, nowMs);
  if (states) return indexMap(known, states, { query, nowMs });
  const types = known.row.shown.replicasOf?.(owner, livingIn(known.view));
  if (types) return { of: 'replicas', types: types.map((type) => toldType(type, { query, falls: fallsIn(known, owner) })) };
  const counts: PodMap['counts'] = {};
  for (const pod of livingIn(known.view)) {
    const { state } = podStandingOf(pod);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return { of: 'pods', counts };
}

function indexMap(
  known: Known,
  { codes, lagging, notable, measured, medianSeconds }: IndexStates,
  { query, nowMs }: { query: MapQuery; nowMs: number },
): IndexMap | string {
  const total = codes.length;
  const { from = 0, to = total, at } = query;
  if (from >= to || to > total)
    return `from=${from}&to=${to} is no part of its indexes: they go from 0 to ${total - 1}, and "to" is the first one left out`;
  if (at !== undefined && at >= total) return `there is no index ${at}: they go from 0 to ${total - 1}`;
  const isTold = ({ index }: NotableIndex): boolean => index >= from && index < to;
  const told = [...lagging, ...notable].filter(isTold);
  return {
    of: 'indexes',
    total,
    counts: countStates(codes),
    from,
    to,
    states: packWithin(codes.subarray(from, to), PACKED_BYTES),
    legend: INDEX_STATES,
    lagging: lagging.length,
    measured,
    ...(medianSeconds !== undefined && { medianSeconds }),
    notable: told.slice(0, MOST_NOTABLE),
    notableLeftOut: Math.max(told.length - MOST_NOTABLE, 0),
    ...(at !== undefined && { at: indexAt(known, at, { codes, lagging, nowMs }) }),
  };
}

function indexAt(
  known: Known,
  index: number,
  { codes, lagging, nowMs }: Pick<IndexStates, 'codes' | 'lagging'> & { nowMs: number },
): NonNullable<IndexMap['at']> {
  const state = INDEX_STATES[INDEX_LETTERS[codes[index] ?? 0] ?? '-'];
  const lag = lagging.find((each) => each.index === index);
  const pods = [...livingIn(known.view)].filter((pod) => placeOf(known, pod).index === String(index));
  const youngest = pods.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, MOST_PODS_AT);
  return {
    index,
    state,
    ...(lag && { lags: true, ...(lag.seconds !== undefined && { seconds: lag.seconds }) }),
    pods: youngest.map((pod) => podSummaryOf(known, pod, nowMs)),
    ...(pods.length === 0 && goneAt(known, index)),
  };
}

/** The view remembers a pod for a while after it has gone; passes remember the one that fell first. */
function goneAt(known: Known, index: number): { gone?: GonePod } {
  const former = [...known.view.children.values()].flatMap(({ child }) => (placeOf(known, child).index === String(index) ? [child] : []));
  const [latest] = former.toSorted((a, b) => b.createdAt - a.createdAt);
  const owner = ownerIn(known);
  const first = owner && fallsIn(known, owner)?.first;
  const prefix = namePrefixOf(known.head.key.name, index);
  const fall = (latest && fallOf(latest)) ?? (first && isOfPrefix(first.pod, prefix) ? first : undefined);
  if (!fall) return latest ? { gone: { pod: latest.name } } : {};
  const { at, ...told } = fall;
  return { gone: { ...told, time: timeText(at * 1000) } };
}

function toldType(
  { replicas, ...type }: ReplicaType,
  { query: { from = 0, to = Infinity }, falls }: { query: MapQuery; falls: Falls | undefined },
): ReplicaMap['types'][number] {
  const counts: Partial<Record<Replica['state'], number>> = {};
  for (const { state } of replicas) counts[state] = (counts[state] ?? 0) + 1;
  const told = replicas.filter(({ index }) => index >= from && index < to);
  return {
    ...type,
    counts,
    replicas: told
      .slice(0, MOST_REPLICAS)
      .map((replica) => ({ ...replica, ...(falls && replica.pod === falls.first.pod && { fellFirst: true as const }) })),
    replicasLeftOut: Math.max(told.length - MOST_REPLICAS, 0),
  };
}
