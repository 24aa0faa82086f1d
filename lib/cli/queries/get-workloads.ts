// Lists of workloads: chosen and put in order by the API, printed here, and watched.
import { InvalidArgumentError } from 'commander';
import type { ClusterSummary } from '../../api/clusters.ts';
import type { WorkloadSummary } from '../../api/told-workload.ts';
import { shownData } from '../../objects/values/shown-text.ts';
import { NO_NAMESPACE } from '../../objects/workload.ts';
import type { ApiClient } from '../instance/api-client.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { paint, print, printLine, printLines, printProblem, spanText, terminalWidth } from '../terminal/output.ts';
import { colourOfState } from '../terminal/state-colour.ts';
import { layoutOf, lineOf, tableText, type Layout, type TableLook } from '../terminal/table.ts';
import { absentKindTexts } from './absent-kinds.ts';
import { followed, type Connect } from './followed.ts';
import { dollarText } from '../terminal/dollar-text.ts';
import { figureCells, figureColumns } from './figures.ts';
import { pathOfKey } from './place-text.ts';
import { standingText } from './standing-text.ts';

export const WORKLOAD_OUTPUTS = ['text', 'wide', 'name', 'json', 'yaml'] as const;
export type WorkloadOutput = (typeof WORKLOAD_OUTPUTS)[number];

export const SORTS = ['name', 'namespace', 'kind', 'cluster', 'state', 'age', 'since', 'need', 'cost'] as const;

/** @returns as the API's query has it. @throws InvalidArgumentError */
export function orderIn(text: string): string {
  const isReversed = text.startsWith('-');
  const by = SORTS.find((sort) => sort === (isReversed ? text.slice(1) : text).toLowerCase());
  if (!by) throw new InvalidArgumentError(`Expected ${SORTS.join(', ')}, as in --sort age.`);
  return isReversed ? `-${by}` : by;
}

export interface WantedWorkloads {
  filter: { kind?: string; name?: string; namespace?: string };
  /** As in the API's query. */
  choice: { state?: string; label?: string; text?: string; needs?: string; ended?: string };
  sort: string | undefined;
  isWatched: boolean;
  output: WorkloadOutput;
}

/** @param connect again and again, for an instance that was started anew is another one. @throws FailedError, UsageError */
export async function showWorkloads(connect: Connect, wanted: WantedWorkloads): Promise<void> {
  const { filter, choice, isWatched, output } = wanted;
  if (isWatched && output !== 'text' && output !== 'wide') throw new UsageError(`--watch prints rows of a table: leave out -o ${output}`);
  const api = connect();
  const items = await wantedWorkloads(api, wanted);
  const isChosen = Object.keys(choice).length > 0;
  if (filter.name !== undefined && items.length === 0 && !isChosen && !isWatched) {
    const { absenceOf } = await import('./workload-absence.ts');
    const ofKind = filter.kind === undefined ? {} : { kind: filter.kind };
    throw new FailedError(await absenceOf(api, { ...filter, name: filter.name }, await allWorkloads(api, ofKind)));
  }
  if (output === 'name') return items.forEach(({ kind, name }) => printLine(`${kind.toLowerCase()}/${name}`));
  if (isWatched) return await watchWorkloads(connect, wanted, items);
  const none = items.length > 0 ? '' : await noneText(api, filter, isChosen);
  await print({ items }, output === 'wide' ? 'text' : output, ({ items: shown }) =>
    shown.length === 0 ? none : tableText(...tableOf(shown, output === 'wide'), lookOf(shown)),
  );
}

/** Says which resources are absent, and which would be shown. */
async function noneText(api: ApiClient, { kind, namespace }: WantedWorkloads['filter'], isChosen: boolean): Promise<string> {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  if (isChosen) return `no ${kind ?? 'workload'} like that${place}`;
  const none = `no ${kind ?? 'workload'} yet${place}`;
  const { items } = await api.get<{ items: ClusterSummary[] }>('/v1/clusters');
  const { ownOnlyTexts } = await import('./whose-workload.ts');
  const [absent] = absentKindTexts(items, kind);
  return absent === undefined ? [none, ...ownOnlyTexts(items, kind)].join(': ') : `${none}: ${absent}`;
}

const wantedWorkloads = async (api: ApiClient, { filter, choice, sort, output }: WantedWorkloads): Promise<WorkloadSummary[]> =>
  await allWorkloads(api, { ...filter, ...choice, ...(sort !== undefined && { sort }), ...(output === 'wide' && { cost: 'shown' }) });

/** Page by page, in the order of clusters and keys where no other is asked for. */
export async function allWorkloads(
  api: ApiClient,
  wanted: { kind?: string; name?: string; namespace?: string; cluster?: string; sort?: string; cost?: string } & WantedWorkloads['choice'],
): Promise<WorkloadSummary[]> {
  const items: WorkloadSummary[] = [];
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ ...wanted, limit: '1000', ...(next !== undefined && { continue: next }) });
    const page = await api.get<{ items: WorkloadSummary[]; next?: string }>(`/v1/workloads?${query.toString()}`);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

