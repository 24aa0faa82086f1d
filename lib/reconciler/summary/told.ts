// The mark of the last summary in its workload's head: so a pass knows without a read whether to write another one, and since when the workload
// has had its state.
import { createHash } from 'node:crypto';
import { isTroubled } from '../../kinds/needs-person.ts';
import { STATES, type State } from '../../kinds/rows/state.ts';
import type { Summary, TimedSummary } from './summary.ts';

export interface Told {
  /** When the last summary was written, Unix milliseconds: its place in the log. */
  atMs: number;
  /** Digest of the part that is written at once. */
  words: string;
  /** Digest of the part that is written a minute after the last summary at the earliest: figures, partial trouble, the sentence. */
  figures: string;
  /** The last summary has older figures, and a timer is on its way. */
  isBehind: boolean;
  state: State;
  /** Whole seconds. */
  sinceMs: number;
  troubledSinceMs?: number | undefined;
  /** The trouble ended then; it is the same trouble if it returns within minutes. */
  calmSinceMs?: number | undefined;
}

/** Figures alone change a summary once in this time. */
export const FIGURES_EVERY_MS = 60_000;
/** A container that fails again and again runs for a while in between: five minutes of back-off, and the time that it lasts. */
const CALM_MS = 600_000;

export interface SummaryStep {
  /** For the head, from now on. */
  told: Told;
  /** The summary that must be written, as the head then says. */
  write?: { summary: TimedSummary; replacesAtMs?: number };
  /** Figures wait until then; nothing has been sent yet that comes back to them. */
  behindUntilMs?: number;
}

/**
 * @param isEndedAtMs when the owner says that it ended
 * @param nextWakeAtMs when a pass is due
 */
export function stepOf(
  before: Told | undefined,
  fresh: Summary,
  { nowMs, isEndedAtMs, nextWakeAtMs }: { nowMs: number; isEndedAtMs?: number | undefined; nextWakeAtMs?: number | undefined },
): SummaryStep {
  const digests = digestsOf(fresh);
  const since = timesOf(before, fresh, { nowMs, isEndedAtMs });
  const isWordNew = before?.words !== digests.words;
  const isFigureNew = before?.figures !== digests.figures;
  // A clock that was set back must not delay figures for longer.
  const isFigureDue = before === undefined || Math.abs(nowMs - before.atMs) >= FIGURES_EVERY_MS;
  if (before && !isWordNew && !(isFigureNew && isFigureDue)) {
    const told = { ...before, ...since, isBehind: isFigureNew };
    return isFigureNew && !before.isBehind ? { told, behindUntilMs: before.atMs + FIGURES_EVERY_MS } : { told };
  }
  const told: Told = { ...digests, ...since, isBehind: false, atMs: Math.max(nowMs, (before?.atMs ?? 0) + 1) };
  return {
    told,
    write: { summary: timed(fresh, told, nextWakeAtMs), ...(before && isSettled(before.state) && { replacesAtMs: before.atMs }) },
  };
}

export const hasEnded = ({ state }: Pick<Summary, 'state'>): boolean => state === 'Succeeded' || state === 'Failed';

/** Its next change may be far off. The summary of another one goes by itself after a week: to remove it would be one more write. */
export const isSettled = (state: State): boolean => !UNSETTLED.has(state);
const UNSETTLED: ReadonlySet<State> = new Set(['Pending', 'Running', 'BackingOff', 'Waiting', 'Terminating']);

/** The summary as it stands in the log, or would, had it been written now. */
export const timed = (summary: Summary, { sinceMs, troubledSinceMs, calmSinceMs }: Told, nextWakeAtMs?: number): TimedSummary => ({
  ...summary,
  sinceMs,
  ...(troubledSinceMs !== undefined && calmSinceMs === undefined && { troubledSinceMs }),
  ...(nextWakeAtMs !== undefined && { nextWakeAtMs }),
});

type Times = Pick<Told, 'state' | 'sinceMs' | 'troubledSinceMs' | 'calmSinceMs'>;

function timesOf(
  before: Told | undefined,
  fresh: Summary,
  { nowMs, isEndedAtMs }: { nowMs: number; isEndedAtMs: number | undefined },
): Times {
  const isEnd = hasEnded(fresh);
  const begins = isEnd ? (isEndedAtMs ?? nowMs) : nowMs;
  const sinceMs = before?.state === fresh.state ? before.sinceMs : wholeSeconds(begins);
  const times = { state: fresh.state, sinceMs, troubledSinceMs: undefined, calmSinceMs: undefined };
  const { troubledSinceMs, calmSinceMs } = before ?? {};
  if (isTroubled(fresh))
    return { ...times, troubledSinceMs: isSame(calmSinceMs, nowMs) ? (troubledSinceMs ?? wholeSeconds(nowMs)) : wholeSeconds(nowMs) };
  if (troubledSinceMs === undefined || isEnd || !isSame(calmSinceMs, nowMs)) return times;
  return { ...times, troubledSinceMs, calmSinceMs: calmSinceMs ?? wholeSeconds(nowMs) };
}

const isSame = (calmSinceMs: number | undefined, nowMs: number): boolean => calmSinceMs === undefined || nowMs - calmSinceMs < CALM_MS;
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** Partial trouble comes and goes while pods start: it waits like figures. */
function digestsOf({ state, reason, why, figures, fields, ...rest }: Summary): Pick<Told, 'words' | 'figures'> {
  const isPartial = state === 'Running';
  return {
    words: digestOf([state, isPartial ? undefined : reason, rest], 5),
    figures: digestOf([figures, fields, why, isPartial ? reason : undefined], 3),
  };
}

const digestOf = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);

/**
 * Without names, times in base 36, all but the first in seconds before it: the head has it in each of its writes, which are billed by size.
 * Twenty bytes more were a unit more for each write of a usual head.
 */
export function encodeTold({ atMs, words, figures, isBehind, state, sinceMs, troubledSinceMs, calmSinceMs }: Told): string {
  const before = (ms: number): string => (Math.floor(atMs / 1000) - Math.floor(ms / 1000)).toString(36);
  const troubled = troubledSinceMs === undefined ? [] : [troubledSinceMs, ...(calmSinceMs === undefined ? [] : [calmSinceMs])];
  const times = [sinceMs, ...troubled].map(before).join('.');
  return `${atMs.toString(36).padStart(8, '0')}${words}${figures}${STATES.indexOf(state).toString(36)}${times}${isBehind ? '+' : ''}`;
}

const TOLD = /^([0-9a-z]{8})([\w-]{5})([\w-]{3})([0-9a-z])(-?[0-9a-z]+)(?:\.(-?[0-9a-z]+))?(?:\.(-?[0-9a-z]+))?(\+?)$/;

/** @returns undefined for what no version wrote: then nothing was written yet */
export function decodeTold(text: string | undefined): Told | undefined {
  const [, at = '', words = '', figures = '', stateText = '', since = '', troubled, calm, behind] = TOLD.exec(text ?? '') ?? [];
  const state = STATES[Number.parseInt(stateText, 36)];
  const atMs = Number.parseInt(at, 36);
  const moment = (ago: string): number => (Math.floor(atMs / 1000) - Number.parseInt(ago, 36)) * 1000;
  if (state === undefined) return undefined;
  return {
    atMs,
    words,
    figures,
    isBehind: behind === '+',
    state,
    sinceMs: moment(since),
    troubledSinceMs: troubled === undefined ? undefined : moment(troubled),
    calmSinceMs: calm === undefined ? undefined : moment(calm),
  };
}
