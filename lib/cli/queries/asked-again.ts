// A server that a command asks again and again: that it has gone silent is said once, and once that it is back.
import { FailedError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';

export class AskedAgain {
  readonly #then: string;
  #isSilent = false;

  /** @param then ends the sentence about a failure, as in `it is asked again` */
  constructor(then: string) {
    this.#then = then;
  }

  answered(): void {
    if (this.#isSilent) printProblem('farloop: it answers again');
    this.#isSilent = false;
  }

  /** @throws the error itself, where it is no answer of the server's */
  failed(error: unknown): void {
    if (!(error instanceof FailedError)) throw error;
    if (!this.#isSilent) printProblem(`farloop: ${error.message}; ${this.#then}`);
    this.#isSilent = true;
  }
}

/** Lines that a watch has printed stay, and are old. */
export const WATCHED = 'what stands above is from before, and it is asked again';
