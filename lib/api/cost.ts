// This process's share of the cost that an installation would have had on AWS since the process began: counted requests, units and passes
// at list prices.
import type { Spent } from '../ports/costs.ts';
import type { Ports } from '../ports/ports.ts';
import { FUNCTION_GB, LIST_PRICES, PRICES_AS_OF, PRICES_REGION } from './list-prices.ts';
import { keepsMetrics } from './metrics.ts';
import { timeText } from '../objects/values/time-text.ts';

export interface CostPart {
  part: string;
  amount: number;
  /** Price of one unit, from the list of `asOf`. */
  unitDollars: number;
  dollars: number;
}

export interface Cost {
  asOf: string;
  region: string;
  /** False on AWS, where each function counts only its own work. The dashboard sums it up. */
  counted: boolean;
  /** When this process began to count. */
  since?: string;
  dollars: number;
  parts: CostPart[];
  /** `dollars` are in proportion to passes, because clusters share queues and table. `passes` and `writes` are counted. */
  clusters: { name: string; passes: number; writes: number; dollars: number }[];
}

/** Counts of embedded stores and queues, by the billing rules of the services that they replace. */
interface TableMeter {
  writeUnits: number;
  indexUnits: number;
  readUnits: number;
}
interface QueueMeter {
  fairRequests: number;
  standardRequests: number;
  fifoRequests: number;
  /** Delivered batches, by queue. */
  batches: Readonly<Record<string, number>>;
}

/** Assumed duration of an invocation that is not a pass, as in docs/costs.md: local mode does not measure it. */
const OTHER_INVOCATION_MS = 40;

/** @returns `counted: false` and no parts if these adapters count nothing, as on AWS, which has the bill itself */
export async function costSoFar({ clock, clusters, queue, store, telemetry }: Ports): Promise<Cost> {
  const list = { asOf: PRICES_AS_OF, region: PRICES_REGION };
  const requests = meterOf<QueueMeter>(queue, 'fifoRequests');
  const table = meterOf<TableMeter>(store, 'writeUnits');
  if (!requests || !table || !keepsMetrics(telemetry)) return { ...list, counted: false, dollars: 0, parts: [], clusters: [] };
  const counted = telemetry.metrics();
  const passes = counted.filter(({ name }) => name === 'ReconcileDuration');
  const passMs = passes.reduce((sum, metric) => sum + metric.sum, 0);
  const { events = 0, wakes = 0, timers = 0 } = requests.batches;
  const gigabyteSeconds =
    (passMs * FUNCTION_GB.reconcile + OTHER_INVOCATION_MS * (events * FUNCTION_GB.ingest + timers * FUNCTION_GB.timers)) / 1000;
  const part = (name: string, amount: number, { dollars: unitDollars }: { dollars: number }): CostPart => ({
    part: name,
    amount,
    unitDollars,
    dollars: amount * unitDollars,
  });
  const parts = [
    part('requests to standard queues that are fair by cluster', requests.fairRequests, LIST_PRICES.sqsFairRequest),
    part("requests to the relays' queues", requests.standardRequests, LIST_PRICES.sqsStandardRequest),
    part('requests to the FIFO queue of wakes', requests.fifoRequests, LIST_PRICES.sqsFifoRequest),
    part('invocations', events + wakes + timers, LIST_PRICES.lambdaInvocation),
    part('GB-seconds of functions', gigabyteSeconds, LIST_PRICES.lambdaArmGbSecond),
    part('write units, indexes too', table.writeUnits + table.indexUnits, LIST_PRICES.dynamodbWriteUnit),
    part('read units', table.readUnits, LIST_PRICES.dynamodbReadUnit),
  ];
  const dollars = parts.reduce((sum, each) => sum + each.dollars, 0);
  const allPasses = passes.reduce((sum, { count }) => sum + count, 0);
  const names = (await clusters.list()).map(({ name }) => name);
  return {
    ...list,
    counted: true,
    since: timeText(clock.nowMs() - process.uptime() * 1000),
    dollars,
    parts,
    clusters: names.map((name) => {
      const isIts = ({ dimensions }: { dimensions: Record<string, string> }): boolean => dimensions['cluster'] === name;
      const own = passes.filter(isIts).reduce((sum, { count }) => sum + count, 0);
      const writes = counted.filter((metric) => metric.name === 'WritesSent' && isIts(metric)).reduce((sum, metric) => sum + metric.sum, 0);
      return { name, passes: own, writes, dollars: allPasses === 0 ? 0 : (dollars * own) / allPasses };
    }),
  };
}

/** At list prices. */
export const dollarsOf = (spent: Spent): number =>
  spent.fairRequests * LIST_PRICES.sqsFairRequest.dollars +
  spent.standardRequests * LIST_PRICES.sqsStandardRequest.dollars +
  spent.fifoRequests * LIST_PRICES.sqsFifoRequest.dollars +
  (spent.wakesBatches + spent.eventsBatches + spent.timersBatches) * LIST_PRICES.lambdaInvocation.dollars +
  (gigabyteMsOf(spent) / 1000) * LIST_PRICES.lambdaArmGbSecond.dollars +
  spent.writeUnits * LIST_PRICES.dynamodbWriteUnit.dollars +
  spent.readUnits * LIST_PRICES.dynamodbReadUnit.dollars;

function gigabyteMsOf({ billedMs, passMs, eventsBatches, timersBatches }: Spent): number {
  if (!billedMs)
    return passMs * FUNCTION_GB.reconcile + OTHER_INVOCATION_MS * (eventsBatches * FUNCTION_GB.ingest + timersBatches * FUNCTION_GB.timers);
  const { ingest = 0, reconcile = 0, timers = 0, sweep = 0 } = billedMs;
  return ingest * FUNCTION_GB.ingest + reconcile * FUNCTION_GB.reconcile + timers * FUNCTION_GB.timers + sweep * FUNCTION_GB.sweep;
}

function meterOf<Meter extends object>(port: object, counts: keyof Meter & string): Meter | undefined {
  const meter: unknown = Reflect.get(port, 'meter');
  return typeof meter === 'object' && meter !== null && counts in meter ? (meter as Meter) : undefined;
}
