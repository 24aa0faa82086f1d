// `farloop sandbox`: the embedded API server with a simulated node, and nothing that reconciles.
import { Command } from 'commander';
import { wholeNumber } from '../terminal/arguments.ts';
import { addKindOptions, featuresFor, givenKindOptions } from '../terminal/kind-options.ts';
import { stateFolderPath, stateOption } from '../instance/instance-file.ts';
import { nodeCpuOption, nodeMemoryOption, nodeSizeOf, type NodeSizeOptions } from './node-size.ts';
import { printLine, printProblem } from '../terminal/output.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

interface SandboxOptions extends NodeSizeOptions {
  state?: string;
  port: number;
  node: boolean;
}

const report = (problem: string): void => {
  printProblem(`simulated node: ${problem}`);
};

export const sandboxCommand = (): Command =>
  addKindOptions(
    new Command('sandbox')
      .description('Run the sandbox cluster alone: an API server and a simulated node, without Farloop.')
      .addOption(stateOption())
      .option(
        '--port <number>',
        'port of the API server on 127.0.0.1; 0: as the last time, else any free one',
        wholeNumber({ min: 0, max: 65_535 }),
        0,
      )
      .option('--no-node', 'without the simulated node, and without a scheduler')
      .addOption(nodeCpuOption())
      .addOption(nodeMemoryOption())
      .addHelpText('after', '\nExample:\n  farloop sandbox --port 6443')
      .action(async ({ state, port, node, nodeCpu, nodeMemory, ...others }: SandboxOptions) => {
        const stopping = listenForStop();
        const [{ startLocalSandbox }, { openStateFolder }] = await Promise.all([
          import('./local-cluster.ts'),
          import('../../adapters/embedded/state-folder.ts'),
        ]);
        const folder = openStateFolder(stateFolderPath(state));
        const kubeconfigPath = `${folder.path}/kubeconfig`;
        const files = { folder: `${folder.path}/sandbox`, kubeconfigPath };
        const sandbox = await startLocalSandbox({
          ...files,
          port,
          withNode: node,
          hasScheduler: node,
          nodeSize: nodeSizeOf({ nodeCpu, nodeMemory }),
          features: featuresFor(givenKindOptions(others)),
          report,
        });
        printLine(`kubeconfig  ${sandbox.kubeconfigPath}`);
        await Promise.race([sandbox.ready, stopping.asked]);
        if (!stopping.signal.aborted) printLine('sandbox ready');
        process.exitCode = await stopping.asked;
        await sandbox.stop();
        folder.close();
      }),
    { isWanted: ({ feature }) => feature !== undefined },
  );
