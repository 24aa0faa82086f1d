// Everything outside that a function needs, in one value.
import type { Clock } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterRecord, Clusters } from './clusters.ts';
import type { Provider } from './provider.ts';
import type { Queue } from './queue.ts';
import type { Recorder } from './recorder.ts';
import type { Store } from './store.ts';
import type { Telemetry } from './telemetry.ts';

export interface Ports {
  clock: Clock;
  clusters: Clusters;
  /** Access to the API server of a registered cluster; connections are kept and shared by name. */
  connect(record: ClusterRecord): Cluster;
  /** Drops a credential that is cached in memory, so that the next request to that cluster reads it again. Absent without a cache. */
  forgetCredential?: (cluster: string) => void;
  /** Reads of a cluster on behalf of a person. Absent where the API holds no credentials of clusters: on AWS. */
  lookUp?: (record: ClusterRecord) => Pick<Cluster, 'list'>;
  /** The provider behind a virtual node; undefined: this process has none of that name. Absent where no cluster has virtual nodes. */
  providerOf?: (record: ClusterRecord, node: string) => Provider | undefined;
  queue: Queue;
  recorder: Recorder;
  /** Asks for a new credential before the present one expires. Absent where none expires. @returns whether it got one */
  renewCredential?: (record: ClusterRecord) => Promise<boolean>;
  store: Store;
  telemetry: Telemetry;
}
