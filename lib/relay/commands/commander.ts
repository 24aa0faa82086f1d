// Accepts commands from one sender alone: the role under which passes run (R15). Other functions may send asks to the same queue. They must
// not be able to change the cluster through it.
import type { Telemetry } from '../../ports/telemetry.ts';

export interface CommanderSetup {
  /** Unique id of the role, as the queue states it for each message. Undefined or empty: commands of every sender are refused. */
  commander: string | undefined;
  cluster: string;
  telemetry: Telemetry;
}

/** Most senders whose refusal is logged. Refusals of further senders are only counted. */
const TOLD_MAX = 20;

export class Commander {
  readonly #setup: CommanderSetup;
  readonly #told = new Set<string>();

  constructor(setup: CommanderSetup) {
    this.#setup = setup;
  }

  get isKnown(): boolean {
    return this.#commander !== '';
  }

  /** Counts each refusal and logs the first of each sender. @param senderId as stated by the queue */
  takesFrom(senderId: string): boolean {
    if (this.isKnown && senderId === this.#commander) return true;
    const { cluster, telemetry } = this.#setup;
    telemetry.count('RefusedCommands', 1, 'Count');
    // Without a commander log once in all, not once per sender.
    const told = this.isKnown ? senderId : '';
    if (this.#told.has(told) || this.#told.size >= TOLD_MAX) return false;
    this.#told.add(told);
    if (!this.isKnown) telemetry.error('commands refused: this relay was not told whose to take', { cluster, reason: NOT_TOLD });
    else telemetry.error('commands refused: their sender is not the commander', { cluster, sender: senderId, commander: this.#commander });
    return false;
  }

  get #commander(): string {
    return this.#setup.commander ?? '';
  }
}

/** Reason of the refusal while no commander is configured. */
export const NOT_TOLD =
  'it was not told whose commands to take (--commander): give farloop cluster add again, with the relay image of this version';