/** With a column for each figure that a kind among them has. @returns header and rows */
function tableOf(workloads: readonly WorkloadSummary[], isWide: boolean): [header: string[], rows: string[][]] {
  const figures = figureColumns(workloads);
  const hasCost = workloads.some(({ costDollars }) => costDollars !== undefined);
  const header = ['NAMESPACE', 'NAME', 'KIND', 'STATE', ...figures.map((name) => name.toUpperCase()), 'AGE', 'NEXT LOOK', 'CLUSTER'];
  const rows = workloads.map((workload) => {
    const { namespace, name, kind, creationTime, nextWake, cluster, uid, labels = {}, costDollars } = workload;
    const age = creationTime === undefined ? '-' : spanText(Date.now() - Date.parse(creationTime));
    const look = nextWake ? `in ${spanText(Date.parse(nextWake.dueTime) - Date.now())}` : '-';
    const cells = [namespace || NO_NAMESPACE, name, kind, standingText(workload), ...figureCells(workload, figures), age, look, cluster];
    return [...cells, ...(hasCost ? [dollarText(costDollars ?? 0)] : []), ...(isWide ? [uid, labelsText(labels)] : [])];
  });
  return [[...header, ...(hasCost ? ['COST'] : []), ...(isWide ? ['UID', 'LABELS'] : [])], rows];
}

/** Characters of a terminal that has room for uids. */
const WIDE_FROM = 120;

/** On a narrow terminal columns go first that say the same in each row, or what few ask for. */
function lookOf(workloads: readonly WorkloadSummary[]): TableLook {
  const isAlike = (of: (workload: WorkloadSummary) => string): boolean => new Set(workloads.map(of)).size < 2;
  return {
    width: terminalWidth(),
    cut: ['NAMESPACE', 'NAME', 'KIND', 'CLUSTER', 'UID', 'LABELS'],
    // A Job has the labels of its pods, whose ids nobody reads here.
    yielding: ['LABELS'],
    state: 'STATE',
    spared: [
      ...(isAlike(({ cluster }) => cluster) ? ['CLUSTER'] : []),
      'NEXT LOOK',
      ...(isAlike(({ kind }) => kind) ? ['KIND'] : []),
      ...(isAlike(({ namespace }) => namespace) ? ['NAMESPACE'] : []),
      // Cut so far that nobody could read them, they would take the room of figures.
      ...((terminalWidth() ?? Infinity) < WIDE_FROM ? ['LABELS', 'UID'] : []),
    ],
    paint: (title, cell) => (title === 'STATE' ? paint(cell, colourOfState(cell)) : cell),
  };
}

const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || '-';

const POLL_EVERY_MS = 2_000;

/** Prints the table, then a row for each workload that has changed, in the columns of the table. Ends when the reader has seen enough. */
async function watchWorkloads(connect: Connect, wanted: WantedWorkloads, first: readonly WorkloadSummary[]): Promise<void> {
  const { output } = wanted;
  let known = new Map<string, { item: WorkloadSummary; text: string }>();
  let header = '';
  let layout: Layout | undefined;
  const show = (items: readonly WorkloadSummary[]): void => {
    const now = new Map(items.map((item) => [keyOf(item), { item, text: JSON.stringify([standingText(item), item.figures]) }]));
    const changed = items.filter((item) => known.get(keyOf(item))?.text !== now.get(keyOf(item))?.text);
    const gone = [...known].flatMap(([key, { item }]) => (now.has(key) ? [] : [{ ...item, state: 'gone' } as unknown as WorkloadSummary]));
    const rows = [...changed, ...gone.map(({ reason: _reason, nextWake: _wake, ...rest }) => rest)];
    known = now;
    if (rows.length === 0) return;
    const [titles, cells] = shownData(tableOf(rows, output === 'wide'));
    // Another kind has other columns.
    const isSame = header === titles.join();
    header = titles.join();
    const look = lookOf([...items, ...rows]);
    const next = layoutOf(titles, cells, look, isSame ? layout : undefined);
    // A terminal that has become narrower shows other columns.
    if (!isSame || next.columns.length !== layout?.columns.length) printLine(lineOf(next, titles));
    printLines(cells.map((row) => lineOf(next, row, look)).join('\n'));
    layout = next;
  };
  if (first.length === 0) printProblem('farloop: no such workload yet: waiting for one');
  show(first);
  const read = async (api: ApiClient): Promise<WorkloadSummary[]> => await wantedWorkloads(api, wanted);
  for await (const items of followed(connect, { read, everyMs: POLL_EVERY_MS, shownAtMs: Date.now() })) show(items);
}

const keyOf = (item: WorkloadSummary): string => `${pathOfKey(item)}/${item.uid}`;
