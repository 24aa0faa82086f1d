// The settings of a relay: the cluster it watches, the queue it sends to, and sizes and times, which only tests change.
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { KindOptions } from '../objects/kind-options.ts';
import type { Manages } from '../objects/manages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster, ClusterSource } from '../ports/cluster.ts';
import type { Queue } from '../ports/queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { OutboxOptions } from './sending/outbox.ts';
import { OUTBOX_OPTIONS } from './sending/outbox.ts';
import type { ServedNodesSetup } from './nodes/served-nodes.ts';
import type { SignOptions } from './signs-of-life.ts';
import type { WatchOptions } from './watch/watch.ts';
import { WATCH_OPTIONS } from './watch/watch.ts';

export interface RelayOptions extends WatchOptions, Omit<OutboxOptions, 'firstBackoffMs' | 'longestBackoffMs'> {
  /** Objects per page of a list. */
  pageSize: number;
  heartbeatMs: number;
  /** Time between two audits. */
  auditMs: number;
  /**
   * How long a watch may lag behind an audit's list. Longer than a watch may be silent, so that the silence check finds a dead one first.
   */
  auditGraceMs: number;
  /** The checks whether the API server answers. */
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
  /** Registered name of the cluster. */
  cluster: string;
  /** The kinds that are managed there. Unknown words are ignored. */
  manages: Manages;
  /** All kinds; absent: the kinds that this build knows. */
  kinds?: readonly KindFacts[];
  /** Options of kinds, as the cluster is registered: they decide which children are watched. */
  kindOptions?: KindOptions | undefined;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  era: number;
  /** For a cluster with relayed access: carries out the commands of passes. */
  executor?: Cluster;
  /** Unique id of the role under which passes run. Commands of other senders are refused (R15). Absent: all commands are refused. */
  commander?: string | undefined;
  /** Where the leases of virtual nodes are kept; absent: this relay keeps none. */
  leases?: Pick<Cluster, 'get' | 'patch'>;
  /** Answers API servers for the virtual nodes while it leads, by asking the functions; absent: it does not. */
  servesNodes?: Pick<ServedNodesSetup, 'address' | 'firstPort' | 'isOpen' | 'cluster'>;
  /** Watches, and sends nothing until `lead` is called. */
  standby?: boolean;
  options?: Partial<RelayOptions>;
}
