// `farloop up`: everything in one process, until it is told to end.
import { Command, Option } from 'commander';
import type { Level } from '../../adapters/telemetry/log-lines.ts';
import { managesAll, managesOf, USUAL_MANAGES } from '../../kinds/settings.ts';
import { NODE_OPTIONS, problemOfNodeOptions, VIRTUAL_NODES, virtualNodesIn } from '../../kinds/virtual-pod/node-options.ts';
import { SIMULATED_NODE } from '../../simulated-node/node-name.ts';
import type { Manages } from '../../objects/manages.ts';
import type { SourcedObject } from './apply.ts';
import {
  collect,
  collectNamespaces,
  logLevelOption,
  manageOption,
  refuseManyNamespaces,
  refuseNarrowScope,
  wholeNumber,
} from '../terminal/arguments.ts';
import { stateFolderPath, stateOption } from '../instance/instance-file.ts';
import { UsageError } from '../terminal/exit.ts';
import { addKindOptions, givenKindOptions } from '../terminal/kind-options.ts';
import type { LocalInstance } from './local-instance.ts';
import { nodeSizeOf, sizeOrNamed, splitSizes } from './node-size.ts';
import { providerTokenOption, tokenFilesIn } from './provider-choice.ts';
import { printLine, printLines, printProblem } from '../terminal/output.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

interface UpOptions {
  nodeCpu?: string[];
  nodeMemory?: string[];
  kubeconfig?: string;
  context?: string;
  manage?: Manages;
  state?: string;
  port: number;
  namespace?: string[];
  apply?: string[];
  budget: number;
  access: 'direct' | 'relayed';
  logLevel: Level;
  providerTokenFile?: string[];
}

/** It has 2 s in all; what has not ended by itself then is let go: every part survives that. */
const END_WITHIN_MS = 1_200;

/** How long one look at a namespace may take. */
const LOOK_MS = 5_000;

const HELP = `
Examples:
  farloop up --apply examples/job.yaml
  farloop up --kubeconfig ~/.kube/config --apply examples/managed-by.yaml
  farloop up --kubeconfig ~/.kube/config --manage all-jobs

It runs until it is told to end. What --apply meets ends nothing: a manifest that is refused, an unknown field, and a workload that
Farloop does not manage there are said on standard error, with what to do; nobody waits for such a workload.

Exit codes: 0 ended by SIGTERM, 130 by Ctrl-C, 1 it could not start, 2 unusable input or usage, before anything is applied.`;

export const upCommand = (): Command =>
  addKindOptions(
    new Command('up')
      .description('Run Farloop on this machine: relay, functions, queues and console in one process.')
      .option('--kubeconfig <file>', 'work on this cluster (default: a sandbox cluster inside)', oneKubeconfig)
      .option('--context <name>', 'context of the kubeconfig (default: its current one)')
      .addOption(manageOption('which kinds', 'jobs; in the sandbox everything of every kind'))
      .addOption(stateOption())
      .option('--port <number>', 'port of console and API on 127.0.0.1; 0: any free one', wholeNumber({ min: 0, max: 65_535 }), 7080)
      .option('--namespace <name>', 'work in this namespace only; may be given several times', collectNamespaces)
      .option('--apply <file>', 'apply these manifests once it is ready; may be given several times', collect)
      .option('--budget <writes>', 'writes a second on the cluster', wholeNumber({ min: 1, max: 100_000 }), 1_000)
      .addOption(
        new Option(
          '--access <how>',
          'how passes reach the cluster: by themselves, or through the queue of its relay, as where nothing can dial it',
        )
          .choices(['direct', 'relayed'])
          .default('direct'),
      )
      .addOption(sizeOrNamed('cpu', '8'))
      .addOption(sizeOrNamed('memory', '32Gi'))
      .addOption(providerTokenOption())
      .addOption(logLevelOption('warn'))
      .addHelpText('after', HELP)
      .action(async (options: UpOptions) => {
        process.exitCode = await up(options);
      }),
    { isWanted: ({ name }) => name !== NODE_OPTIONS.cpu && name !== NODE_OPTIONS.memory },
  );

/** The word comes with the flag, and goes without it: there is nothing that it could take. */
const withVirtualNodes = (manages: Manages, hasVirtualNodes: boolean): Manages =>
  hasVirtualNodes ? managesOf([...manages, VIRTUAL_NODES.word]) : manages.filter((word) => word !== VIRTUAL_NODES.word);

/** @throws UsageError */
function refuseVirtualNodes(asked: { names: string[]; namespaces: string[]; isSandbox: boolean; manage: Manages | undefined }): void {
  const { names, namespaces, isSandbox, manage } = asked;
  const flag = `--${NODE_OPTIONS.node}`;
  if (names.length === 0 && manage?.every((word) => word === VIRTUAL_NODES.word))
    throw new UsageError(
      `--manage ${VIRTUAL_NODES.word} needs ${flag} NAME=PROVIDER, such as edge=simulated: without one there is no such node`,
    );
  if (names.length > 0 && namespaces.length > 0)
    throw new UsageError(`${flag} goes without --namespace: pods of every namespace may be bound to a node, and all of them take its room`);
  if (isSandbox && names.includes(SIMULATED_NODE))
    throw new UsageError(`${flag} ${SIMULATED_NODE}=…: the sandbox's simulated node is called so; choose another name`);
}

