// Logs the problems of a cluster that cannot be watched. Its watches retry every second or two for as long as the problem lasts: logging
// each failure would hide all other messages.
import type { Clock } from '../ports/clock.ts';
import { TerminalError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** An unchanged problem is logged again after this time, so that a reader of the log sees that it lasts. */
export const SAME_AGAIN_MS = 300_000;
/** Most remembered messages. An API server may put a time or a number into each. */
const MOST_SENTENCES = 100;

export class ProblemLog {
  readonly #setup: { clock: Clock; telemetry: Telemetry; cluster: string };
  /** Message → monotonic time at which it was logged. */
  readonly #loggedAtMs = new Map<string, number>();

  constructor(setup: { clock: Clock; telemetry: Telemetry; cluster: string }) {
    this.#setup = setup;
  }

  note(error: unknown, namespace?: string): void {
    const { clock, telemetry, cluster } = this.#setup;
    const fields = { cluster, ...(namespace !== undefined && { namespace }), error };
    const isRefusal = error instanceof TerminalError;
    const message = isRefusal ? 'cluster refuses to be watched' : 'cluster could not be asked';
    if (!this.#isDue(`${message} ${namespace ?? ''} ${String(error)}`, clock.monotonicMs())) telemetry.debug(message, fields);
    else if (isRefusal) telemetry.error(message, fields);
    else telemetry.warn(message, fields);
  }

  #isDue(sentence: string, nowMs: number): boolean {
    const loggedAtMs = this.#loggedAtMs.get(sentence);
    if (loggedAtMs !== undefined && nowMs - loggedAtMs < SAME_AGAIN_MS) return false;
    if (this.#loggedAtMs.size >= MOST_SENTENCES) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(sentence, nowMs);
    return true;
  }
}
