// Everything outside that a function needs, in one value.
import type { RemoteProvider } from '../objects/placement/remote-provider.ts';
import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterRecord, Clusters } from './clusters.ts';
import type { Costs } from './costs.ts';
import type { Provider } from './provider.ts';
import type { Queue } from './queue.ts';
import type { Recorder } from './recorder.ts';
import type { DrivenRuns, RunHost } from './runs.ts';
import type { Store } from './store.ts';
import type { Telemetry } from './telemetry.ts';

export interface Ports {
  /** A number that changes with each write of the store. Absent where other processes write, too. */
  changes?: () => number;
  clock: Clock;
  clusters: Clusters;
  /** Access to the API server of a registered cluster; connections are kept and shared by name. */
  connect(record: ClusterRecord): Cluster;
  /** Drops a credential that is cached in memory, so that the next request to that cluster reads it again. Absent without a cache. */
  forgetCredential?: (cluster: string) => void;
  /** Reads of a cluster on behalf of a person. Absent where the API holds no credentials of clusters: on AWS. */
  lookUp?: (record: ClusterRecord) => Pick<Cluster, 'list' | 'log'>;
  /** People may act on workloads through this installation. Absent: they may read alone. */
  actions?: 'on';
  /** Trouble that lasts longer needs a person. Absent: five minutes. */
  troubleLastsMs?: number;
  /**
   * The provider behind a virtual node; undefined: this process reaches none of that name. Absent where no cluster has virtual nodes.
   * @param remote where it answers; undefined: in this process
   * @throws TerminalError nothing is sent to that address
   */
  providerOf?: (record: ClusterRecord, node: string, remote: RemoteProvider | undefined) => Provider | undefined;
  /** Where API servers reach a virtual node that this process answers for. Absent: the relay that answers says so in its heartbeats. */
  nodeEndpointOf?: (node: string) => { address: string; port: number } | undefined;
  /** The cost of workloads. Absent where nothing counts for all functions. */
  costs?: Costs;
  queue: Queue;
  recorder: Recorder;
  /** Asks for a new credential before the present one expires. Absent where none expires. @returns whether it got one */
  renewCredential?: (record: ClusterRecord) => Promise<boolean>;
  /** Absent: this process takes no requests about runs. */
  runs?: RunHost;
  /** Absent: messages drive no runs here. */
  drivenRuns?: DrivenRuns;
  store: Store;
  telemetry: Telemetry;
}
