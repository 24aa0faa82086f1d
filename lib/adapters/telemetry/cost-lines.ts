// Names of the amounts in log lines of functions, and the query that sums them up. Writer and reader share them: change one here for both.
// Logs Insights finds the first 200 fields of a line, so a pass's cost stands before its record; a line of metrics may have more fields, so
// its sums are found by their text.
import type { Payer, Spent } from '../../ports/costs.ts';

/** Functions whose logs are summed up; the names of their log groups end in these. */
export const COUNTED_FUNCTIONS = ['ingest', 'reconcile', 'timers', 'sweep'] as const;
export type CountedFunction = (typeof COUNTED_FUNCTIONS)[number];

/** The message of a pass's line. */
export const PASS = 'pass';

/** As in the lines of metrics, where the sums of a function's invocation are. */
export const FUNCTION_SUMS = { requests: 'AwsRequests', sent: 'QueueRequests', writeUnits: 'WriteUnits', readUnits: 'ReadUnits' } as const;

/** In the order of the list in a pass's line. Each digit is paid for. */
const IN_LIST = ['requests', 'writeUnits', 'readUnits', 'writes'] as const;
const DECIMALS = 2;

/** @param spent.writes actions that the pass sent to the cluster */
export const spentList = (spent: Record<(typeof IN_LIST)[number], number>): number[] =>
  IN_LIST.map((amount) => Number(spent[amount].toFixed(DECIMALS)));

/** In the order of `formatName`, which is `recorded` in a pass's line. */
const NAME_PARTS = ['cluster', 'kind', 'namespace', 'name'] as const;
/** Names of their own: a line of metrics has fields `cluster` and `kind`, too. */
const FOUND: Readonly<Record<keyof Payer, string>> = { cluster: 'ofCluster', kind: 'ofKind', namespace: 'ofNamespace', name: 'ofName' };

/** Most rows that the service answers with. */
export const MOST_ROWS = 10_000;

export interface CostRow extends Pick<Spent, 'passes' | 'passMs' | 'writes' | 'requests' | 'writeUnits' | 'readUnits'> {
  /** Of a pass's workload; absent in the sum of a function. Parts that were not asked for read `*`. */
  payer?: Payer;
  function?: CountedFunction;
  sent: number;
  invocations: number;
  billedMs: number;
}

/**
 * Sums of functions come first, for they must not be cut off; then the workloads on which most was spent.
 * @param fields that distinguish rows of workloads
 */
export function costQuery(fields: readonly (keyof Payer)[]): string {
  const part = String.raw`[^\/]*`;
  const name = NAME_PARTS.map((each) => `(?<${FOUND[each]}>${part})`).join(String.raw`\/`);
  const sums = Object.entries(FUNCTION_SUMS);
  return [
    `filter message = "${PASS}" or @type = "REPORT" or @message like /"(${sums.map(([, field]) => field).join('|')})":/`,
    `parse recorded /^${name}$/`,
    ...sums.map(([amount, field]) => `parse @message /"${field}":(?<${amount}Of>[0-9.]+)/`),
    [
      'stats count(recorded) as passes',
      'sum(record.durationMs) as passMs',
      ...IN_LIST.map((amount, at) => `sum(spent.${at}) as ${amount}`),
      ...sums.map(([amount]) => `sum(${amount}Of) as ${amount}OfAll`),
      'count(@billedDuration) as invocations',
      `sum(@billedDuration) as billedMs by ${[...fields.map((field) => FOUND[field]), '@log'].join(', ')}`,
    ].join(', '),
    'sort requestsOfAll desc, invocations desc, writeUnits desc',
    `limit ${MOST_ROWS}`,
  ].join('\n| ');
}

/** @param row a row of the answer to that query: values by their names, all of them texts */
export function costRowOf(row: Readonly<Record<string, string>>, fields: readonly (keyof Payer)[]): CostRow {
  const amount = (name: string): number => Number(row[name]) || 0;
  const passes = amount('passes');
  const times = { passes, passMs: amount('passMs'), invocations: amount('invocations'), billedMs: amount('billedMs') };
  const ofFunction = COUNTED_FUNCTIONS.find((name) => row['@log']?.endsWith(`-${name}`));
  const rest = { ...times, writes: amount('writes'), ...(ofFunction && { function: ofFunction }) };
  if (passes === 0)
    return {
      ...rest,
      requests: amount('requestsOfAll'),
      sent: amount('sentOfAll'),
      writeUnits: amount('writeUnitsOfAll'),
      readUnits: amount('readUnitsOfAll'),
    };
  const partOf = (field: keyof Payer): string => (fields.includes(field) ? (row[FOUND[field]] ?? '') : '*');
  return {
    ...rest,
    payer: { cluster: partOf('cluster'), kind: partOf('kind'), namespace: partOf('namespace'), name: partOf('name') },
    requests: amount('requests'),
    writeUnits: amount('writeUnits'),
    readUnits: amount('readUnits'),
    sent: 0,
  };
}
