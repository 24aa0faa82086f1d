// Follows one resource, as a pure state machine: list pages → watch with bookmarks → look → resume → 410 → list again. It decides the
// requests and the waits; watcher.ts performs them. Before a watch resumes, it looks at the server's version. A version older than the
// observed one means a server restored from an older state (R3), whose watch would deliver nothing until it has caught up. A restored
// server that has already caught up looks like any other. So after a watch that broke off early the relay compares its cache with a list.
import { compareResourceVersions, newest } from '../../objects/values/resource-version.ts';

export type WatchFailure =
  /** 410: the server no longer has the requested version. */
  | { kind: 'expired' }
  /** 429, or a version that the server does not know yet. */
  | { kind: 'throttled'; retryAfterMs: number }
  /** 404: the API server does not serve the resource, for example before its definition is installed. */
  | { kind: 'absent' }
  /** A reset, a time-out, a 5xx, no connection, a refusal: a retry may work. `unopened`: certainly before the server began to answer. */
  | { kind: 'broken'; unopened?: true };

export type WatchInput =
  /** List everything again. Allowed in every phase. */
  | { kind: 'list' }
  | { kind: 'page'; resourceVersion: string; continueToken?: string }
  /** The server's current version. */
  | { kind: 'seen'; resourceVersion: string }
  | { kind: 'event'; resourceVersion: string }
  | { kind: 'bookmark'; resourceVersion: string }
  /** The server ended the watch, as it does every few minutes. */
  | { kind: 'end' }
  | { kind: 'failed'; failure: WatchFailure }
  /** Time has passed: a wait is over, or a check for silence is needed. */
  | { kind: 'tick' };

export type WatchEffect =
  /** A list begins with its first page. Pages listed so far are void. */
  | { do: 'begin' }
  | { do: 'list'; continueToken?: string }
  /** Asks for the server's version by the smallest of lists. */
  | { do: 'look' }
  /** The watch resumes after it broke off. The server may be another one than before. */
  | { do: 'compare' }
  /** The server's version is older than the observed one. */
  | { do: 'restored'; from: string; to: string }
  /** All pages are there; `resourceVersion` is the lowest of their versions (R19). */
  | { do: 'listed'; resourceVersion: string }
  | { do: 'watch'; resourceVersion: string; timeoutSeconds: number }
  | { do: 'wait'; ms: number }
  /** The server answered a list with 404. The list is retried every 4 s. */
  | { do: 'absent' }
  /** Abort the call under way. */
  | { do: 'stop' }
  | { do: 'silent'; ms: number };

interface Waiting {
  phase: 'waiting';
  next: { do: 'list'; continueToken?: string } | { do: 'watch'; brokeOff: boolean; wasBelow?: boolean };
}

type Watching = Extract<WatchPhase, { phase: 'watching' }>;
type Looking = Extract<WatchPhase, { phase: 'looking' }>;

export type WatchPhase =
  | { phase: 'idle' }
  | { phase: 'listing'; continueToken?: string }
  | { phase: 'looking'; brokeOff: boolean; wasBelow: boolean }
  | { phase: 'watching'; openedAtMs: number; endsAtMs: number; hasObserved: boolean }
  | Waiting;

export interface WatchState {
  at: WatchPhase;
  /** The version to resume from; `0` before the first list. `listed`: while listing, the lowest version of the pages so far. */
  version: string;
  listed: string | undefined;
  /** Time of the server's last answer or event. */
  heardAtMs: number | undefined;
  /** The last wait after a failure; 0 after a success. */
  backoffMs: number;
  /** The server asked for no request until then (R14). */
  notBeforeMs: number;
  /** Watches in a row that failed at this version, possibly because of an event there. */
  failedWatches: number;
  /** Lists in a row that such watches led to, without an event or bookmark between them. */
  forcedLists: number;
}

export interface WatchOptions {
  /** Bookmarks come once a minute, at most a second late. A watch that is silent for longer is broken. */
  silentMs: number;
  firstBackoffMs: number;
  longestBackoffMs: number;
}

