// `farloop get`: what the running instance knows of its clusters and workloads.
import { existsSync } from 'node:fs';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ClusterSummary } from '../../api/clusters.ts';
import { readManages } from '../../objects/manages.ts';
import { stateText, withReasons } from './cluster-states.ts';
import type { ApiClient } from '../instance/api-client.ts';
import { absentKindTexts } from './absent-kinds.ts';
import { connectToInstance, endpointOption, type ApiOptions } from '../instance/api-client.ts';
import { findState, STATES, type State } from '../../kinds/rows/state.ts';
import { parseLabelSelector } from '../../objects/label-selector.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findKindNamed, pluralOf } from '../../kinds/kind-names.ts';
import { withWords, withWorkloads } from '../terminal/completion-hints.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { paint, print, printLine, spanText, tableText, terminalWidth } from '../terminal/output.ts';
import { colourOfCluster } from '../terminal/state-colour.ts';
import { orderIn, showWorkloads, SORTS, WORKLOAD_OUTPUTS, type WorkloadOutput } from './get-workloads.ts';
import { suggestionText } from '../terminal/suggestions.ts';

interface GetOptions {
  namespace?: string;
  allNamespaces?: true;
  selector?: string;
  text?: string;
  needs?: 'person';
  /** As in `7d`, or of seven days. */
  ended?: string | true;
  sort?: string;
  watch?: true;
  output: WorkloadOutput;
  /** Words of states, or the folder of an instance's state. */
  state?: string;
  endpoint?: string;
}

/** Words beside the kinds, each with others for the same. */
const OTHERS = { workloads: ['workload', 'all'], clusters: ['cluster'] } as const;
type Subject = KindFacts | keyof typeof OTHERS;

/** @throws InvalidArgumentError naming what there is, and what may have been meant */
function subjectIn(text: string, kinds: readonly KindFacts[]): Subject {
  const word = text.toLowerCase();
  for (const [plural, others] of Object.entries(OTHERS))
    if (word === plural || others.some((other) => other === word)) return plural as keyof typeof OTHERS;
  const facts = findKindNamed(word, kinds);
  if (facts) return facts;
  const words = subjectWords(kinds);
  throw new InvalidArgumentError(`Expected ${words.join(', ')}, or KIND/NAME as in job/demo.${suggestionText(text, words)}`);
}

const subjectWords = (kinds: readonly KindFacts[]): string[] => [...kinds.map(pluralOf), ...Object.keys(OTHERS)];

/** `job/demo` as well as `job`. */
function requestOf(text: string, kinds: readonly KindFacts[]): { subject: Subject; name?: string } {
  const [subject = '', name, ...rest] = text.split('/');
  if (rest.length > 0 || name === '') throw new InvalidArgumentError('Expected KIND/NAME, as in job/demo.');
  return { subject: subjectIn(subject, kinds), ...(name !== undefined && { name }) };
}

/** @throws InvalidArgumentError */
function selectorIn(text: string): string {
  try {
    parseLabelSelector(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`Expected a label selector, as in team=a,!test: ${(error as Error).message}`);
  }
}

const HELP = `
Examples:
  farloop get all --state failed,waiting --sort age
  farloop get jobs -n default -l team=a -o wide
  farloop get all --needs person
  farloop get jobs --ended 12h
  farloop get jobs -w
  farloop get job demo -o json`;

export const getCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  new Command('get')
    .description('Show workloads, of one kind or of all, or clusters as the running instance knows them.')
    .addArgument(
      withWords(
        withWorkloads(new Argument('<what>', `${subjectWords(kinds).join(', ')}, or KIND/NAME`)).argParser((text) =>
          requestOf(text, kinds),
        ),
        subjectWords(kinds),
      ),
    )
    .argument('[name]', 'only those of this name')
    .addOption(new Option('-n, --namespace <namespace>', 'only those of this namespace').conflicts('allNamespaces'))
    .option('-A, --all-namespaces', 'those of all namespaces, as without -n')
    .option('-l, --selector <selector>', 'only those with these labels, as in team=a,!test', selectorIn)
    .option('--text <text>', 'only those where it stands in namespace, name or reason')
    .addOption(
      withWords(
        new Option(
          '--needs <whom>',
          'person: only those parked, failed within an hour, or in trouble for over five minutes (farloop up --trouble-minutes)',
        ).choices(['person']),
        ['person'],
      ),
    )
    .option(
      '--ended [time]',
      'only those that ended or were removed within this time, as in 12h; 7d if none is given, which is the longest',
    )
    .addOption(
      new Option(
        '--state <states|dir>',
        `only those in one of these states, with commas between; or, as anywhere, the state folder (default: $FARLOOP_STATE, else \${XDG_STATE_HOME:-~/.local/state}/farloop)`,
      ),
    )
    .addOption(
      withWords(
        new Option('--sort <column>', `order by ${SORTS.join(', ')}; with a dash before it the other way round`).argParser(orderIn),
        SORTS,
      ),
    )
    .option('-w, --watch', 'go on, with a row for each that changes')
    .addOption(new Option('-o, --output <format>', 'how data is printed').choices(WORKLOAD_OUTPUTS).default('text'))
    .addOption(endpointOption())
    .addHelpText('after', HELP)
    .action(async ({ subject, name: named }: ReturnType<typeof requestOf>, given: string | undefined, options: GetOptions) => {
      if (named !== undefined && given !== undefined)
        throw new UsageError(`"${given}" is one name too many: expected KIND/NAME, or KIND NAME`);
      const name = named ?? given;
      const { states, ...instance } = stateOrStates(options);
      if (subject === 'clusters') {
        refuseOfWorkloads({ ...options, states });
        return await showClusters(connectToInstance(instance), name, options);
      }
      const { namespace, selector, text, needs, ended, sort, watch, output } = options;
      await showWorkloads((again) => connectToInstance(instance, process.env, again), {
        filter: {
          ...(typeof subject === 'object' && { kind: subject.kind }),
          ...(name !== undefined && { name }),
          ...(namespace !== undefined && { namespace }),
        },
        choice: {
          ...(states && { state: states.join(',') }),
          ...(selector !== undefined && { label: selector }),
          ...(text !== undefined && { text }),
          ...(needs && { needs }),
          ...(ended !== undefined && { ended: ended === true ? '7d' : ended }),
        },
        sort,
        isWatched: watch === true,
        output,
      });
    });

