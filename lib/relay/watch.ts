// Following one resource, as a pure state machine: list pages → watch with bookmarks → resume → 410 → list again. It decides what to
// ask and how long to wait; watcher.ts asks and waits.
import { compareResourceVersions, newest } from '../objects/resource-version.ts';

export type WatchFailure =
  /** 410: what was asked for is forgotten. */
  | { kind: 'expired' }
  /** 429, or a version that the server does not know yet. */
  | { kind: 'throttled'; retryAfterMs: number }
  /** A reset, a time-out, a 5xx, no connection, a refusal: it may work later. */
  | { kind: 'broken' };

export type WatchInput =
  /** Also while it runs: list everything anew. */
  | { kind: 'list' }
  | { kind: 'page'; resourceVersion: string; continueToken?: string }
  | { kind: 'event'; resourceVersion: string }
  | { kind: 'bookmark'; resourceVersion: string }
  /** The server ended the watch, as it does every few minutes. */
  | { kind: 'end' }
  | { kind: 'failed'; failure: WatchFailure }
  /** Time has passed: a wait is over, or it is time to look for silence. */
  | { kind: 'tick' };

export type WatchEffect =
  /** A list begins with its first page: what was listed so far is void. */
  | { do: 'begin' }
  | { do: 'list'; continueToken?: string }
  /** All pages are there; this is the lowest of their versions (R19). */
  | { do: 'listed'; resourceVersion: string }
  | { do: 'watch'; resourceVersion: string; timeoutSeconds: number }
  | { do: 'wait'; ms: number }
  /** The call under way is given up. */
  | { do: 'stop' }
  | { do: 'silent'; ms: number };

interface Waiting {
  phase: 'waiting';
  next: { do: 'list'; continueToken?: string } | { do: 'watch' };
}

type Watching = Extract<WatchPhase, { phase: 'watching' }>;

export type WatchPhase =
  { phase: 'idle' } | { phase: 'listing'; continueToken?: string } | { phase: 'watching'; openedAtMs: number; hasHeard: boolean } | Waiting;

export interface WatchState {
  at: WatchPhase;
  /** To resume from; `0` before the first list. While listing: the lowest of the pages so far, or undefined. */
  version: string;
  listed: string | undefined;
  /** When the server was last heard of. */
  heardAtMs: number | undefined;
  /** The last wait after a failure; 0 while all is well. */
  backoffMs: number;
}

export interface WatchOptions {
  /** Bookmarks come about once a minute, so a watch that is silent for longer is broken. */
  silentMs: number;
  firstBackoffMs: number;
  longestBackoffMs: number;
}

export const WATCH_OPTIONS: WatchOptions = { silentMs: 90_000, firstBackoffMs: 500, longestBackoffMs: 30_000 };

export interface Moment {
  /** Milliseconds of a clock that never jumps. */
  nowMs: number;
  /** In [0, 1). */
  random: number;
}

export interface Stepped {
  state: WatchState;
  effects: WatchEffect[];
}

const SHORTEST_WATCH_SECONDS = 240;
/** A watch that ended sooner than this without a word was refused in fact. */
const SHORT_LIVED_MS = 1_000;
const SPREAD_MS = 1_000;

export const initialWatch: WatchState = { at: { phase: 'idle' }, version: '0', listed: undefined, heardAtMs: undefined, backoffMs: 0 };

/** What follows from one input. Inputs that belong to a call given up must not be fed. */
export function step(state: WatchState, input: WatchInput, moment: Moment, options: WatchOptions = WATCH_OPTIONS): Stepped {
  switch (input.kind) {
    case 'list':
      return beginList(state, state.at.phase === 'idle' ? [] : [{ do: 'stop' }]);
    case 'page':
      return state.at.phase === 'listing' ? afterPage(state, input, moment) : same(state);
    case 'event':
    case 'bookmark':
      return state.at.phase === 'watching' ? afterNews(state, state.at, input.resourceVersion, moment) : same(state);
    case 'end':
      return state.at.phase === 'watching' ? afterEnd(state, state.at, moment, options) : same(state);
    case 'failed':
      return afterFailure(state, input.failure, moment, options);
    case 'tick':
      return afterTick(state, moment, options);
    default:
      return same(state);
  }
}

const same = (state: WatchState): Stepped => ({ state, effects: [] });

function beginList(state: WatchState, before: WatchEffect[]): Stepped {
  return { state: { ...state, at: { phase: 'listing' }, listed: undefined }, effects: [...before, { do: 'begin' }, { do: 'list' }] };
}

