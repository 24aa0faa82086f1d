// Answers of the API that stay fresh while a page shows them: each path is followed once, however many parts show it.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { follow, type LatestRead } from '../../api-client/live.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import { isSilence, read } from './call.ts';
import { forgetWaiting, nextTryAtMs, pausedAtMs } from './freshness.ts';
import { closeStream, sharedChanges } from './stream.ts';

export interface Loaded<Data> {
  /** The latest answer, also while the server is silent or refuses. */
  data?: Data;
  /** Why the latest request was refused. */
  problem?: string;
  status?: number;
}

/** The server tells of changes, once a second at most: at least so long between two looks. */
const LIVE_PAUSE_MS = 1_000;
/** Where it does not, it is far away. */
export const POLL_MS = 5_000;
/** An answer that takes long is not asked for all the time. */
const SHARE_OF_TIME = 3;
/** Nobody has touched the page for so long: it need not be that fresh. */
const IDLE_AFTER_MS = 600_000;
const IDLE_FACTOR = 3;
/** A hidden tab asks for its title's sake. */
const HIDDEN_EVERY_MS = 60_000;
/** Answers that nobody shows, for Back. */
const MOST_KEPT = 12;

let touchedAtMs = Date.now();

function pauseMs({ tookMs, isLive }: LatestRead): number {
  if (document.hidden) return HIDDEN_EVERY_MS;
  if (isLive) return Math.max(LIVE_PAUSE_MS, tookMs * SHARE_OF_TIME);
  const pause = Math.max(POLL_MS, tookMs * SHARE_OF_TIME);
  return Date.now() - touchedAtMs > IDLE_AFTER_MS ? pause * IDLE_FACTOR : pause;
}

/** One look at the server: the same value while nothing changed. @throws ApiProblem */
export type Read<Data> = (stop: AbortSignal) => Promise<Data>;

class Followed {
  readonly path: string;
  readonly loaded: Signal<Loaded<unknown>> = signal({});
  readonly #read: Read<unknown>;
  users = 0;
  /** The next answer is shown also while it is paused. */
  isWanted = false;
  #ending: AbortController | undefined;

  constructor(path: string, look: Read<unknown>) {
    this.path = path;
    this.#read = look;
  }

  start(): void {
    if (this.#ending) return;
    this.#ending = new AbortController();
    void this.#follow(this.#ending.signal);
  }

  stop(): void {
    this.#ending?.abort();
    this.#ending = undefined;
  }

  /** At once, whatever is under way. */
  again(): void {
    this.stop();
    this.start();
  }

  async #follow(stop: AbortSignal): Promise<void> {
    const updates = follow({ read: asProblems(this.#read), changes: sharedChanges, everyMs: pauseMs, signal: stop });
    for await (const { isAnswer, value, problem, nextTryAtMs: nextMs } of updates) {
      if (stop.aborted) return;
      const before = this.loaded.value;
      if (isAnswer) {
        // What was not there before the pause is shown: a page that one goes to.
        const isHeld = pausedAtMs.value !== undefined && before.data !== undefined && !this.isWanted;
        this.isWanted = false;
        if (!isHeld && (value !== before.data || before.problem !== undefined)) this.loaded.value = { data: value };
      } else if (problem && isSilence(problem)) nextTryAtMs.value = nextMs;
      else if (problem)
        this.loaded.value = {
          ...(before.data !== undefined && { data: before.data }),
          problem: problem.message,
          ...(problem.status !== undefined && { status: problem.status }),
        };
    }
  }
}

/** An answer that breaks what reads it is asked for again, as one that did not come. */
const asProblems =
  <Data>(look: Read<Data>): Read<Data> =>
  async (stop) => {
    try {
      return await look(stop);
    } catch (error) {
      if (error instanceof ApiProblem) throw error;
      throw new ApiProblem('foreign', `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };

const followed = new Map<string, Followed>();

function followedOf(path: string, readNew: () => Read<unknown>): Followed {
  const found = followed.get(path) ?? new Followed(path, readNew());
  // The youngest last.
  followed.delete(path);
  followed.set(path, found);
  const unused = [...followed.values()].filter((each) => each.users === 0 && each !== found);
  for (const each of unused.slice(0, Math.max(0, unused.length - MOST_KEPT))) followed.delete(each.path);
  return found;
}

const NOTHING: ReadonlySignal<Loaded<never>> = signal({});

/**
 * The answer to `GET path`, kept fresh while the calling part is shown.
 * @param path undefined: nothing is asked
 * @param readNew for answers of several requests; the path names them all
 */
export function useAnswer<Data extends object>(path: string | undefined, readNew?: (path: string) => Read<Data>): Loaded<Data> {
  const shown = useMemo(
    () =>
      path === undefined
        ? undefined
        : followedOf(path, () => (readNew ? readNew(path) : async (stop: AbortSignal) => await read<Data>(path, stop))),
    [path],
  );
  useEffect(() => {
    if (!shown) return undefined;
    shown.users += 1;
    shown.start();
    return () => {
      shown.users -= 1;
      if (shown.users === 0) shown.stop();
    };
  }, [shown]);
  return (shown?.loaded ?? NOTHING).value as Loaded<Data>;
}

/** Answers that nobody shows are not kept, not even for Back: one of them has broken what reads it. */
export function forgetUnused(): void {
  for (const each of followed.values()) if (each.users === 0) followed.delete(each.path);
}

/** Every answer that is shown is asked for at once. */
export function askAgain(): void {
  for (const each of followed.values()) if (each.users > 0) each.again();
}

/** What is shown stays as it is, and a page that one goes to is shown as it is then; the server is asked meanwhile, so that it is known whether it answers. */
export function togglePause(): void {
  pausedAtMs.value = pausedAtMs.value === undefined ? Date.now() : undefined;
  if (pausedAtMs.value === undefined) askAgain();
  else forgetUnused();
}

/** One path is asked for at once, where somebody shows it. */
export function askAgainFor(path: string): void {
  const one = followed.get(path);
  if (!one || one.users === 0) return;
  one.isWanted = true;
  one.again();
}

export function watchVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      closeStream();
      return;
    }
    forgetWaiting();
    askAgain();
  });
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
    addEventListener(event, () => (touchedAtMs = Date.now()), { passive: true, capture: true });
  addEventListener('online', askAgain);
}