/** `--state` was the folder alone once. @throws UsageError for what is neither words of states nor a folder */
function stateOrStates({ state, endpoint }: GetOptions): ApiOptions & { states?: State[] } {
  const where = endpoint === undefined ? {} : { endpoint };
  if (state === undefined) return where;
  const words = state.split(',');
  const states = words.flatMap((word) => findState(word) ?? []);
  if (states.length === words.length) return { ...where, states };
  // A path has other characters, or is there.
  if (/^[A-Za-z, ]+$/.test(state) && !existsSync(state)) {
    const unknown = words.find((word) => !findState(word)) ?? '';
    throw new UsageError(
      `there is no state ${JSON.stringify(unknown)}${suggestionText(unknown, STATES)}: expected some of ${STATES.join(', ')}, or a folder as in ./farloop`,
    );
  }
  if (endpoint !== undefined) throw new UsageError('--state FOLDER and --endpoint name two instances: leave one out');
  return { state };
}

/** @throws UsageError */
function refuseOfWorkloads({
  namespace,
  selector,
  text,
  states,
  needs,
  ended,
  sort,
  watch,
  output,
}: Omit<GetOptions, 'state'> & { states?: readonly State[] | undefined }): void {
  const ofWorkloads = { '--needs': needs, '--ended': ended, '--sort': sort, '--watch': watch };
  const given = { '--namespace': namespace, '--selector': selector, '--text': text, '--state': states, ...ofWorkloads };
  for (const [option, value] of Object.entries(given))
    if (value !== undefined) throw new UsageError(`${option} says nothing of clusters: leave it out`);
  if (output === 'wide') throw new UsageError('-o wide shows no more of clusters: leave it out');
}

/** More are counted: `-o json` has each. */
const MOST_WATCHES = 3;

/** When each was heard of. Of many the number, and the one that was heard of longest ago. */
export function watchesText(watches: readonly { resource: string; ageSeconds: number }[]): string {
  const each = watches.map(({ resource, ageSeconds }) => `${resource} ${spanText(ageSeconds * 1000)}`);
  if (watches.length <= MOST_WATCHES) return each.join(', ') || '-';
  const oldest = watches.reduce((last, watch) => (watch.ageSeconds > last.ageSeconds ? watch : last));
  return `${watches.length}, the oldest ${oldest.resource} ${spanText(oldest.ageSeconds * 1000)}`;
}

async function showClusters(api: ApiClient, name: string | undefined, { output }: Pick<GetOptions, 'output'>): Promise<void> {
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const found = items.filter((cluster) => name === undefined || cluster.name === name);
  if (name !== undefined && found.length === 0)
    throw new FailedError(`there is no cluster ${name}: there is ${items.map((cluster) => cluster.name).join(', ') || 'none yet'}`);
  if (output === 'name') return found.forEach((cluster) => printLine(cluster.name));
  await print({ items: found }, output === 'wide' ? 'text' : output, ({ items: shown }) =>
    [
      withReasons(
        shown,
        tableText(
          ['NAME', 'STATE', 'HEARD', 'WATCHES', 'MANAGES', 'NAMESPACES'],
          shown.map((cluster) => [
            cluster.name,
            stateText(cluster),
            cluster.relay ? `${spanText(cluster.relay.silentForSeconds * 1000)} ago` : '-',
            watchesText(cluster.relay?.watches ?? []),
            readManages(cluster).join(','),
            cluster.namespaces.join(',') || 'all',
          ]),
          {
            width: terminalWidth(),
            cut: ['NAME', 'MANAGES', 'NAMESPACES', 'WATCHES'],
            state: 'STATE',
            spared: ['NAMESPACES'],
            paint: (title, cell) => (title === 'STATE' ? paint(cell, colourOfCluster(cell)) : cell),
          },
        ),
      ),
      ...absentKindTexts(shown),
    ].join('\n'),
  );
}
