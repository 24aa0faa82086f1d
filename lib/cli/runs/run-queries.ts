// `farloop run-once list|get|logs|cancel`: runs as their records show them.
import { Argument, Command, Option } from 'commander';
import { summaryOf, type RunSummary } from '../../kinds/run-once/results.ts';
import { isOver, type RunState } from '../../kinds/run-once/run.ts';
import { stateFolderPath, stateOption } from '../instance/instance-file.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { withRuns } from '../terminal/completion-hints.ts';
import { print, printLine, printLines, printPiece, spanText, tableText, type OutputFormat } from '../terminal/output.ts';
import { folderOfRun, recordOfRun, runIdsIn, runsFolder } from '../run-records/run-folder.ts';
import { junitText, logLines, runJson, runProgress, runText, type LogsByPod } from './run-text.ts';

export type RunOutput = 'text' | 'json' | 'junit';

export const runOutputOption = (): Option =>
  new Option('-o, --output <format>', 'how results are printed').choices(['text', 'json', 'junit']).default('text');

interface QueryOptions {
  state?: string;
  output: RunOutput;
}

/** Given to the command itself, else to `run-once` before it. */
function optionsGiven(command: Command): QueryOptions & LogsOptions & { watch?: true } {
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return { ...command.optsWithGlobals(), ...Object.fromEntries(own) };
}

const runArgument = (description: string): Argument => withRuns(new Argument('<id>', description));

const WATCH_AGAIN_MS = 200;

