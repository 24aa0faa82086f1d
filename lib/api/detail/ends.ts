// What is known of ends: who fell first, which indexes lag; and the one sentence that explains a workload.
import { fallsAfter, fallsText, type Falls } from '../../objects/detail/falls.ts';
import { podStandingOf } from '../../objects/detail/pod-standing.ts';
import { laggingText, type IndexStates } from '../../objects/detail/workload-map.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import type { Reason } from '../../kinds/rows/reasons.ts';
import type { State } from '../../kinds/rows/state.ts';
import type { Known } from './known.ts';
import { timeText } from '../../objects/values/time-text.ts';

export interface FirstFall {
  pod: string;
  container: string;
  exitCode: number;
  reason?: string;
  time: string;
  /** Pods that fell within a minute after it, and how long after it the last of those. */
  followed: number;
  withinSeconds: number;
  followedExitCode?: number;
}

export interface Lagging {
  count: number;
  /** Of the indexes that succeeded. */
  medianSeconds: number;
  indexes: { index: number; seconds: number; pod: string }[];
}

const MOST_LAGGING = 10;
/** So long after the last fall a workload that runs has got over it. */
const RECENT_SECONDS = 600;

/** From what passes remember, and what the view shows since. */
export function fallsIn({ row: { facts }, state, view }: Known, owner: WorkloadObject | undefined): Falls | undefined {
  const since = owner && facts.runsSince?.(owner);
  return since === undefined ? undefined : fallsAfter(state?.fell, podsSeen(view), since);
}

function* podsSeen({ children }: Known['view']): Generator<PodFacts, void> {
  for (const { child } of children.values()) yield child;
}

export function firstFallOf({ first: { at, ...first }, followed, withinSeconds, followedExitCode }: Falls): FirstFall {
  return { ...first, time: timeText(at * 1000), followed, withinSeconds, ...(followedExitCode !== undefined && { followedExitCode }) };
}

export const laggingOf = ({ lagging, medianSeconds = 0 }: IndexStates): Lagging => ({
  count: lagging.length,
  medianSeconds,
  indexes: lagging.slice(0, MOST_LAGGING).map(({ index, seconds = 0, pod }) => ({ index, seconds, pod })),
});

/** Ends well, or as it was asked to: nothing is to be explained. */
const UNEXPLAINED: ReadonlySet<State> = new Set(['Succeeded', 'Suspended', 'Terminating']);
/** States of which the first reason says why. */
const TOLD_BY_REASON: ReadonlySet<State> = new Set(['Failed', 'Waiting', 'BackingOff', 'Parked', 'Unreadable', 'Orphan']);

/** What ended it or holds it up, in one sentence or two; undefined where nothing does. @param nowMs by the cluster's clock */
export function causeOf({
  state,
  name,
  falls,
  states,
  reasons,
  pods,
  nowMs,
}: {
  state: State;
  name: string;
  falls: Falls | undefined;
  states: IndexStates | undefined;
  reasons: readonly Reason[];
  pods: readonly PodFacts[];
  nowMs: number;
}): string | undefined {
  if (UNEXPLAINED.has(state)) return undefined;
  const isFalling =
    state === 'Failed' ||
    state === 'BackingOff' ||
    pods.some((pod) => podStandingOf(pod).state === 'BackingOff') ||
    (falls !== undefined && nowMs / 1000 - falls.lastAt < RECENT_SECONDS);
  // Before any other obstacle a person's turn, or that of the cluster, is what holds it up.
  if (falls && isFalling && state !== 'Parked' && state !== 'Unreadable') return fallsText(falls, name);
  if (TOLD_BY_REASON.has(state)) return reasons[0]?.text;
  if (!states || states.lagging.length === 0) return undefined;
  return laggingText({ count: states.lagging.length, lagging: states.lagging, medianSeconds: states.medianSeconds });
}
