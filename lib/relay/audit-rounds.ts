// When what is known is compared with the cluster (audit.ts), and what follows where it differs.
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ClusterSource } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { AuditOptions, Findings } from './audit.ts';
import { findSkipped } from './audit.ts';
import type { Scope } from './scope.ts';

/** After one comparison and before another, however often watches break off. */
const PAUSE_MS = 30_000;

export interface AuditRoundsSetup {
  source: ClusterSource & Pick<Cluster, 'get'>;
  clock: Clock;
  telemetry: Telemetry;
  cluster: string;
  options: AuditOptions;
  scopes: () => readonly Pick<Scope, 'audits'>[];
  /** Whoever takes over lists everything: on standby nothing is compared. */
  isLeading: () => boolean;
  restored: (versions: NonNullable<Findings['restored']>) => void;
  signal: AbortSignal;
}

export class AuditRounds {
  readonly #setup: AuditRoundsSetup;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #isDue = false;
  /** Of what the last round left to the next: until which version its watch had not told. */
  readonly #untoldUntil = new Map<string, string>();
  /** Ends with the round that was asked for last. */
  #rounds: Promise<void> = Promise.resolve();

  constructor(setup: AuditRoundsSetup) {
    this.#setup = setup;
  }

  /** One at a time, and not at each break of a connection that breaks all the time. */
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

  /** One after another: two at once would ask, and list anew, for the same difference. */
  async run(): Promise<void> {
    const round = this.#rounds.then(async () => await this.#compare());
    this.#rounds = round.catch(() => {});
    await round;
  }

  async #compare(): Promise<void> {
    const { source, clock, telemetry, cluster, options, scopes, isLeading, restored: tellRestored, signal } = this.#setup;
    if (!isLeading()) return;
    for (const scope of scopes())
      for (const { listAnew, name: watch, isListed, ...audited } of scope.audits) {
        if (!isListed()) continue;
        const { plural } = audited.resource;
        const name = `${watch}:${audited.namespace ?? ''}`;
        // What cannot be compared keeps nothing else from it (R13).
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
