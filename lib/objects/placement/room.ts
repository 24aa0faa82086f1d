// The room of a node: what its pods ask for together, and which pods wait until there is enough of it.
import type { Pod } from '../kubernetes.ts';
import { amountsOf, effectiveRequestsOf, type Amounts } from '../pods/pod-requests.ts';
import { insufficientResources, type InsufficientResource } from '../pods/resource-shortage.ts';

/** Capacities of a node as its status has them: quantities by resource. */
export type NodeResources = Readonly<Record<'cpu' | 'memory' | 'ephemeral-storage' | 'pods', string>>;

/** Pods that ask for the same. */
interface Queue {
  wanted: Amounts;
  uids: Set<string>;
}

export class Room {
  readonly #capacities: Amounts;
  /** Requests of each pod on the node, by uid. */
  readonly #held = new Map<string, Amounts>();
  /** Sums of these requests; as `pods`, the number of pods. */
  readonly #used = new Map<string, bigint>();
  /** Pods without room, those that ask for the same in one queue: a pod that leaves is compared with each queue, not with each pod. */
  readonly #queues = new Map<string, Queue>();

  /** @param resources quantities by resource */
  constructor(resources: Readonly<Record<string, string | number>>) {
    this.#capacities = amountsOf(resources);
  }

  /**
   * Gives a pod room, which it has until `release`, or lets it wait.
   * @returns what is missing; empty: it has room
   */
  take(pod: Pod): InsufficientResource[] {
    const { uid = '' } = pod.metadata;
    if (this.#held.has(uid)) return [];
    const wanted = this.#wantedOf(pod);
    const missing = this.#missing(wanted);
    if (missing.length === 0) this.#give(uid, wanted);
    else {
      const key = [...wanted].map(([resource, amount]) => `${resource}=${amount}`).join(',');
      const queue = this.#queues.get(key) ?? { wanted, uids: new Set<string>() };
      this.#queues.set(key, queue);
      queue.uids.add(uid);
    }
    return missing;
  }

  holds(uid: string): boolean {
    return this.#held.has(uid);
  }

  /** Number of pods that have room. */
  get pods(): number {
    return this.#held.size;
  }

  /** A pod that somebody bound to the node is there, whether there was room or not. */
  hold(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    if (!this.#held.has(uid)) this.#give(uid, this.#wantedOf(pod));
  }

  /** A pod has ended or is gone, or does not come. @returns uids of pods that waited and have room from now on, in the order in which they came */
  release(uid: string): string[] {
    this.#leaveQueue(uid);
    const left = this.#held.get(uid);
    if (left === undefined) return [];
    this.#held.delete(uid);
    this.#add(left, -1n);
    const placed: string[] = [];
    for (const { wanted, uids } of this.#queues.values()) {
      for (const next of uids) {
        if (this.#missing(wanted).length > 0) break;
        this.#give(next, wanted);
        placed.push(next);
      }
    }
    return placed;
  }

  #give(uid: string, wanted: Amounts): void {
    this.#leaveQueue(uid);
    this.#held.set(uid, wanted);
    this.#add(wanted, 1n);
  }

  #leaveQueue(uid: string): void {
    for (const [key, { uids }] of this.#queues) if (uids.delete(uid) && uids.size === 0) this.#queues.delete(key);
  }

  #add(amounts: Amounts, sign: bigint): void {
    for (const [resource, amount] of amounts) this.#used.set(resource, (this.#used.get(resource) ?? 0n) + sign * amount);
    this.#used.set('pods', (this.#used.get('pods') ?? 0n) + sign);
  }

  #missing(wanted: Amounts): InsufficientResource[] {
    return insufficientResources({ capacities: this.#capacities, used: this.#used, wanted });
  }

  /** Requests of devices and the like are not counted: a sandbox has none, and its users want to see their jobs run. */
  #wantedOf(pod: Pod): Amounts {
    return effectiveRequestsOf(pod, (resource) => this.#capacities.has(resource));
  }
}
