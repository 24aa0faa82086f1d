// Which workloads need a person: one rule for the API, the command line, the console and alarms.
import type { State } from './rows/state.ts';

/** Trouble often ends by itself: an image is pulled at the second try, a node is added. */
export const TROUBLE_LASTS_MS = 300_000;
/** How long a failure is of interest, if nobody says otherwise. */
export const FAILED_WITHIN_MS = 3_600_000;

export interface NeedingPerson {
  state: State;
  /** Since when it has had the state, Unix milliseconds. */
  sinceMs: number;
  /** While it waits, backs off or has partial trouble: since when, whatever the words for it were. */
  troubledSinceMs?: number | undefined;
  /** It is on no cluster any more. */
  isRemoved?: boolean;
}

export interface PersonRule {
  nowMs: number;
  failedWithinMs?: number | undefined;
  troubleLastsMs?: number | undefined;
}

/** Whether a person should look at it: what is parked or cannot be read, failed lately, or has been in trouble for minutes. */
export function needsPerson(
  { state, sinceMs, troubledSinceMs, isRemoved = false }: NeedingPerson,
  { nowMs, failedWithinMs = FAILED_WITHIN_MS, troubleLastsMs = TROUBLE_LASTS_MS }: PersonRule,
): boolean {
  if (state === 'Failed') return nowMs - sinceMs <= failedWithinMs;
  if (isRemoved) return false;
  if (state === 'Parked' || state === 'Unreadable') return true;
  return troubledSinceMs !== undefined && nowMs - troubledSinceMs > troubleLastsMs;
}

/** States that are trouble by themselves. In another one a bracket of partial trouble is. */
export const isTroubled = ({ state, reason }: { state: State; reason?: string | undefined }): boolean =>
  state === 'Waiting' || state === 'BackingOff' || (state === 'Running' && reason !== undefined);
