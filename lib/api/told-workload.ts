// A workload in the API, from its view, its head and the row of its kind.
import { standingOf, type Figure } from '../kinds/rows/kind-shown.ts';
import type { Reason } from '../kinds/rows/reasons.ts';
import type { State } from '../kinds/rows/state.ts';
import type { PodFacts } from '../objects/pods/pod-facts.ts';
import { isFields } from '../objects/values/untyped-fields.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import type { PassRecord } from '../ports/recorder.ts';
import type { PassState } from '../reconciler/head/pass-state.ts';
import { ownFields } from '../reconciler/summary/summary.ts';
import { livingIn } from '../reconciler/view/view.ts';
import { causeOf, fallsIn, firstFallOf, laggingOf, type FirstFall, type Lagging } from './detail/ends.ts';
import { indexesIn, ownerIn, type Known } from './detail/known.ts';
import { sortedPods } from './detail/pod-place.ts';
import { podSummaryOf, type PodSummary } from './detail/pod-summary.ts';

export type { Known } from './detail/known.ts';
export type { ContainerSummary, PodSummary } from './detail/pod-summary.ts';
import { workloadReasons, type Seen } from './reasons.ts';
import { timeText } from '../objects/values/time-text.ts';

type ShowPorts = Pick<Ports, 'clock' | 'telemetry'>;

/** One line of a list. The kind adds fields of its own (`KindShown.fields`). Absent fields are unknown. */
export interface WorkloadSummary extends WorkloadKey {
  state: State;
  /** Why it waits, why it ended, or what a person must do: see state.ts. */
  reason?: string;
  /** One sentence on why it ended badly or what holds it up; in lists. */
  why?: string;
  /** The kind's figures, in display order. */
  figures: Figure[];
  labels?: Readonly<Record<string, string>>;
  /** It has more labels than a list keeps. */
  hasMoreLabels?: true;
  /** Since when it has had its state; in lists. */
  sinceTime?: string;
  /** A person should look at it: see needs-person.ts. In lists. */
  needsPerson?: true;
  /** It is on its cluster no more since then. */
  removedTime?: string;
  /** What happens on its cluster is not seen: this is from then. */
  asOfTime?: string;
  creationTime?: string;
  /** At list prices, of a week at most. In lists that were asked for it. */
  costDollars?: number;
  /** When the next pass runs without any change. */
  nextWake?: { dueTime: string; attempt: number };
  /** Whether a wake is on its way. A list does not know. */
  queued?: boolean;
}

export interface WorkloadDetail extends WorkloadSummary {
  /** What ended it or holds it up, in one sentence or two; absent where nothing does. */
  cause?: string;
  /** The pod that fell first, and how the others followed. */
  firstFall?: FirstFall;
  /** Indexes that run far longer than those that succeeded. */
  lagging?: Lagging;
  /** From the closed list of reasons; never empty. */
  reasons: Reason[];
  conditions: readonly unknown[];
  status: object;
  /** Of its object on the cluster, where it may be called otherwise: a pod of a virtual node is a Pod there. */
  objectKind: string;
  /** Whether workloads of its kind have pods. */
  hasPods: boolean;
  /** Of what its map tells; absent: its pods stand for nothing but themselves. */
  map?: 'indexes' | 'replicas';
  pods: PodSummary[];
  /** Number of pods beyond the first 500: `…/pods` has all of them, page by page. */
  podsLeftOut: number;
  /** The state that passes keep; absent if it cannot be read, so that the workload counts as unknown. */
  passes?: PassState;
  head: { era: number; fence: string; floor: string; bornTime: string; openedTime: string; viewItems: number };
}

const MOST_PODS = 500;

/** Facts about the workload's cluster. */
export interface Surroundings extends Pick<Seen, 'record' | 'trouble' | 'clusterStates'> {
  /** How far the cluster's clock is ahead of ours. */
  offsetMs: number;
}

/** Derives the state without the latest passes: a list does not read those, and the state must be the same wherever it is shown. */
function summaryOf(known: Known, surroundings: Surroundings, nowMs: number): WorkloadSummary {
  const { head, state, row } = known;
  const { facts, shown } = row;
  const owner = ownerIn(known);
  const { creationTimestamp, labels } = owner?.metadata ?? {};
  const parked = state?.park && (state.park.untilChanged === true || state.park.untilMs > nowMs) ? state.park.reason : undefined;
  const reasons = reasonsOf(known, podsIn(known), { surroundings, passes: [], nowMs });
  return {
    ...head.key,
    ...standingOf({ shown, isOwnerless: facts.isOwnerless === true, owner, isKnown: state !== undefined, parked, reasons }),
    ...ownFields(owner, shown.fields),
    figures: shown.figuresOf(owner),
    ...(labels && { labels }),
    ...(creationTimestamp !== undefined && { creationTime: creationTimestamp }),
    ...(head.wake && { nextWake: { dueTime: timeText(head.wake.dueAtMs), attempt: head.wake.attempt } }),
    queued: head.queued === head.fence,
  };
}

