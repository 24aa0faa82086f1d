// The summary of a workload: what a list shows of it, derived from its view and its head alone. What is known of its cluster is laid over it
// by the reader (summary-on-cluster.ts), because that changes without a pass of the workload.
import { standingOf, type Figure } from '../../kinds/rows/kind-shown.ts';
import type { Circumstances, Reason } from '../../kinds/rows/reasons.ts';
import { findState, type State } from '../../kinds/rows/state.ts';
import type { Condition, WorkloadObject } from '../../objects/kubernetes.ts';
import { fieldsOf, isFields, listOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { parkedIn, reasonsByKind, type Viewed } from './kind-reasons.ts';

export interface Summary {
  state: State;
  reason?: string;
  /** One sentence on why it ended badly or what holds it up. */
  why?: string;
  figures: Figure[];
  /** The fields of the owner that its kind shows. */
  fields: Fields;
  labels?: Readonly<Record<string, string>>;
  /** It has more labels than a summary holds. */
  hasMoreLabels?: true;
  creationTime?: string;
  /** A cluster that cannot be reached, or is not observed, holds it up. */
  yieldsToCluster?: true;
  /** A drained cluster holds it up. */
  yieldsToDrain?: true;
}

/** A summary with what its times were when it was written, Unix milliseconds. */
export interface TimedSummary extends Summary {
  /** Since when it has had the state. */
  sinceMs: number;
  /** While it waits, backs off or has partial trouble: since when. */
  troubledSinceMs?: number;
  /** When the next pass was due as the summary was written. */
  nextWakeAtMs?: number;
  /** It was found to be gone then. */
  removedAtMs?: number;
}

const LABEL_BYTES_MAX = 1_024;
const WHY_LENGTH_MAX = 200;
const REASON_LENGTH_MAX = 200;

/** Stands for a cluster that has every trouble that clusters have, so that one look tells which of them would hold the workload up. */
const ALL_TROUBLE: Circumstances = { unobserved: '', isDrained: true };
const CLUSTER_TROUBLE = 'ClusterNotObserved';
const DRAINED = 'ClusterDrained';

export function summaryOf(viewed: Viewed, times: { nowMs: number; offsetMs: number }): Summary {
  const { row, owner, state } = viewed;
  const { shown, facts } = row;
  const { parked } = parkedIn(state, times.nowMs);
  const reasons = reasonsByKind(viewed, { ...(parked && { parked }), ...ALL_TROUBLE }, times);
  const own = reasons.filter(({ code }) => code !== CLUSTER_TROUBLE && code !== DRAINED);
  const known = { shown, isOwnerless: facts.isOwnerless === true, owner, isKnown: state !== undefined, parked: parked?.reason };
  const standing = standingOf({ ...known, reasons: own });
  // Where pods run, no obstacle counts; where nothing but the status says that it is under way, one does.
  const yieldsTo = (code: string): boolean => {
    const held = standingOf({ ...known, reasons: reasons.filter((reason) => reason.code === code || own.includes(reason)) });
    return held.state === 'Waiting' && held.reason === code;
  };
  const why = whyOf(standing.state, own);
  return {
    state: standing.state,
    ...(standing.reason !== undefined && { reason: standing.reason.slice(0, REASON_LENGTH_MAX) }),
    ...(why !== undefined && { why }),
    figures: shown.figuresOf(owner),
    fields: ownFields(owner, shown.fields),
    ...labelsIn(owner),
    ...(owner?.metadata.creationTimestamp !== undefined && { creationTime: owner.metadata.creationTimestamp }),
    ...(yieldsTo(CLUSTER_TROUBLE) && { yieldsToCluster: true as const }),
    ...(yieldsTo(DRAINED) && { yieldsToDrain: true as const }),
  };
}

/** Times left are not kept: they would be wrong a second later. */
function whyOf(state: State, reasons: readonly Reason[]): string | undefined {
  if (state !== 'Failed' && state !== 'Waiting' && state !== 'BackingOff') return undefined;
  const text = reasons.find(({ remainingSeconds }) => remainingSeconds === undefined)?.text;
  return text === undefined || text.length <= WHY_LENGTH_MAX ? text : `${text.slice(0, WHY_LENGTH_MAX - 1)}…`;
}

/** The fields of the kind's row that the owner has, unchanged. */
export function ownFields(owner: WorkloadObject | undefined, fields: readonly { name: string; in: 'spec' | 'status' }[]): Fields {
  const own: Fields = {};
  for (const { name, in: part } of fields) {
    const given: unknown = owner?.[part];
    const value = isFields(given) ? given[name] : undefined;
    if (value !== undefined) own[name] = value;
  }
  return own;
}

function labelsIn(owner: WorkloadObject | undefined): Pick<Summary, 'labels' | 'hasMoreLabels'> {
  const { labels } = owner?.metadata ?? {};
  if (!labels) return {};
  const kept: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 6;
    if (bytes > LABEL_BYTES_MAX) return { labels: kept, hasMoreLabels: true };
    kept[name] = value;
  }
  return { labels: kept };
}

