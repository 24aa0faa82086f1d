// Pages of workloads from their summaries, with totals of all that match. No head is read for a row.
import { findKindNamed } from '../../kinds/kind-names.ts';
import { kindNames } from '../../kinds/facts.ts';
import type { State } from '../../kinds/rows/state.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Store } from '../../ports/store.ts';
import { readNotesOfCluster } from '../../reconciler/cluster/known-cluster.ts';
import { inParallel } from '../../reconciler/invocation/parallel.ts';
import { dollarsByWorkload } from '../cost-by.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { timeText } from '../../objects/values/time-text.ts';
import { formatName } from '../../objects/workload.ts';
import type { WorkloadDetail, WorkloadSummary } from '../told-workload.ts';
import {
  facetsOf,
  isChosen,
  needsOne,
  pageOf,
  totalsOf,
  type Choice,
  type Facets,
  type Listed,
  type Order,
  type Page,
  type Rule,
} from './choice.ts';
import { overlayOf } from './on-cluster.ts';
import { SummaryLog } from './summary-log.ts';

export interface WorkloadPage {
  items: WorkloadSummary[];
  /** How many match, on all pages. */
  total: number;
  /** How many of them are in each state. */
  totals: Partial<Record<State, number>>;
  /** How many workloads there are, whether they match or not. */
  of: number;
  /** Where they are asked for: what it could be narrowed to. */
  facets?: Facets;
  next?: string;
}

export interface AskedList {
  cluster?: string | undefined;
  choice: Choice;
  order?: Order | undefined;
  page: Page;
  /** With the cost of each. */
  withCost?: boolean | undefined;
  withFacets?: boolean | undefined;
}

type ListPorts = Pick<Ports, 'store' | 'clusters' | 'clock' | 'telemetry' | 'troubleLastsMs' | 'costs'>;

const CLUSTERS_AT_ONCE = 16;
/** Bytes of a key in the table. */
const KEY_BYTES_MAX = 1_024;

/** One in each process: kept for as long as its store. */
const logs = new WeakMap<Store, SummaryLog>();

function logOf(ports: ListPorts): SummaryLog {
  const log = logs.get(ports.store) ?? new SummaryLog(ports);
  logs.set(ports.store, log);
  return log;
}

/** @throws RefusedRequestError for a cluster, kind or page that is none */
export async function listSummaries(
  ports: ListPorts,
  { cluster, choice, order, page, withCost = false, withFacets = false }: AskedList,
): Promise<WorkloadPage> {
  const rule = ruleOf(ports);
  const kind = choice.kind === undefined ? undefined : kindNamed(choice.kind);
  const all = await allListed(ports, await recordsOf(ports, cluster));
  const chosen = all.filter((listed) => isChosen(listed, { ...choice, kind }, rule));
  const { items, next } = pageOf(await costly(ports, chosen, { withCost, order }), { order, page, rule });
  return {
    items: items.map((listed) => workloadOf(listed, rule)),
    total: chosen.length,
    totals: totalsOf(chosen),
    of: all.reduce((sum, { summary }) => sum + (summary.removedAtMs === undefined ? 1 : 0), 0),
    ...(withFacets && { facets: facetsOf(all, { ...choice, kind }, rule) }),
    ...(next !== undefined && { next }),
  };
}

/** @throws RefusedRequestError by cost where it is not known */
async function costly(
  ports: ListPorts,
  chosen: Listed[],
  { withCost, order }: { withCost: boolean; order: Order | undefined },
): Promise<Listed[]> {
  if (!withCost && order?.by !== 'cost') return chosen;
  const dollars = await dollarsByWorkload(ports);
  if (!dollars && order?.by === 'cost')
    throw new RefusedRequestError(
      400,
      'cost is not counted here for lists, so nothing can be in its order: on AWS "farloop cost --by workload" sums it up from the log',
    );
  return dollars ? chosen.map((listed) => ({ ...listed, costDollars: dollars.get(formatName(listed.key)) ?? 0 })) : chosen;
}

