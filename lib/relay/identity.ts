// Identifies the cluster at the watched address by its kube-system namespace, and measures its clock.
import type { KubernetesObject } from '../objects/kubernetes.ts';
import { NAMESPACES } from '../objects/resources.ts';
import type { Clock } from '../ports/clock.ts';
import { deadlineIn } from '../ports/clock.ts';
import type { Answer, Cluster } from '../ports/cluster.ts';
import type { Telemetry } from '../ports/telemetry.ts';

const LIFE_MS = 10_000;
const LONGEST_ROUND_TRIP_MS = 2_000;

export interface IdentitySetup {
  source: Pick<Cluster, 'get'>;
  clock: Clock;
  telemetry: Telemetry;
  /** Registered name of the cluster. */
  cluster: string;
  /** Called when another cluster than before answers. */
  changed: () => void;
}

export class Identity {
  readonly #setup: IdentitySetup;
  #kubeSystemUid = '';
  #clockOffsetMs = 0;

  constructor(setup: IdentitySetup) {
    this.#setup = setup;
  }

  /** The uid of the namespace kube-system; empty before the first answer. */
  get kubeSystemUid(): string {
    return this.#kubeSystemUid;
  }

  /** The cluster's time minus ours, milliseconds. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  /** @throws the API server's refusal */
  async ask(): Promise<void> {
    const { source, clock, telemetry, cluster, changed } = this.#setup;
    const askedAtMs = clock.nowMs();
    const target = { name: 'kube-system', namespace: '' };
    const { object, dateMs }: Answer<KubernetesObject> = await source.get(NAMESPACES, target, deadlineIn(clock, LIFE_MS));
    this.sawDate(dateMs, askedAtMs);
    const uid = object.metadata.uid ?? '';
    if (this.#kubeSystemUid !== '' && this.#kubeSystemUid !== uid) {
      telemetry.error('another cluster answers at this address', { cluster, before: this.#kubeSystemUid, now: uid });
      changed();
    }
    this.#kubeSystemUid = uid;
  }

  /** The `Date` header has whole seconds, so its error is half a second. An answer that took long is ignored: its time is too old. */
  sawDate(dateMs: number, askedAtMs: number): void {
    const nowMs = this.#setup.clock.nowMs();
    if (Math.abs(nowMs - askedAtMs) > LONGEST_ROUND_TRIP_MS) return;
    this.#clockOffsetMs = Math.round(dateMs + 500 - (askedAtMs + nowMs) / 2);
  }
}
