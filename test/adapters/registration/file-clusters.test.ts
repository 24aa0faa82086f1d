// Clusters that a file describes: what may be left out, what outlives the process, what is wrong with it.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import { FileClusters } from '../../../lib/adapters/registration/file-clusters.ts';

let folder: string;
let file: string;
let store: EmbeddedStore;

const entry = (more: object = {}): object => ({
  name: 'staging',
  senders: ['AROAEXAMPLE'],
  access: { server: 'https://api.staging.example.com:6443', caPem: 'authority', auth: { kind: 'token', token: 'secret' } },
  ...more,
});
const write = (...clusters: object[]): void => writeFileSync(file, JSON.stringify({ clusters }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-test-'));
  file = join(folder, 'clusters.json');
  store = EmbeddedStore.open();
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

describe('clusters from a file', () => {
  test('have defaults, and their access', async () => {
    write(entry());
    const clusters = await FileClusters.open(file, store);
    expect(await clusters.list()).toEqual([
      {
        name: 'staging',
        era: 0,
        manages: ['jobs'],
        namespaces: [],
        senders: ['AROAEXAMPLE'],
        budget: { writesPerSecond: 100, burst: 200 },
        version: 1,
      },
    ]);
    expect(clusters.accessOf('staging')).toMatchObject({ auth: { kind: 'token', token: 'secret' } });
    expect(() => clusters.accessOf('elsewhere')).toThrow('there is no access for the cluster elsewhere');
  });

  test.each([
    { said: { manage: 'all' }, manages: ['all-jobs'] },
    { said: { manages: ['jobs', 'unheard-of'] }, manages: ['jobs', 'unheard-of'] },
    { said: { manage: 'own', manages: ['all-jobs'] }, manages: ['all-jobs'] },
  ])('manage as $said says', async ({ said, manages }) => {
    write(entry(said));
    const clusters = await FileClusters.open(file, store);
    expect(await clusters.get('staging')).toMatchObject({ manages });
  });

  test('R3: era and identity outlive the process; of two writers one is told', async () => {
    write(entry());
    const [one, other] = [await FileClusters.open(file, store), await FileClusters.open(file, store)];
    const record = await one.get('staging');
    if (!record) throw new Error('not there');
    await one.put({ ...record, era: 1, kubeSystemUid: 'uid' }, record.version);
    await expect(other.put({ ...record, era: 2 }, record.version)).rejects.toMatchObject({ current: { era: 1, kubeSystemUid: 'uid' } });
    const again = await FileClusters.open(file, store);
    expect(await again.get('staging')).toMatchObject({ era: 1, kubeSystemUid: 'uid', version: 2 });
  });

  const mistakes = [
    {
      name: 'a name that would not fit into queues',
      clusters: [entry({ name: 'Staging/1' })],
      says: /clusters\.0\.name: lower case letters/,
    },
    {
      name: 'more namespaces than a relay watches one by one',
      clusters: [entry({ namespaces: Array.from({ length: 501 }, (_, at) => `team-${at}`) })],
      says: /clusters\.0\.namespaces: more than 500, .*: leave it out for all/,
    },
    { name: 'nobody who may send', clusters: [entry({ senders: [] })], says: /clusters\.0\.senders: at least one SQS SenderId/ },
    { name: 'two of one name', clusters: [entry(), entry()], says: /two clusters have the same name/ },
    ...[
      'http://api.example.com',
      'https://127.0.0.1:6443',
      'https://localhost',
      'https://169.254.169.254',
      'https://[::1]:6443',
      'https://[fe80::1]',
    ].map((server) => ({
      name: `an address that a function must not be led to: ${server}`,
      clusters: [entry({ access: { server, caPem: 'authority', auth: { kind: 'token', token: 'secret' } } })],
      says: /access\.server: https:\/\/host:port of an API server, neither loopback nor link-local/,
    })),
  ];
  for (const { name, clusters, says } of mistakes)
    test(`refuses ${name}`, async () => {
      write(...clusters);
      await expect(FileClusters.open(file, store)).rejects.toThrow(says);
    });

  test('names a file that is not there or not JSON', async () => {
    await expect(FileClusters.open(file, store)).rejects.toThrow(/clusters\.json: the clusters cannot be read/);
    writeFileSync(file, 'clusters: []');
    await expect(FileClusters.open(file, store)).rejects.toThrow(/clusters\.json: the clusters are not usable/);
  });
});
