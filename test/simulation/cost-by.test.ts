// Cost by cluster, namespace, kind and workload is what the simulator counts beside it, within 5 %: by the ledger of one machine, and by the
// query over what functions log on AWS.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { costBy, COST_GROUPS } from '../../lib/api/cost-by.ts';
import { FUNCTION_GB, LIST_PRICES } from '../../lib/api/list-prices.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { COUNTED_FUNCTIONS } from '../../lib/adapters/telemetry/cost-lines.ts';
import { LogCosts } from '../../lib/adapters/telemetry/log-costs.ts';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { startInsightsService, type InsightsService } from '../adapters/insights-service.ts';
import { Checks } from './checks.ts';
import { FunctionLogs, logGroupOf, OTHER_INVOCATION_MS } from './function-logs.ts';
import { Installation } from './installation.ts';
import { SCENARIOS } from './scenarios.ts';
import { Simulation } from './simulation.ts';

const TOLERANCE = 0.05;
const WEEK_MS = 7 * 86_400_000;

let service: InsightsService;
let client: CloudWatchLogsClient;
beforeEach(async () => {
  service = await startInsightsService();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new CloudWatchLogsClient({ region: 'eu-central-1', endpoint: service.endpoint, credentials });
});
afterEach(async () => {
  jest.restoreAllMocks();
  client.destroy();
  await service.stop();
});

type Counted = Map<string, number>;

const add = (counted: Counted, name: string, requests: number): void => void counted.set(name, (counted.get(name) ?? 0) + requests);

interface Counts {
  /** Requests to the store that name workloads, counted where processes make them. The simulator's own looks are none. */
  all: Counted;
  /** Those of passes. */
  ofPasses: Counted;
  logs: FunctionLogs;
}

function countRequests(): Counts {
  const counts: Counts = { all: new Map(), ofPasses: new Map(), logs: new FunctionLogs() };
  const keysIn = (first: unknown): WorkloadKey[] => {
    if (Array.isArray(first)) return first.flatMap((each) => keysIn(each));
    if (typeof first !== 'object' || first === null) return [];
    return [('key' in first ? first.key : first) as WorkloadKey];
  };
  // oxlint-disable-next-line unbound-method
  const portsOf = Installation.prototype.portsOf;
  jest.spyOn(Installation.prototype, 'portsOf').mockImplementation(function (this: Installation, process) {
    const ports = counts.logs.portsOf(process, Reflect.apply(portsOf, this, [process]), this.store.meter);
    const store = new Proxy(ports.store, {
      get: (target, method) => {
        const member: unknown = Reflect.get(target, method);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          const keys = keysIn(given[0]);
          // Items without a name are asked for without a request.
          const isAsked = !(method === 'readItems' && (given[1] as unknown[]).length === 0);
          for (const { cluster, name } of isAsked ? keys : []) {
            add(counts.all, `${cluster}/${name}`, 1 / keys.length);
            if (process.name.startsWith('reconcile')) add(counts.ofPasses, `${cluster}/${name}`, 1 / keys.length);
          }
          return Reflect.apply(member, target, given);
        };
      },
    });
    return { ...ports, store };
  });
  // oxlint-disable-next-line unbound-method
  const began = Checks.prototype.began;
  jest.spyOn(Checks.prototype, 'began').mockImplementation(function (this: Checks, process, queue, messages) {
    counts.logs.began(process);
    Reflect.apply(began, this, [process, queue, messages]);
  });
  return counts;
}

const differenceOf = (told: number, counted: number): number => Math.abs(told - counted) / counted;

const STORIES = SCENARIOS.filter(({ clusters, virtualNode }) => virtualNode === undefined && clusters.length <= 2);
const chosen = [
  ...new Map(STORIES.map((story) => [`${story.clusters.length} ${story.kind ?? ''}`, story])).values(),
  ...STORIES.slice(0, 6),
];

