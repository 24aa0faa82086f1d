// Hostile inputs, each with the answer it gets; docs/hostile-inputs.md is written from these tables: `WRITE_TABLE=1` writes it anew.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { listWorkloads } from '../../lib/api/workloads.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import type { Listening } from '../listening.ts';
import { API_INPUTS } from './api-inputs.ts';
import { INGEST_INPUTS, sound } from './ingest-inputs.ts';
import { RECORD_INPUTS } from './record-inputs.ts';

let ports: EmbeddedPorts;
afterEach(() => ports.close());

describe('ingest', () => {
  let telemetry: RecordingTelemetry;

  beforeEach(async () => {
    ports = await embeddedPorts('local', 'staging');
    telemetry = new RecordingTelemetry();
    ports = { ...ports, telemetry };
    for (const name of ['local', 'staging']) {
      const record = await ports.clusters.get(name);
      if (!record) throw new Error('not registered');
      const senders = [name === 'local' ? 'AROALOCAL' : 'AROASTAGING'];
      await ports.clusters.put({ ...record, senders, namespaces: ['default'], kubeSystemUid: 'uid-of-kube-system' }, record.version);
    }
  });

  const take = async (body: string, senderId: string): Promise<string[]> =>
    await ingestBatch([{ messageId: 'it', receiptHandle: 'r', receiveCount: 1, sentAtMs: Date.now(), body, senderId }], ports);
  const kept = async (): Promise<unknown[]> => [
    ...(await listWorkloads(ports, {}, { limit: 10 })).items,
    ...Array.from({ length: (await ports.queue.depth('wakes')).visible }, () => 'a wake'),
  ];

  test('a sound message changes the view, so that what follows shows something', async () => {
    expect(await take(encodeEvents(sound()), 'AROALOCAL')).toEqual([]);
    expect(await kept()).toHaveLength(2);
  });

  test('R15: news of foreign namespaces are refused, once a message, and what else it tells is kept', async () => {
    const [report] = sound().reports;
    if (!report) throw new Error('nothing to tell');
    const owner = { ...report.owner, namespace: 'kube-system' };
    const foreign = ['one', 'two'].map((name) => ({ owner: { ...owner, name }, children: [] }));
    expect(await take(encodeEvents(sound({ reports: [...foreign, report] })), 'AROALOCAL')).toEqual([]);
    expect(await kept()).toMatchObject([{ namespace: 'default' }, 'a wake']);
    expect(telemetry.sum('RefusedMessages')).toBe(1);
  });

  test.each(['new', 'known', 'told'])(
    'R9: where the queue refuses the wake of a %s workload, the message comes back, and wakes then',
    async (which) => {
      const [record, [report]] = [await ports.clusters.get('local'), sound().reports];
      if (!record || !report) throw new Error('nothing to tell');
      const key = { cluster: 'local', ...report.owner };
      if (which !== 'new') await createHead(ports, key, record);
      const body = encodeEvents(sound());
      if (which === 'told') {
        // Its message comes again, changes nothing, and meets a new fence.
        expect(await take(body, 'AROALOCAL')).toEqual([]);
        await ports.store.updateHead(key, {}, { fence: 'another' });
      }
      const { visible: before } = await ports.queue.depth('wakes');
      const send = ports.queue.send.bind(ports.queue);
      ports.queue.send = async () => await Promise.reject(new NotDoneError('the queue takes nothing'));
      expect(await take(body, 'AROALOCAL')).toEqual(['it']);
      ports.queue.send = send;
      expect(await take(body, 'AROALOCAL')).toEqual([]);
      expect((await ports.queue.depth('wakes')).visible).toBe(before + 1);
    },
  );

  for (const { name, body, sender = 'AROALOCAL', answer } of INGEST_INPUTS)
    test(`${name}: ${answer}`, async () => {
      const undone = await take(body, sender.split(':', 1)[0] ?? '');
      expect(undone).toEqual(answer.startsWith('comes back') ? ['it'] : []);
      expect(await kept()).toEqual([]);
      expect(telemetry.sum('RefusedMessages')).toBe(answer.startsWith('refused') ? 1 : 0);
      expect(telemetry.sum('UnreadableMessages')).toBe(answer.startsWith('comes back') ? 1 : 0);
    });
});

