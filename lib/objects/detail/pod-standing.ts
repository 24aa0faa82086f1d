// The state of one pod in the words that workloads have, with the cluster's own word for it.
import { isAtWork, type PodFacts } from '../pods/pod-facts.ts';

export const POD_STATES = ['Failed', 'BackingOff', 'Waiting', 'Terminating', 'Pending', 'Running', 'Succeeded', 'Unknown'] as const;
export type PodState = (typeof POD_STATES)[number];

export interface PodStanding {
  state: PodState;
  /** The cluster's word, such as `CrashLoopBackOff`, `Unschedulable` or `OOMKilled`. */
  reason?: string;
}

/** The cluster's word for a container that restarts again and again. */
const RESTARTS_LATER = 'CrashLoopBackOff';

export function podStandingOf(pod: PodFacts): PodStanding {
  const { phase, reasons = [], assigned, deletedAt, ready, unreadable } = pod;
  if (unreadable !== undefined) return { state: 'Unknown' };
  if (phase === 'Succeeded') return { state: 'Succeeded' };
  const word = (reasons.find(({ container }) => container !== undefined) ?? reasons[0])?.reason;
  const withWord = word === undefined ? {} : { reason: word };
  if (phase === 'Failed') return { state: 'Failed', ...withWord };
  if (deletedAt !== undefined) return { state: 'Terminating', ...withWord };
  if (phase === 'Unknown' || ready === 'Unknown') return { state: 'Unknown', ...withWord };
  if (reasons.some(({ reason }) => reason === RESTARTS_LATER) && !isAtWork(pod)) return { state: 'BackingOff', reason: RESTARTS_LATER };
  if (isAtWork(pod)) return { state: 'Running', ...withWord };
  if (reasons.some(({ container }) => container !== undefined || !assigned)) return { state: 'Waiting', ...withWord };
  return { state: 'Pending' };
}

/** Seconds that the pod ran, or has run by now; undefined before its node took it. */
export function secondsRun({ phase, startedAt, createdAt, containers }: PodFacts, nowMs: number): number | undefined {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  // Of relays of the build before the start is not known.
  const from = startedAt ?? (phase === 'Pending' ? undefined : createdAt);
  if (from === undefined) return undefined;
  const ends = containers.flatMap(({ role, finishedAt }) => (role === 'container' && finishedAt !== undefined ? [finishedAt] : []));
  if (isOver && ends.length === 0) return undefined;
  const to = isOver ? Math.max(...ends) : nowMs / 1000;
  return Math.max(Math.round(to - from), 0);
}

/** By its word, whatever the case of its letters. */
export const findPodState = (word: string): PodState | undefined =>
  POD_STATES.find((state) => state.toLowerCase() === word.trim().toLowerCase());
