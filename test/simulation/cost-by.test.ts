// Cost by cluster, namespace, kind and workload is what the simulator counts beside it: within 5 %.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { costBy, COST_GROUPS } from '../../lib/api/cost-by.ts';
import { FUNCTION_GB, LIST_PRICES } from '../../lib/api/list-prices.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { Installation } from './installation.ts';
import { SCENARIOS } from './scenarios.ts';
import { Simulation } from './simulation.ts';

const TOLERANCE = 0.05;
const WEEK_MS = 7 * 86_400_000;

afterEach(() => {
  jest.restoreAllMocks();
});

type Counted = Map<string, number>;

const add = (counted: Counted, name: string, requests: number): void => void counted.set(name, (counted.get(name) ?? 0) + requests);

/** Requests to the store that name workloads, counted where processes make them. The simulator's own looks are none. */
function countRequests(): Counted {
  const counted: Counted = new Map();
  const keysIn = (first: unknown): WorkloadKey[] => {
    if (Array.isArray(first)) return first.flatMap((each) => keysIn(each));
    if (typeof first !== 'object' || first === null) return [];
    return [('key' in first ? first.key : first) as WorkloadKey];
  };
  // oxlint-disable-next-line unbound-method
  const portsOf = Installation.prototype.portsOf;
  jest.spyOn(Installation.prototype, 'portsOf').mockImplementation(function (this: Installation, process) {
    const ports = Reflect.apply(portsOf, this, [process]);
    const store = new Proxy(ports.store, {
      get: (target, method) => {
        const member: unknown = Reflect.get(target, method);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          const keys = keysIn(given[0]);
          // Items without a name are asked for without a request.
          const isAsked = !(method === 'readItems' && (given[1] as unknown[]).length === 0);
          for (const { cluster, name } of isAsked ? keys : []) add(counted, `${cluster}/${name}`, 1 / keys.length);
          return Reflect.apply(member, target, given);
        };
      },
    });
    return { ...ports, store };
  });
  return counted;
}

const STORIES = SCENARIOS.filter(({ clusters, virtualNode }) => virtualNode === undefined && clusters.length <= 2);
const chosen = [
  ...new Map(STORIES.map((story) => [`${story.clusters.length} ${story.kind ?? ''}`, story])).values(),
  ...STORIES.slice(0, 6),
];

describe.each(chosen.map((story) => [story.name, story] as const))('%s', (_, scenario) => {
  test('each group costs what was counted', async () => {
    const counted = countRequests();
    const simulation = new Simulation({ scenario, seed: 1, plan: [], jitter: false, limitMs: 3_600_000, isCounted: true });
    const { violations } = await simulation.simulate();
    expect(violations).toEqual([]);
    const [{ costs, store, queue }] = simulation.installations;
    if (!costs) throw new Error('nothing is counted');
    const rows = await costs.spentSince(0);

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
  });
});
