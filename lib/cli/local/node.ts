// `farloop node --simulated`: a simulated node for any cluster.
import { Command } from 'commander';
import { NAMESPACES } from '../../objects/resources.ts';
import { deadlineIn } from '../../ports/clock.ts';
import { UsageError } from '../terminal/exit.ts';
import { nodeCpuOption, nodeMemoryOption, nodeSizeOf, type NodeSizeOptions } from './node-size.ts';
import { printLine, printProblem } from '../terminal/output.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

interface NodeOptions extends NodeSizeOptions {
  simulated?: boolean;
  kubeconfig: string;
  context?: string;
  name?: string;
  binding: boolean;
}

const PROBE_MS = 10_000;

export const nodeCommand = (): Command =>
  new Command('node')
    .description('Run a node that only pretends to run pods, for trying and testing.')
    .option('--simulated', 'say that this is what you want')
    .requiredOption('--kubeconfig <file>', 'the cluster to be a node of')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--name <name>', 'name of the Node (default: simulated-node)')
    .option('--no-binding', 'take the pods that a scheduler gives it, alone (default: it takes any pod without a node)')
    .addOption(nodeCpuOption())
    .addOption(nodeMemoryOption())
    .addHelpText('after', '\nExample:\n  farloop node --simulated --kubeconfig ~/.kube/config')
    .action(async (options: NodeOptions) => {
      if (!options.simulated) throw new UsageError('there is no other node than a simulated one: add --simulated');
      process.exitCode = await runNode(options);
    });

async function runNode({ kubeconfig, context, name, binding, ...size }: NodeOptions): Promise<number> {
  const stopping = listenForStop();
  const [{ accessFromKubeconfig }, { startSimulatedNode }, { openJsonClient }, { KubernetesCluster }, { SystemClock }] = await Promise.all([
    import('../../adapters/kubernetes/kubeconfig.ts'),
    import('../../simulated-node/simulated-node.ts'),
    import('../../adapters/kubernetes/json-client.ts'),
    import('../../adapters/kubernetes/kubernetes-cluster.ts'),
    import('../../adapters/clock/system-clock.ts'),
  ]);
  const access = await accessFromKubeconfig({ file: kubeconfig, context });
  // An address, a certificate or a token that will not do is reported at once: the node itself would try for ever.
  const clock = new SystemClock();
  const cluster = new KubernetesCluster({ access, clock });
  try {
    await cluster.get(NAMESPACES, { namespace: '', name: 'kube-system' }, deadlineIn(clock, PROBE_MS));
  } finally {
    cluster.close();
  }
  const client = openJsonClient(access);
  const node = startSimulatedNode({
    client,
    onProblem: printProblem,
    ...(name !== undefined && { nodeName: name }),
    hasScheduler: !binding,
    ...nodeSizeOf(size),
  });
  await Promise.race([node.ready, stopping.asked]);
  if (!stopping.signal.aborted) printLine(`node ${node.nodeName} ready`);
  const exitCode = await stopping.asked;
  await node.stop();
  client.close();
  return exitCode;
}
