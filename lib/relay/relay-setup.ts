// What a relay is given: the cluster it watches, the queue it sends to, and sizes and times, which tests alone change.
import type { KindFacts } from '../kinds/kind.ts';
import type { Manages } from '../objects/manages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ClusterSource } from '../ports/cluster.ts';
import type { Queue } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { OutboxOptions } from './outbox.ts';
import { OUTBOX_OPTIONS } from './outbox.ts';
import type { SignOptions } from './signs-of-life.ts';
import type { WatchOptions } from './watch.ts';
import { WATCH_OPTIONS } from './watch.ts';

export interface RelayOptions extends WatchOptions, Omit<OutboxOptions, 'firstBackoffMs' | 'longestBackoffMs'> {
  /** Objects of one page of a list. */
  pageSize: number;
  heartbeatMs: number;
  /** Between two comparisons with a list of metadata. */
  auditMs: number;
  /** How long a watch may lag behind such a list: longer than it may be silent, so that what tells nothing is found by its silence. */
  auditGraceMs: number;
  /** Signs of life of the API server. */
  signs: Partial<SignOptions>;
}

export const RELAY_OPTIONS: RelayOptions = {
  ...WATCH_OPTIONS,
  delayMs: OUTBOX_OPTIONS.delayMs,
  podsEveryMs: OUTBOX_OPTIONS.podsEveryMs,
  messageBytes: OUTBOX_OPTIONS.messageBytes,
  wholePods: OUTBOX_OPTIONS.wholePods,
  pageSize: 250,
  heartbeatMs: 60_000,
  auditMs: 600_000,
  auditGraceMs: 70_000,
  signs: {},
};

export interface RelaySetup {
  source: ClusterSource & Pick<Cluster, 'get'>;
  queue: Queue;
  clock: Clock;
  telemetry: Telemetry;
  /** Name under which the cluster is registered. */
  cluster: string;
  /** Which kinds are managed there; words that no kind has are passed over. */
  manages: Manages;
  /** The kinds there are; absent: all that this build knows. */
  kinds?: readonly KindFacts[];
  /** Empty: all. */
  namespaces: readonly string[];
  era: number;
  /** Of a cluster with relayed access: what carries out the commands of passes. */
  executor?: Cluster;
  /** Whose commands they may be: unique id of the role under which passes run (R15). Without it none is carried out. */
  commander?: string | undefined;
  /** Watches and sends nothing until it is told to lead. */
  standby?: boolean;
  options?: Partial<RelayOptions>;
}
