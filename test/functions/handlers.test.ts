// The handlers as Lambda calls them: events in, the ids of messages that must come back out.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler as api } from '../../functions/api.ts';
import { handler as ingest } from '../../functions/ingest.ts';
import { handler as reconcile } from '../../functions/reconcile.ts';
import { handler as sweep } from '../../functions/sweep.ts';
import { handler as timers } from '../../functions/timers.ts';
import { LineTelemetry } from '../../lib/adapters/telemetry/line-telemetry.ts';
import { jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import { formatKey } from '../../lib/objects/workload.ts';
import { putMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { isLate } from '../../lib/reconciler/head/queue-lag.ts';
import { useRuntime } from '../../lib/runtime.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { encodeTimer, encodeWake } from '../../lib/wire/messages.ts';
import type { EmbeddedPorts } from '../api/embedded-ports.ts';
import { embeddedPorts, know } from '../api/embedded-ports.ts';

let ports: EmbeddedPorts;

beforeEach(async () => {
  ports = await embeddedPorts('local');
  useRuntime({ ports, deadlineReserveMs: 22_000 });
});

afterEach(() => ports.close());

const eventWith = (
  bodies: string[],
  senderId = 'local',
  { sentAtMs = Date.now(), sentBy }: { sentAtMs?: number; sentBy?: string } = {},
): SQSEvent => ({
  Records: bodies.map((body, at) => ({
    messageId: `message-${at}`,
    receiptHandle: `receipt-${at}`,
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(sentAtMs),
      SenderId: senderId,
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: sentBy === undefined ? {} : { sentBy: { dataType: 'String', stringValue: sentBy } },
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:queue',
    awsRegion: 'eu-central-1',
  })),
});

const contextWith = (remainingMs: number): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'reconcile',
  functionVersion: '1',
  invokedFunctionArn: '',
  memoryLimitInMB: '256',
  awsRequestId: 'request',
  logGroupName: '',
  logStreamName: '',
  getRemainingTimeInMillis: () => remainingMs,
  done: () => {},
  fail: () => {},
  succeed: () => {},
});

const newsOfDemo = (): string =>
  encodeEvents({
    cluster: 'local',
    session: 'session',
    era: 0,
    kubeSystemUid: 'uid-of-kube-system',
    sequence: 1,
    sentAtMs: 0,
    reports: [
      {
        owner: { kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' },
        observed: {
          heardAt: '10',
          deleted: false,
          object: jobFactsOf({
            metadata: { name: 'demo', namespace: 'default', uid: 'uid-of-demo', resourceVersion: '10' },
            spec: { template: { spec: { containers: [] } } },
          }),
        },
        children: [],
      },
    ],
  });

describe('ingest', () => {
  test('R13: what cannot be read comes back, and nothing else does', async () => {
    const answer = await ingest(eventWith(['not a message', newsOfDemo()]));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
    expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 1 });
  });

  test('tells how long a message waited in the queue, as SQS says, and of none that comes back', async () => {
    const telemetry = new LineTelemetry({ write: () => {} });
    useRuntime({ ports: { ...ports, telemetry }, deadlineReserveMs: 22_000 });
    await ingest(eventWith(['not a message', newsOfDemo()], 'local', { sentAtMs: Date.now() - 5_000 }));
    const [lag, ...others] = telemetry.metrics().filter(({ name }) => name === 'EventToWakeLag');
    expect({ lag, others }).toMatchObject({ lag: { count: 1, dimensions: {} }, others: [] });
    expect(lag?.sum).toBeGreaterThanOrEqual(5_000);
    expect(lag?.sum).toBeLessThan(15_000);
  });

  test('lags of passes begin when the queue took the event, not with its wake; one that an earlier pass has seen is not counted again', async () => {
    const telemetry = new LineTelemetry({ write: () => {} });
    useRuntime({ ports: { ...ports, telemetry }, deadlineReserveMs: 22_000 });
    // Of two messages in one batch the older one counts; what a queue does not tell counts as nothing.
    const older = eventWith([newsOfDemo()], 'local', { sentAtMs: Date.now() - 50_000 });
    const unknown = eventWith([newsOfDemo()], 'local', { sentAtMs: 0 });
    await ingest({ Records: [...eventWith([newsOfDemo()]).Records, ...older.Records, ...unknown.Records] });
    const [wake] = await ports.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 30 });
    const total = (): number => telemetry.metrics().find(({ name }) => name === 'EventToPassLag')?.sum ?? 0;
    await reconcile(eventWith([wake?.body ?? '']), contextWith(44_000));
    expect(total()).toBeGreaterThanOrEqual(50_000);
    expect(total()).toBeLessThan(80_000);
    await reconcile(eventWith([wake?.body ?? '']), contextWith(44_000));
    expect(total()).toBeLessThan(80_000);
  });

  test("R15: a role is known by its id, whatever its session's name", async () => {
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('not registered');
    await ports.clusters.put({ ...record, senders: ['AROAEXAMPLE'] }, record.version);
    await ingest(eventWith([newsOfDemo()], 'AROAOTHER:local'));
    expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 0 });
    await ingest(eventWith([newsOfDemo()], 'AROAEXAMPLE:session-7'));
    expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 1 });
  });

  test("R15: a dead letter that is sent again counts as its first sender's; nobody else may speak in another name", async () => {
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('not registered');
    await ports.clusters.put({ ...record, senders: ['AROAEXAMPLE'] }, record.version);
    useRuntime({ ports, deadlineReserveMs: 22_000, redriver: 'AROAAPI' });
    for (const [sender, sentBy] of [
      ['AROAAPI:farloop-prod-api', undefined],
      ['AROAAPI:farloop-prod-api', 'AROAOTHER:session'],
      ['AROAOTHER:session', 'AROAEXAMPLE:session'],
    ] as const) {
      expect(await ingest(eventWith([newsOfDemo()], sender, sentBy === undefined ? {} : { sentBy }))).toEqual({ batchItemFailures: [] });
      expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 0 });
    }
    await ingest(eventWith([newsOfDemo()], 'AROAAPI:farloop-prod-api', { sentBy: 'AROAEXAMPLE:session-7' }));
    expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 1 });
  });
});

