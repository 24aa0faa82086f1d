// Owners without children that went. Nothing else tells of such an end: no child goes with it, no digest is sent of what is not there, and a
// queue may lose a message. So the relay tells of it a second time.
import type { Workload } from './cached-workload.ts';

/** Of a beat. Those of a mass deletion beyond it are told of once, and after the next full list. */
const MOST_REMEMBERED = 1_000;

export class DepartedOwners {
  #latest = new Map<Workload, Workload['unsent']>();
  #before = new Map<Workload, Workload['unsent']>();

  /** Its deletion waits to be sent. */
  note(workload: Workload): void {
    if (this.#latest.size < MOST_REMEMBERED) this.#latest.set(workload, workload.unsent);
  }

  /** Call it at each beat. @returns those that went before the last one, each once, with their deletion to be sent again */
  again(): Workload[] {
    const due = [...this.#before];
    this.#before = this.#latest;
    this.#latest = new Map();
    return due.flatMap(([workload, unsent]) => {
      // The API server was restored, and it is there once more.
      if (workload.known) return [];
      workload.unsent = unsent;
      return [workload];
    });
  }
}