function afterPage(state: WatchState, page: { resourceVersion: string; continueToken?: string }, moment: Moment): Stepped {
  const { resourceVersion, continueToken } = page;
  const listed = state.listed === undefined || compareResourceVersions(resourceVersion, state.listed) < 0 ? resourceVersion : state.listed;
  const heard = { ...state, listed, heardAtMs: moment.nowMs, backoffMs: 0 };
  if (continueToken !== undefined)
    return { state: { ...heard, at: { phase: 'listing', continueToken } }, effects: [{ do: 'list', continueToken }] };
  // Not the newest of both: a server that was restored from a backup begins anew below what was heard before.
  const { state: watching, effects } = openWatch({ ...heard, version: listed }, moment);
  return { state: watching, effects: [{ do: 'listed', resourceVersion: listed }, ...effects] };
}

/** Watches end after different times, so that they do not all come back at once. */
function openWatch(state: WatchState, { nowMs, random }: Moment): Stepped {
  const timeoutSeconds = Math.round(SHORTEST_WATCH_SECONDS * (1 + random));
  return {
    state: { ...state, at: { phase: 'watching', openedAtMs: nowMs, hasHeard: false } },
    effects: [{ do: 'watch', resourceVersion: state.version, timeoutSeconds }],
  };
}

function afterNews(state: WatchState, at: Watching, resourceVersion: string, { nowMs }: Moment): Stepped {
  const version = newest(state.version, resourceVersion);
  return { state: { ...state, at: at.hasHeard ? at : { ...at, hasHeard: true }, version, heardAtMs: nowMs, backoffMs: 0 }, effects: [] };
}

function afterEnd(state: WatchState, { openedAtMs, hasHeard }: Watching, moment: Moment, options: WatchOptions): Stepped {
  const wasRefused = !hasHeard && moment.nowMs - openedAtMs < SHORT_LIVED_MS;
  return wasRefused ? backOff(state, { do: 'watch' }, moment, options) : openWatch(state, moment);
}

function afterFailure(state: WatchState, failure: WatchFailure, moment: Moment, options: WatchOptions): Stepped {
  const { at } = state;
  if (at.phase !== 'listing' && at.phase !== 'watching') return same(state);
  if (failure.kind === 'expired') {
    // A list that expires between two pages would expire again at once if the server is that slow.
    if (at.phase === 'listing') return backOff({ ...state, listed: undefined }, { do: 'list' }, moment, options);
    return wait(state, { do: 'list' }, moment.random * SPREAD_MS);
  }
  const next: Waiting['next'] =
    at.phase === 'watching' ? { do: 'watch' } : { do: 'list', ...(at.continueToken !== undefined && { continueToken: at.continueToken }) };
  return backOff(state, next, moment, options, failure.kind === 'throttled' ? failure.retryAfterMs : 0);
}

/** Each wait is drawn from between the first one and three times the last one, so that clients fall out of step. */
function backOff(state: WatchState, next: Waiting['next'], { random }: Moment, options: WatchOptions, leastMs = 0): Stepped {
  const { firstBackoffMs, longestBackoffMs } = options;
  const widest = Math.min(longestBackoffMs, Math.max(state.backoffMs, firstBackoffMs) * 3);
  const backoffMs = firstBackoffMs + random * (widest - firstBackoffMs);
  return wait({ ...state, backoffMs }, next, leastMs > 0 ? leastMs + random * SPREAD_MS : backoffMs);
}

const wait = (state: WatchState, next: Waiting['next'], ms: number): Stepped => ({
  state: { ...state, at: { phase: 'waiting', next } },
  effects: [{ do: 'wait', ms }],
});

function afterTick(state: WatchState, moment: Moment, options: WatchOptions): Stepped {
  const { at } = state;
  if (at.phase === 'waiting') {
    const { next } = at;
    if (next.do === 'watch') return openWatch(state, moment);
    if (next.continueToken === undefined) return beginList(state, []);
    const { continueToken } = next;
    return { state: { ...state, at: { phase: 'listing', continueToken } }, effects: [{ do: 'list', continueToken }] };
  }
  if (at.phase !== 'watching') return same(state);
  const ms = moment.nowMs - Math.max(state.heardAtMs ?? 0, at.openedAtMs);
  if (ms < options.silentMs) return same(state);
  const { state: waiting, effects } = backOff(state, { do: 'watch' }, moment, options);
  return { state: waiting, effects: [{ do: 'stop' }, { do: 'silent', ms }, ...effects] };
}
