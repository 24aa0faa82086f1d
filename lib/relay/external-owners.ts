// Counts owners that another controller manages, by controller, since the session began. Heartbeats carry the counts, because only relays
// see these owners. Counts the kinds whose row says so.
import { controllerAmong } from '../wire/words/external-controllers.ts';
import type { ExternalOwners } from '../wire/words/observations.ts';

export class ExternalOwnerCounts {
  readonly #counts = new Map<string, number>();

  /** @param managedBy of an owner observed for the first time */
  came(managedBy: string): void {
    const name = controllerAmong(this.#counts, managedBy);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** A new session reports everything again, so counting restarts. */
  clear(): void {
    this.#counts.clear();
  }

  told(): ExternalOwners[] {
    return [...this.#counts].map(([controllerName, count]) => ({ controllerName, count }));
  }
}
