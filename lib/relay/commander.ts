// Whose commands a relay carries out (R15): those of the one role under which passes run. The other functions may send to the relay's
// queue as well, to ask; what would change the cluster is not theirs to send.
import type { Telemetry } from '../ports/telemetry.ts';

export interface CommanderSetup {
  /** Unique id of the role, as the queue tells it of each message; undefined or empty: nobody's commands are carried out. */
  commander: string | undefined;
  cluster: string;
  telemetry: Telemetry;
}

/** Senders that are remembered as told of; further ones are counted alone. */
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

  /** Counts each refusal, and logs the first of each sender. @param senderId as the queue tells it */
  takesFrom(senderId: string): boolean {
    if (this.isKnown && senderId === this.#commander) return true;
    const { cluster, telemetry } = this.#setup;
    telemetry.count('RefusedCommands', 1, 'Count');
    // Without a commander one sentence is enough, whoever sends.
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

/** What becomes of commands until somebody says whose they may be. */
export const NOT_TOLD =
  'it was not told whose commands to take (--commander): give farloop cluster add again, with the relay image of this version';