/** @throws UsageError for a second one, which would silently take the place of the first */
function oneKubeconfig(file: string, before: string | undefined): string {
  if (before !== undefined)
    throw new UsageError(
      `--kubeconfig is given twice, ${before} and ${file}: one instance works on one cluster. Start another one beside it with --state and --port`,
    );
  return file;
}

async function objectsIn(files: readonly string[]): Promise<SourcedObject[]> {
  const [{ readManifests }, { applicableObjects }] = await Promise.all([import('../manifests/manifest-files.ts'), import('./apply.ts')]);
  const objects = applicableObjects(await readManifests(files, process.stdin));
  if (objects.length === 0) throw new UsageError(`${files.join(', ')}: there is no Kubernetes object in it`);
  return objects;
}

async function up({
  kubeconfig,
  context,
  manage,
  state,
  port,
  namespace = [],
  apply = [],
  budget,
  access,
  nodeCpu,
  nodeMemory,
  logLevel,
  providerTokenFile,
  ...others
}: UpOptions): Promise<number> {
  const [cpu, memory] = [splitSizes(nodeCpu), splitSizes(nodeMemory)];
  const options = {
    ...givenKindOptions(others),
    ...(cpu.named !== undefined && { [NODE_OPTIONS.cpu]: cpu.named }),
    ...(memory.named !== undefined && { [NODE_OPTIONS.memory]: memory.named }),
  };
  const problem = problemOfNodeOptions(options);
  if (problem !== undefined) throw new UsageError(problem);
  const nodes = virtualNodesIn(options);
  const virtualNodes = nodes.map(({ name }) => name);
  refuseVirtualNodes({ names: virtualNodes, namespaces: namespace, isSandbox: kubeconfig === undefined, manage });
  const hasVirtualNodes = virtualNodes.length > 0;
  if (context !== undefined && kubeconfig === undefined)
    throw new UsageError('--context needs --kubeconfig: the sandbox has one context only');
  if (kubeconfig !== undefined && (cpu.size ?? memory.size) !== undefined)
    throw new UsageError('--node-cpu and --node-memory are for the sandbox: the nodes of a cluster have their own');
  refuseManyNamespaces('--namespace', namespace);
  const manages = withVirtualNodes(manage ?? (kubeconfig === undefined ? managesAll() : USUAL_MANAGES), hasVirtualNodes);
  refuseNarrowScope('--namespace', { manages, namespaces: namespace });
  const providerTokenFiles = await tokenFilesIn(providerTokenFile, nodes);
  const stopping = listenForStop();
  (await import('./local-heap.ts')).boundHeap();
  // Before anything starts: a manifest that cannot be read is a mistake in the call.
  const objects = apply.length > 0 ? await objectsIn(apply) : [];
  const { startLocalInstance } = await import('./local-instance.ts');
  const starting = startLocalInstance({
    folder: stateFolderPath(state),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    manages,
    port,
    namespaces: namespace,
    budget: { writesPerSecond: budget, burst: budget * 2 },
    access,
    nodeSize: nodeSizeOf({ nodeCpu: cpu.size, nodeMemory: memory.size }),
    ...(Object.keys(options).length > 0 && { options }),
    logLevel,
    providerTokenFiles,
  });
  const instance = await Promise.race([starting, stopping.asked]);
  if (typeof instance === 'number') {
    // Told to end while it was starting: what is half there is put away as far as time allows.
    await withinTime(starting.then(async (half) => await half.stop()));
    return instance;
  }
  let ended: number | undefined;
  try {
    printLines(`console     ${instance.consoleUrl}\nkubeconfig  ${instance.kubeconfigPath}`);
    await Promise.race([instance.ready, stopping.asked]);
    if (!stopping.signal.aborted) {
      await reportAbsentNamespaces(instance, namespace);
      printLine('farloop ready');
      if (objects.length > 0) {
        const { applyAndFollow } = await import('./apply.ts');
        await applyAndFollow(instance, objects, stopping.signal);
      }
    }
    ended = await stopping.asked;
    return ended;
  } finally {
    await withinTime(instance.stop());
    if (ended !== undefined) printLine(`farloop ended; its state is in ${stateFolderPath(state)}, and the next start goes on from there`);
  }
}

/** Work in a namespace that does not exist yet begins when somebody creates it. Nothing is said where Farloop may not look. */
async function reportAbsentNamespaces({ cluster }: LocalInstance, namespaces: readonly string[]): Promise<void> {
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const { deadlineIn } = await import('../../ports/clock.ts');
  const { NotFoundError } = await import('../../ports/errors.ts');
  const { NAMESPACES } = await import('../../objects/resources.ts');
  for (const name of namespaces)
    try {
      await cluster.access.get(NAMESPACES, { namespace: '', name }, deadlineIn(new SystemClock(), LOOK_MS));
    } catch (error) {
      if (error instanceof NotFoundError)
        printProblem(`farloop: there is no namespace ${name} on ${cluster.name} yet: Farloop works there as soon as there is one`);
    }
}

async function withinTime(ending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WITHIN_MS);
  });
  await Promise.race([ending.catch(() => {}), tooLate]);
  clearTimeout(timer);
}
