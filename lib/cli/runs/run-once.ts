// `farloop run-once`: runs the pods of a manifest once, and says how it went. It needs no cluster and no running instance.
import { randomBytes } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CAPACITY, CLEANUP, REJECTED, UNTIL, type RunOptions } from '../../kinds/run-once/options.ts';
import { summaryOf } from '../../kinds/run-once/results.ts';
import { isOver, type RunState } from '../../kinds/run-once/run.ts';
import { runFailed } from '../../kinds/run-once/texts.ts';
import { isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import { readInstance, stateFolderPath, stateOption } from '../instance/instance-file.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { UsageError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';
import { listenForStop } from '../terminal/stop-signals.ts';
import { dropOldRuns, folderOfRun } from '../run-records/run-folder.ts';
import { withoutUid } from '../../kinds/run-once/new-run.ts';
import { readPods, type SourcedPod } from './run-manifest.ts';
import { runNodeOf, type NodeGiven, type RunNode } from './run-node.ts';
import { checkTokenFile, PROVIDERS } from '../run-records/run-provider.ts';
import { cancelCommand, getCommand, listCommand, logsCommand, printRun, runOutputOption, type RunOutput } from './run-queries.ts';
import { runProgress } from './run-text.ts';

interface RunOnceOptions extends NodeGiven {
  filename?: string[];
  providerTokenFile?: string;
  runId?: string;
  until?: RunOptions['until'];
  rejected?: RunOptions['rejected'];
  cleanup?: RunOptions['cleanup'];
  capacity?: RunOptions['capacity'];
  mirror?: true;
  /** False with `--no-preempt`. */
  preempt: boolean;
  parallelism?: number;
  logs?: number;
  deadline?: number;
  dryRun?: true;
  output: RunOutput;
  state?: string;
}

const HELP = `
The folder of a run lies in the state folder. The same --run-id again shows the same run: it goes on where a killed command left it, and no
command of a pod runs twice. Ctrl-C cancels the run and waits for its pods to end; a second one leaves at once. Progress goes to standard
error, results to standard output.

Examples:
  farloop run-once -f examples/run-once/pods.yaml --provider local-process --until completed --logs 20
  farloop run-once -f examples/run-once/pods.yaml --provider http:http://127.0.0.1:9000 --run-id nightly-07 -o junit
  farloop run-once get nightly-07

Exit codes: 0 every pod came up (or ended well); 1 one did not, and why; 2 an unusable manifest or usage, nothing was started; 130 interrupted.`;

const quantity = (text: string): string => {
  if (!isQuantity(text) || parseQuantity(text).nanos <= 0n)
    throw new InvalidArgumentError('Expected a quantity above 0, as in 8, 500m or 32Gi.');
  return text;
};

export const runOnceCommand = (): Command =>
  new Command('run-once')
    .description('Run the pods of a manifest once and report how each went, or look at earlier runs.')
    .enablePositionalOptions()
    .option('-f, --filename <files...>', 'pods as YAML or JSON; - is standard input')
    .option('--provider <provider>', `who runs the pods: ${PROVIDERS.join(', ')}`)
    .option('--provider-token-file <file>', 'bearer token that a provider reached by HTTP asks for, alone in a file')
    .option('--node <name>', 'a virtual node of farloop up, or, with --provider, the name of a node for this run')
    .option('--node-cpu <quantity>', 'cpu of the node of this run (default: ample)', quantity)
    .option('--node-memory <quantity>', 'memory of the node of this run (default: ample)', quantity)
    .option('--node-pods <number>', 'pods that the node of this run takes (default: 1000)', wholeNumber({ min: 1, max: 1_000 }))
    .option('--run-id <id>', 'name of the run; the same one again is the same run (default: a new one)')
    .addOption(
      new Option(
        '--until <state>',
        'when a pod is done: its containers run; each runs or has exited with 0; the pod has ended (default: running)',
      ).choices(UNTIL),
    )
    .addOption(new Option('--rejected <what>', 'whether a pod that the node rejects fails the run (default: ignore)').choices(REJECTED))
    .addOption(
      new Option('--cleanup <when>', 'when tasks are deleted at the provider (default: keep them, and delete them if cancelled)').choices(
        CLEANUP,
      ),
    )
    .addOption(
      new Option(
        '--capacity <scope>',
        'pods that take room: those of the run, or all that the provider lists on the node (default: run; node with a node of farloop up)',
      ).choices(CAPACITY),
    )
    .option('--mirror', 'show the pods, as mirror pods, at the API server of the cluster that --node belongs to')
    .option('--no-preempt', 'critical pods of the run evict no pod of the cluster that --node belongs to')
    .option('--parallelism <pods>', 'pods that are being started at once (default: all)', wholeNumber({ min: 1, max: 1_000 }))
    .option('--logs <lines>', 'show the last lines of each container', wholeNumber({ min: 1, max: 10_000 }))
    .option(
      '--deadline <seconds>',
      'when every open pod fails (default: after all retries; 24 h with --until completed)',
      wholeNumber({ min: 1, max: 86_400 }),
    )
    .option('--dry-run', 'say which pods the node would take, and why not; nothing is started')
    .addOption(runOutputOption())
    .addOption(stateOption())
    .addHelpText('after', HELP)
    .addCommand(listCommand())
    .addCommand(getCommand())
    .addCommand(logsCommand())
    .addCommand(cancelCommand())
    .action(runOnce);

async function runOnce(options: RunOnceOptions): Promise<void> {
  const { filename, runId: id = newId(), dryRun, output, providerTokenFile: tokenFile } = options;
  if (filename === undefined) throw new UsageError('expected -f FILE with the pods to run; see farloop run-once --help');
  const stateFolder = stateFolderPath(options.state);
  const folder = folderOfRun(stateFolder, id);
  const runNode = await runNodeOf(options, stateFolder);
  if (options.mirror) checkMirror(runNode, stateFolder);
  await checkTokenFile({ word: runNode.provider, tokenFile });
  const given = await readPods(filename);
  const pods = runNode.isRegistered ? given.map((sourced) => ({ ...sourced, pod: withoutUid(sourced.pod) })) : given;
  await refuseUnresolved(pods, runNode);
  if (dryRun) {
    const { showAdmission } = await import('./dry-run.ts');
    return await showAdmission(pods, runNode, { ...options, stateFolder, options: optionsOf(options, runNode) });
  }
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const clock = new SystemClock();
  await dropOldRuns(stateFolder, clock.nowMs(), id);
  const { attendRun } = await import('./attend-run.ts');
  const { RunConflictError } = await import('../../reconciler/runs/run-ports.ts');
  const stopping = listenForStop();
  let interrupted: number | undefined;
  void stopping.asked.then((exitCode) => {
    interrupted = exitCode === 0 ? 1 : exitCode;
    printProblem('farloop: the run is being cancelled: waiting for its pods to end; Ctrl-C again leaves at once');
  });
  const progress = runProgress();
  let run: RunState | undefined;
  try {
    const asked = {
      id,
      provider: runNode.provider,
      node: runNode.node,
      pods: pods.map(({ pod }) => pod),
      options: optionsOf(options, runNode),
    };
    run = await attendRun({
      id,
      folder,
      clock,
      given: asked,
      tokenFile,
      onFound: (found) => printProblem(`farloop: ${foundText(found)}`),
      onProvider: (says) => says.forEach((line) => printProblem(`farloop: ${line}`)),
      onTrouble: (problem) => printProblem(`farloop: ${problem}`),
      onRun: progress.show,
      cancel: stopping.signal,
    });
  } catch (error) {
    if (error instanceof RunConflictError) throw new UsageError(`--run-id: ${error.message}`, { cause: error });
    throw error;
  } finally {
    progress.end();
  }
  if (!run) throw new Error(`the run ${id} was removed while it ran`);
  await printRun(stateFolder, summaryOf(run), output);
  if (run.error !== undefined) printProblem(runFailed(run.error));
  process.exitCode = interrupted ?? (run.error === undefined ? 0 : 1);
}

/** @throws UsageError */
function checkMirror({ isRegistered, node }: RunNode, stateFolder: string): void {
  if (!isRegistered)
    throw new UsageError(
      '--mirror shows pods at the API server of the cluster of a node, and --provider alone has no cluster: expected --node with the name of a virtual node of farloop up, without --provider',
    );
  if (!readInstance(stateFolder))
    throw new UsageError(
      `--mirror: no farloop up runs in ${stateFolder}, so the cluster of node ${node.metadata.name ?? ''} is out of reach: start it, or leave --mirror out`,
    );
}

const foundText = (run: RunState): string =>
  isOver(run)
    ? `run ${run.id} is over already: ${run.stage}; nothing runs again, and another --run-id is another run`
    : `run ${run.id} has been begun before, and its own options count: this command follows it, or goes on with it`;

/** Sorted by time, and unlike any other. */
const newId = (): string => `run-${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}-${randomBytes(3).toString('hex')}`;

function optionsOf(options: RunOnceOptions, { isRegistered }: RunNode): Partial<RunOptions> {
  const { until, rejected, cleanup, capacity = isRegistered ? 'node' : 'run', mirror, preempt, parallelism, logs, deadline } = options;
  return {
    capacity,
    ...(mirror && { mirror }),
    ...(preempt && isRegistered && capacity === 'node' && { preempt }),
    ...(until && { until }),
    ...(rejected && { rejected }),
    ...(cleanup && { cleanup }),
    ...(parallelism !== undefined && { parallelism }),
    ...(logs !== undefined && { logs }),
    ...(deadline !== undefined && { deadlineSeconds: deadline }),
  };
}

/** Config maps, secrets and tokens come from an API server, and a run has none. @throws UsageError */
async function refuseUnresolved(pods: readonly SourcedPod[], { node }: RunNode): Promise<void> {
  const { environmentOf } = await import('../../reconciler/runs/provider-answers.ts');
  for (const { pod, placeOf } of pods) {
    const resolution = environmentOf(pod, { node });
    if ('problem' in resolution)
      throw new UsageError(
        `${placeOf('spec')}: spec: ${resolution.problem}: a run has no API server that could give it; write the value out`,
      );
  }
}