export const WATCH_OPTIONS: WatchOptions = { silentMs: 65_000, firstBackoffMs: 500, longestBackoffMs: 6_000 };

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
/** A server ends a watch at most this long before its timeout. */
const EARLY_MS = 5_000;
/** A watch that ended sooner than this without an event was in fact refused. */
const SHORT_LIVED_MS = 1_000;
const SPREAD_MS = 1_000;
const SECOND_LOOK_MS = 300;
/** Time between two requests for a resource that is not served: a definition that comes later is noticed within 5 s. Each costs a 404. */
const ABSENT_MS = 4_000;
/** Failed watches allowed at one version. A third one could fail at the same event, and so on for ever. List again instead. */
const FAILED_WATCHES_MAX = 2;
/** An event that breaks a watch does so as soon as the watch resumes. A watch that lived longer broke for another reason. */
const MET_WITHIN_MS = 20_000;
/**
 * Waits between lists that do not help, because something else than an event breaks the watches: a whole list is expensive for the server
 * (R14) and wakes every workload (R16).
 */
const FORCED_LIST_MS = { first: 1_000, longest: 60_000 };

export const initialWatch: WatchState = {
  at: { phase: 'idle' },
  version: '0',
  listed: undefined,
  heardAtMs: undefined,
  backoffMs: 0,
  notBeforeMs: 0,
  failedWatches: 0,
  forcedLists: 0,
};

