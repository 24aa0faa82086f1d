// Stands for a cluster that has not shown yet, in this process, that it is the registered one: nothing is sent there.
import type { Cluster } from '../../ports/cluster.ts';

/** Every call fails with that error, as the call that asked for the cluster's identity did. */
export function awayCluster(error: Error): Cluster {
  const refuse = async (): Promise<never> => {
    throw error;
  };
  return { get: refuse, list: refuse, create: refuse, delete: refuse, patch: refuse, log: refuse };
}