/** Those that were removed within a week, the latest first. */
export async function removedNamed(
  ports: ListPorts,
  { cluster, kind, namespace, name }: { cluster: string; kind: string; namespace: string; name: string },
): Promise<WorkloadDetail[]> {
  const facts = findKindNamed(kind);
  // No table holds such a key.
  if (!facts || Buffer.byteLength(`${cluster}/${facts.kind}/${namespace}/${name}/`) > KEY_BYTES_MAX) return [];
  const records = (await ports.clusters.list()).filter((record) => record.name === cluster);
  const rule = ruleOf(ports);
  return (await allListed(ports, records))
    .filter(
      ({ key, summary }) =>
        key.kind === facts.kind && key.namespace === namespace && key.name === name && summary.removedAtMs !== undefined,
    )
    .toSorted((one, other) => (other.summary.removedAtMs ?? 0) - (one.summary.removedAtMs ?? 0))
    .map((listed) => detailOfRemoved(workloadOf(listed, rule), facts.resource.kind));
}

/** Its last summary is all that is left of it; its passes are told beside. */
function detailOfRemoved(summary: WorkloadSummary, objectKind: string): WorkloadDetail {
  const text = `it is gone from its cluster since ${summary.removedTime ?? 'then'}: this is how it was when it was seen last`;
  const none = { conditions: [], status: {}, objectKind, hasPods: false, pods: [], podsLeftOut: 0 };
  const head = { era: 0, fence: '', floor: '0', bornTime: '', openedTime: '', viewItems: 0 };
  return { ...summary, queued: false, reasons: [{ code: 'Removed', text }], ...none, head };
}

const ruleOf = ({ clock, troubleLastsMs }: ListPorts): Rule => ({ nowMs: clock.nowMs(), troubleLastsMs });

async function recordsOf({ clusters }: Pick<ListPorts, 'clusters'>, cluster: string | undefined): Promise<ClusterRecord[]> {
  const records = await clusters.list();
  if (cluster === undefined) return records;
  const found = records.filter(({ name }) => name === cluster);
  if (found.length > 0) return found;
  const names = records.map(({ name }) => name).toSorted();
  throw new RefusedRequestError(
    400,
    `there is no cluster ${JSON.stringify(cluster)}: ${names.length === 0 ? 'none is registered' : `there are ${names.join(', ')}`}`,
  );
}

async function allListed(ports: ListPorts, records: readonly ClusterRecord[]): Promise<Listed[]> {
  const log = logOf(ports);
  const listed: Listed[] = [];
  await inParallel(records, CLUSTERS_AT_ONCE, async (record) => {
    const [found, notes] = await Promise.all([log.rowsOf(record), readNotesOfCluster(ports, record.name)]);
    const rows = [...found];
    const { clock } = ports;
    const overlay = await overlayOf(notes, { record, clock, namespaces: rows.map(({ key }) => key.namespace) });
    for (const row of rows) {
      const summary = overlay(row.summary, row.key.namespace);
      listed.push(summary === row.summary ? row : { ...row, summary });
    }
  });
  return listed;
}

/** @throws RefusedRequestError */
function kindNamed(word: string): string {
  const facts = findKindNamed(word);
  if (!facts) throw new RefusedRequestError(400, `there is no kind ${JSON.stringify(word)}: there are ${kindNames().join(', ')}`);
  return facts.kind;
}

function workloadOf({ key, summary, costDollars }: Listed, rule: Rule): WorkloadSummary {
  const { nowMs } = rule;
  const {
    state,
    reason,
    why,
    figures,
    fields,
    labels,
    hasMoreLabels,
    creationTime,
    sinceMs,
    nextWakeAtMs = 0,
    removedAtMs,
    asOfMs,
  } = summary;
  return {
    ...key,
    state,
    ...(reason !== undefined && { reason }),
    ...(why !== undefined && { why }),
    ...fields,
    figures,
    ...(labels && { labels }),
    ...(hasMoreLabels && { hasMoreLabels }),
    ...(creationTime !== undefined && { creationTime }),
    sinceTime: timeText(sinceMs),
    ...(needsOne(summary, rule) && { needsPerson: true as const }),
    // As it was when the summary was written. Passes since have set another one, once it lies behind.
    ...(nextWakeAtMs > nowMs && removedAtMs === undefined && { nextWake: { dueTime: timeText(nextWakeAtMs), attempt: 0 } }),
    ...(removedAtMs !== undefined && { removedTime: timeText(removedAtMs) }),
    ...(asOfMs !== undefined && { asOfTime: timeText(asOfMs) }),
    ...(costDollars !== undefined && { costDollars }),
  };
}
