// The road on AWS as far as peers reach: `farloop relay` beside a cluster → SQS → the ingest function's handler → DynamoDB → a wake.
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handler as ingest } from '../../functions/ingest.ts';
import { startEventSource } from '../../lib/adapters/embedded/event-source.ts';
import { createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { parseKey } from '../../lib/objects/workload.ts';
import { readView } from '../../lib/reconciler/view/view-access.ts';
import type { ReceivedMessage } from '../../lib/ports/queue.ts';
import { runtimeFrom, useRuntime } from '../../lib/runtime.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import type { Sandbox } from '../../lib/sandbox/sandbox.ts';
import { decodeWake } from '../../lib/wire/messages.ts';
import { until } from '../claims.ts';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import type { Peer } from './peer.ts';
import { startElasticMq, startMinistack } from './peer.ts';
import { openNodeClient } from '../node-client.ts';

/** ElasticMQ says so of every sender. */
const SENDER = '127.0.0.1';
const JOB = {
  metadata: { name: 'demo' },
  spec: {
    managedBy: 'farloop.dev/job',
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } },
  },
};

const folder = temporaryFolder();
const before = { ...process.env };
let [sqs, dynamodb]: (Peer | undefined)[] = [];
let sandbox: Sandbox | undefined;
let relay: FarloopProcess | undefined;

beforeAll(async () => {
  sqs = await startElasticMq();
  dynamodb = await startMinistack();
  sandbox = await startSandbox();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
}, 900_000);

afterAll(async () => {
  await relay?.destroy();
  await sandbox?.stop();
  await sqs?.stop();
  await dynamodb?.stop();
  process.env = before;
  folder.remove();
});

async function makeQueue(name: string): Promise<string> {
  const fifo = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
  const { QueueUrl: url } = await new SQSClient({}).send(new CreateQueueCommand({ QueueName: name, Attributes: fifo }));
  return url ?? '';
}

test('a Job on the cluster is known in the table, and woken', async () => {
  if (!sandbox) throw new Error('no cluster');
  await new DynamoDBClient({}).send(new CreateTableCommand(createTableInput('farloop')));
  const clustersFile = join(folder.path, 'clusters.json');
  const access = { server: 'https://api.example.com', caPem: 'authority', auth: { kind: 'token', token: 'unused' } };
  writeFileSync(clustersFile, JSON.stringify({ clusters: [{ name: 'staging', senders: [SENDER], access }] }));
  const environment: Record<string, string> = { TABLE_NAME: 'farloop', CLUSTERS_FILE: clustersFile };
  for (const [variable, name] of Object.entries({ EVENTS: 'events', WAKES: 'wakes', TIMERS: 'timers', RELAY: 'relay-staging' })) {
    const suffix = variable === 'WAKES' ? '.fifo' : '';
    environment[`${variable}_QUEUE_URL`] = await makeQueue(`${name}${suffix}`);
    environment[`${variable}_DEAD_QUEUE_URL`] = await makeQueue(`${name}-dead${suffix}`);
  }
  const runtime = await runtimeFrom(environment);
  useRuntime(runtime);
  const { clock, queue, store, telemetry } = runtime.ports;

  const kubeconfig = join(folder.path, 'kubeconfig');
  writeFileSync(kubeconfig, sandbox.kubeconfig);
  const client = openNodeClient({ url: sandbox.url, caPem: sandbox.caPem, token: sandbox.token });
  expect(await client.request({ method: 'POST', path: '/apis/batch/v1/namespaces/default/jobs', body: JOB })).toMatchObject({
    status: 201,
  });
  client.close();
  const urls = ['--events-queue-url', environment['EVENTS_QUEUE_URL'] ?? '', '--asks-queue-url', environment['RELAY_QUEUE_URL'] ?? ''];
  relay = new FarloopProcess(['relay', '--cluster', 'staging', ...urls, '--kubeconfig', kubeconfig]);
  await relay.says('relay of staging ready\n');

  const every = { queue, clock, telemetry, batchSize: 10, maxConcurrency: 1, visibilitySeconds: 30, timeoutSeconds: 20 };
  const source = startEventSource({ ...every, name: 'events', functionName: 'ingest', handler: ingest });
  const wakes: ReceivedMessage[] = [];
  const isWoken = async (): Promise<boolean> =>
    wakes.push(...(await queue.receive('wakes', { max: 1, waitSeconds: 5, visibilitySeconds: 30 }))) > 0;
  await until('a wake', isWoken, 60_000);
  await source.stop();
  const message = decodeWake(wakes[0]?.body ?? '');
  const key = 'key' in message ? parseKey(message.key) : undefined;
  expect(key).toMatchObject({ cluster: 'staging', kind: 'Job', namespace: 'default', name: 'demo' });
  const head = key && (await store.readHead(key));
  if (!head) throw new Error('no head');
  const { part } = await readView(store, head, 0);
  expect(part.owner?.object).toMatchObject({ metadata: { name: 'demo' }, spec: { managedBy: 'farloop.dev/job' } });
  expect((await relay.end('SIGTERM')).exitCode).toBe(0);
}, 240_000);
