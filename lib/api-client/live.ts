// An answer that stays true: asked for again when the server says that something has changed, or else every few seconds. How the server is
// there, and how old the answer is, are told with it. It goes on by itself after the server was away.
import { ApiProblem } from './problems.ts';

export interface Update<Value> {
  /** `live`: changes are told. `polls`: it is asked again and again. `silent`: asked, and not answered for 3 s. `away`: no answer, or a refusal. */
  link: 'live' | 'polls' | 'silent' | 'away';
  /** The latest; undefined before the first answer. */
  value: Value | undefined;
  /** Whether this update brings the value, or only says how the server is. */
  isAnswer: boolean;
  /** When the latest value was answered, Unix milliseconds. */
  asOfMs: number | undefined;
  /** While it is away. */
  problem?: ApiProblem;
  /** When it is asked again, Unix milliseconds; while it is away. */
  nextTryAtMs?: number;
}

export interface Followed<Value> {
  /** Asks once; it may be several requests. @throws ApiProblem; another error ends it all */
  read(this: void, signal: AbortSignal): Promise<Value>;
  /** The server's stream; absent: it is polled. */
  changes?: (signal: AbortSignal) => AsyncIterable<unknown>;
  /** While it is polled; and at least so long between two reads. Given as a function, it is asked after each read. */
  everyMs: number | ((read: LatestRead) => number);
  signal: AbortSignal;
}

export interface LatestRead {
  tookMs: number;
  /** Changes are told. */
  isLive: boolean;
}

export const SILENT_MS = 3_000;
/** Clusters fall silent as time goes by, without a change. */
const LIVE_EVERY_MS = 5_000;
/** Before the first, the second … try after a failure, and all later ones. */
const TRIES_AFTER_MS = [1_000, 2_000, 4_000, 8_000] as const;
/** Statuses of servers that have no stream. */
const NO_STREAM = new Set([404, 405, 501]);

/** Yields whenever something is to be shown anew. Ends with the signal. @throws what `read` throws, unless it is an ApiProblem */
export async function* follow<Value>({ read, changes, everyMs, signal }: Followed<Value>): AsyncGenerator<Update<Value>> {
  const ending = new AbortController();
  const both = AbortSignal.any([signal, ending.signal]);
  const stream = new Stream(changes, both);
  let value: Value | undefined;
  let asOfMs: number | undefined;
  let failures = 0;
  const update = (link: Update<Value>['link'], more: Partial<Update<Value>> = {}): Update<Value> => ({
    link,
    value,
    isAnswer: false,
    asOfMs,
    ...more,
  });
  const isOver = (): boolean => both.aborted;
  try {
    while (!isOver()) {
      stream.hasNews = false;
      const isSilent = stream.fellSilent();
      if (isSilent) yield update('silent');
      const readAtMs = performance.now();
      const reading = outcomeOf(read(both));
      let outcome = await Promise.race([reading, waited(SILENT_MS, both)]);
      if (!outcome) {
        if (isOver()) return;
        if (!isSilent) yield update('silent');
        outcome = await reading;
      }
      if (isOver()) return;
      if ('error' in outcome) {
        if (!(outcome.error instanceof ApiProblem)) throw outcome.error;
        const waitMs = TRIES_AFTER_MS[Math.min(failures, TRIES_AFTER_MS.length - 1)] ?? 0;
        failures += 1;
        yield update('away', { problem: outcome.error, nextTryAtMs: Date.now() + waitMs });
        await waited(waitMs, both);
        continue;
      }
      const tookMs = performance.now() - readAtMs;
      [value, asOfMs, failures] = [outcome.value, Date.now(), 0];
      yield update(stream.isOpen ? 'live' : 'polls', { isAnswer: true });
      stream.open();
      let pauseMs = pauseAfter(everyMs, { tookMs, isLive: stream.isOpen });
      const restMs = (): number => pauseMs - (performance.now() - readAtMs);
      await (stream.isOpen ? waited(restMs(), both) : Promise.race([waited(restMs(), both), stream.opened()]));
      pauseMs = pauseAfter(everyMs, { tookMs, isLive: stream.isOpen });
      await waited(restMs(), both);
      if (stream.isOpen && !isOver()) await Promise.race([stream.news(), waited(LIVE_EVERY_MS - pauseMs, both)]);
    }
  } finally {
    ending.abort();
  }
}

const pauseAfter = (everyMs: Followed<unknown>['everyMs'], read: LatestRead): number =>
  typeof everyMs === 'number' ? everyMs : everyMs(read);

/** The server's stream, which is opened again when it has ended. */
class Stream {
  /** Something has changed, or the stream has. */
  hasNews = false;
  isOpen = false;
  #fellSilent = false;
  readonly #changes: Followed<unknown>['changes'];
  readonly #signal: AbortSignal;
  #isOpening = false;
  #isAbsent: boolean;
  #tell = Promise.withResolvers<void>();
  #tellOpened = Promise.withResolvers<void>();

  constructor(changes: Followed<unknown>['changes'], signal: AbortSignal) {
    this.#changes = changes;
    this.#isAbsent = changes === undefined;
    this.#signal = signal;
  }

  /** Whether it ended because nothing was heard of the server. Asked once. */
  fellSilent(): boolean {
    const before = this.#fellSilent;
    this.#fellSilent = false;
    return before;
  }

  /** Resolves when there is news, at once if there is already. */
  async news(): Promise<void> {
    if (!this.hasNews) await this.#tell.promise;
  }

  async opened(): Promise<void> {
    if (!this.isOpen) await this.#tellOpened.promise;
  }

  /** After an answer, so the server is there. */
  open(): void {
    if (this.isOpen || this.#isOpening || this.#isAbsent) return;
    this.#isOpening = true;
    void this.#listen().finally(() => {
      this.isOpen = false;
      this.#isOpening = false;
      this.#tellOpened = Promise.withResolvers();
      this.#news();
    });
  }

  async #listen(): Promise<void> {
    try {
      // A change says no more than that there is one.
      // oxlint-disable-next-line no-underscore-dangle
      for await (const _change of this.#changes?.(this.#signal) ?? []) {
        this.isOpen = true;
        this.#tellOpened.resolve();
        this.#news();
      }
    } catch (error) {
      // It is read without a stream, which tells what is wrong.
      this.#fellSilent = error instanceof ApiProblem && error.kind === 'silent';
      this.#isAbsent = error instanceof ApiProblem && error.status !== undefined && NO_STREAM.has(error.status);
    }
  }

  #news(): void {
    this.hasNews = true;
    this.#tell.resolve();
    this.#tell = Promise.withResolvers();
  }
}

const outcomeOf = async <Value>(reading: Promise<Value>): Promise<{ value: Value } | { error: unknown }> =>
  await reading.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** Resolves after so long, or with the signal. */
async function waited(ms: number, signal: AbortSignal): Promise<undefined> {
  if (ms <= 0 || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}
