// The adapter that sends commands to a relay passes the contract of its port; what a relay answers to a list holds what was asked for.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { POD_FIELDS, podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import { EVICTION, JOBS, NAMESPACES, NODES, PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../../lib/ports/clock.ts';
import type { BoundedLogRequest, Cluster, ClusterSource, ListAnswer, Named, ProjectedSelection } from '../../../lib/ports/cluster.ts';
import { ALL_FACTS } from '../../../lib/kinds/facts.ts';
import { allowedTo, type Allowed } from '../../../lib/relay/commands/commands.ts';
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { overHttps } from '../../contracts/cluster-over-https.ts';
import { clusterContract } from '../../contracts/cluster.ts';
import { BUDGETS, drainingContract } from '../../contracts/draining.ts';
import { POD_EVICTIONS, POD_LOGS } from '../../../lib/wire/commands.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { failureOf } from '../../claims.ts';
import { openRelayedWorld, type RelayedWorld, type RelayedWorldOptions } from '../relayed-world.ts';

/** The suite makes its own namespace and Jobs, as people do. */
const allowed: Allowed[] = [
  ...allowedTo(ALL_FACTS).filter(({ resource }) => resource !== JOBS),
  { resource: JOBS, verbs: ['get', 'create', 'delete', 'patch'] },
  { resource: NAMESPACES, verbs: ['create'] },
];

/** Passes through the relay, the relay's own lists and watches beside it. */
const together = (relayed: Cluster, source: ClusterSource): Cluster & ClusterSource => ({
  get: (...args) => relayed.get(...args),
  list: (...args) => relayed.list(...args),
  create: (...args) => relayed.create(...args),
  delete: (...args) => relayed.delete(...args),
  patch: (...args) => relayed.patch(...args),
  log: (...args) => relayed.log(...args),
  signOfLife: (signal) => source.signOfLife(signal),
  listPage: (...args) => source.listPage(...args),
  watch: (...args) => source.watch(...args),
});

clusterContract('the sandbox through a relay', async () => {
  const direct = overHttps(await openSandboxServer());
  const { cluster: executor, stranger: unknown, forgetHistory } = direct;
  const [world, other] = [await openRelayedWorld({ executor, allowed }), await openRelayedWorld({ executor: unknown, allowed })];
  return {
    cluster: together(world.cluster, executor),
    stranger: other.cluster,
    forgetHistory,
    close: async () => {
      await world.close();
      await other.close();
      await direct.close();
    },
  };
});

drainingContract('the sandbox through a relay', async () => {
  const direct = overHttps(await openSandboxServer());
  const { cluster: executor, stranger, forgetHistory } = direct;
  // The suite makes its own nodes and budgets.
  const own: Allowed[] = [
    { resource: NODES, verbs: ['get', 'create', 'patch'] },
    { resource: BUDGETS, verbs: ['create', 'delete'] },
  ];
  const world = await openRelayedWorld({ executor, allowed: [...allowed.filter(({ resource }) => resource !== NODES), ...own] });
  return {
    cluster: together(world.cluster, executor),
    stranger,
    forgetHistory,
    close: async () => {
      await world.close();
      await direct.close();
    },
  };
});

describe('an eviction through a relay', () => {
  const soon = (): Deadline => deadlineIn(new SystemClock(), 20_000);
  const failureIn = async (given: Omit<RelayedWorldOptions, 'executor'>, kind: object): Promise<unknown> => {
    const world = await openRelayedWorld({ executor: {} as Cluster, ...given });
    try {
      const object = { ...kind, metadata: { name: 'a', namespace: 'work' } };
      return await failureOf(world.cluster.create(PODS, object, soon(), { subresource: 'eviction' }));
    } finally {
      await world.close();
    }
  };

  test('of a relay of the build before is refused in a sentence that says what to do', async () => {
    const before = allowedTo(ALL_FACTS).filter(({ resource }) => resource !== POD_EVICTIONS);
    expect(String(await failureIn({ allowed: before }, EVICTION))).toMatch(
      /the relay of far is of an earlier version, which evicts no pods: give "farloop cluster add far" again/,
    );
  });

  test('of another kind than an eviction is not made', async () => {
    expect(String(await failureIn({ allowed: allowedTo(ALL_FACTS) }, PODS))).toMatch(/it is no eviction/);
  });
});

