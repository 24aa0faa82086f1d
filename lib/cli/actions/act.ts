// `farloop suspend`, `resume`, `scale`, `retry`, `delete` and `drain`: what would happen is said first, then it is done once, however often it must be asked for.
import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import type { Answer } from '../../api/routes/route-table.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { WantedAction } from '../../wire/words/action-words.ts';
import { ApiFailedError, connectToInstance, endpointOption, type ApiClient } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { aboutWorkload, nameWorkload, workloadPathNamed, workloadText } from '../queries/named-workload.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { confirmAtTerminal } from '../terminal/confirm.ts';
import { FailedError } from '../terminal/exit.ts';
import { outputOption, print, printLine, printProblem, type OutputFormat } from '../terminal/output.ts';

type Done = Answer<'POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/actions'>;

interface ActionOptions {
  namespace?: string;
  cluster?: string;
  yes?: boolean;
  dryRun?: boolean;
  /** Implied by --failed-indexes. */
  indexes?: 'failed';
  replicas?: number;
  type?: string;
  undo?: true;
  force?: true;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

const REPLICAS_MAX = 100_000;

const EXIT_CODES =
  '\n\nExit codes: 0 it is done, stands so already, or was a dry run; 1 it was refused, or not confirmed; 2 nobody can be asked and --yes is missing; 3 several workloads have that name.';

export const actionCommands = (kinds: readonly KindFacts[] = ALL_FACTS): Command[] => [
  actionCommand('suspend', 'End the pods of a workload, until it is resumed.', 'suspend job/demo', kinds, () => ({ action: 'suspend' })),
  actionCommand('resume', 'Let a suspended workload run again.', 'resume job/demo', kinds, () => ({ action: 'resume' })),
  actionCommand(
    'scale',
    'Change how many pods of a workload run at a time.',
    'scale pytorchjob/resnet --replicas 4 --type Worker',
    kinds,
    ({ replicas = 0, type }) => ({ action: 'scale', replicas, ...(type !== undefined && { type }) }),
    (command) =>
      command
        .requiredOption('--replicas <count>', 'so many', wholeNumber({ min: 0, max: REPLICAS_MAX }))
        .option('--type <type>', 'of this type of replicas (default: the only one, else Worker)'),
  ),
  actionCommand(
    'retry',
    'Make a new workload that does what an ended one did; that one stays.',
    'retry job/report-171 --failed-indexes',
    kinds,
    ({ indexes }) => ({ action: 'retry', ...(indexes && { indexes }) }),
    (command) => command.addOption(new Option('--failed-indexes', 'only the indexes that did not succeed').implies({ indexes: 'failed' })),
  ),
  actionCommand('delete', 'Delete a workload, with its pods and all else that is its own.', 'delete job/demo', kinds, () => ({
    action: 'delete',
  })),
  actionCommand(
    'drain',
    'Let a virtual node take no new pods, and evict those that are on it.',
    'drain node/edge',
    kinds,
    ({ undo, force }) => ({ action: 'drain', ...(undo && { undo }), ...(force && { force }) }),
    (command) =>
      command
        .option('--force', 'pods that no controller makes anew, too')
        .addOption(new Option('--undo', 'let it take pods again').conflicts('force')),
  ),
];

function actionCommand(
  name: WantedAction['action'],
  description: string,
  example: string,
  kinds: readonly KindFacts[],
  wantedIn: (options: ActionOptions) => WantedAction,
  more: (command: Command) => Command = (command) => command,
): Command {
  // Nodes alone are drained; the API says so of others.
  const offered = name === 'drain' ? kinds.filter(({ nodes }) => nodes) : kinds;
  return more(aboutWorkload(new Command(name).description(description), offered))
    .option('-y, --yes', 'do it without asking')
    .option('--dry-run', 'print what would happen, and do nothing')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', `\nExamples:\n  farloop ${example} --dry-run\n  farloop ${example} --yes${EXIT_CODES}`)
    .action(async (first: string, second: string | undefined, options: ActionOptions) => {
      const text = workloadText(first, second);
      const api = connectToInstance(options);
      const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, kinds) });
      if (path !== undefined) await act(() => connectToInstance(options), { path: `${path}/actions`, text }, wantedIn(options), options);
    });
}

/** @param connect anew for each request: while a person thinks an instance may be started anew, with another address and token */
async function act(
  connect: () => ApiClient,
  { path, text }: { path: string; text: string },
  wanted: WantedAction,
  { yes = false, dryRun = false, output }: ActionOptions,
): Promise<void> {
  const token = randomUUID();
  // The token makes the name of a retry. One that nothing is done with must promise none.
  const planned = await connect().post<Done>(path, { ...wanted, ...(!dryRun && { token }), dryRun: true });
  if (dryRun || planned.result === 'unchanged') return await print(planned, output, (shown) => shown.text.join('\n'));
  if (output === 'text') for (const line of planned.text) printLine(line);
  await confirmAtTerminal(planned.button, { isSure: yes, name: planned.needsName ? text.split('/').at(-1) : undefined });
  const done = await askOnce(connect, path, { ...wanted, uid: planned.uid, token });
  await print(done, output, (shown) => shown.text.join('\n'));
}

const TRIES = 3;
const AGAIN_MS = 1_000;
/** After these it is not known whether it was done, or it was not and may be yet. */
const PASSING = new Set([429, 502, 503, 504]);

/** With one token: however often it is asked, it is done once. */
async function askOnce(connect: () => ApiClient, path: string, body: object): Promise<Done> {
  for (let tries = 1; ; tries += 1)
    try {
      return await connect().post<Done>(path, body);
    } catch (error) {
      const status = error instanceof ApiFailedError ? error.status : undefined;
      const mayPass = status === undefined ? error instanceof FailedError : PASSING.has(status);
      if (mayPass && status === undefined && tries === TRIES)
        throw new FailedError(`${(error as Error).message}; it is not known whether it was done: look at it before you ask again`, {
          cause: error,
        });
      if (!mayPass || tries === TRIES) throw error;
      printProblem(`farloop: ${(error as Error).message}; asking again, which does it once`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
}
