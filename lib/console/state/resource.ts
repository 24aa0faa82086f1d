// Answers of the API that stay fresh: each path is asked again and again while a page shows it, by one poll however many parts show it.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask, isSignInNeeded, RefusedError } from './call.ts';
import { forgetWaiting } from './freshness.ts';
import { patched } from './patched.ts';

export interface Loaded<Data> {
  /** The latest answer, also while the server is silent or refuses. */
  data?: Data;
  /** Why the latest request was refused. */
  problem?: string;
  status?: number;
}

const EVERY_MS = 2_000;
/** An answer that takes long is not asked for all the time. */
const SHARE_OF_TIME = 3;
/** Nobody has touched the page for so long: it need not be that fresh. */
const IDLE_AFTER_MS = 600_000;
const IDLE_FACTOR = 5;
/** A hidden tab asks for its title's sake. */
const HIDDEN_EVERY_MS = 60_000;
/** Answers that nobody shows, for Back. */
const MOST_KEPT = 12;

let touchedAtMs = Date.now();

/** One look at the server. @returns undefined when all is as before. @throws RefusedError; SilenceError */
export type Read<Data> = (stop: AbortSignal) => Promise<Data | undefined>;

/** `GET path`, which an entity tag may answer. */
export function readOf<Data>(path: string): Read<Data> {
  let known: string | undefined;
  return async (stop) => {
    const { data, tag } = await ask<Data>(path, { tag: known, signal: stop });
    if (data !== undefined) known = tag;
    return data;
  };
}

class Poll {
  readonly path: string;
  readonly loaded: Signal<Loaded<unknown>> = signal({});
  readonly read: Read<unknown>;
  users = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  constructor(path: string, read: Read<unknown>) {
    this.path = path;
    this.read = read;
  }

  start(): void {
    if (this.#timer === undefined && this.#asking === undefined) void this.#round();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asking?.abort();
    this.#asking = undefined;
  }

  /** At once, whatever is under way. */
  again(): void {
    this.stop();
    this.start();
  }

  async #round(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const beganMs = performance.now();
    try {
      const data = await this.read(asking.signal);
      if (asking.signal.aborted) return;
      const before = this.loaded.value;
      if (data !== undefined) {
        const next = patched(before.data, data);
        if (next !== before.data || before.problem !== undefined) this.loaded.value = { data: next };
      } else if (before.problem !== undefined) this.loaded.value = { data: before.data };
    } catch (error) {
      if (asking.signal.aborted) return;
      if (error instanceof RefusedError) {
        const { data } = this.loaded.value;
        this.loaded.value = { ...(data !== undefined && { data }), problem: error.message, status: error.status };
      }
    }
    this.#asking = undefined;
    if (this.users > 0) this.#timer = setTimeout(() => this.#next(), this.#pauseMs(performance.now() - beganMs));
  }

  #next(): void {
    this.#timer = undefined;
    // Who is not signed in is asked to, not the server again and again.
    if (isSignInNeeded.value) this.#timer = setTimeout(() => this.#next(), EVERY_MS);
    else void this.#round();
  }

  #pauseMs(tookMs: number): number {
    if (document.hidden) return HIDDEN_EVERY_MS;
    const pause = Math.max(EVERY_MS, tookMs * SHARE_OF_TIME);
    return Date.now() - touchedAtMs > IDLE_AFTER_MS ? pause * IDLE_FACTOR : pause;
  }
}

const polls = new Map<string, Poll>();

function pollOf(path: string, readNew: () => Read<unknown>): Poll {
  const found = polls.get(path) ?? new Poll(path, readNew());
  // The youngest last.
  polls.delete(path);
  polls.set(path, found);
  const unused = [...polls.values()].filter((poll) => poll.users === 0 && poll !== found);
  for (const poll of unused.slice(0, Math.max(0, unused.length - MOST_KEPT))) polls.delete(poll.path);
  return found;
}

const NOTHING: ReadonlySignal<Loaded<never>> = signal({});

/**
 * The answer to `GET path`, kept fresh while the calling part is shown.
 * @param path undefined: nothing is asked
 * @param readNew for answers of several requests; the path names them all
 */
export function useAnswer<Data>(path: string | undefined, readNew?: (path: string) => Read<Data>): Loaded<Data> {
  const poll = useMemo(() => (path === undefined ? undefined : pollOf(path, () => (readNew ? readNew(path) : readOf<Data>(path)))), [path]);
  useEffect(() => {
    if (!poll) return undefined;
    poll.users += 1;
    poll.start();
    return () => {
      poll.users -= 1;
      if (poll.users === 0) poll.stop();
    };
  }, [poll]);
  return (poll?.loaded ?? NOTHING).value as Loaded<Data>;
}

/** Every answer that is shown is asked for at once. */
export function askAgain(): void {
  for (const poll of polls.values()) if (poll.users > 0) poll.again();
}

/** One path is asked for at once, where somebody shows it. */
export function askAgainFor(path: string): void {
  const poll = polls.get(path);
  if (poll && poll.users > 0) poll.again();
}

export function watchVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    forgetWaiting();
    askAgain();
  });
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
    addEventListener(event, () => (touchedAtMs = Date.now()), { passive: true, capture: true });
  addEventListener('online', askAgain);
}