export const listCommand = (): Command =>
  new Command('list')
    .description('List the runs that are kept.')
    .addOption(runOutputOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop run-once list')
    .action(async (_own: object, command: Command) => {
      const { state, output } = optionsGiven(command);
      if (output === 'junit') throw new UsageError('-o junit is for the results of one run: use farloop run-once get ID -o junit');
      await listRuns(stateFolderPath(state), output);
    });

async function listRuns(stateFolder: string, output: OutputFormat): Promise<void> {
  const rows: { id: string; state: string; pods: number; failed: number; startedAt: string; finishedAt?: string }[] = [];
  for (const id of runIdsIn(stateFolder)) {
    const found = await recordOfRun(stateFolder, id);
    if (!found) continue;
    const { state, results, startedAt, finishedAt } = summaryOf(found.run);
    const failed = results.filter(({ error }) => error !== undefined).length;
    rows.push({ id, state, pods: found.run.pods.length, failed, startedAt, ...(finishedAt !== undefined && { finishedAt }) });
  }
  const nowMs = Date.now();
  await print(rows, output, (shown) =>
    shown.length === 0
      ? `No run is kept in ${runsFolder(stateFolder)}.`
      : tableText(
          ['RUN', 'STATE', 'PODS', 'FAILED', 'AGE'],
          shown.map(({ id, state, pods, failed, startedAt }) => [
            id,
            state,
            String(pods),
            String(failed),
            spanText(nowMs - Date.parse(startedAt)),
          ]),
        ),
  );
}

export const getCommand = (): Command =>
  new Command('get')
    .description('Show a run and its results.')
    .addArgument(runArgument('the run'))
    .option('-w, --watch', 'until it is over, with a line for each pod that changes')
    .addOption(runOutputOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop run-once get nightly-07 --watch')
    .action(async (id: string, _own: object, command: Command) => {
      const { state, output, watch } = optionsGiven(command);
      const stateFolder = stateFolderPath(state);
      await printRun(stateFolder, watch ? await watched(stateFolder, id) : summaryOf((await runNamed(stateFolder, id)).run), output);
    });

async function watched(stateFolder: string, id: string): Promise<RunSummary> {
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const clock = new SystemClock();
  const progress = runProgress();
  try {
    for (;;) {
      const { run } = await runNamed(stateFolder, id);
      progress.show(run);
      if (isOver(run)) return summaryOf(run);
      await clock.wait(WATCH_AGAIN_MS);
    }
  } finally {
    progress.end();
  }
}

/** @throws FailedError there is no such run */
async function runNamed(stateFolder: string, id: string): Promise<NonNullable<Awaited<ReturnType<typeof recordOfRun>>>> {
  const found = await recordOfRun(stateFolder, id);
  if (found) return found;
  throw new FailedError(`there is no run ${id} in ${runsFolder(stateFolder)}; farloop run-once list shows those that are kept`);
}

export const logsCommand = (): Command =>
  new Command('logs')
    .description('Show the logs of the containers of a run: as its provider has them, else the last lines that were kept.')
    .addArgument(runArgument('the run; --logs of the run said how many lines are kept'))
    .option('-f, --follow', 'go on with lines as they are written, until the run is over')
    .option('--provider-token-file <file>', 'bearer token that a provider reached by HTTP asks for, alone in a file')
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop run-once logs nightly-07 --follow')
    .action(async (id: string, _own: object, command: Command) => {
      const { state, follow, providerTokenFile: tokenFile } = optionsGiven(command);
      const stateFolder = stateFolderPath(state);
      const { run } = await runNamed(stateFolder, id);
      if (follow && !isOver(run)) return await followed(run, folderOfRun(stateFolder, id), tokenFile);
      const kept = await keptLogs(stateFolder, summaryOf(run));
      const { logsAtProvider } = await import('./provider-logs.ts');
      const logs = new Map([...kept, ...(await logsAtProvider(run, folderOfRun(stateFolder, id), tokenFile))]);
      const lines = run.pods.flatMap(({ uid, namespace, name }) => logLines(`${namespace}/${name}`, logs.get(uid)));
      if (lines.length === 0)
        throw new FailedError(
          isOver(run)
            ? `there are no logs of the run ${id}: its provider has none any more, and none were kept (--logs N keeps the last lines)`
            : `there are no logs of the run ${id} yet: another process runs it, and shows them at its end`,
        );
      printLines(lines.join('\n'));
    });

interface LogsOptions {
  follow?: true;
  providerTokenFile?: string;
}

async function followed(run: RunState, folder: string, tokenFile: string | undefined): Promise<void> {
  const [{ followLogs, linesOfContainers }, { SystemClock }] = await Promise.all([
    import('./follow-logs.ts'),
    import('../../adapters/clock/system-clock.ts'),
  ]);
  const isOne = run.pods.length === 1 && (run.pods[0]?.status?.containers.length ?? 2) === 1;
  const lines = linesOfContainers(isOne);
  const show = (...of: Parameters<typeof lines>): void => printPiece(lines(...of));
  await followLogs({ id: run.id, folder, clock: new SystemClock(), tokenFile, show });
}

export const cancelCommand = (): Command =>
  new Command('cancel')
    .description('Cancel a run, and wait until its pods have ended.')
    .addArgument(runArgument('the run'))
    .option('--provider-token-file <file>', 'bearer token that a provider reached by HTTP asks for, alone in a file')
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop run-once cancel nightly-07')
    .action(async (id: string, _own: object, command: Command) => {
      const { state, providerTokenFile: tokenFile } = optionsGiven(command);
      const stateFolder = stateFolderPath(state);
      const before = await runNamed(stateFolder, id);
      if (isOver(before.run)) {
        printLine(`run ${id}: over already: ${before.run.stage}`);
        return;
      }
      const [{ attendRun }, { SystemClock }] = await Promise.all([
        import('./attend-run.ts'),
        import('../../adapters/clock/system-clock.ts'),
      ]);
      const progress = runProgress();
      const run = await attendRun({
        id,
        folder: folderOfRun(stateFolder, id),
        clock: new SystemClock(),
        tokenFile,
        cancel: AbortSignal.abort(),
        onRun: progress.show,
      }).finally(() => progress.end());
      printLine(`run ${id}: ${run?.stage ?? 'gone'}`);
    });

/** By the uid of the pod. */
async function keptLogs(stateFolder: string, { runId, results }: RunSummary): Promise<LogsByPod> {
  const [{ EmbeddedRuns }, { readLogs }] = await Promise.all([
    import('../../adapters/embedded/runs.ts'),
    import('../../reconciler/runs/run-parts.ts'),
  ]);
  const { run } = await runNamed(stateFolder, runId);
  const runs = EmbeddedRuns.open({ folder: folderOfRun(stateFolder, runId) });
  const wanted = new Set(results.map(({ pod }) => pod.uid));
  const found = new Map<string, Readonly<Record<string, string>>>();
  try {
    for (const [index, { uid }] of run.pods.entries()) {
      const logs = wanted.has(uid) && run.options.logs !== undefined ? await readLogs(runs, runId, index) : undefined;
      if (logs) found.set(uid, logs);
    }
  } finally {
    runs.close();
  }
  return found;
}

/** Results on standard output. */
export async function printRun(stateFolder: string, summary: RunSummary, output: RunOutput): Promise<void> {
  const logs = await keptLogs(stateFolder, summary);
  if (output === 'junit') printLines(junitText(summary, logs));
  else await print(runJson(summary, logs), output, () => runText(summary, logs));
}
