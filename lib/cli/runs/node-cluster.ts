// The cluster of a registered node: the one of the local instance that knows the node, while that runs.
import type { Clock } from '../../ports/clock.ts';
import type { RunCluster } from '../../reconciler/runs/run-cluster.ts';
import { readInstance } from '../instance/instance-file.ts';

export interface NodeClusterGiven {
  stateFolder: string;
  node: string;
  clock: Clock;
  /** Called with each thing that the cluster does not let a run do, for people. */
  report: (problem: string) => void;
}

export interface NodeCluster {
  cluster: RunCluster;
  close(): void;
}

/** @returns undefined: no instance runs there. @throws one sentence: its kubeconfig cannot be used any more */
export async function openNodeCluster({ stateFolder, node, clock, report }: NodeClusterGiven): Promise<NodeCluster | undefined> {
  const instance = readInstance(stateFolder);
  if (!instance) return undefined;
  const [{ accessFromKubeconfig }, { KubernetesCluster }, { RunCluster: Opened }] = await Promise.all([
    import('../../adapters/kubernetes/kubeconfig.ts'),
    import('../../adapters/kubernetes/kubernetes-cluster.ts'),
    import('../../reconciler/runs/run-cluster.ts'),
  ]);
  const access = await accessFromKubeconfig({ file: instance.kubeconfig, context: instance.context });
  const cluster = new KubernetesCluster({ access, clock, connections: 4 });
  return { cluster: new Opened({ cluster, node, clock, report }), close: () => cluster.close() };
}