describe('a list of pods through a relay', () => {
  const clock = new SystemClock();
  const soon = (): Deadline => deadlineIn(clock, 20_000);
  const wanted: ProjectedSelection = { namespace: 'default', fields: POD_FIELDS };
  const direct = openSandboxServer().then(overHttps);

  beforeAll(async () => {
    const env = [{ name: 'PASSWORD', value: 'hunter2' }];
    const annotations = { 'batch.kubernetes.io/job-completion-index': '3', 'example.com/note': 'nobody reads it' };
    const pod = (name: string): Pod => ({
      metadata: { name, namespace: 'default', labels: { app: 'demo' }, annotations },
      spec: { containers: [{ name: 'main', image: 'busybox', env }], restartPolicy: 'Never' },
    });
    for (const name of ['one', 'two']) await (await direct).cluster.create(PODS, pod(name), soon());
  });
  afterAll(async () => (await direct).close());

  const listedBy = async (executor: Cluster, selection: ProjectedSelection): Promise<ListAnswer<Pod>> => {
    const { cluster, close } = await openRelayedWorld({ executor });
    try {
      return await cluster.list<Pod>(PODS, selection, soon());
    } finally {
      await close();
    }
  };

  test('holds what is read of them, as that of a cluster that is dialled, and nothing else', async () => {
    const { cluster } = await direct;
    const { items } = await listedBy(cluster, wanted);
    expect(items).toEqual((await cluster.list<Pod>(PODS, wanted, soon())).items);
    expect(items.map(({ metadata }) => [metadata.name, metadata.labels, metadata.annotations])).toEqual(
      ['one', 'two'].map((name) => [name, { app: 'demo' }, { 'batch.kubernetes.io/job-completion-index': '3' }]),
    );
    expect(JSON.stringify(items)).not.toMatch(/managedFields|containers|hunter2|nobody reads it/);
  });

  test('is of whole pods for functions of the build before, which ask for no fields', async () => {
    const { items } = await listedBy((await direct).cluster, { namespace: 'default' });
    expect(items.map(({ metadata, spec }) => [metadata.managedFields?.length, spec?.containers[0]?.env])).toEqual(
      ['one', 'two'].map(() => [1, [{ name: 'PASSWORD', value: 'hunter2' }]]),
    );
  });

  test('of the build before, which answers with whole pods, tells the same', async () => {
    const { cluster } = await direct;
    const before: Cluster = together(cluster, cluster);
    before.list = async (resource, { namespace = '' }, deadline) => await cluster.list(resource, { namespace }, deadline);
    const [whole, projected] = [await listedBy(before, wanted), await listedBy(cluster, wanted)];
    expect(JSON.stringify(whole.items)).toMatch(/hunter2/);
    expect(projected.items.map(podFactsOf)).toEqual(whole.items.map(podFactsOf));
  });
});

describe('a log through a relay', () => {
  const soon = (): Deadline => deadlineIn(new SystemClock(), 20_000);
  const target = { namespace: 'work', name: 'a' };
  const text = '2026-05-01T10:00:00Z it works\n';
  const asked: BoundedLogRequest[] = [];
  const executor = {
    log: async (_: Named, wanted: BoundedLogRequest) => {
      asked.push(wanted);
      return { text, isCut: false };
    },
  } as unknown as Cluster;
  const wanted: BoundedLogRequest = { container: 'main', limitBytes: 1_000, tailLines: 10, sinceMs: 1_777_629_600_000, previous: true };

  const inWorld = async <Value>(
    given: Omit<RelayedWorldOptions, 'executor'>,
    work: (world: RelayedWorld) => Promise<Value>,
  ): Promise<Value> => {
    const world = await openRelayedWorld({ executor, ...given });
    try {
      return await work(world);
    } finally {
      await world.close();
    }
  };

  test('is what the relay reads, of what was wanted', async () => {
    expect(await inWorld({}, async ({ cluster }) => await cluster.log(target, wanted, soon()))).toEqual({ text, isCut: false });
    expect(asked).toEqual([wanted]);
  });

  test('of a namespace that the relay is not for, or of which nothing sensible is wanted, is not read', async () => {
    asked.length = 0;
    const refused = await failureOf(inWorld({ namespaces: ['other'] }, async ({ cluster }) => await cluster.log(target, wanted, soon())));
    expect(String(refused)).toContain('the namespace work is not one of those that this relay is for');
    const senseless = failureOf(inWorld({}, async ({ cluster }) => await cluster.log(target, { ...wanted, limitBytes: 1e9 }, soon())));
    expect(String(await senseless)).toContain('it does not say what of the log is wanted');
    expect(asked).toEqual([]);
  });

  test('of a relay of the build before is refused in a sentence that says what to do, and nothing becomes a dead letter', async () => {
    const before = allowedTo(ALL_FACTS.filter(({ ownersOn }) => !ownersOn)).filter(({ resource }) => resource !== POD_LOGS);
    await inWorld({ allowed: before }, async ({ cluster, ports }) => {
      const failure = await failureOf(cluster.log(target, wanted, soon()));
      expect(failure).toBeInstanceOf(TerminalError);
      expect(String(failure)).toMatch(
        /the relay of far is of an earlier version, which reads no logs: give "farloop cluster add far" again/,
      );
      expect(await ports.queue.deadLetters('relay-far', 10)).toEqual([]);
    });
  });
});
