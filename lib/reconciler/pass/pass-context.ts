// The subject of a pass, as its knowledge needs it.
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';

/** It stays the same from a pass's beginning to its end. */
export interface PassContext {
  key: WorkloadKey;
  /** The facts of its kind. */
  facts: KindFacts;
  deadline: Deadline;
  /** @throws NotDoneError if there is no way to it */
  readonly cluster: Cluster;
  /** A read was older than an earlier observation. */
  sawStale(resource: Resource): void;
}
