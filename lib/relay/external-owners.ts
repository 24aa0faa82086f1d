// How many owners came that another controller manages, by controller, since the session began: heartbeats tell it, for relays alone see them.
// Of the kinds whose row says that they are counted.
import { controllerAmong } from '../wire/external-controllers.ts';
import type { ExternalJobs } from '../wire/observations.ts';

export class ExternalOwnerCounts {
  readonly #counts = new Map<string, number>();

  /** @param managedBy of an owner that has just come */
  came(managedBy: string): void {
    const name = controllerAmong(this.#counts, managedBy);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Another session tells everything anew. */
  clear(): void {
    this.#counts.clear();
  }

  told(): ExternalJobs[] {
    return [...this.#counts].map(([controllerName, count]) => ({ controllerName, count }));
  }
}
