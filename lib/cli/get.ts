// `farloop get`: what the running instance knows of its clusters and workloads.
import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ClusterSummary } from '../api/clusters.ts';
import { isBuiltInOff } from '../objects/managed-by.ts';
import { readManages } from '../objects/manages.ts';
import { stateText, withReasons } from './cluster-states.ts';
import type { WorkloadSummary } from '../api/workloads.ts';
import type { ApiClient } from './api-client.ts';
import { connectToInstance, endpointOption } from './api-client.ts';
import { withWords } from './completion-hints.ts';
import { FailedError, UsageError } from './exit.ts';
import { stateOption } from './instance-file.ts';
import type { OutputFormat } from './output.ts';
import { outputOption, paint, print, spanText, tableText } from './output.ts';
import { standingText } from './standing-text.ts';
import { suggestionText } from './suggestions.ts';
import { OWN_JOBS_ONLY } from './whose-job.ts';
import { absenceOf } from './workload-absence.ts';

interface GetOptions {
  namespace?: string;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

const KINDS = ['jobs', 'workloads', 'clusters'] as const;
type Kind = (typeof KINDS)[number];

/** @throws InvalidArgumentError naming what there is, and what may have been meant */
function kindIn(text: string): Kind {
  const kind = KINDS.find((known) => [known, known.replace(/s$/, '')].includes(text.toLowerCase()));
  if (kind) return kind;
  throw new InvalidArgumentError(`Expected ${KINDS.join(', ')}, or KIND/NAME as in job/demo.${suggestionText(text, KINDS)}`);
}

/** `job/demo` as well as `job`. */
function subjectOf(text: string): { kind: Kind; name?: string } {
  const [kind = '', name, ...rest] = text.split('/');
  if (rest.length > 0 || name === '') throw new InvalidArgumentError('Expected KIND/NAME, as in job/demo.');
  return { kind: kindIn(kind), ...(name !== undefined && { name }) };
}

export const getCommand = (): Command =>
  new Command('get')
    .description('Show Jobs, workloads or clusters as the running instance knows them.')
    .addArgument(withWords(new Argument('<what>', 'jobs, workloads, clusters, or KIND/NAME').argParser(subjectOf), KINDS))
    .argument('[name]', 'only those of this name')
    .option('-n, --namespace <namespace>', 'only those of this namespace')
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText('after', '\nExample:\n  farloop get jobs -o json')
    .action(async ({ kind, name: named }: ReturnType<typeof subjectOf>, given: string | undefined, options: GetOptions) => {
      if (named !== undefined && given !== undefined)
        throw new UsageError(`"${given}" is one name too many: expected KIND/NAME, or KIND NAME`);
      const name = named ?? given;
      if (kind === 'clusters' && options.namespace !== undefined)
        throw new UsageError('--namespace says nothing of clusters: leave it out');
      const api = connectToInstance(options);
      if (kind === 'clusters') await showClusters(api, name, options);
      else await showWorkloads(api, { ...(kind === 'jobs' && { kind: 'Job' }), ...(name !== undefined && { name }) }, options);
    });

async function showClusters(api: ApiClient, name: string | undefined, { output }: GetOptions): Promise<void> {
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const found = items.filter((cluster) => name === undefined || cluster.name === name);
  if (name !== undefined && found.length === 0)
    throw new FailedError(`there is no cluster ${name}: there is ${items.map((cluster) => cluster.name).join(', ') || 'none yet'}`);
  await print({ items: found }, output, ({ items: shown }) =>
    withReasons(
      shown,
      tableText(
        ['NAME', 'STATE', 'HEARD', 'WATCHES', 'MANAGES', 'NAMESPACES'],
        shown.map((cluster) => [
          cluster.name,
          stateText(cluster),
          cluster.relay ? `${spanText(cluster.relay.silentForSeconds * 1000)} ago` : '-',
          (cluster.relay?.watches ?? []).map(({ resource, ageSeconds }) => `${resource} ${spanText(ageSeconds * 1000)}`).join(', ') || '-',
          readManages(cluster).join(','),
          cluster.namespaces.join(',') || 'all',
        ]),
      ),
    ),
  );
}

async function showWorkloads(api: ApiClient, filter: { kind?: string; name?: string }, { namespace, output }: GetOptions): Promise<void> {
  const items = await allWorkloads(api, { ...filter, ...(namespace !== undefined && { namespace }) });
  if (filter.name !== undefined && items.length === 0)
    throw new FailedError(await absenceOf(api, { ...filter, name: filter.name, namespace }, await allWorkloads(api, kindOnly(filter))));
  const none =
    items.length > 0
      ? ''
      : await noneText(api, `no ${filter.kind ?? 'workload'} yet${namespace === undefined ? '' : ` in namespace ${namespace}`}`);
  await print({ items }, output, ({ items: shown }) => (shown.length === 0 ? none : tableText(HEADER, shown.map(rowOf))));
}

/** What there is none of, and which Jobs would be there. */
async function noneText(api: ApiClient, none: string): Promise<string> {
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const own = items.filter((cluster) => !isBuiltInOff(readManages(cluster)));
  return own.length === 0 ? none : `${none}: on ${own.map(({ name }) => name).join(', ')} ${OWN_JOBS_ONLY}`;
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

const HEADER = ['NAMESPACE', 'NAME', 'KIND', 'STATE', 'SUCCEEDED', 'ACTIVE', 'FAILED', 'AGE', 'NEXT LOOK', 'CLUSTER'];

function rowOf(workload: WorkloadSummary): string[] {
  const { namespace, name, kind, succeeded = 0, completions, active = 0, failed = 0, creationTime, nextWake, queued, cluster } = workload;
  const age = creationTime === undefined ? '-' : spanText(Date.now() - Date.parse(creationTime));
  const look = queued ? 'queued' : nextWake ? `in ${spanText(Date.parse(nextWake.dueTime) - Date.now())}` : '-';
  const done = completions === undefined ? String(succeeded) : `${succeeded}/${completions}`;
  return [namespace, name, kind, standingText(workload), done, String(active), String(failed), age, look, cluster];
}

/** Good, bad, or neither. */
export function paintState(state: string): string {
  if (['Complete', 'Watching', 'acted', 'converged'].includes(state)) return paint(state, 'green');
  if (['Failed', 'Parked', 'Unreadable', 'parked', 'failed', 'unreachable', 'Silent'].includes(state)) return paint(state, 'red');
  return state;
}
