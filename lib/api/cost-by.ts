// Cost of clusters, namespaces, kinds or workloads over a span of time: their own counted requests, units and passes at list prices, and their
// share of what several workloads caused together, in proportion to passes.
import type { Payer, Spent } from '../ports/costs.ts';
import type { Ports } from '../ports/ports.ts';
import { dollarsOf } from './cost.ts';
import { LIST_PRICES, PRICES_AS_OF, PRICES_REGION } from './list-prices.ts';
import { formatName } from '../objects/workload.ts';
import { timeText } from '../objects/values/time-text.ts';
import { NotDoneError, TerminalError, ThrottledError } from '../ports/errors.ts';
import { RefusedRequestError } from './routed-request.ts';

export const COST_GROUPS = ['cluster', 'namespace', 'kind', 'workload'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

export interface CostOfGroup {
  cluster?: string;
  namespace?: string;
  kind?: string;
  name?: string;
  passes: number;
  writes: number;
  requests: number;
  writeUnits: number;
  readUnits: number;
  dollars: number;
}

export interface CostBy {
  asOf: string;
  region: string;
  counted: boolean;
  by: CostGroup;
  since: string;
  dollars: number;
  items: CostOfGroup[];
  /** Groups beyond the limit. */
  leftOut: number;
  /** There are more groups than one answer distinguishes: these have the cost of the others as a share. */
  isCut?: true;
  /** Bytes of the log that were scanned for this answer, and their price; absent where it costs nothing. */
  scannedBytes?: number;
  scannedDollars?: number;
}

const FIELDS: Readonly<Record<CostGroup, readonly (keyof Payer)[]>> = {
  cluster: ['cluster'],
  namespace: ['cluster', 'namespace'],
  kind: ['kind'],
  workload: ['cluster', 'kind', 'namespace', 'name'],
};

const BYTES_A_GB = 1e9;

/** More groups are no answer for a person. */
const MOST_GROUPS = 1_000;

/**
 * The dearest first. @returns `counted: false` where nothing counts for all functions
 * @throws RefusedRequestError where the log is not summed up: the sentence says what to do
 */
export async function costBy({ clock, costs }: Pick<Ports, 'clock' | 'costs'>, by: CostGroup, sinceMs: number): Promise<CostBy> {
  const list = { asOf: PRICES_AS_OF, region: PRICES_REGION, by };
  if (!costs) return { ...list, counted: false, since: timeText(clock.nowMs() - sinceMs), dollars: 0, items: [], leftOut: 0 };
  const fromMs = Math.max(clock.nowMs() - sinceMs, costs.sinceMs);
  const { rows, isCut, scannedBytes } = await costs.spentSince(fromMs, FIELDS[by]).catch(refused);
  const groups = new Map<string, CostOfGroup>();
  for (const row of withShares(rows)) {
    const fields = FIELDS[by].map((field) => [field, row[field]] as const);
    const key = JSON.stringify(fields);
    const sum = groups.get(key) ?? {
      ...Object.fromEntries(fields),
      passes: 0,
      writes: 0,
      requests: 0,
      writeUnits: 0,
      readUnits: 0,
      dollars: 0,
    };
    groups.set(key, sum);
    for (const amount of ['passes', 'writes', 'requests', 'writeUnits', 'readUnits', 'dollars'] as const) sum[amount] += row[amount];
  }
  const items = [...groups.values()].toSorted((one, other) => other.dollars - one.dollars);
  return {
    ...list,
    counted: true,
    since: timeText(fromMs),
    dollars: items.reduce((sum, { dollars }) => sum + dollars, 0),
    items: items.slice(0, MOST_GROUPS),
    leftOut: Math.max(items.length - MOST_GROUPS, 0),
    ...(isCut && { isCut }),
    ...(scannedBytes !== undefined && { scannedBytes, scannedDollars: (scannedBytes / BYTES_A_GB) * LIST_PRICES.logScannedGb.dollars }),
  };
}

function refused(error: unknown): never {
  if (error instanceof NotDoneError || error instanceof ThrottledError || error instanceof TerminalError)
    throw new RefusedRequestError(503, error.message);
  throw error;
}

/** Counted to the file each minute, so an older sum is as good. */
const KEPT_MS = 60_000;
const SPAN_MS = 7 * 86_400_000;
const kept = new WeakMap<object, { atMs: number; dollars: Promise<ReadonlyMap<string, number>> }>();

/** Of a week, with shares, by `cluster/kind/namespace/name`. Undefined where nothing is counted, or where each look at it is paid for. */
export async function dollarsByWorkload({
  clock,
  costs,
}: Pick<Ports, 'clock' | 'costs'>): Promise<ReadonlyMap<string, number> | undefined> {
  if (!costs || costs.isPaidByQuestion) return undefined;
  const nowMs = clock.nowMs();
  const known = kept.get(costs);
  if (known && Math.abs(nowMs - known.atMs) < KEPT_MS) return await known.dollars;
  const summed = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = withShares((await costs.spentSince(Math.max(nowMs - SPAN_MS, costs.sinceMs))).rows);
    return new Map(rows.map((row) => [formatName(row), row.dollars]));
  };
  const dollars = summed();
  kept.set(costs, { atMs: nowMs, dollars });
  dollars.catch(() => kept.delete(costs));
  return await dollars;
}

type Row = Payer & Pick<Spent, 'passes' | 'writes' | 'requests' | 'writeUnits' | 'readUnits'> & { dollars: number };

const isWorkload = ({ kind, name }: Payer): boolean => kind !== '' || name !== '';

/**
 * Rows of workloads, each with its share: of its cluster's common cost, and of that of all clusters. What is common to workloads of which no
 * pass is counted stays a row without kind and name.
 */
function withShares(rows: readonly (Payer & Spent)[]): Row[] {
  const workloads = rows.filter(isWorkload);
  const others = rows.filter((row) => !isWorkload(row));
  const passesOf = (cluster: string): number =>
    workloads.reduce((sum, row) => sum + (cluster === '' || row.cluster === cluster ? row.passes : 0), 0);
  const common = new Map(
    others.map((row) => [row.cluster, { dollars: dollarsOf(row), requests: row.requests, passes: passesOf(row.cluster) }]),
  );
  const told = workloads.map((row): Row => {
    const { cluster, kind, namespace, name, passes, writes, writeUnits, readUnits } = row;
    const sum = { cluster, kind, namespace, name, passes, writes, writeUnits, readUnits, requests: row.requests, dollars: dollarsOf(row) };
    for (const of of new Set([cluster, ''])) {
      const shared = common.get(of);
      if (!shared || shared.passes === 0) continue;
      sum.dollars += (shared.dollars * passes) / shared.passes;
    }
    return sum;
  });
  const unshared = others.filter(({ cluster }) => common.get(cluster)?.passes === 0);
  return [...told, ...unshared.map((row): Row => ({ ...row, dollars: dollarsOf(row) }))];
}
