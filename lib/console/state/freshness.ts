// How fresh the page is: when the server was heard last, since when a request waits for an answer, and how changes come.
import { computed, signal } from '@preact/signals';

/** One tick a second, for ages. */
export const nowMs = signal(Date.now());
/** By how much the server's clock is ahead of this browser's; 0 where nobody would notice. */
export const serverAheadMs = signal(0);
/** Ages are told by the server's clock: the browser's may be any. */
export const serverNowMs = computed(() => nowMs.value + serverAheadMs.value);
/** When the server was heard last; undefined before the first answer. */
export const answeredAtMs = signal<number | undefined>(undefined);
/** Since when a request has had no answer. */
export const unansweredSinceMs = signal<number | undefined>(undefined);
/** When what is shown is asked for again; undefined while the server answers. */
export const nextTryAtMs = signal<number | undefined>(undefined);
/** Changes are told by the server's stream; else it is asked again and again. */
export const isStreaming = signal(false);
/** Somebody wants to look at it as it is: since when. */
export const pausedAtMs = signal<number | undefined>(undefined);
/** Why the latest request failed, for those that look closer. */
export const lastFailure = signal('');

export const STALE_AFTER_MS = 3_000;
const SILENT_AFTER_MS = 10_000;
const NOTICED_AHEAD_MS = 5_000;

const waitingMs = computed(() => (unansweredSinceMs.value === undefined ? 0 : nowMs.value - unansweredSinceMs.value));

export type Freshness = 'loading' | 'live' | 'stale' | 'silent';

export const freshness = computed<Freshness>(() => {
  if (waitingMs.value > SILENT_AFTER_MS) return 'silent';
  if (waitingMs.value > STALE_AFTER_MS) return 'stale';
  return answeredAtMs.value === undefined ? 'loading' : 'live';
});

/** Pages turn soft, and actions rest. */
export const isSilent = computed(() => freshness.value === 'silent');

/** @param date of an answer, in whole seconds */
export function noteClock(date: string | null): void {
  const aheadMs = Date.parse(date ?? '') - Date.now();
  if (Math.abs(aheadMs - serverAheadMs.value) > NOTICED_AHEAD_MS) serverAheadMs.value = Math.abs(aheadMs) > NOTICED_AHEAD_MS ? aheadMs : 0;
}

export function noteAsked(): void {
  unansweredSinceMs.value ??= Date.now();
}

export function noteAnswered(): void {
  unansweredSinceMs.value = undefined;
  nextTryAtMs.value = undefined;
  lastFailure.value = '';
  answeredAtMs.value = Date.now();
}

/** The stream says that the server is there. Answers that it owes are still owed. */
export function noteHeard(): void {
  if (unansweredSinceMs.value === undefined) answeredAtMs.value = Date.now();
}

/** The stream has said nothing for longer than it does while the server is there. */
export function noteStreamSilent(): void {
  unansweredSinceMs.value ??= answeredAtMs.value ?? Date.now();
}

/** Nothing was expected meanwhile: a hidden tab rests, a machine sleeps. */
export function forgetWaiting(): void {
  if (unansweredSinceMs.value !== undefined) unansweredSinceMs.value = Date.now();
}

export function startClock(): void {
  let beforeMs = Date.now();
  setInterval(() => {
    const ms = Date.now();
    // Timers of a machine that slept come late: the server was not silent meanwhile.
    if (ms - beforeMs > 5_000) forgetWaiting();
    beforeMs = ms;
    nowMs.value = ms;
  }, 1_000);
}
