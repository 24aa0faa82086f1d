// What faults do only together, and what the end of a run is then waited for beside what each of them lasts by itself.
import type { Call } from './calls.ts';
import { FAULTS, WAITS, type FaultName } from './faults.ts';
import type { Invocation } from './process.ts';

export class Together {
  /** Virtual milliseconds. */
  waitMs = 0;
  readonly #sleepers = new Map<Invocation, number>();

  struck(fault: FaultName, { invocation, process, port, method }: Call): void {
    const batch = invocation?.batch ?? invocation;
    if (fault === 'sleepsAndIsSetBack' && batch) {
      // A function wakes from one sleep with time left to do its work; two outlast it, and only its messages' return brings that back.
      const sleeps = (this.#sleepers.get(batch) ?? 0) + 1;
      this.#sleepers.set(batch, sleeps);
      if (sleeps === 2) this.waitMs += WAITS.visibility.ms;
    }
    // A wake is pending since it was sent, by the clock of whoever sent it: where that is ahead and the wake is lost, it is found stale later.
    if (FAULTS[fault].waits.some((wait) => wait === 'sweep') && port === 'queue' && method === 'send')
      this.waitMs += Math.max(process.skewMs, 0);
  }
}