describe('api', () => {
  let api: Listening;

  beforeEach(async () => {
    ports = await embeddedPorts('local');
    await know(ports, { name: 'demo' });
    api = await serveApi(ports, 'a-token', { hosts: ['127.0.0.1'] });
  });
  afterEach(async () => await api.stop());

  interface Got {
    status: number;
    headers: Record<string, unknown>;
    body: string;
  }

  /** Not fetch, which would tidy up path and host. */
  const ask = async ({
    method = 'GET',
    path,
    authorization = 'Bearer a-token',
    headers = {},
    body,
  }: (typeof API_INPUTS)[number]): Promise<Got> =>
    await new Promise((resolve, reject) => {
      const shown = authorization === 'none' ? {} : { authorization };
      const request = httpRequest(
        { host: '127.0.0.1', port: new URL(api.url).port, method, path, headers: { ...shown, ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
          response.on('error', reject);
        },
      );
      request.on('error', reject);
      request.end(body);
    });

  for (const input of API_INPUTS)
    test(`${input.name}: ${input.status}, ${input.answer}`, async () => {
      const { status, headers, body } = await ask(input);
      expect({ status, body }).toEqual({ status: input.status, body: expect.any(String) });
      expect(JSON.parse(body)).toMatchObject(status === 200 ? { items: [] } : { detail: expect.stringMatching(/^.{5,}/) });
      expect(body).not.toMatch(/a-token|\/lib\/|node_modules|at async/);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(access-control|set-cookie)/);
    });
});

describe('cluster records', () => {
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    endpoint: 'http://127.0.0.1:9',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const clusters = new DynamoDbClusters({ client, tableName: 'clusters', clock: new SystemClock() });
  const record = {
    name: 'local',
    era: 0,
    manages: ['all-jobs'],
    namespaces: [],
    senders: ['AROALOCAL'],
    budget: { writesPerSecond: 10, burst: 20 },
  } satisfies Omit<ClusterRecord, 'version'>;
  const soundAccess = { server: 'https://cluster.example', caPem: 'authority', auth: { kind: 'secret' as const } };

  beforeEach(async () => {
    ports = await embeddedPorts();
  });
  afterAll(() => client.destroy());

  test('sound ones get as far as the table, so that what follows shows something', async () => {
    const reached = { name: 'NotDoneError' };
    await expect(clusters.put(record, 0)).rejects.toMatchObject(reached);
    await expect(clusters.putAccess('local', soundAccess)).rejects.toMatchObject(reached);
  });

  for (const { name, access, record: change = {}, answer } of RECORD_INPUTS)
    test(`${name}: ${answer}`, async () => {
      const written = access
        ? clusters.putAccess('local', Object.assign({}, soundAccess, access))
        : clusters.put(Object.assign({}, record, change), 0);
      await expect(written).rejects.toMatchObject({ name: expect.stringMatching(/^(TerminalError|RangeError)$/) });
    });
});

test('docs/hostile-inputs.md lists them all, sixty or more', async () => {
  ports = await embeddedPorts();
  const rows = [
    ...INGEST_INPUTS.map(({ name, answer }) => ['ingest', name, answer]),
    ...API_INPUTS.map(({ name, status, answer }) => ['api', name, `${status}: ${answer}`]),
    ...RECORD_INPUTS.map(({ name, answer }) => ['cluster record', name, answer]),
  ];
  expect(rows.length).toBeGreaterThanOrEqual(60);
  const table = [
    '# Hostile inputs',
    '',
    'What somebody could try, and the answer each gets; `test/hostile` tries them all. None changes a view, sends a wake, or tells anything.',
    '',
    '| to | what | answer |',
    '| --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
  const path = join(import.meta.dirname, '..', '..', 'docs', 'hostile-inputs.md');
  if (process.env['WRITE_TABLE'] === '1') writeFileSync(path, table);
  expect(readFileSync(path, 'utf8')).toBe(table);
});
