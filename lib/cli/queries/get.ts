// `farloop get`: what the running instance knows of its clusters and workloads.
import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ClusterSummary } from '../../api/clusters.ts';
import { readManages } from '../../objects/manages.ts';
import { NO_NAMESPACE } from '../../objects/workload.ts';
import { stateText, withReasons } from './cluster-states.ts';
import type { WorkloadSummary } from '../../api/told-workload.ts';
import type { ApiClient } from '../instance/api-client.ts';
import { absentKindTexts } from './absent-kinds.ts';
import { connectToInstance, endpointOption } from '../instance/api-client.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findKindNamed, pluralOf } from '../../kinds/kind-names.ts';
import { withWords } from '../terminal/completion-hints.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { figureCells, figureColumns } from './figures.ts';
import { stateOption } from '../instance/instance-file.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, paint, print, spanText, tableText } from '../terminal/output.ts';
import { standingText } from './standing-text.ts';
import { suggestionText } from '../terminal/suggestions.ts';

interface GetOptions {
  namespace?: string;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

/** Words beside the kinds, each with its singular. */
const OTHERS = { workloads: 'workload', clusters: 'cluster' } as const;
type Subject = KindFacts | keyof typeof OTHERS;

/** @throws InvalidArgumentError naming what there is, and what may have been meant */
function subjectIn(text: string, kinds: readonly KindFacts[]): Subject {
  const word = text.toLowerCase();
  for (const [plural, one] of Object.entries(OTHERS)) if (word === plural || word === one) return plural as keyof typeof OTHERS;
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

export const getCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  new Command('get')
    .description('Show workloads, of one kind or of all, or clusters as the running instance knows them.')
    .addArgument(
      withWords(
        new Argument('<what>', `${subjectWords(kinds).join(', ')}, or KIND/NAME`).argParser((text) => requestOf(text, kinds)),
        subjectWords(kinds),
      ),
    )
    .argument('[name]', 'only those of this name')
    .option('-n, --namespace <namespace>', 'only those of this namespace')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExamples:\n  farloop get jobs -o json\n  farloop get workloads -n default')
    .action(async ({ subject, name: named }: ReturnType<typeof requestOf>, given: string | undefined, options: GetOptions) => {
      if (named !== undefined && given !== undefined)
        throw new UsageError(`"${given}" is one name too many: expected KIND/NAME, or KIND NAME`);
      const name = named ?? given;
      if (subject === 'clusters' && options.namespace !== undefined)
        throw new UsageError('--namespace says nothing of clusters: leave it out');
      const api = connectToInstance(options);
      const filter = { ...(typeof subject === 'object' && { kind: subject.kind }), ...(name !== undefined && { name }) };
      if (subject === 'clusters') await showClusters(api, name, options);
      else await showWorkloads(api, filter, options);
    });

/** More are counted: `-o json` has each. */
const MOST_WATCHES = 3;

/** When each was heard of. Of many the number, and the one that was heard of longest ago. */
export function watchesText(watches: readonly { resource: string; ageSeconds: number }[]): string {
  const each = watches.map(({ resource, ageSeconds }) => `${resource} ${spanText(ageSeconds * 1000)}`);
  if (watches.length <= MOST_WATCHES) return each.join(', ') || '-';
  const oldest = watches.reduce((last, watch) => (watch.ageSeconds > last.ageSeconds ? watch : last));
  return `${watches.length}, the oldest ${oldest.resource} ${spanText(oldest.ageSeconds * 1000)}`;
}

async function showClusters(api: ApiClient, name: string | undefined, { output }: GetOptions): Promise<void> {
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const found = items.filter((cluster) => name === undefined || cluster.name === name);
  if (name !== undefined && found.length === 0)
    throw new FailedError(`there is no cluster ${name}: there is ${items.map((cluster) => cluster.name).join(', ') || 'none yet'}`);
  await print({ items: found }, output, ({ items: shown }) =>
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
        ),
      ),
      ...absentKindTexts(shown),
    ].join('\n'),
  );
}

async function showWorkloads(api: ApiClient, filter: { kind?: string; name?: string }, { namespace, output }: GetOptions): Promise<void> {
  const items = await allWorkloads(api, { ...filter, ...(namespace !== undefined && { namespace }) });
  if (filter.name !== undefined && items.length === 0)
    throw new FailedError(
      await (
        await import('./workload-absence.ts')
      ).absenceOf(api, { ...filter, name: filter.name, namespace }, await allWorkloads(api, kindOnly(filter))),
    );
  const none =
    items.length > 0
      ? ''
      : await noneText(
          api,
          `no ${filter.kind ?? 'workload'} yet${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
          filter.kind,
        );
  await print({ items }, output, ({ items: shown }) => (shown.length === 0 ? none : workloadsTable(shown)));
}

/** Says which resources are absent, and which would be shown. */
async function noneText(api: ApiClient, none: string, kind: string | undefined): Promise<string> {
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const { ownOnlyTexts } = await import('./whose-workload.ts');
  const [absent] = absentKindTexts(items, kind);
  return absent === undefined ? [none, ...ownOnlyTexts(items, kind)].join(': ') : `${none}: ${absent}`;
}

const kindOnly = ({ kind }: { kind?: string }): { kind?: string } => (kind === undefined ? {} : { kind });

/** Page by page, in the order of clusters and keys. */
export async function allWorkloads(
  api: ApiClient,
  filter: { kind?: string; name?: string; namespace?: string; cluster?: string },
): Promise<WorkloadSummary[]> {
  const items: WorkloadSummary[] = [];
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ ...filter, limit: '1000', ...(next !== undefined && { continue: next }) });
    const page = await api.get<{ items: WorkloadSummary[]; next?: string }>(`/v1/workloads?${query.toString()}`);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

/** With a column for each figure that a kind among them has. */
function workloadsTable(workloads: readonly WorkloadSummary[]): string {
  const figures = figureColumns(workloads);
  const header = ['NAMESPACE', 'NAME', 'KIND', 'STATE', ...figures.map((name) => name.toUpperCase()), 'AGE', 'NEXT LOOK', 'CLUSTER'];
  const rows = workloads.map((workload) => {
    const { namespace, name, kind, creationTime, nextWake, queued, cluster } = workload;
    const age = creationTime === undefined ? '-' : spanText(Date.now() - Date.parse(creationTime));
    const look = queued ? 'queued' : nextWake ? `in ${spanText(Date.parse(nextWake.dueTime) - Date.now())}` : '-';
    return [namespace || NO_NAMESPACE, name, kind, standingText(workload), ...figureCells(workload, figures), age, look, cluster];
  });
  return tableText(header, rows);
}

/** Good, bad, or neither. */
export function paintState(state: string): string {
  if (['Complete', 'Watching', 'acted', 'converged'].includes(state)) return paint(state, 'green');
  if (['Failed', 'Parked', 'Unreadable', 'parked', 'failed', 'unreachable', 'Silent'].includes(state)) return paint(state, 'red');
  return state;
}