/** A workload that cannot be shown becomes a row with the problem. It must not hide the others (R13). */
export function readableSummary(known: Known, surroundings: Surroundings, { clock, telemetry }: ShowPorts): WorkloadSummary {
  try {
    return summaryOf(known, surroundings, clock.nowMs());
  } catch (error) {
    telemetry.error('workload cannot be shown', { ...known.head.key, error });
    return unreadable(known, error);
  }
}

function unreadable({ head, row }: Known, error: unknown): WorkloadSummary & { reason: string } {
  const fault = error instanceof Error ? error.message : String(error);
  return {
    ...head.key,
    state: 'Unreadable',
    reason: `what the table keeps of it cannot be read: ${fault}`,
    figures: row.shown.figuresOf(undefined),
    queued: head.queued === head.fence,
  };
}

export function readableDetail(
  known: Known,
  surroundings: Surroundings,
  passes: readonly PassRecord[],
  { clock, telemetry }: ShowPorts,
): WorkloadDetail {
  try {
    return detailOf(known, surroundings, passes, clock.nowMs());
  } catch (error) {
    telemetry.error('workload cannot be shown', { ...known.head.key, error });
    const summary = unreadable(known, error);
    const { era, fence, floor, items } = known.head;
    const reasons: Reason[] = [{ code: 'Unreadable', text: summary.reason }];
    const head = { era, fence, floor, bornTime: '', openedTime: '', viewItems: items.length };
    return { ...summary, reasons, conditions: [], status: {}, ...kindOf(known), pods: [], podsLeftOut: 0, head };
  }
}

const kindOf = ({ row: { facts } }: Known): Pick<WorkloadDetail, 'objectKind' | 'hasPods'> => ({
  objectKind: facts.resource.kind,
  hasPods: facts.pods !== undefined,
});

const podsIn = ({ view }: Known): PodFacts[] => [...livingIn(view)];

function reasonsOf(
  { head, view, state, row }: Known,
  pods: readonly PodFacts[],
  { surroundings: { offsetMs, ...rest }, passes, nowMs }: { surroundings: Surroundings; passes: readonly PassRecord[]; nowMs: number },
): Reason[] {
  const owner = view.owner && !view.owner.deleted ? view.owner.object : undefined;
  const ownerIs = row.facts.isOwnerless ? 'none' : view.owner?.deleted ? 'gone' : undefined;
  const nextWakeAtMs = head.queued === head.fence ? nowMs : head.wake?.dueAtMs;
  return workloadReasons({ row, owner, ownerIs, pods, state, nextWakeAtMs, ...rest, passes }, { nowMs, offsetMs });
}

function detailOf(known: Known, surroundings: Surroundings, passes: readonly PassRecord[], nowMs: number): WorkloadDetail {
  const { head, state } = known;
  const owner = ownerIn(known);
  const pods = sortedPods(known, podsIn(known));
  const reasons = reasonsOf(known, pods, { surroundings, passes, nowMs });
  const summary = summaryOf(known, surroundings, nowMs);
  const clusterMs = nowMs + surroundings.offsetMs;
  const falls = fallsIn(known, owner);
  const states = indexesIn(known, clusterMs);
  const cause = causeOf({ state: summary.state, name: head.key.name, falls, states, reasons, pods, nowMs: clusterMs });
  return {
    ...summary,
    ...(cause !== undefined && { cause }),
    ...(falls && { firstFall: firstFallOf(falls) }),
    ...(states && states.lagging.length > 0 && { lagging: laggingOf(states) }),
    reasons,
    conditions: conditionsIn(owner?.status),
    status: owner?.status ?? {},
    ...kindOf(known),
    ...(states ? { map: 'indexes' as const } : owner && known.row.shown.replicasOf ? { map: 'replicas' as const } : {}),
    pods: pods.slice(0, MOST_PODS).map((pod) => podSummaryOf(known, pod, clusterMs)),
    podsLeftOut: Math.max(pods.length - MOST_PODS, 0),
    ...(state && { passes: state }),
    head: {
      era: head.era,
      fence: head.fence,
      floor: head.floor,
      bornTime: timeText(head.bornAtMs),
      openedTime: timeText(head.openedAtMs),
      viewItems: head.items.length,
    },
  };
}

const conditionsIn = (status: object | undefined): readonly unknown[] =>
  isFields(status) && Array.isArray(status['conditions']) ? status['conditions'] : [];