/** When the owner says that it ended, Unix milliseconds. */
export function endedAtMs(owner: WorkloadObject | undefined): number | undefined {
  const conditions = listOf(fieldsOf(owner?.status)['conditions']) as unknown as Condition[];
  const end = conditions.find(({ type, status }) => status === 'True' && ['Complete', 'Succeeded', 'Failed'].includes(type));
  const atMs = Date.parse(end?.lastTransitionTime ?? '');
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Short names: they are written with each change. */
export const encodeSummary = (summary: TimedSummary): string =>
  JSON.stringify({
    s: summary.state,
    r: summary.reason,
    y: summary.why,
    f: summary.figures.map(({ name, value, of, isMinor }) =>
      isMinor ? [name, value, of ?? null, 1] : of === undefined ? [name, value] : [name, value, of],
    ),
    o: Object.keys(summary.fields).length > 0 ? summary.fields : undefined,
    l: summary.labels,
    m: summary.hasMoreLabels && 1,
    c: summary.creationTime,
    h: (summary.yieldsToCluster ? 1 : 0) + (summary.yieldsToDrain ? 2 : 0) || undefined,
    t: summary.sinceMs,
    w: summary.troubledSinceMs,
    n: summary.nextWakeAtMs,
    g: summary.removedAtMs,
  });

/** @returns undefined for what no version wrote. A state that only a later build knows is Unknown here */
export function decodeSummary(body: string): TimedSummary | undefined {
  let told: unknown;
  try {
    told = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isFields(told) || typeof told['s'] !== 'string' || typeof told['t'] !== 'number') return undefined;
  const text = (name: string): string | undefined => (typeof told[name] === 'string' ? told[name] : undefined);
  const time = (name: string): number | undefined => (typeof told[name] === 'number' ? told[name] : undefined);
  const holds = time('h') ?? 0;
  const [reason, why, creationTime] = ['r', 'y', 'c'].map(text);
  const [troubledSinceMs, nextWakeAtMs, removedAtMs] = ['w', 'n', 'g'].map(time);
  return {
    state: findState(told['s']) ?? 'Unknown',
    ...(reason !== undefined && { reason }),
    ...(why !== undefined && { why }),
    figures: Array.isArray(told['f']) ? told['f'].flatMap(figureOf) : [],
    fields: isFields(told['o']) ? told['o'] : {},
    ...(isFields(told['l']) && { labels: textsIn(told['l']) }),
    ...(told['m'] === 1 && { hasMoreLabels: true }),
    ...(creationTime !== undefined && { creationTime }),
    ...((holds & 1) === 1 && { yieldsToCluster: true }),
    ...((holds & 2) === 2 && { yieldsToDrain: true }),
    sinceMs: told['t'],
    ...(troubledSinceMs !== undefined && { troubledSinceMs }),
    ...(nextWakeAtMs !== undefined && { nextWakeAtMs }),
    ...(removedAtMs !== undefined && { removedAtMs }),
  };
}

function figureOf(told: unknown): Figure[] {
  if (!Array.isArray(told)) return [];
  const [name, value, of, isMinor] = told as unknown[];
  if (typeof name !== 'string' || typeof value !== 'number') return [];
  return [{ name, value, ...(typeof of === 'number' && { of }), ...(isMinor === 1 && { isMinor: true as const }) }];
}

const textsIn = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
