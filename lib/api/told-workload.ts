// A workload in the API, from its view, its head and the row of its kind.
import type { KindFacts } from '../kinds/rows/kind.ts';
import { standingOf, type Figure, type KindShown } from '../kinds/rows/kind-shown.ts';
import type { Reason } from '../kinds/rows/reasons.ts';
import type { State } from '../kinds/rows/state.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pods/pod-facts.ts';
import type { PodReason } from '../objects/pods/pod-reasons.ts';
import { isFields, type Fields } from '../objects/values/untyped-fields.ts';
import type { WorkloadKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import type { PassRecord } from '../ports/recorder.ts';
import type { Head } from '../ports/store.ts';
import type { PassState } from '../reconciler/head/pass-state.ts';
import { livingIn } from '../reconciler/view/view.ts';
import type { ViewPart } from '../wire/words/observations.ts';
import { workloadReasons, type Seen } from './reasons.ts';
import { timeText } from './time-text.ts';

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
  /** When the next pass runs without any change. */
  nextWake?: { dueTime: string; attempt: number };
  /** Whether a wake is on its way. A list does not know. */
  queued?: boolean;
}

export interface PodSummary {
  name: string;
  uid: string;
  phase: string;
  index?: string;
  ready?: string;
  /** Its outcome is not in the owner's counters yet. */
  tracked: boolean;
  terminating: boolean;
  creationTime: string;
  /** Of its containers that have ended, without init containers. */
  exitCodes: number[];
  containers: ContainerSummary[];
  /** Why it does not run, or was ended, in the cluster's words. Absent if the cluster gives no reason. */
  reasons?: readonly PodReason[];
}

export interface ContainerSummary {
  name: string;
  role: 'container' | 'sidecar' | 'init';
  restarts: number;
  /** While it is terminated. */
  exitCode?: number;
  /** Of the run before, while it runs or waits again. */
  lastExitCode?: number;
  /** The cluster's word for the latest end, where it says more than the exit code: `OOMKilled`. */
  reason?: string;
}

export interface WorkloadDetail extends WorkloadSummary {
  /** From the closed list of reasons; never empty. */
  reasons: Reason[];
  conditions: readonly unknown[];
  status: object;
  /** Whether workloads of its kind have pods. */
  hasPods: boolean;
  pods: PodSummary[];
  /** Number of pods beyond the limit. */
  podsLeftOut: number;
  /** The state that passes keep; absent if it cannot be read, so that the workload counts as unknown. */
  passes?: PassState;
  head: { era: number; fence: string; floor: string; bornTime: string; openedTime: string; viewItems: number };
}

const MOST_PODS = 1_000;

/** The rows of a kind that the rest of the API needs. */
export interface ToldKind {
  facts: KindFacts;
  shown: KindShown;
}

export interface Known {
  row: ToldKind;
  head: Head;
  view: ViewPart;
  state: PassState | undefined;
}

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
    ...ownFields(owner, shown),
    figures: shown.figuresOf(owner),
    ...(labels && { labels }),
    ...(creationTimestamp !== undefined && { creationTime: creationTimestamp }),
    ...(head.wake && { nextWake: { dueTime: timeText(head.wake.dueAtMs), attempt: head.wake.attempt } }),
    queued: head.queued === head.fence,
  };
}

/** The row's fields that the owner has, unchanged. */
function ownFields(owner: WorkloadObject | undefined, { fields }: KindShown): Fields {
  const own: Fields = {};
  for (const { name, in: part } of fields) {
    const given: unknown = owner?.[part];
    const value = isFields(given) ? given[name] : undefined;
    if (value !== undefined) own[name] = value;
  }
  return own;
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
    return { ...summary, reasons, conditions: [], status: {}, hasPods: hasPods(known), pods: [], podsLeftOut: 0, head };
  }
}

const ownerIn = ({ view }: Known): WorkloadObject | undefined => (view.owner && !view.owner.deleted ? view.owner.object : undefined);

const hasPods = ({ row }: Known): boolean => row.facts.pods !== undefined;

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
  const pods = podsIn(known);
  pods.sort((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0) || (a.name < b.name ? -1 : 1));
  return {
    ...summaryOf(known, surroundings, nowMs),
    reasons: reasonsOf(known, pods, { surroundings, passes, nowMs }),
    conditions: conditionsIn(owner?.status),
    status: owner?.status ?? {},
    hasPods: hasPods(known),
    pods: pods.slice(0, MOST_PODS).map(podSummaryOf),
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

const podSummaryOf = (pod: PodFacts): PodSummary => ({
  name: pod.name,
  uid: pod.uid,
  phase: pod.phase,
  ...(pod.index !== undefined && { index: pod.index }),
  ...(pod.ready !== undefined && { ready: pod.ready }),
  tracked: pod.tracked,
  terminating: pod.deletedAt !== undefined,
  creationTime: timeText(pod.createdAt * 1000),
  exitCodes: pod.containers.flatMap(({ role, exitCode }) => (exitCode === undefined || role === 'init' ? [] : [exitCode])),
  containers: pod.containers.map(({ name, role, restarts, exitCode }) => {
    const before = exitCode === undefined ? pod.lastEnds?.find(({ container }) => container === name) : undefined;
    const reason =
      exitCode === undefined
        ? before?.reason
        : (pod.reasons?.find(({ container }) => container === name)?.reason ??
          pod.containerWords?.find(({ container, state }) => container === name && state === 'terminated')?.reason);
    return {
      name,
      role,
      restarts,
      ...(exitCode !== undefined && { exitCode }),
      ...(before && { lastExitCode: before.exitCode }),
      ...(reason !== undefined && reason !== '' && { reason }),
    };
  }),
  ...(pod.reasons && { reasons: pod.reasons }),
});