describe('reconcile', () => {
  test('a wake of a cluster that is not registered is done, one that is none comes back', async () => {
    const wake = encodeWake({ key: 'elsewhere/Job/default/demo/uid', follows: 'fence' });
    expect(await reconcile(eventWith([wake, '{}']), contextWith(44_000))).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-1' }] });
  });

  test('R9: wakes of several workloads that have waited long are noted as a late queue, not as lost ones; SQS tells how long', async () => {
    const depth = { visible: 9, inFlight: 3, delayed: 0, dead: 0 };
    const wakes: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const key = await know(ports, { name });
      wakes.push(encodeWake({ key: formatKey(key), follows: (await ports.store.readHead(key))?.fence ?? '' }));
    }
    await reconcile(eventWith(wakes), contextWith(44_000));
    expect(await isLate(ports, 'local', depth)).toBe(false);
    await reconcile(eventWith(wakes, 'local', { sentAtMs: Date.now() - 60_000 }), contextWith(44_000));
    expect(await isLate(ports, 'local', depth)).toBe(true);
  });

  test('no pass begins when too little time is left for it', async () => {
    const key = await know(ports, { name: 'demo' });
    const before = await ports.store.readHead(key);
    const wake = encodeWake({ key: formatKey(key), follows: before?.fence ?? '' });
    expect(await reconcile(eventWith([wake]), contextWith(22_000))).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-0' }] });
    expect((await ports.store.readHead(key))?.fence).toBe(before?.fence);
  });
});

test('timers: one that is due wakes its workload; one of a forgotten workload is done', async () => {
  const key = await know(ports, { name: 'demo' });
  const head = await ports.store.readHead(key);
  const wake = { dueAtMs: Date.now() - 1, attempt: 0 };
  await ports.store.updateHead(key, {}, { wake });
  const due = encodeTimer({ key: formatKey(key), follows: head?.fence ?? '', ...wake });
  // The table is whole: it knows the relay.
  const marker = { session: 's', era: 0, heardAtMs: Date.now(), clockOffsetMs: 0, watches: [], suspects: {} };
  await putMarker(ports, 'local', marker, 0);
  const forgotten = encodeTimer({ key: 'local/Job/default/gone/uid', follows: 'fence', ...wake });
  expect(await timers(eventWith([due, forgotten, 'none']))).toEqual({ batchItemFailures: [{ itemIdentifier: 'message-2' }] });
  expect(await ports.queue.depth('wakes')).toMatchObject({ visible: 1 });
});

test('timers: a wake carries on when the news was told, but not once a pass has seen it', async () => {
  const toldAtMs = Date.now() - 7_000;
  const wake = { dueAtMs: Date.now() - 1, attempt: 0 };
  const wokenBy = async (name: string, follows: (fence: string) => string): Promise<unknown> => {
    const key = await know(ports, { name });
    const head = await ports.store.readHead(key);
    await ports.store.updateHead(key, {}, { wake });
    await timers(eventWith([encodeTimer({ key: formatKey(key), follows: follows(head?.fence ?? ''), ...wake, toldAtMs })]));
    const [message] = await ports.queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 30 });
    return JSON.parse(message?.body ?? '{}');
  };
  expect(await wokenBy('one', (fence) => fence)).toMatchObject({ toldAtMs });
  const later = await wokenBy('two', () => 'an earlier one');
  expect(later).toMatchObject({ key: expect.stringContaining('two') });
  expect(later).not.toHaveProperty('toldAtMs');
});

test('sweep: tells what it found', async () => {
  expect(await sweep()).toEqual({ woken: 0, due: 0, silentClusters: [], lookedUp: 0 });
});

const request = (path: string, authorizer: object | undefined): object => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: '',
  headers: { host: 'api.example.com' },
  requestContext: {
    http: { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
    ...(authorizer && { authorizer }),
  },
  isBase64Encoded: false,
});

describe('api', () => {
  test('answers whom the gateway has let in', async () => {
    const answer = await api(request('/v1/clusters', { iam: { userArn: 'arn:aws:iam::123456789012:user/somebody' } }), {});
    expect(answer).toMatchObject({ statusCode: 200, body: expect.stringContaining('"name":"local"') });
  });

  test('answers one who has the answer already without a body', async () => {
    const asked = request('/v1/clusters', { iam: { userArn: 'arn:aws:iam::123456789012:user/somebody' } });
    const { headers } = (await api(asked, {})) as { headers: Record<string, string> };
    const again = { ...asked, headers: { host: 'api.example.com', 'if-none-match': headers['etag'] } };
    expect(await api(again, {})).toMatchObject({ statusCode: 304, body: '', headers: { etag: headers['etag'] } });
  });

  test('answers nobody where the gateway asks nobody', async () => {
    expect(await api(request('/v1/clusters', undefined), {})).toMatchObject({ statusCode: 401 });
  });
});