describe.each(chosen.map((story) => [story.name, story] as const))('%s', (_, scenario) => {
  test('each group costs what was counted', async () => {
    const { all: counted, ofPasses, logs } = countRequests();
    const simulation = new Simulation({ scenario, seed: 1, plan: [], jitter: false, limitMs: 3_600_000, isCounted: true });
    const { violations } = await simulation.simulate();
    expect(violations).toEqual([]);
    const [{ costs, store, queue }] = simulation.installations;
    if (!costs) throw new Error('nothing is counted');
    const { rows } = await costs.spentSince(0);

    const named = new Map(rows.filter(({ name }) => name !== '').map((row) => [`${row.cluster}/${row.name}`, row]));
    expect([...named.keys()].toSorted()).toEqual(expect.arrayContaining([...counted.keys()].toSorted()));
    for (const [name, requests] of counted) {
      const row = named.get(name);
      const ofQueue = row ? row.fifoRequests + row.fairRequests : 0;
      expect(Math.abs((row?.requests ?? 0) - ofQueue - requests) / requests).toBeLessThanOrEqual(TOLERANCE);
    }

    const { fairRequests, standardRequests, fifoRequests, batches } = queue.meter;
    const { events = 0, wakes = 0, timers = 0 } = batches;
    const passMs = simulation.passes.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const dollars =
      fairRequests * LIST_PRICES.sqsFairRequest.dollars +
      standardRequests * LIST_PRICES.sqsStandardRequest.dollars +
      fifoRequests * LIST_PRICES.sqsFifoRequest.dollars +
      (events + wakes + timers) * LIST_PRICES.lambdaInvocation.dollars +
      ((passMs * FUNCTION_GB.reconcile + 40 * (events * FUNCTION_GB.ingest + timers * FUNCTION_GB.timers)) / 1000) *
        LIST_PRICES.lambdaArmGbSecond.dollars +
      (store.meter.writeUnits + store.meter.indexUnits) * LIST_PRICES.dynamodbWriteUnit.dollars +
      store.meter.readUnits * LIST_PRICES.dynamodbReadUnit.dollars;
    const clock = { nowMs: () => costs.sinceMs + 1_000 } as never;
    for (const group of COST_GROUPS) {
      const told = await costBy({ clock, costs }, group, WEEK_MS);
      expect(Math.abs(told.dollars - dollars) / dollars).toBeLessThanOrEqual(TOLERANCE);
      expect(told.items.reduce((sum, { passes }) => sum + passes, 0)).toBe(simulation.passes.length);
    }
    costs.close();

    logs.ended();
    service.lines.push(...logs.lines);
    const nowMs = Math.max(...logs.lines.map(({ timestamp }) => timestamp)) + 1_000;
    const later = { nowMs: () => nowMs, monotonicMs: () => 0, wait: async () => {} } as never;
    const logCosts = new LogCosts({
      logGroups: COUNTED_FUNCTIONS.map(logGroupOf),
      retentionDays: 14,
      client: async () => client,
      clock: later,
    });
    const fromLogs = await logCosts.spentSince(nowMs - WEEK_MS);
    const logged = new Map(fromLogs.rows.map((row) => [`${row.cluster}/${row.name}`, row]));
    for (const [name, requests] of ofPasses) expect(differenceOf(logged.get(name)?.requests ?? 0, requests)).toBeLessThanOrEqual(TOLERANCE);
    const { sent, invocations } = logs.counted;
    const batchesOf = invocations.ingest + invocations.reconcile + invocations.timers;
    const dollarsLogged =
      (sent + 2 * batchesOf) * LIST_PRICES.sqsFifoRequest.dollars +
      (batchesOf + invocations.sweep) * LIST_PRICES.lambdaInvocation.dollars +
      ((passMs * FUNCTION_GB.reconcile +
        OTHER_INVOCATION_MS *
          (invocations.ingest * FUNCTION_GB.ingest + invocations.timers * FUNCTION_GB.timers + invocations.sweep * FUNCTION_GB.sweep)) /
        1000) *
        LIST_PRICES.lambdaArmGbSecond.dollars +
      (store.meter.writeUnits + store.meter.indexUnits) * LIST_PRICES.dynamodbWriteUnit.dollars +
      store.meter.readUnits * LIST_PRICES.dynamodbReadUnit.dollars;
    for (const group of COST_GROUPS) {
      const told = await costBy({ clock: later, costs: logCosts }, group, WEEK_MS);
      expect(differenceOf(told.dollars, dollarsLogged)).toBeLessThanOrEqual(TOLERANCE);
      expect(told.items.reduce((sum, { passes }) => sum + passes, 0)).toBe(simulation.passes.length);
    }
  });
});
