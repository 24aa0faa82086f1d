// The node of a run: a registered virtual node of the local instance, or one that exists for this run alone.
import { nodeObject } from '../../kinds/virtual-node/node-object.ts';
import { virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Node } from '../../objects/kubernetes.ts';
import { UsageError } from '../terminal/exit.ts';
import { providerProblem } from '../run-records/run-provider.ts';

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
  const found = nodeAmong(records, name);
  if ('problem' in found)
    throw new UsageError(
      `--node ${name}: ${found.problem}${found.isAbsent ? `: make one with farloop up --state ${stateFolder} --virtual-node ${name}=http:ADDRESS, or say who runs the pods with --provider` : ', or --provider'}`,
    );
  return { ...found, isRegistered: true };
}

/** The registered virtual node of that name, or why no run goes there. */
export function nodeAmong(
  records: readonly Pick<ClusterRecord, 'options'>[],
  name: string,
): Pick<RunNode, 'node' | 'provider'> | { problem: string; isAbsent: boolean } {
  const known = records.flatMap(({ options }) => virtualNodesIn(options));
  const found = known.find((settings) => settings.name === name);
  if (!found) {
    const names = known.map((settings) => settings.name);
    return { problem: `there is no such virtual node here${names.length > 0 ? `, only ${names.join(', ')}` : ''}`, isAbsent: true };
  }
  if (!found.remote || found.remote.protocol !== 'http')
    return {
      problem: `its provider is ${found.provider}, which runs within farloop up alone: expected a node with the provider http:ADDRESS`,
      isAbsent: false,
    };
  return { node: nodeOf(found), provider: `http:${found.remote.address}` };
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
