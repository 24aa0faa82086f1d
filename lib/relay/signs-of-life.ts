// Requests a sign of life from the API server every few seconds. A server that hangs keeps its connections open and sends nothing: without
// these requests a watch would notice after more than a minute, and a request after ten seconds.
import type { Clock } from '../ports/clock.ts';
import type { ClusterSource } from '../ports/cluster.ts';
import { TerminalError } from '../ports/errors.ts';

export interface SignOptions {
  /** Interval of requests while the API server answers. */
  everyMs: number;
  /** A request without an answer within this time is a miss. */
  answerMs: number;
  /** Time from a miss to the next request. */
  againMs: number;
  /** So many misses in a row are silence; one answer ends it. More than one, because a single connection may break. */
  misses: number;
}

/** Detects silence within 12 s after the last sign of life, and the next answer within about a second. */
export const SIGN_OPTIONS: SignOptions = { everyMs: 5_000, answerMs: 3_000, againMs: 1_000, misses: 2 };

/** A relay that lost its Lease keeps asking for this long: no other replica reports the silence that cost it the Lease. */
const LAST_WORD_MS = 15_000;
const LONGEST_REASON = 300;

/** The API server's failure to answer its relay. */
export interface ApiServerTrouble {
  /** `refused`: it answers, and refuses the relay's credentials. */
  state: 'silent' | 'refused';
  /** Monotonic time of its last answer. */
  sinceMs: number;
  reason: string;
}

export interface SignsSetup {
  source: Pick<ClusterSource, 'signOfLife'>;
  clock: Clock;
  /** Monotonic time of the last answer of a watch or list. A server that sends events is alive, however late its other answers are. */
  heardAtMs: () => number;
  /** Called after every request. */
  asked: () => void;
  options?: Partial<SignOptions>;
}

type Sign = { answers: true } | Pick<ApiServerTrouble, 'state' | 'reason'>;

export class SignsOfLife {
  readonly #setup: SignsSetup;
  readonly #options: SignOptions;
  #trouble: ApiServerTrouble | undefined;
  #answeredAtMs = 0;
  #misses = 0;
  /** Of several overlapping runs only the latest counts. */
  #run = 0;

  constructor(setup: SignsSetup) {
    this.#setup = setup;
    this.#options = { ...SIGN_OPTIONS, ...setup.options };
  }

  /** Undefined while the API server answers. */
  get trouble(): ApiServerTrouble | undefined {
    return this.#trouble;
  }

  /**
   * Asks while this relay leads, and a little longer if it stops leading while an answer is missing.
   * @param signals.leading fires when it stops leading
   */
  async run({ leading, ending }: { leading: AbortSignal; ending: AbortSignal }): Promise<void> {
    const { clock, asked } = this.#setup;
    this.#run += 1;
    const run = this.#run;
    this.#trouble = undefined;
    this.#misses = 0;
    this.#answeredAtMs = clock.monotonicMs();
    const either = AbortSignal.any([leading, ending]);
    let untilMs = Infinity;
    leading.addEventListener('abort', () => (untilMs = clock.monotonicMs() + LAST_WORD_MS), { once: true });
    while (!ending.aborted) {
      const askedAtMs = clock.monotonicMs();
      const sign = await this.#ask(ending);
      if (ending.aborted || run !== this.#run) return;
      this.#take(sign, askedAtMs);
      asked();
      const nowMs = clock.monotonicMs();
      if (leading.aborted && (this.#misses === 0 || this.#trouble !== undefined || nowMs >= untilMs)) return;
      const { everyMs, againMs } = this.#options;
      if (this.#misses === 0) await clock.wait(Math.max(askedAtMs + everyMs - nowMs, againMs), either);
      else await clock.wait(againMs, ending);
    }
  }

  #take(sign: Sign, askedAtMs: number): void {
    const { clock, heardAtMs } = this.#setup;
    const observedAtMs = heardAtMs();
    // Once the server counts as silent, only an answer ends that. An event may come from the buffer of an old connection.
    if ('answers' in sign || (sign.state === 'silent' && !this.#trouble && observedAtMs > askedAtMs)) {
      this.#misses = 0;
      this.#answeredAtMs = clock.monotonicMs();
      this.#trouble = undefined;
      return;
    }
    this.#misses += 1;
    if (this.#misses < this.#options.misses) return;
    this.#trouble = {
      sinceMs: Math.max(this.#answeredAtMs, observedAtMs),
      ...(this.#trouble && { sinceMs: this.#trouble.sinceMs }),
      ...sign,
    };
  }

  async #ask(ending: AbortSignal): Promise<Sign> {
    const { source, clock } = this.#setup;
    const { answerMs } = this.#options;
    const question = new AbortController();
    const { signal } = question;
    const giveUp = (): void => question.abort();
    ending.addEventListener('abort', giveUp, { once: true });
    try {
      const sign = source.signOfLife(signal).then((): Sign => ({ answers: true }));
      const none = clock.wait(answerMs, signal).then((): Sign => ({ state: 'silent', reason: `no answer within ${answerMs / 1000} s` }));
      return await Promise.race([sign, none]);
    } catch (error) {
      const reason = textOf(error);
      return error instanceof TerminalError ? { state: 'refused', reason } : { state: 'silent', reason };
    } finally {
      ending.removeEventListener('abort', giveUp);
      giveUp();
    }
  }
}

/** Limits length and characters: the reason travels in a message, and people read it. */
const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\p{Cc}+/gu, ' ').slice(0, LONGEST_REASON);
