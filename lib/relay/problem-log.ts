// What a relay logs of a cluster that cannot be watched. Its watches try again every second or two, for as long as it lasts: the same
// sentence each time would hide all others.
import type { Clock } from '../ports/clock.ts';
import { TerminalError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** The same is logged again after so long: who looks at a log sees that it lasts. */
export const SAME_AGAIN_MS = 300_000;
/** Of sentences that are kept; a server may put a time or a number into each. */
const MOST_SENTENCES = 100;

export class ProblemLog {
  readonly #setup: { clock: Clock; telemetry: Telemetry; cluster: string };
  /** When each was logged, by the monotonic clock. */
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
