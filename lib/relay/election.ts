// Leader election among a relay's replicas by a Lease. It saves work and is not needed for safety: two replicas that send at once report
// the same truth twice (R2). A replica measures by its own clock how long the holder has not renewed, so clocks need not agree.
import { LEASES, microTimeOf, type Lease, type LeaseSpec } from '../objects/placement/lease.ts';
import type { Clock } from '../ports/clock.ts';
import { deadlineIn } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ConflictError, NotFoundError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';

export interface ElectionOptions {
  /** A holder loses the Lease after so long without a renewal. */
  durationMs: number;
  /** The holder itself stops sending after so long without a renewal. Less than `durationMs`: it stops before another replica may start. */
  holdMs: number;
  /** Time between two attempts to acquire or renew. */
  retryMs: number;
}

const ELECTION_OPTIONS: ElectionOptions = { durationMs: 15_000, holdMs: 10_000, retryMs: 2_000 };

export interface ElectionSetup {
  cluster: Pick<Cluster, 'get' | 'patch' | 'create'>;
  clock: Clock;
  telemetry: Telemetry;
  lease: { namespace: string; name: string };
  /** Identity of this replica, unique among the replicas. */
  holder: string;
  gained: () => void;
  lost: () => void;
  options?: Partial<ElectionOptions>;
}

export class Election {
  readonly #setup: ElectionSetup;
  readonly #options: ElectionOptions;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  /** The last observed version of the Lease, and when it was first observed. */
  #seen: { version: string; atMs: number } | undefined;
  /** Monotonic time at which the last successful renewal began. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #isHolder = false;

  constructor(setup: ElectionSetup) {
    this.#setup = setup;
    this.#options = { ...ELECTION_OPTIONS, ...setup.options };
  }

  get isHolder(): boolean {
    return this.#isHolder;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Releases the Lease, so that the next holder need not wait until it expires. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    if (!this.#isHolder) return;
    this.#lose();
    try {
      const lease = await this.#read();
      if (lease?.spec?.holderIdentity === this.#setup.holder) await this.#write(lease, { holderIdentity: '', leaseDurationSeconds: 1 });
    } catch (error) {
      this.#setup.telemetry.warn('lease not given back', { ...this.#setup.lease, error });
    }
  }

  async #run(): Promise<void> {
    const { clock } = this.#setup;
    const { retryMs } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const trying = this.#try();
      // Do not only await the attempt: the call may outlast the Lease.
      if (this.#isHolder) await Promise.race([trying, this.#untilLapsed()]);
      await trying;
      if (signal.aborted) return;
      // Jitter: replicas that start together must not keep retrying together.
      await clock.wait(retryMs * (0.8 + 0.4 * clock.random()), signal);
      this.#loseIfLapsed();
    }
  }

  async #untilLapsed(): Promise<void> {
    await this.#setup.clock.wait(
      Math.max(this.#renewedAtMs + this.#options.holdMs - this.#setup.clock.monotonicMs(), 0),
      this.#ending.signal,
    );
    this.#loseIfLapsed();
  }

  #loseIfLapsed(): void {
    if (this.#isHolder && this.#setup.clock.monotonicMs() >= this.#renewedAtMs + this.#options.holdMs) this.#lose();
  }

  #lose(): void {
    this.#isHolder = false;
    this.#setup.telemetry.info('relay rests', { ...this.#setup.lease, holder: this.#setup.holder });
    this.#setup.lost();
  }

  /** One attempt to acquire or renew. */
  async #try(): Promise<void> {
    const { clock, telemetry, lease: name, holder, gained } = this.#setup;
    const beganAtMs = clock.monotonicMs();
    try {
      const lease = await this.#read();
      if (!lease) return await this.#create();
      const { holderIdentity = '', leaseTransitions = 0 } = lease.spec ?? {};
      if (holderIdentity !== holder && !this.#isFree(lease)) {
        if (this.#isHolder) this.#lose();
        return;
      }
      const nowText = microTimeOf(clock.nowMs());
      const isNew = holderIdentity !== holder;
      await this.#write(lease, {
        holderIdentity: holder,
        leaseDurationSeconds: Math.ceil(this.#options.durationMs / 1000),
        renewTime: nowText,
        ...(isNew && { acquireTime: nowText, leaseTransitions: leaseTransitions + 1 }),
      });
      this.#renewedAtMs = beganAtMs;
      if (this.#isHolder || this.#ending.signal.aborted) return;
      this.#isHolder = true;
      telemetry.info('relay sends', { ...name, holder });
      gained();
    } catch (error) {
      // Conflict: another replica was first. The next attempt reads its Lease.
      if (!(error instanceof ConflictError)) telemetry.warn('lease cannot be had', { ...name, holder, error });
    }
    return undefined;
  }

  async #read(): Promise<Lease | undefined> {
    const { cluster, clock, lease } = this.#setup;
    try {
      const { object } = await cluster.get<Lease>(LEASES, lease, deadlineIn(clock, this.#options.holdMs));
      const version = object.metadata.resourceVersion ?? '';
      if (this.#seen?.version !== version) this.#seen = { version, atMs: clock.monotonicMs() };
      return object;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Without a holder, or its holder has not renewed for its whole duration. */
  #isFree({ spec }: Lease): boolean {
    if ((spec?.holderIdentity ?? '') === '') return true;
    const durationMs = (spec?.leaseDurationSeconds ?? this.#options.durationMs / 1000) * 1000;
    return this.#seen !== undefined && this.#setup.clock.monotonicMs() >= this.#seen.atMs + durationMs;
  }

  /** The patch carries the resourceVersion, so a write in between is a conflict (R8). */
  async #write({ metadata }: Lease, spec: LeaseSpec): Promise<void> {
    const { cluster, clock, lease } = this.#setup;
    const { uid = '', resourceVersion } = metadata;
    const body = { metadata: { resourceVersion }, spec };
    await cluster.patch(LEASES, { ...lease, uid }, { type: 'merge', body }, deadlineIn(clock, this.#options.holdMs));
  }

  /** The relay's manifests contain the Lease. This creates it again if it was deleted; the next attempt acquires it. */
  async #create(): Promise<void> {
    const { cluster, clock, lease } = this.#setup;
    await cluster.create<Lease>(LEASES, { metadata: lease, spec: {} }, deadlineIn(clock, this.#options.holdMs));
  }
}
