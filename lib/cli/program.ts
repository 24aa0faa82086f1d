// All commands in one tree; each lives in a file of its own and loads what it runs on only when it runs.
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../files/package-files.ts';
import { UnusableInputError } from '../ports/errors.ts';
import { actionCommands } from './actions/act.ts';
import { clusterCommand } from './cluster/cluster.ts';
import { completionCommand } from './completion/completion.ts';
import { consoleCommand } from './local/console.ts';
import { definitionsCommand } from './manifests/crds.ts';
import { costCommand } from './queries/cost.ts';
import { deadLettersCommand } from './queries/dlq.ts';
import { ExitError } from './terminal/exit.ts';
import { eventsCommand } from './actions/events.ts';
import { explainCommand } from './queries/explain.ts';
import { getCommand } from './queries/get.ts';
import { helpCommand } from './help.ts';
import { logsCommand } from './queries/logs.ts';
import { mapCommand } from './queries/map.ts';
import { nodeCommand } from './local/node.ts';
import { printProblem } from './terminal/output.ts';
import { planCommand } from './manifests/plan.ts';
import { relayCommand } from './relay/relay.ts';
import { replayCommand } from './queries/replay.ts';
import { runOnceCommand } from './runs/run-once.ts';
import { sandboxCommand } from './local/sandbox.ts';
import { endOnInterrupt } from './terminal/stop-signals.ts';
import { upCommand } from './local/up.ts';
import { waitCommand } from './queries/wait.ts';

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 unusable input or usage, 3 more than one match or an invalid workload, 4 replayed otherwise, 5 not in time, 130 interrupted.';

export function buildProgram(): Command {
  const program = new Command('farloop')
    .description('Runs the reconcile loops of Kubernetes workloads outside the clusters they live in.')
    .version(packageVersion(), '--version', 'print the version')
    .showSuggestionAfterError(true)
    // An option behind a command is the command's, also where one above has it too.
    .enablePositionalOptions()
    .addHelpText('after', `\nExample:\n  farloop up --apply examples/job.yaml\n\n${EXIT_CODES}`);
  for (const command of [
    upCommand(),
    getCommand(),
    explainCommand(),
    mapCommand(),
    logsCommand(),
    eventsCommand(),
    waitCommand(),
    ...actionCommands(),
    costCommand(),
    replayCommand(),
    planCommand(),
    runOnceCommand(),
    clusterCommand(),
    deadLettersCommand(),
    consoleCommand(),
    sandboxCommand(),
    definitionsCommand(),
    nodeCommand(),
    relayCommand(),
  ])
    program.addCommand(command);
  program.addCommand(completionCommand(program));
  program.addCommand(helpCommand(program));
  forAll(program, (command) =>
    command
      .exitOverride()
      .helpCommand(false)
      .helpOption('-h, --help', 'print what a command does and takes')
      .configureOutput({ writeErr: () => {}, outputError: () => {} }),
  );
  return program;
}

function forAll(command: Command, apply: (command: Command) => void): void {
  apply(command);
  for (const child of command.commands) forAll(child, apply);
}

/** @returns the exit code; what went wrong stands in one line on standard error */
export async function runProgram(args: readonly string[]): Promise<number> {
  endOnInterrupt();
  // All files (state, credentials, kubeconfigs) are their owner's alone.
  process.umask(0o077);
  try {
    const program = buildProgram();
    if (args.length === 0) {
      process.stderr.write(program.helpInformation());
      return 2;
    }
    await program.parseAsync(args, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    const { exitCode, message } = endingOf(error, args);
    if (message !== undefined) printProblem(`farloop: ${message.replaceAll(/(?<!\s)\s*?[\r\n]\s*/g, ' ')}`);
    return exitCode;
  }
}

/** The command that the words lead to, as far as they do. */
function commandIn(args: readonly string[]): Command {
  let command = buildProgram();
  for (const word of args) {
    const next = command.commands.find((child) => child.name() === word);
    if (!next) break;
    command = next;
  }
  return command;
}

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : '') + command.name();

function endingOf(error: unknown, args: readonly string[]): { exitCode: number; message?: string } {
  if (error instanceof ExitError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof UnusableInputError) return { exitCode: 2, message: error.message };
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: 0 };
    const command = commandIn(args);
    const children = command.commands
      .map((child) => child.name())
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' or ');
    const message =
      error.code === 'commander.help' ? `a subcommand is missing: expected ${children}` : error.message.replace(/^error: /, '');
    return { exitCode: 2, message: `${message.replace(/\.$/, '')}; see ${pathOf(command)} --help` };
  }
  return { exitCode: 1, message: error instanceof Error ? error.message : String(error) };
}
