// Cost from logs: asked of a service over HTTP through the real client, and answered within the time that a function has.
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { COUNTED_FUNCTIONS, costQuery, type CountedFunction } from '../../../lib/adapters/telemetry/cost-lines.ts';
import { EmfTelemetry } from '../../../lib/adapters/telemetry/emf-telemetry.ts';
import { LogCosts } from '../../../lib/adapters/telemetry/log-costs.ts';
import { LogRecorder } from '../../../lib/adapters/telemetry/log-recorder.ts';
import { SpentByWorkload } from '../../../lib/adapters/telemetry/spent-by-workload.ts';
import { costBy } from '../../../lib/api/cost-by.ts';
import { WriteMeter } from '../../../lib/adapters/dynamodb/write-units.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { METRICS } from '../../../lib/ports/metrics.ts';
import { aPass } from '../../contracts/recorder.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { startInsightsService, type InsightsService } from '../insights-service.ts';

/** Waiting moves it on. */
class WaitedClock extends VirtualClock {
  override async wait(ms: number): Promise<void> {
    await this.advance(ms);
  }
}

const DAY_MS = 86_400_000;
const groupOf = (name: CountedFunction): string => `/aws/lambda/farloop-test-${name}`;

let service: InsightsService;
let client: CloudWatchLogsClient;
let clock: WaitedClock;
let costs: LogCosts;
beforeEach(async () => {
  service = await startInsightsService();
  client = new CloudWatchLogsClient({
    region: 'eu-central-1',
    endpoint: service.endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  clock = new WaitedClock();
  costs = new LogCosts({ logGroups: COUNTED_FUNCTIONS.map(groupOf), retentionDays: 14, client: async () => client, clock });
});
afterEach(async () => {
  client.destroy();
  await service.stop();
});

const writeTo = (name: CountedFunction) => (message: string) =>
  void service.lines.push({ log: groupOf(name), timestamp: clock.nowMs() - 1_000, message });

const keyOf = (name: string, namespace = 'default'): WorkloadKey => ({ ...aPass(0).key, namespace, name });

/** A table whose reads cost one request and two units after a while. */
class SlowTable {
  readonly meter = new WriteMeter();
  async readHead(_key: WorkloadKey): Promise<void> {
    await Promise.resolve();
    this.meter.add('readHead', { readUnits: 2 });
  }
  async readHeads(_keys: readonly WorkloadKey[]): Promise<void> {
    await Promise.resolve();
    this.meter.add('readHeads', { readUnits: 3 });
  }
}

async function logPasses(keys: readonly WorkloadKey[]): Promise<void> {
  const spent = new SpentByWorkload();
  const table = spent.payingStore(new SlowTable());
  const recorder = new LogRecorder({ logGroup: undefined, client: async () => client, clock, spent, write: writeTo('reconcile') });
  // Side by side, as in a batch.
  await Promise.all(keys.map(async (key) => await table.readHead(key)));
  for (const key of keys) await recorder.append(aPass(clock.nowMs(), { key, durationMs: 100 }));
}

function logInvocation(
  name: CountedFunction,
  spent: { AwsRequests: number; WriteUnits: number; ReadUnits: number },
  billedMs: number,
): void {
  const telemetry = new EmfTelemetry({ namespace: 'Farloop/test', referenceMetrics: true, level: 'error', clock, write: writeTo(name) });
  telemetry.begin(name, 'r');
  // Lines of metrics have more fields than the service finds.
  for (const [metric, { unit }] of Object.entries(METRICS))
    for (let at = 0; at < (unit === 'Count' ? 0 : 90); at += 1)
      telemetry.count(metric, at, unit, { kind: 'Job', outcome: 'acted', cluster: 'c' });
  telemetry.end(spent, 3);
  writeTo(name)(
    `REPORT RequestId: r\tDuration: ${billedMs}.10 ms\tBilled Duration: ${billedMs} ms\tMemory Size: 512 MB\tMax Memory Used: 90 MB\t`,
  );
}

describe('what was spent on workloads', () => {
  test('one request for several is shared by them, and what was taken is not there again', async () => {
    const spent = new SpentByWorkload();
    const table = spent.payingStore(new SlowTable());
    const [a, b, c] = [keyOf('a'), keyOf('b'), keyOf('c')];
    await Promise.all([table.readHeads([a, b]), table.readHead(a), table.readHead(c)]);
    expect(spent.take(a)).toEqual({ requests: 1.5, writeUnits: 0, readUnits: 3.5 });
    expect(spent.take(a)).toEqual({ requests: 0, writeUnits: 0, readUnits: 0 });
    expect(spent.take(b)).toEqual({ requests: 0.5, writeUnits: 0, readUnits: 1.5 });
    spent.clear();
    expect(spent.take(c)).toEqual({ requests: 0, writeUnits: 0, readUnits: 0 });
  });
});

describe('cost from logs', () => {
  test('workloads have what their passes spent, and all have what functions spent beside them', async () => {
    await logPasses([keyOf('a'), keyOf('b', 'other')]);
    await logPasses([keyOf('a')]);
    logInvocation('reconcile', { AwsRequests: 10, WriteUnits: 4, ReadUnits: 8 }, 200);
    logInvocation('ingest', { AwsRequests: 5, WriteUnits: 6, ReadUnits: 0.5 }, 40);
    const { rows, scannedBytes, isCut } = await costs.spentSince(clock.nowMs() - DAY_MS);
    expect(rows.find(({ name }) => name === 'a')).toMatchObject({
      namespace: 'default',
      passes: 2,
      requests: 2,
      readUnits: 4,
      passMs: 200,
    });
    expect(rows.find(({ name }) => name === 'b')).toMatchObject({ namespace: 'other', passes: 1, requests: 1, readUnits: 2, passMs: 100 });
    // Two batches were received and deleted.
    expect(rows.find(({ name }) => name === '')).toMatchObject({
      requests: 15 - 3 + 4,
      writeUnits: 10,
      readUnits: 8.5 - 6,
      fairRequests: 2 + 6,
      wakesBatches: 1,
      eventsBatches: 1,
      billedMs: { ingest: 40, reconcile: 0 },
    });
    expect(rows.reduce((sum, { billedMs }) => sum + (billedMs?.reconcile ?? 0), 0)).toBeCloseTo(200, 6);
    expect(scannedBytes).toBe(service.lines.reduce((bytes, { message }) => bytes + Buffer.byteLength(message), 0));
    expect(isCut).toBeUndefined();
  });

  test('the service groups by no more than was asked for, and lines before the span are left out', async () => {
    await logPasses([keyOf('a'), keyOf('b'), keyOf('c', 'other')]);
    for (const line of service.lines.slice(0, 1)) service.lines.push({ ...line, timestamp: clock.nowMs() - 2 * DAY_MS });
    const told = await costBy({ clock, costs }, 'namespace', DAY_MS);
    expect(told.scannedDollars).toBeCloseTo((told.scannedBytes ?? 0) * 5e-12, 15);
    expect(told.items.map(({ namespace, passes, requests }) => ({ namespace, passes, requests }))).toEqual([
      { namespace: 'default', passes: 2, requests: 2 },
      { namespace: 'other', passes: 1, requests: 1 },
    ]);
    expect(service.queries).toHaveLength(1);
    expect(service.queries[0]?.asked['queryString']).toContain('by ofCluster, ofNamespace, @log');
  });

  test('a pass of hundreds of actions, and one without a namespace, are counted as others are', async () => {
    const spent = new SpentByWorkload();
    const recorder = new LogRecorder({ logGroup: undefined, client: async () => client, clock, spent, write: writeTo('reconcile') });
    const actions = Array.from({ length: 500 }, (_, at) => ({
      verb: 'create',
      target: `pod "AwsRequests":${at}`,
      why: 'x',
      result: 'done' as const,
    }));
    await recorder.append(aPass(clock.nowMs(), { key: keyOf('n', ''), actions, durationMs: 7 }));
    const { rows } = await costs.spentSince(clock.nowMs() - DAY_MS);
    expect(rows[0]).toMatchObject({ name: 'n', namespace: '', passes: 1, writes: 500, passMs: 7 });
    expect(rows[1]).toMatchObject({ name: '', requests: 0 });
  });

  test('lines of an earlier version count as passes', async () => {
    const recorder = new LogRecorder({ logGroup: undefined, client: async () => client, clock, write: writeTo('reconcile') });
    await recorder.append(aPass(clock.nowMs(), { key: keyOf('old') }));
    logInvocation('reconcile', { AwsRequests: 9, WriteUnits: 4, ReadUnits: 1 }, 100);
    const told = await costBy({ clock, costs }, 'workload', DAY_MS);
    expect(told.items).toMatchObject([{ name: 'old', passes: 1, requests: 0 }]);
    expect(told.items[0]?.dollars).toBeGreaterThan(4 * 0.625e-6);
  });

  test('the same question is asked once within a while, also by those who ask at once', async () => {
    await logPasses([keyOf('a')]);
    const ask = async (): Promise<unknown> => await costs.spentSince(clock.nowMs() - DAY_MS, ['cluster']);
    expect(await Promise.all([ask(), ask()])).toHaveLength(2);
    await ask();
    expect(service.queries).toHaveLength(1);
    await costs.spentSince(clock.nowMs() - DAY_MS, ['kind']);
    await clock.advance(150_000);
    await ask();
    expect(service.queries).toHaveLength(3);
  });

  test('a query that is not through in time is stopped, and the sentence says what to do', async () => {
    service.statuses = ['Scheduled', 'Running'];
    await expect(costs.spentSince(clock.nowMs() - 7 * DAY_MS)).rejects.toThrow(
      'CloudWatch Logs Insights was not through the logs within 22 s, so the query was stopped: ask for a shorter time, as with since=24h or --since 24h',
    );
    expect(service.queries).toMatchObject([{ isStopped: true }]);
    expect(clock.monotonicMs()).toBeLessThanOrEqual(22_000);
    // Nothing is kept of what failed.
    service.statuses = ['Complete'];
    expect(await costs.spentSince(clock.nowMs() - 7 * DAY_MS)).toMatchObject({ rows: [{ name: '' }] });
  });

  test.each(['Failed', 'Cancelled', 'Timeout'])('a query that ended as %s is told in one sentence', async (status) => {
    service.statuses = ['Running', status];
    await expect(costBy({ clock, costs }, 'kind', DAY_MS)).rejects.toMatchObject({
      status: 503,
      message: `CloudWatch Logs Insights ended the query with ${status}: ask again, or for a shorter time`,
    });
  });

  test('looks that are throttled are made again', async () => {
    await logPasses([keyOf('a')]);
    service.statuses = ['Complete'];
    for (let at = 0; at < 3; at += 1) service.faults.push({ operation: 'GetQueryResults', error: 'ThrottlingException' });
    expect((await costs.spentSince(clock.nowMs() - DAY_MS)).rows).toHaveLength(2);
  });

  test.each([
    ['StartQuery', 'AccessDeniedException', /^the role of the api function lacks the right logs:StartQuery, .*: deploy the stack/],
    ['GetQueryResults', 'AccessDeniedException', /^the role of the api function lacks the right logs:GetQueryResults, /],
    ['StartQuery', 'LimitExceededException', /^as many queries .* as it allows: ask again in a minute$/],
    ['StartQuery', 'ResourceNotFoundException', /^one of the logs .* is not there: deploy the stack/],
    ['StartQuery', 'ThrottlingException', /^asking CloudWatch Logs Insights about the logs .*: ThrottlingException/],
  ] as const)('%s that ends in %s is a refusal with its sentence', async (operation, error, says) => {
    service.faults.push({ operation, error });
    await expect(costBy({ clock, costs }, 'kind', DAY_MS)).rejects.toMatchObject({ status: 503, message: expect.stringMatching(says) });
  });

  test('nothing from before the retention is told of', async () => {
    const short = new LogCosts({ logGroups: [groupOf('reconcile')], retentionDays: 1, client: async () => client, clock });
    const { since } = await costBy({ clock, costs: short }, 'kind', 7 * DAY_MS);
    expect(Date.parse(since)).toBeGreaterThan(clock.nowMs() - 2 * DAY_MS);
  });

  test('the query is one of a few commands, which the service reads', () => {
    expect(
      costQuery(['kind'])
        .split('\n| ')
        .map((command) => command.split(' ', 1)[0]),
    ).toEqual(['filter', 'parse', 'parse', 'parse', 'parse', 'parse', 'stats', 'sort', 'limit']);
  });
});
