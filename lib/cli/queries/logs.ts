// `farloop logs`: the logs of a workload's pods, merged by time, through the API of the running instance.
import { Command, InvalidArgumentError } from 'commander';
import { sinceMsOf, tailOf } from '../../api/logs/log-choice.ts';
import type { WorkloadLogs } from '../../api/logs/workload-logs.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { ApiFailedError, connectToInstance, endpointOption, type ApiClient } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { FailedError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';
import { LogPrinter } from './log-printer.ts';
import { aboutWorkload, nameWorkload, workloadPathNamed, workloadText } from './named-workload.ts';

interface LogsOptions {
  namespace?: string;
  cluster?: string;
  pod?: string;
  index?: number;
  replica?: string;
  container?: string;
  follow?: true;
  previous?: true;
  since?: string;
  tail?: string;
  timestamps?: true;
  state?: string;
  endpoint?: string;
}

const HELP = `
Of one pod all of its log is shown; of several pods the last 10 lines of each, merged by time, with the pod's name before each line, of 20 pods
at most. Times are UTC. Characters that would act on a terminal are shown as escapes.

Examples:
  farloop logs job/demo --index 3
  farloop logs pytorchjob/resnet --replica worker-1 --previous
  farloop logs job/demo -f --since 5m

Exit codes: 0 a log was shown, or is empty; 1 there is none, and why; 3 several workloads have that name.`;

export const logsCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  aboutWorkload(new Command('logs').description("Show the logs of a workload's pods."), kinds)
    .option('--pod <pod>', 'only of this pod')
    .option('--index <index>', 'only of pods of this completion index', wholeNumber({ min: 0, max: 999_999_999 }))
    .option('--replica <replica>', 'only of this replica of a training job, as worker-1; worker for all of that type')
    .option('-c, --container <container>', "of this container (default: each pod's first)")
    .option('-f, --follow', 'go on until the pods have ended, with those that come')
    .option('-p, --previous', 'of the run before the last restart')
    .option('--since <time>', 'only lines from then on: a span such as 5m, or a time such as 2026-05-01T10:00:00Z', sinceText)
    .option('--tail <lines>', 'so many lines from the end of each log; -1 for all', tailText)
    .option('--timestamps', 'with the time of each line')
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', HELP)
    .action(async (first: string, second: string | undefined, options: LogsOptions) => {
      const text = workloadText(first, second);
      const api = connectToInstance(options);
      const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, kinds) });
      if (path !== undefined) await show(() => connectToInstance(options), { path, text }, options);
    });

function sinceText(text: string): string {
  const sinceMs = sinceMsOf(text, Date.now());
  if (typeof sinceMs === 'string') throw new InvalidArgumentError(`It ${sinceMs}.`);
  return text;
}

function tailText(text: string): string {
  const lines = tailOf(text);
  if (typeof lines === 'object') throw new InvalidArgumentError(`It ${lines.problem}.`);
  return String(lines);
}

interface Shown {
  path: string;
  text: string;
}

const POLL_EVERY_MS = 2_000;
/** One after the other, before following is given up. */
const MOST_FAILURES = 5;

/** @param connect again after the instance was away: one that was started anew is another one */
async function show(connect: () => ApiClient, { path, text }: Shown, options: LogsOptions): Promise<void> {
  const printer = new LogPrinter({ hasTimes: options.timestamps === true, isFollowing: options.follow === true });
  let after: string | undefined;
  let failures = 0;
  let isAway = false;
  let api: ApiClient | undefined;
  for (;;) {
    let logs: WorkloadLogs;
    try {
      api ??= connect();
      logs = await api.get<WorkloadLogs>(`${path}/logs?${queryOf(options, after)}`);
    } catch (error) {
      if (options.follow !== true || after === undefined || !(error instanceof FailedError)) throw error;
      if (error.message.startsWith('there is no workload'))
        return printProblem(`farloop: ${text} is gone: what it wrote last may be missing`);
      // A server that is started anew goes on; one that refuses again and again does not.
      const wasAway = isAway;
      isAway = !(error instanceof ApiFailedError && error.status !== undefined);
      failures = isAway ? 0 : failures + 1;
      if (isAway) api = undefined;
      if (failures > MOST_FAILURES) throw error;
      if (!(isAway && wasAway)) printProblem(`farloop: ${error.message}${isAway ? '; it is asked again' : ''}`);
      await wait(POLL_EVERY_MS);
      continue;
    }
    if (isAway) printProblem('farloop: it answers again');
    [failures, isAway] = [0, false];
    const isFirst = after === undefined;
    after = logs.cursor;
    await printer.print(logs);
    if (logs.hasMore) continue;
    if (logs.items.length === 0 && isFirst) {
      const absence = `${text} has no pod${whichText(options)}`;
      if (options.follow !== true || logs.hasEnded) throw new FailedError(`${absence}: "farloop explain ${text}" tells of its pods`);
      printProblem(`farloop: ${absence} yet`);
    }
    if (options.follow !== true || logs.hasEnded) break;
    await wait(POLL_EVERY_MS);
  }
  if (printer.problem !== undefined) throw new FailedError(printer.problem);
}

const wait = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

function queryOf(options: LogsOptions, after: string | undefined): string {
  const { pod, index, replica, container, previous, since, tail } = options;
  const query = new URLSearchParams();
  const chosen = { pod, index, replica, container, previous };
  // A cursor knows where each log goes on.
  for (const [name, value] of Object.entries({ ...chosen, ...(after === undefined ? { since, tail } : { after }) }))
    if (value !== undefined) query.set(name, String(value));
  return query.toString();
}

function whichText({ pod, index, replica }: LogsOptions): string {
  const which = [
    ...(pod === undefined ? [] : [`called ${pod}`]),
    ...(index === undefined ? [] : [`of index ${index}`]),
    ...(replica === undefined ? [] : [`of replica ${replica}`]),
  ];
  return which.length === 0 ? '' : ` ${which.join(' ')}`;
}
