// The node of a run: a registered virtual node of the local instance, or one that exists for this run alone.
import { nodeObject } from '../../kinds/virtual-node/node-object.ts';
import { virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import type { Node } from '../../objects/kubernetes.ts';
import { UsageError } from '../terminal/exit.ts';
import { providerProblem } from './run-provider.ts';

export interface NodeGiven {
  provider?: string | undefined;
  node?: string | undefined;
  nodeCpu?: string | undefined;
  nodeMemory?: string | undefined;
  nodePods?: number | undefined;
}

export interface RunNode {
  node: Node;
  /** The provider's word. */
  provider: string;
  isRegistered: boolean;
}

/** Without a size the node takes anything: its provider says how much it can run. */
const AMPLE = { cpu: '1000000', memory: '1000Ti', 'ephemeral-storage': '1000Ti', pods: '1000' };
const USUAL_NAME = 'run-once';

/** @param stateFolder of the local instance that knows registered nodes. @throws UsageError */
export async function runNodeOf(given: NodeGiven, stateFolder: string): Promise<RunNode> {
  const { provider, node: name, nodeCpu, nodeMemory, nodePods } = given;
  if (provider === undefined && name === undefined)
    throw new UsageError(
      'who is to run the pods? expected --provider simulated, local-process, podman, docker or http:ADDRESS, or --node with the name of a virtual node of farloop up',
    );
  if (provider === undefined) return await registeredNode(name ?? '', stateFolder);
  const problem = providerProblem(provider);
  if (problem !== undefined) throw new UsageError(`--provider ${provider}: ${problem}`);
  const capacity = {
    ...AMPLE,
    ...(nodeCpu !== undefined && { cpu: nodeCpu }),
    ...(nodeMemory !== undefined && { memory: nodeMemory }),
    ...(nodePods !== undefined && { pods: String(nodePods) }),
  };
  return { node: nodeOf({ name: name ?? USUAL_NAME, capacity }), provider, isRegistered: false };
}

/** @throws UsageError */
async function registeredNode(name: string, stateFolder: string): Promise<RunNode> {
  const { EmbeddedClusters } = await import('../../adapters/embedded/clusters.ts');
  const records = await EmbeddedClusters.open({ folder: stateFolder }).list();
  const known = records.flatMap(({ options }) => virtualNodesIn(options));
  const found = known.find((settings) => settings.name === name);
  if (!found) {
    const names = known.map((settings) => settings.name);
    throw new UsageError(
      `--node ${name}: there is no such virtual node in ${stateFolder}${names.length > 0 ? `, only ${names.join(', ')}` : ''}: make one with farloop up --virtual-node, or say who runs the pods with --provider`,
    );
  }
  if (!found.remote || found.remote.protocol !== 'http')
    throw new UsageError(
      `--node ${name}: its provider is ${found.provider}, which runs within farloop up alone: expected a node with the provider http:ADDRESS, or --provider`,
    );
  return { node: nodeOf(found), provider: `http:${found.remote.address}`, isRegistered: true };
}

const nodeOf = ({
  name,
  capacity,
  labels = {},
}: {
  name: string;
  capacity: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
}): Node => {
  const { metadata } = nodeObject({
    name,
    provider: 'simulated',
    labels,
    taints: [],
    takesDaemonSets: true,
    capacity: { ...AMPLE, ...capacity },
  });
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { allocatable: { ...capacity } } };
};
