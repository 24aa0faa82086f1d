// Keeps the leases of virtual nodes: a cluster takes a node for lost whose lease nobody renews. Functions say once a minute which nodes are well; the relay
// renews for five minutes after that. It touches leases of the nodes that it was started with, and of no other that it is asked for. If the asks stop,
// the nodes go NotReady by themselves.
import { LEASES, NODE_LEASES, renewalOf, untilIn, type Lease } from '../objects/placement/lease.ts';
import type { Clock } from '../ports/clock.ts';
import { deadlineIn } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ConflictError, NotFoundError } from '../ports/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** A quarter of a lease's duration, as a kubelet renews. */
const RENEW_MS = 10_000;
const CALL_MS = 8_000;
const TRIES = 5;
/** Nobody can ask for longer. */
const MOST_SECONDS = 300;

export interface LeaseKeeperSetup {
  cluster: Pick<Cluster, 'get' | 'patch'>;
  clock: Clock;
  telemetry: Telemetry;
  /** Registered name of the cluster. */
  name: string;
  /** The nodes that this relay was started with. */
  nodes: ReadonlySet<string>;
}

interface Kept {
  /** By this process's monotonic clock. */
  untilMs: number;
  /** As it was answered last; absent: it is read first. */
  lease?: Lease | undefined;
  /** The latest renewal failed. */
  isFailing?: boolean;
}

export class LeaseKeeper {
  readonly #setup: LeaseKeeperSetup;
  readonly #kept = new Map<string, Kept>();

  constructor(setup: LeaseKeeperSetup) {
    this.#setup = setup;
  }

  /** Of nodes that are well. Others among those kept go on until their own time is over. */
  async keep(nodes: readonly string[], seconds: number): Promise<void> {
    const untilMs = this.#setup.clock.monotonicMs() + Math.min(seconds, MOST_SECONDS) * 1_000;
    const known = nodes.filter((node) => this.#setup.nodes.has(node));
    const added = known.filter((node) => !this.#kept.has(node));
    for (const node of known) this.#kept.set(node, { ...this.#kept.get(node), untilMs });
    await Promise.all(added.map(async (node) => await this.#renew(node)));
  }

  /** Renews until the signal fires. A relay that takes over goes on with what its predecessor was asked for: the leases say until when. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#setup;
    this.#kept.clear();
    await Promise.all([...this.#setup.nodes].map(async (node) => await this.#takeOver(node)));
    while (!signal.aborted) {
      await Promise.all([...this.#kept.keys()].map(async (node) => await this.#renew(node)));
      await clock.wait(RENEW_MS * (0.9 + 0.2 * clock.random()), signal);
    }
  }

  async #takeOver(node: string): Promise<void> {
    const { clock } = this.#setup;
    try {
      const lease = await this.#read(node);
      const leftMs = Math.min(untilIn(lease) - clock.nowMs(), MOST_SECONDS * 1_000);
      if (leftMs > 0 && !this.#kept.has(node)) this.#kept.set(node, { untilMs: clock.monotonicMs() + leftMs, lease });
    } catch {
      // The next ask brings it.
    }
  }

  async #renew(node: string): Promise<void> {
    const { clock, telemetry, name } = this.#setup;
    const kept = this.#kept.get(node);
    if (!kept) return;
    const leftMs = kept.untilMs - clock.monotonicMs();
    if (leftMs <= 0) {
      this.#kept.delete(node);
      telemetry.warn('the lease of a virtual node is not renewed any more: nobody says that it is well', { cluster: name, node });
      return;
    }
    try {
      kept.lease = await this.#write(node, kept, clock.nowMs() + leftMs);
      kept.isFailing = false;
    } catch (error) {
      kept.lease = undefined;
      if (kept.isFailing !== true) telemetry.warn('the lease of a virtual node cannot be renewed', { cluster: name, node, error });
      kept.isFailing = true;
    }
  }

  async #write(node: string, kept: Kept, untilMs: number): Promise<Lease> {
    const { cluster, clock } = this.#setup;
    for (let tries = 1; ; tries += 1)
      try {
        const lease = kept.lease ?? (await this.#read(node));
        const { namespace = '', name = '', uid = '' } = lease.metadata;
        const body = renewalOf(lease, { nowMs: clock.nowMs(), untilMs });
        const target = { namespace, name, uid };
        return (await cluster.patch<Lease>(LEASES, target, { type: 'merge', body }, deadlineIn(clock, CALL_MS))).object;
      } catch (error) {
        // Somebody else wrote it, or made it anew.
        if (tries === TRIES || !(error instanceof ConflictError || (error instanceof NotFoundError && kept.lease))) throw error;
        kept.lease = undefined;
      }
  }

  async #read(node: string): Promise<Lease> {
    const { cluster, clock } = this.#setup;
    return (await cluster.get<Lease>(LEASES, { namespace: NODE_LEASES, name: node }, deadlineIn(clock, CALL_MS))).object;
  }
}
