// A cluster leaves: whichever way passes have to it, none is left to them before its pods are let go.
import { IAMClient } from '@aws-sdk/client-iam';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { SenderIdentities } from '../../lib/adapters/sqs/sender-identities.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import type { Leftovers, RemovalPlace } from '../../lib/onboarding/removal.ts';
import { leftOnAws, removeCluster, removeUnregistered } from '../../lib/onboarding/removal.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import { StaleWriteError } from '../../lib/ports/store.ts';
import { FUNCTION_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { runtimeFrom } from '../../lib/runtime.ts';
import { wirelessSqs } from '../adapters/wireless-sqs.ts';
import { aCluster } from '../contracts/clusters.ts';
import { aJob, World } from '../world/world.ts';

const QUEUES = ['EVENTS', 'WAKES', 'TIMERS'].flatMap((name) => [`${name}_QUEUE_URL`, `${name}_DEAD_QUEUE_URL`]);
const ENVIRONMENT = {
  TABLE_NAME: 'farloop',
  ...Object.fromEntries(QUEUES.map((name) => [name, 'https://queue.example.com/1/queue'])),
  RELAY_QUEUE_URL: 'https://queue.example.com/1/relay-{cluster}',
  RELAY_DEAD_QUEUE_URL: 'https://queue.example.com/1/relay-{cluster}-dead',
};
const SERVER = { server: 'https://api.example.com', caPem: 'authority', auth: { kind: 'token', token: 'secret' } } as const;
const INSTALLATION = {
  stage: 'prod',
  stackName: 'farloop-prod',
  eventsQueueUrl: '',
  eventsQueueArn: '',
  viewsTable: '',
  clustersTable: '',
  secretPrefix: 'farloop/prod/clusters/',
  functionsRoleArn: '',
  functionsRoleId: '',
  allowLoopback: false,
};

/** How the deployed functions come to a cluster with that record. */
async function connectOf(access: 'direct' | 'relayed'): Promise<(record: ClusterRecord) => unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-test-'));
  const file = join(folder, 'clusters.json');
  const entry = { name: 'far', senders: ['AROAEXAMPLE'], access: access === 'relayed' ? access : SERVER };
  writeFileSync(file, JSON.stringify({ clusters: [entry] }));
  const { ports } = await runtimeFrom({ ...ENVIRONMENT, CLUSTERS_FILE: file });
  rmSync(folder, { recursive: true });
  return (record) => ports.connect(record);
}

/** An unfinished Job of three pods, on which a pass is at work whenever somebody looks: what it misses it makes anew. */
class BusyCluster extends KubernetesAdministration {
  readonly pods = new Map<string, Pod>();
  readonly #pass: () => Promise<boolean>;
  #made = 0;

  constructor(pass: () => Promise<boolean>) {
    super(SERVER);
    this.#pass = pass;
    this.#fill();
  }

  #fill(): void {
    while ([...this.pods.values()].filter(({ metadata }) => metadata.finalizers?.length).length < 3) {
      const name = `work-${++this.#made}`;
      const labels = { 'batch.kubernetes.io/controller-uid': 'uid-work' };
      const metadata = { namespace: 'default', name, uid: `uid-${name}`, labels, finalizers: [TRACKING_FINALIZER] };
      this.pods.set(name, { metadata, spec: { containers: [] } });
    }
  }

  override async list<Item extends KubernetesObject>({ kind }: Resource): Promise<Item[]> {
    if (await this.#pass()) this.#fill();
    const work = { metadata: { namespace: 'default', name: 'work', uid: 'uid-work' }, spec: { managedBy: 'farloop.dev/job' } };
    const found = kind === 'Pod' ? [...this.pods.values()] : kind === 'Job' ? [work] : [];
    return structuredClone(found) as unknown as Item[];
  }

  override async patch(_resource: Resource, { name }: { name: string }): Promise<void> {
    const pod = this.pods.get(name);
    if (pod) this.pods.set(name, { ...pod, metadata: { ...pod.metadata, finalizers: [] } });
  }
}

