// From environment to ports on AWS: mistakes are named together, and nobody is called.
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { RelayedCluster } from '../lib/adapters/sqs/relayed-cluster.ts';
import { toStored } from '../lib/adapters/cluster-record/managed-kinds.ts';
import { runtimeFrom } from '../lib/runtime.ts';
import { aCluster } from './contracts/clusters.ts';
import { listening } from './listening.ts';

const QUEUES = ['EVENTS', 'WAKES', 'TIMERS'].flatMap((name) => [`${name}_QUEUE_URL`, `${name}_DEAD_QUEUE_URL`]);

describe('a runtime on AWS', () => {
  test('all mistakes in the environment are named at once', async () => {
    const message = await runtimeFrom({ TABLE_NAME: 'farloop', EVENTS_QUEUE_URL: 'queue', LOG_LEVEL: 'loud' }).catch(String);
    for (const name of ['EVENTS_QUEUE_URL', 'WAKES_QUEUE_URL', 'RELAY_QUEUE_URL', 'CLUSTERS_FILE', 'LOG_LEVEL'])
      expect(message).toContain(`${name}:`);
    expect(message).not.toContain('TABLE_NAME');
  });

  test('has a port for everything, and calls nobody at its start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-test-'));
    const file = join(folder, 'clusters.json');
    const access = { server: 'https://api.example.com', caPem: 'authority', auth: { kind: 'token', token: 'secret' } };
    const senders = ['AROAEXAMPLE'];
    writeFileSync(
      file,
      JSON.stringify({
        clusters: [
          { name: 'staging', senders, access },
          { name: 'far', senders, access: 'relayed' },
        ],
      }),
    );
    const { ports, deadlineReserveMs } = await runtimeFrom({
      TABLE_NAME: 'farloop',
      ...Object.fromEntries(QUEUES.map((name) => [name, 'https://queue.example.com/1/queue'])),
      RELAY_QUEUE_URL: 'https://queue.example.com/1/relay-{cluster}',
      RELAY_DEAD_QUEUE_URL: 'https://queue.example.com/1/relay-{cluster}-dead',
      CLUSTERS_FILE: file,
    });
    rmSync(folder, { recursive: true });
    expect(Object.keys(ports).toSorted()).toEqual([
      'clock',
      'clusters',
      'connect',
      'queue',
      'recorder',
      'store',
      'telemetry',
      'troubleLastsMs',
    ]);
    expect(deadlineReserveMs).toBe(22_000);
    const aRecord = (name: string) => ({ ...aCluster(name), version: 1 });
    expect(ports.connect({ ...aRecord('far'), access: 'relayed' })).toBeInstanceOf(RelayedCluster);
    expect(ports.connect(aRecord('staging'))).toBeInstanceOf(KubernetesCluster);
    // There is no way around the relay.
    expect(() => ports.connect(aRecord('far'))).toThrow('the cluster far is reached through its relay alone');
  });

  test('a sweep that comes while a cluster is being registered finds no credential of it that it could not renew', async () => {
    // Its record is written first, the way to it and its credential some steps later.
    const item = { name: { S: 'new' }, version: { N: '1' }, record: { S: JSON.stringify(toStored(aCluster('new'))) } };
    const table = await listening(
      createServer((_request, response) => {
        response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify({ Items: [item] }));
      }),
    );
    const before = { ...process.env };
    const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    Object.assign(process.env, { AWS_ENDPOINT_URL: table.url, AWS_REGION: 'eu-central-1', ...keys });
    try {
      const { ports } = await runtimeFrom({
        TABLE_NAME: 'farloop',
        ...Object.fromEntries(
          [...QUEUES, 'RELAY_QUEUE_URL', 'RELAY_DEAD_QUEUE_URL'].map((name) => [name, 'https://queue.example.com/1/queue']),
        ),
        CLUSTERS_TABLE: 'clusters',
        CLUSTER_SECRET_PREFIX: 'farloop/test/clusters/',
      });
      const [record] = await ports.clusters.list();
      expect(record).toMatchObject({ name: 'new' });
      expect(record && (await ports.renewCredential?.(record))).toBe(false);
    } finally {
      process.env = before;
      await table.stop();
    }
  });
});
