// `farloop events`: what the cluster has said about a workload and its pods, equal lines folded.
import { Command, Option } from 'commander';
import type { Answer } from '../../api/routes/route-table.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { ApiFailedError, connectToInstance, endpointOption, type ApiClient } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { UsageError } from '../terminal/exit.ts';
import { print, printLines, printProblem, spanText, terminalWidth, type OutputFormat } from '../terminal/output.ts';
import { layoutOf, lineOf, tableText, type TableLook } from '../terminal/table.ts';
import { followed, type Connect } from '../queries/followed.ts';
import { aboutWorkload, nameWorkload, workloadPathNamed, workloadText } from '../queries/named-workload.ts';

type Events = Answer<'GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/events'>;
type Line = Events['items'][number];

interface EventsOptions {
  namespace?: string;
  cluster?: string;
  watch?: true;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

const WATCH_EVERY_MS = 2_000;
const HEADER = ['LAST', 'COUNT', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];

export const eventsCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  aboutWorkload(new Command('events').description("Show the cluster's events about a workload and its pods."), kinds)
    .option('-w, --watch', 'go on with those that come')
    .addOption(new Option('-o, --output <format>', 'how data is printed').choices(['text', 'json', 'yaml']).default('text'))
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nEqual ones are one line with a count, the newest last. A cluster keeps events for an hour, most of the time.\n\nExample:\n  farloop events job/demo -w\n\nExit codes: 0 they are shown, also where there is no event; 1 they cannot be read, and why; 3 several workloads have that name.',
    )
    .action(async (first: string, second: string | undefined, options: EventsOptions) => {
      const { watch = false, output } = options;
      if (watch && output !== 'text') throw new UsageError(`--watch prints text for people: leave out -o ${output}`);
      const text = workloadText(first, second);
      const api = connectToInstance(options);
      const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, kinds) });
      if (path === undefined) return;
      const events = await api.get<Events>(`${path}/events`);
      if (!watch) return await print(events, output, (shown) => eventsText(shown, text));
      await follow({ text, path: `${path}/events`, first: events }, options);
    });

/** A message is never cut: it says why. */
const look = (): TableLook => ({ width: terminalWidth(), cut: ['OBJECT'], spared: ['TYPE'] });

const cellsOf = ({ lastTime, count, type, reason, object, text }: Line, nowMs: number): string[] => [
  `${spanText(nowMs - Date.parse(lastTime))} ago`,
  String(count),
  type,
  reason,
  `${object.kind.toLowerCase()}/${object.name}`,
  text,
];

function eventsText({ items, leftOut }: Events, text: string): string {
  if (items.length === 0) return `the cluster has no event about ${text} now`;
  const nowMs = Date.now();
  const rows = items.map((line) => cellsOf(line, nowMs));
  const older = leftOut === 0 ? [] : [`${leftOut} older lines are left out`];
  return [...older, tableText(HEADER, rows, look())].join('\n');
}

/** Prints each line anew when its count has grown. Ends once the workload is gone. */
async function follow({ text, path, first }: { text: string; path: string; first: Events }, options: EventsOptions): Promise<void> {
  printLines(eventsText(first, text));
  const shown = new Map(first.items.map((line) => [placeOf(line), line.count]));
  /** @returns undefined: the workload is gone */
  const read = async (api: ApiClient): Promise<Events | undefined> =>
    await api.get<Events>(path).catch((error: unknown) => {
      if (error instanceof ApiFailedError && error.status === 404) return undefined;
      throw error;
    });
  const connect: Connect = (again) => connectToInstance(options, process.env, again);
  for await (const now of followed(connect, { read, everyMs: WATCH_EVERY_MS, shownAtMs: Date.now() })) {
    if (!now) return printProblem(`farloop: ${text} is gone`);
    const fresh = now.items.filter((line) => shown.get(placeOf(line)) !== line.count);
    const rows = fresh.map((line) => cellsOf(line, Date.now()));
    const layout = layoutOf(HEADER, rows, look());
    if (rows.length > 0) printLines(rows.map((row) => lineOf(layout, row, look())).join('\n'));
    for (const line of fresh) shown.set(placeOf(line), line.count);
  }
}

const placeOf = ({ type, reason, object, text }: Line): string => JSON.stringify([type, reason, object, text]);