/** The next state and effects for one input. Do not feed inputs of an aborted call. */
export function step(state: WatchState, input: WatchInput, moment: Moment, options: WatchOptions = WATCH_OPTIONS): Stepped {
  switch (input.kind) {
    case 'list':
      return listAnew(state, moment);
    case 'page':
      return state.at.phase === 'listing' ? afterPage(state, input, moment) : same(state);
    case 'seen':
      return state.at.phase === 'looking' ? afterLook(state, state.at, input.resourceVersion, moment) : same(state);
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

function listAnew(state: WatchState, { nowMs }: Moment): Stepped {
  if (nowMs >= state.notBeforeMs) return beginList(state, state.at.phase === 'idle' ? [] : [{ do: 'stop' }]);
  const { state: waiting, effects } = wait({ ...state, listed: undefined }, { do: 'list' }, state.notBeforeMs - nowMs);
  return { state: waiting, effects: [{ do: 'stop' }, ...effects] };
}

function beginList(state: WatchState, before: WatchEffect[]): Stepped {
  return { state: { ...state, at: { phase: 'listing' }, listed: undefined }, effects: [...before, { do: 'begin' }, { do: 'list' }] };
}

function afterPage(state: WatchState, page: { resourceVersion: string; continueToken?: string }, moment: Moment): Stepped {
  const { resourceVersion, continueToken } = page;
  const listed = state.listed === undefined || compareResourceVersions(resourceVersion, state.listed) < 0 ? resourceVersion : state.listed;
  const observed = { ...state, listed, heardAtMs: moment.nowMs, backoffMs: 0 };
  if (continueToken !== undefined)
    return { state: { ...observed, at: { phase: 'listing', continueToken } }, effects: [{ do: 'list', continueToken }] };
  // Do not take the newer of both: a server restored from a backup continues below the observed version.
  const { state: watching, effects } = openWatch({ ...observed, version: listed, failedWatches: 0 }, moment);
  return { state: watching, effects: [{ do: 'listed', resourceVersion: listed }, ...effects] };
}

const look = (state: WatchState, brokeOff: boolean, wasBelow = false): Stepped => ({
  state: { ...state, at: { phase: 'looking', brokeOff, wasBelow } },
  effects: [{ do: 'look' }],
});

function afterLook(state: WatchState, { brokeOff, wasBelow }: Looking, resourceVersion: string, moment: Moment): Stepped {
  if (compareResourceVersions(resourceVersion, state.version) >= 0) {
    if (state.failedWatches >= FAILED_WATCHES_MAX) return forceList(state);
    const opened = openWatch(state, moment);
    return brokeOff ? { ...opened, effects: [...opened.effects, { do: 'compare' }] } : opened;
  }
  // One of several API servers may lag. A second look that agrees rules that out (R3).
  if (!wasBelow) return wait(state, { do: 'watch', brokeOff, wasBelow: true }, SECOND_LOOK_MS);
  return beginList(state, [{ do: 'restored', from: state.version, to: resourceVersion }]);
}

function forceList(state: WatchState): Stepped {
  const { first, longest } = FORCED_LIST_MS;
  const forced = { ...state, forcedLists: state.forcedLists + 1 };
  if (state.forcedLists === 0) return beginList(forced, []);
  return wait({ ...forced, listed: undefined }, { do: 'list' }, Math.min(first * 4 ** (state.forcedLists - 1), longest));
}

/** Watches get different timeouts, so that they do not all reconnect at once. */
function openWatch(state: WatchState, { nowMs, random }: Moment): Stepped {
  const timeoutSeconds = Math.round(SHORTEST_WATCH_SECONDS * (1 + random));
  return {
    state: { ...state, at: { phase: 'watching', openedAtMs: nowMs, endsAtMs: nowMs + timeoutSeconds * 1000, hasObserved: false } },
    effects: [{ do: 'watch', resourceVersion: state.version, timeoutSeconds }],
  };
}

function afterNews(state: WatchState, at: Watching, resourceVersion: string, { nowMs }: Moment): Stepped {
  const version = newest(state.version, resourceVersion);
  const failedWatches = version === state.version ? state.failedWatches : 0;
  const observed = at.hasObserved ? at : { ...at, hasObserved: true };
  return { state: { ...state, at: observed, version, heardAtMs: nowMs, backoffMs: 0, failedWatches, forcedLists: 0 }, effects: [] };
}

function afterEnd(state: WatchState, at: Watching, moment: Moment, options: WatchOptions): Stepped {
  const { openedAtMs, endsAtMs, hasObserved } = at;
  const wasRefused = !hasObserved && moment.nowMs - openedAtMs < SHORT_LIVED_MS;
  const brokeOff = moment.nowMs < endsAtMs - EARLY_MS;
  return wasRefused ? backOff(withFailedWatch(state, at, moment), { do: 'watch', brokeOff }, moment, options) : look(state, brokeOff);
}

function afterFailure(state: WatchState, failure: WatchFailure, moment: Moment, options: WatchOptions): Stepped {
  const { at } = state;
  if (at.phase !== 'listing' && at.phase !== 'looking' && at.phase !== 'watching') return same(state);
  if (failure.kind === 'expired') {
    // Back off: if the server is that slow, an immediate new list would expire between two pages again.
    if (at.phase === 'listing') return backOff({ ...state, listed: undefined }, { do: 'list' }, moment, options);
    return wait(state, { do: 'list' }, moment.random * SPREAD_MS);
  }
  if (failure.kind === 'absent') {
    // A 404 of a watch may come from one of several API servers that does not know the resource yet. A list decides.
    if (at.phase !== 'listing') return wait({ ...state, listed: undefined }, { do: 'list' }, SECOND_LOOK_MS);
    const { state: waiting, effects } = wait({ ...state, listed: undefined, backoffMs: 0 }, { do: 'list' }, ABSENT_MS);
    return { state: waiting, effects: [{ do: 'absent' }, ...effects] };
  }
  const next: Waiting['next'] =
    at.phase !== 'listing'
      ? { do: 'watch', brokeOff: true }
      : { do: 'list', ...(at.continueToken !== undefined && { continueToken: at.continueToken }) };
  if (failure.kind === 'broken')
    return backOff(at.phase === 'watching' && !failure.unopened ? withFailedWatch(state, at, moment) : state, next, moment, options);
  const { retryAfterMs } = failure;
  return backOff({ ...state, notBeforeMs: moment.nowMs + retryAfterMs }, next, moment, options, retryAfterMs);
}

function withFailedWatch(state: WatchState, { openedAtMs }: Watching, { nowMs }: Moment): WatchState {
  const failedBefore = nowMs - openedAtMs < MET_WITHIN_MS ? state.failedWatches : 0;
  return { ...state, failedWatches: failedBefore + 1 };
}

/** Decorrelated jitter: each wait is random between the first wait and three times the last one, so that clients do not retry together. */
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
    if (next.do === 'watch') return look(state, next.brokeOff, next.wasBelow);
    if (next.continueToken === undefined) return beginList(state, []);
    const { continueToken } = next;
    return { state: { ...state, at: { phase: 'listing', continueToken } }, effects: [{ do: 'list', continueToken }] };
  }
  if (at.phase !== 'watching') return same(state);
  const ms = moment.nowMs - Math.max(state.heardAtMs ?? 0, at.openedAtMs);
  if (ms < options.silentMs) return same(state);
  const { state: waiting, effects } = backOff(state, { do: 'watch', brokeOff: true }, moment, options);
  return { state: waiting, effects: [{ do: 'stop' }, { do: 'silent', ms }, ...effects] };
}
