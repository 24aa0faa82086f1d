// Starts comparisons of the cache with the cluster (audit.ts). Reports a difference and lists that scope again.
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { AuditOptions, Findings } from './audit.ts';
import { findSkipped } from './audit.ts';
import type { Scope } from './scope.ts';

/** At least this long between two comparisons, however often watches break off. */
const PAUSE_MS = 30_000;

export interface AuditRoundsSetup {
  source: ClusterSource & Pick<Cluster, 'get'>;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  options: AuditOptions;
  scopes: () => readonly Pick<Scope, 'audits'>[];
  /** A standby compares nothing: it lists everything when it takes over. */
  isLeading: () => boolean;
  restored: (versions: NonNullable<Findings['restored']>) => void;
  signal: AbortSignal;
}

export class AuditRounds {
  readonly #setup: AuditRoundsSetup;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #isDue = false;
  /** By watch, for differences that the last round could not decide: the version that the watch had not reached. */
  readonly #untoldUntil = new Map<string, string>();
  /** Resolves with the latest round. */
  #rounds: Promise<void> = Promise.resolve();

  constructor(setup: AuditRoundsSetup) {
    this.#setup = setup;
  }

  /** Runs one round at a time, with a pause between two. A connection that breaks all the time must not start one at each break. */
  async runSoon(): Promise<void> {
    const { clock, telemetry, cluster, signal } = this.#setup;
    if (this.#isDue) return;
    this.#isDue = true;
    await this.#rounds;
    await clock.wait(Math.max(this.#endedAtMs + PAUSE_MS - clock.monotonicMs(), 0), signal);
    this.#isDue = false;
    if (signal.aborted) return;
    await this.run().catch((error: unknown) => telemetry.warn('relay could not compare what it knows', { cluster, error }));
  }

  /** Rounds run one after another. Two at once would look up, and list again for, the same difference. */
  async run(): Promise<void> {
    const round = this.#rounds.then(async () => await this.#compare());
    this.#rounds = round.catch(() => {});
    await round;
  }

  async #compare(): Promise<void> {
    const { source, clock, telemetry, cluster, options, scopes, isLeading, restored: tellRestored, signal } = this.#setup;
    if (!isLeading()) return;
    for (const scope of scopes())
      // Decided before the first comparison: a resource that is listed anew for one must not put the others off to the next round.
      for (const { listAnew, name: watch, isListed: _isListed, ...audited } of scope.audits.filter(({ isListed }) => isListed())) {
        const { plural } = audited.resource;
        const name = `${watch}:${audited.namespace ?? ''}`;
        // A resource that cannot be compared must not stop the comparison of the others (R13).
        try {
          const before = this.#untoldUntil.get(name);
          const { skipped, restored, untoldUntil } = await findSkipped(audited, { source, clock, options, signal }, before);
          if (untoldUntil === undefined) this.#untoldUntil.delete(name);
          else this.#untoldUntil.set(name, untoldUntil);
          if (skipped.length === 0 || signal.aborted) continue;
          telemetry.error('watch has skipped events', { cluster, resource: plural, objects: skipped.slice(0, 5) });
          telemetry.count('SkippedEvents', skipped.length, 'Count', { resource: plural });
          if (restored) tellRestored(restored);
          listAnew();
        } catch (error) {
          if (!signal.aborted)
            telemetry.warn('relay could not compare what it knows', { cluster, resource: plural, namespace: audited.namespace, error });
        }
      }
    this.#endedAtMs = clock.monotonicMs();
  }
}