const CONFIG = { region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const refused = (name: string) => () => () => Promise.reject(Object.assign(new Error('none'), { name }));

function clientsOfNothing(): { iam: IAMClient; secrets: SecretsManagerClient } {
  const [iam, secrets] = [new IAMClient(CONFIG), new SecretsManagerClient(CONFIG)];
  iam.middlewareStack.add(refused('NoSuchEntityException'), { step: 'initialize', priority: 'high' });
  secrets.middlewareStack.add(refused('ResourceNotFoundException'), { step: 'initialize', priority: 'high' });
  return { iam, secrets };
}

/** An installation that has nothing of a cluster but what is given. */
function placeOfNothing(given: Pick<RemovalPlace, 'clusters' | 'clock' | 'administration'> & Partial<RemovalPlace>): RemovalPlace {
  const { iam, secrets } = clientsOfNothing();
  return {
    installation: INSTALLATION,
    eks: () => Promise.reject(new Error('EKS is not asked')),
    senders: new SenderIdentities(iam),
    sqs: wirelessSqs(() => {
      throw Object.assign(new Error('none'), { name: 'QueueDoesNotExist' });
    }),
    secrets,
    store: {
      workloads: async () => ({ keys: [] }),
      readHead: async () => undefined,
      updateHead: () => Promise.reject(new Error('there is none')),
      forget: async () => {},
    },
    forgetNotes: async () => 0,
    ...given,
  };
}

test.each(['relayed', 'direct'] as const)('of a cluster with %s access no pass makes new what is let go', async (access) => {
  const connect = await connectOf(access);
  let stored: ClusterRecord | undefined = { ...aCluster('far', { access }), version: 1 };
  // What passes under way have read; it is renewed while one waits for them.
  let read = stored;
  const administration = new BusyCluster(async () => {
    try {
      connect(read);
      return true;
    } catch {
      return false;
    }
  });
  // A heartbeat has just told who the cluster is.
  stored = { ...stored, era: 1, version: 2 };
  const told: string[] = [];
  const place = placeOfNothing({
    clusters: {
      put: async (record, expectedVersion) => {
        if (stored?.version !== expectedVersion) throw new StaleWriteError<ClusterRecord>('changed meanwhile', stored);
        stored = { ...record, version: expectedVersion + 1 };
        return stored;
      },
      remove: async () => {
        stored = undefined;
        return true;
      },
    },
    clock: {
      monotonicMs: () => 0,
      wait: async () => {
        if (stored) read = stored;
      },
    },
    administration,
  });
  await removeCluster(place, { record: read, relayNamespace: 'farloop' }, (step) => {
    told.push(step);
  });
  administration.close();
  expect([...administration.pods.values()].map(({ metadata }) => metadata.finalizers)).toEqual([[], [], []]);
  expect(read).toMatchObject({ leaving: true, era: 1, access });
  expect([stored, told.at(-1)]).toEqual([undefined, 'record']);
});

test('what is known of its workloads is forgotten for good, also with a wake on its way, or a pass that has not heard that it leaves', async () => {
  const world = new World();
  await world.watch();
  await world.apply(aJob('begun', { completions: 2, parallelism: 1 }));
  await world.report();
  await world.run();
  await world.apply(aJob('new', { completions: 1, parallelism: 1 }));
  await world.report();
  const { record, store, clock } = world;
  const known = async (): Promise<string[]> => (await store.workloads(record.name, { limit: 10 })).keys.map(({ name }) => name);
  expect(await known()).toEqual(['begun', 'new']);
  // Its wake came when all knew that the cluster leaves: nobody opens a pass by it any more.
  const [begun] = (await store.workloads(record.name, { limit: 1 })).keys;
  if (!begun) throw new Error('no workload');
  const { fence } = (await store.readHead(begun)) ?? {};
  await store.updateHead(begun, {}, { queued: fence ?? null });
  // For ten seconds functions go by the record that they have read, and what they begin lasts as long as they may.
  const [leavesAtMs, old] = [clock.monotonicMs(), { ...record }];
  const whatHappens = async (): Promise<void> => {
    world.record = clock.monotonicMs() - leavesAtMs < 10_000 + FUNCTION_SECONDS * 1000 ? old : { ...record, leaving: true };
    await world.run();
  };
  const place = placeOfNothing({
    store,
    administration: undefined,
    clusters: { put: async (put) => ({ ...put, version: 2 }), remove: async () => true },
    clock: {
      monotonicMs: () => clock.monotonicMs(),
      wait: async (ms) => {
        await clock.advance(ms);
      },
    },
    forgetNotes: async () => {
      await whatHappens();
      return 0;
    },
  });
  await removeCluster(place, { record, relayNamespace: 'farloop' }, () => {});
  expect(await known()).toEqual([]);
  world.close();
});

test('what a registration left that ended before its record was written is removed, and so is what is no record', async () => {
  const queues = new Set(['farloop-prod-relay-far', 'farloop-prod-relay-far-dead', 'farloop-prod-relay-near']);
  const sqs = wirelessSqs((commandName, input) => {
    const { QueueName: name = '', QueueUrl: url = '' } = input as { QueueName?: string; QueueUrl?: string };
    if (commandName === 'DeleteQueueCommand') queues.delete(url);
    else if (!queues.has(name)) throw Object.assign(new Error('none'), { name: 'QueueDoesNotExist' });
    return { QueueUrl: name };
  });
  const records = new Set(['far']);
  const place = placeOfNothing({
    sqs,
    clusters: { put: () => Promise.reject(new Error('nothing is written')), remove: async (name) => records.delete(name) },
    clock: { monotonicMs: () => 0, wait: async () => {} },
    administration: undefined,
  });
  const told: string[] = [];
  const tell = (step: string, what: string): void => void told.push(`${step} ${what}`);
  const left = async (): Promise<Leftovers> => await leftOnAws({ ...place, clusters: { holds: async (name) => records.has(name) } }, 'far');
  // Looked at first, by whoever is not sure.
  expect(await left()).toEqual({ isUnreadable: true, others: ['queue farloop-prod-relay-far', 'queue farloop-prod-relay-far-dead'] });
  expect([queues.size, records.size]).toEqual([3, 1]);
  expect(await removeUnregistered(place, 'far', tell)).toBe(true);
  expect([[...queues], [...records]]).toEqual([['farloop-prod-relay-near'], []]);
  expect(told).toEqual([
    'queue farloop-prod-relay-far removed',
    'queue farloop-prod-relay-far-dead removed',
    "record what stood in the place of far's record is gone",
  ]);
  expect(await left()).toEqual({ isUnreadable: false, others: [] });
  expect(await removeUnregistered(place, 'far', tell)).toBe(false);
});
