// `farloop up`: everything in one process, until it is told to end.
import { Command, Option } from 'commander';
import type { Level } from '../../adapters/telemetry/log-lines.ts';
import { managesAll, USUAL_MANAGES } from '../../kinds/settings.ts';
import { NODE_OPTIONS } from '../../kinds/virtual-pod/node-options.ts';
import { SIMULATED_NODE } from '../../simulated-node/node-name.ts';
import type { Manages } from '../../objects/manages.ts';
import type { SourcedObject } from './apply.ts';
import {
  collect,
  collectNamespaces,
  ipAddress,
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
import { nodeApiOf } from './node-api-choice.ts';
import { allowNamespaceOption, imageOption, isOnMachine, processSettingsOf, shareOption, type ProcessFlags } from './process-choice.ts';
import { nodesGiven, providerTokenOption, tokenFilesIn, withVirtualNodes } from '../terminal/virtual-nodes.ts';
import { SWITCHED_ON } from '../../objects/kind-options.ts';
import { printLine, printLines, printProblem } from '../terminal/output.ts';
import { clustersGiven, refuseForSeveral } from './cluster-choice.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

interface UpOptions extends ProcessFlags {
  nodeCpu?: string[];
  nodeMemory?: string[];
  kubeconfig?: string[];
  context?: string[];
  manage?: Manages;
  state?: string;
  port: number;
  namespace?: string[];
  apply?: string[];
  budget: number;
  access: 'direct' | 'relayed';
  actions?: 'on' | 'off';
  troubleMinutes: number;
  logLevel: Level;
  providerTokenFile?: string[];
  nodeApiAddress?: string;
  nodeApiOpen?: boolean;
}

/** It has 2 s in all; what has not ended by itself then is let go: every part survives that. */
const END_WITHIN_MS = 1_200;

/** Statuses of pods that were just ended are on their way for so long. */
const TOLD_WITHIN_MS = 1_000;

/** How long one look at a namespace may take. */
const LOOK_MS = 5_000;

const HELP = `
Examples:
  farloop up --apply examples/job.yaml
  farloop up --kubeconfig ~/.kube/config --apply examples/managed-by.yaml
  farloop up --kubeconfig ~/.kube/config --manage all-jobs
  farloop up --kubeconfig west=west.yaml --kubeconfig east=east.yaml
  farloop up --virtual-node here=local-process --apply examples/real/sweep.yaml

It runs until it is told to end. What --apply meets ends nothing: a manifest that is refused, an unknown field, and a workload that
Farloop does not manage there are said on standard error, with what to do; nobody waits for such a workload.

Several kubeconfigs, or several contexts of one, are several clusters, each called by NAME=FILE or by its context. One whose API server does not answer keeps
no other waiting. --manage, --namespace, --budget and --access hold for each of them; --apply and --virtual-node work with one cluster only.

Exit codes: 0 ended by SIGTERM, 130 by Ctrl-C, 1 it could not start, 2 unusable input or usage, before anything is applied.`;

export const upCommand = (): Command =>
  addKindOptions(
    new Command('up')
      .description('Run Farloop on this machine: relay, functions, queues and console in one process.')
      .option(
        '--kubeconfig <file>',
        'work on this cluster (default: a sandbox cluster inside); several times, or NAME=FILE, for several',
        collect,
      )
      .option('--context <name>', 'context of the kubeconfig (default: its current one); several times for several clusters', collect)
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
      .addOption(
        new Option(
          '--actions <whether>',
          'people may suspend, resume, scale, retry and delete workloads through Farloop (default: on in the sandbox, off elsewhere)',
        ).choices(['on', 'off']),
      )
      .addOption(
        new Option('--trouble-minutes <number>', 'trouble of a workload that lasts longer needs a person, as in get --needs person')
          .argParser(wholeNumber({ min: 1, max: 1_440 }))
          .default(5),
      )
      .addOption(sizeOrNamed('cpu', '8'))
      .addOption(sizeOrNamed('memory', '32Gi'))
      .addOption(providerTokenOption())
      .option(
        '--node-api-address <ip>',
        "where the cluster's API server reaches virtual nodes on this machine, for logs, commands and figures (default: its first address)",
        ipAddress,
      )
      .option('--node-api-open', 'virtual nodes answer an API server that shows no credentials, but for logs and commands')
      .addOption(shareOption())
      .addOption(imageOption())
      .addOption(allowNamespaceOption())
      .addOption(logLevelOption('warn'))
      .addHelpText('after', HELP)
      .action(async (options: UpOptions) => {
        process.exitCode = await up(options);
      }),
    { isWanted: ({ name }) => name !== NODE_OPTIONS.cpu && name !== NODE_OPTIONS.memory },
  );

async function objectsIn(files: readonly string[]): Promise<SourcedObject[]> {
  const [{ readManifests }, { applicableObjects }] = await Promise.all([import('../manifests/manifest-files.ts'), import('./apply.ts')]);
  const objects = applicableObjects(await readManifests(files, process.stdin));
  if (objects.length === 0) throw new UsageError(`${files.join(', ')}: there is no Kubernetes object in it`);
  return objects;
}

async function up({
  kubeconfig: kubeconfigsGiven = [],
  context: contexts = [],
  manage,
  state,
  port,
  namespace = [],
  apply = [],
  budget,
  access,
  actions,
  troubleMinutes,
  nodeCpu,
  nodeMemory,
  logLevel,
  providerTokenFile,
  nodeApiAddress,
  nodeApiOpen = false,
  share,
  image,
  allowNamespace,
  ...others
}: UpOptions): Promise<number> {
  const kubeconfigs = clustersGiven(kubeconfigsGiven, contexts);
  const isSandbox = kubeconfigs.length === 0;
  const [cpu, memory] = [splitSizes(nodeCpu), splitSizes(nodeMemory)];
  const given = {
    ...givenKindOptions(others),
    ...(cpu.named !== undefined && { [NODE_OPTIONS.cpu]: cpu.named }),
    ...(memory.named !== undefined && { [NODE_OPTIONS.memory]: memory.named }),
  };
  const nodes = nodesGiven(given, { manage, namespaces: namespace, option: '--namespace' });
  refuseForSeveral(kubeconfigs.length, { apply, nodes });
  // In a sandbox whose nodes all run pods on this machine nothing else may be meant by a pod that says nothing of nodes.
  const isAnyPods = isSandbox && nodes.length > 0 && nodes.every(isOnMachine);
  const options = isAnyPods ? { ...given, [NODE_OPTIONS.noTaint]: SWITCHED_ON } : given;
  if (isSandbox && nodes.some(({ name }) => name === SIMULATED_NODE))
    throw new UsageError(`--${NODE_OPTIONS.node} ${SIMULATED_NODE}=…: the sandbox's simulated node is called so; choose another name`);
  if (!isSandbox && (cpu.size ?? memory.size) !== undefined)
    throw new UsageError('--node-cpu and --node-memory are for the sandbox: the nodes of a cluster have their own');
  refuseManyNamespaces('--namespace', namespace);
  const nodeApi = nodeApiOf({ nodeApiAddress, nodeApiOpen }, { isSandbox, hasNodes: nodes.length > 0 });
  const manages = withVirtualNodes(manage ?? (isSandbox ? managesAll() : USUAL_MANAGES), nodes.length > 0);
  refuseNarrowScope('--namespace', { manages, namespaces: namespace });
  const processes = processSettingsOf(
    { ...(share !== undefined && { share }), ...(image && { image }), ...(allowNamespace && { allowNamespace }) },
    { nodes, isSandbox },
  );
  const providerTokenFiles = await tokenFilesIn(providerTokenFile, nodes);
  const stopping = listenForStop();
  (await import('./local-heap.ts')).boundHeap();
  // Before anything starts: a manifest that cannot be read is a mistake in the call.
  const objects = apply.length > 0 ? await objectsIn(apply) : [];
  const { startLocalInstance } = await import('./local-instance.ts');
  const starting = startLocalInstance({
    folder: stateFolderPath(state),
    kubeconfigs,
    manages,
    port,
    namespaces: namespace,
    budget: { writesPerSecond: budget, burst: budget * 2 },
    access,
    ...((actions ?? (isSandbox ? 'on' : 'off')) === 'on' && { actions: true as const }),
    troubleMinutes,
    nodeSize: nodeSizeOf({ nodeCpu: cpu.size, nodeMemory: memory.size }),
    ...(Object.keys(options).length > 0 && { options }),
    logLevel,
    providerTokenFiles,
    nodeApi,
    ...(processes && { processes }),
    onNotice: (sentence) => printProblem(`farloop: ${sentence}`),
  });
  const instance = await Promise.race([starting, stopping.asked]);
  if (typeof instance === 'number') {
    // Told to end while it was starting: what is half there is put away as far as time allows.
    await withinTime(starting.then(stopped));
    return instance;
  }
  let ended: number | undefined;
  try {
    printLines(`console     ${instance.consoleUrl}`);
    for (const [at, { cluster, path }] of instance.kubeconfigs.entries())
      printLine(`${(at === 0 ? 'kubeconfig' : '').padEnd(12)}${kubeconfigs.length > 1 ? `${cluster}: ` : ''}${path}`);
    const processLines = instance.processes?.describe() ?? [];
    if (processLines.length > 0 && isSandbox)
      processLines.push(
        isAnyPods
          ? `all pods of the sandbox run there, on ${nodes.map(({ name }) => name).join(', ')}: it has no simulated node`
          : 'the sandbox has no simulated node: a pod needs to tolerate the taint of the node that it is for',
      );
    for (const [at, line] of processLines.entries()) printLine(`${(at === 0 ? 'processes' : '').padEnd(12)}${line}`);
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
    await stopped(instance);
    if (ended !== undefined) printLine(`farloop ended; its state is in ${stateFolderPath(state)}, and the next start goes on from there`);
  }
}

/** Work in a namespace that does not exist yet begins when somebody creates it. Nothing is said where Farloop may not look. */
async function reportAbsentNamespaces({ clusters }: LocalInstance, namespaces: readonly string[]): Promise<void> {
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const { deadlineIn } = await import('../../ports/clock.ts');
  const { NotFoundError } = await import('../../ports/errors.ts');
  const { NAMESPACES } = await import('../../objects/resources.ts');
  const looks = clusters.flatMap((cluster) => namespaces.map((name) => ({ cluster, name })));
  for (const { cluster, name } of looks)
    try {
      await cluster.access.get(NAMESPACES, { namespace: '', name }, deadlineIn(new SystemClock(), LOOK_MS));
    } catch (error) {
      if (error instanceof NotFoundError)
        printProblem(`farloop: there is no namespace ${name} on ${cluster.name} yet: Farloop works there as soon as there is one`);
    }
}

/** Pods that run as processes have their grace; nothing else is waited for as long. */
async function stopped(instance: LocalInstance): Promise<void> {
  const { processes } = instance;
  const running = processes?.running ?? 0;
  if (processes && running > 0) {
    printLine(
      `ending ${running} ${running === 1 ? 'pod' : 'pods'}, with 10 s of grace at most; Ctrl-C again leaves them to end by themselves in 30 s`,
    );
    await processes.end().catch((error: unknown) => printProblem(`farloop: a pod was not ended: ${(error as Error).message}`));
    await new Promise((resolve) => setTimeout(resolve, TOLD_WITHIN_MS));
  }
  await withinTime(instance.stop());
}

async function withinTime(ending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_WITHIN_MS);
  });
  await Promise.race([ending.catch(() => {}), tooLate]);
  clearTimeout(timer);
}
