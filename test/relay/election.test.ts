// Two replicas of a relay beside one sandbox: one sends, the other takes over.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Job, KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import type { OutgoingMessage, QueueName } from '../../lib/ports/queue.ts';
import { LEASES } from '../../lib/objects/placement/lease.ts';
import { Election } from '../../lib/relay/election.ts';
import type { Relay } from '../../lib/relay/relay.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import type { Sandbox } from '../../lib/sandbox/sandbox.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import type { EventMessage } from '../../lib/wire/words/observations.ts';
import { until } from '../claims.ts';

const clock = new SystemClock();
const LEASE = { namespace: 'default', name: 'farloop-relay' };
/** Where nobody's term is to lapse, a machine that stands still for seconds must not make it. */
const LASTING = { durationMs: 30_000, holdMs: 20_000, retryMs: 100 };
const LAPSING = { durationMs: 3_000, holdMs: 2_000, retryMs: 100 };

interface Replica {
  name: string;
  relay: Relay;
  election: Election;
  /** Like a SIGKILL: nothing of it reaches the cluster or the queue any more, and it says so to nobody. */
  die: () => void;
  /** It cannot reach the queue, and tries. */
  cutOff: () => void;
}

let sandbox: Sandbox;
let people: KubernetesCluster;
let queue: EmbeddedQueue;
/** Whose turn began and ended, in order. */
let turns: string[];
let received: { from: string; message: EventMessage }[];
let closing: (() => Promise<void> | void)[];

beforeEach(async () => {
  sandbox = await startSandbox();
  closing = [];
  people = clusterOf();
  queue = EmbeddedQueue.open({ clock });
  received = [];
  turns = [];
});

afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  queue.close();
  await sandbox.stop();
});

function clusterOf(): KubernetesCluster {
  const { url, caPem, token } = sandbox;
  const cluster = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  closing.push(() => cluster.close());
  return cluster;
}

function startReplica(name: string, options: typeof LASTING): Replica {
  const cluster = clusterOf();
  let state: 'alive' | 'cutOff' | 'dead' = 'alive';
  const ifAlive = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (state === 'dead') throw new NotDoneError('dead');
    return await call();
  };
  const leases: Pick<Cluster, 'get' | 'patch' | 'create'> = {
    get: async (...args) => await ifAlive(async () => await cluster.get(...args)),
    patch: async (...args) => await ifAlive(async () => await cluster.patch(...args)),
    create: async (...args) => await ifAlive(async () => await cluster.create(...args)),
  };
  const telemetry = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, count: () => {} };
  const send = async (to: QueueName, messages: readonly OutgoingMessage[]): Promise<void> => {
    if (state !== 'alive') throw new NotDoneError('the queue cannot be reached');
    await queue.send(to, messages);
    for (const { body } of messages) received.push({ from: name, message: decodeEvents(body) });
  };
  const relay = startRelay({
    source: cluster,
    queue: new Proxy(queue, {
      get: (target, property) => {
        if (property === 'send') return send;
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    clock,
    telemetry,
    cluster: 'c',
    manages: ['all-jobs'],
    namespaces: [],
    era: 0,
    standby: true,
    options: { delayMs: 5 },
  });
  relay.ready.catch(() => {});
  const election = new Election({
    cluster: leases,
    clock,
    telemetry,
    lease: LEASE,
    holder: name,
    gained: () => {
      turns.push(`${name} sends`);
      relay.lead();
    },
    lost: () => {
      turns.push(`${name} rests`);
      relay.rest();
    },
    options,
  });
  election.start();
  closing.push(async () => {
    state = 'dead';
    await election.stop();
    await relay.stop();
  });
  const replica = { name, relay, election, die: () => void (state = 'dead'), cutOff: () => void (state = 'cutOff') };
  return replica;
}

async function createJob(name: string): Promise<Job> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } };
  const job: Job = { metadata: { name, namespace: 'default' }, spec: { template } };
  return (await people.create<Job>(JOBS, job, deadlineIn(clock, 10_000))).object;
}

const deleteJob = async ({ metadata }: Job): Promise<void> => {
  const target = { namespace: 'default', name: metadata.name ?? '', uid: metadata.uid ?? '', propagationPolicy: 'Background' as const };
  await people.delete(JOBS, target, deadlineIn(clock, 10_000));
};

/** Who told of that Job, and whether as one that is gone. */
const tellings = ({ metadata }: KubernetesObject): { from: string; deleted: boolean }[] =>
  received.flatMap(({ from, message }) =>
    message.reports
      .filter(({ owner, observed }) => owner.uid === metadata.uid && observed)
      .map(({ observed }) => ({ from, deleted: observed?.deleted ?? false })),
  );
const holder = async (): Promise<string> => {
  const { object } = await people.get<KubernetesObject & { spec?: { holderIdentity?: string } }>(LEASES, LEASE, deadlineIn(clock, 10_000));
  return object.spec?.holderIdentity ?? '';
};

/** One sends, the other is ready to. */
async function twoReplicas(options = LASTING): Promise<{ sender: Replica; standby: Replica }> {
  const sender = startReplica('one', options);
  await until('one sends', () => sender.election.isHolder);
  const standby = startReplica('two', options);
  await Promise.all([sender.relay.ready, standby.relay.ready]);
  return { sender, standby };
}

describe('a relay in two replicas', () => {
  test('one alone sends; the other knows as much and is silent', async () => {
    const { sender, standby } = await twoReplicas();
    const job = await createJob('a');
    await until('told', () => tellings(job).length > 0);
    await until('the standby has heard of it', () => standby.relay.status().waiting > 0);
    expect(new Set(received.map(({ from }) => from))).toEqual(new Set(['one']));
    expect([sender.election.isHolder, standby.election.isHolder]).toEqual([true, false]);
    expect(await holder()).toBe('one');
  });

  test('R9: the sender is killed with events that it never sent; the other sends them, deletions too, once its Lease has lapsed', async () => {
    const { sender, standby } = await twoReplicas(LAPSING);
    const before = await createJob('before');
    await until('told', () => tellings(before).length > 0);
    sender.cutOff();
    const [unsent, gone] = [await createJob('unsent'), await createJob('gone')];
    await deleteJob(before);
    await deleteJob(gone);
    await until('the standby has heard of it', () => standby.relay.status().waiting >= 3);
    sender.die();
    await until('the other sends', () => standby.election.isHolder);
    await until('all of it is told', () => [unsent, gone, before].every((job) => tellings(job).some(({ from }) => from === 'two')));
    expect(tellings(unsent).at(-1)).toEqual({ from: 'two', deleted: false });
    expect(tellings(gone).at(-1)).toEqual({ from: 'two', deleted: true });
    expect(tellings(before).at(-1)).toEqual({ from: 'two', deleted: true });
    expect(await holder()).toBe('two');
    // A whole list follows, for what nobody heard (R19).
    await until('a full list', () => received.some(({ from, message }) => from === 'two' && message.heartbeat?.fullList !== undefined));
  });

  test('a sender that cannot renew stops sending before another one may begin', async () => {
    const { sender, standby } = await twoReplicas(LAPSING);
    sender.die();
    await until('the other sends', () => standby.election.isHolder);
    expect(turns).toEqual(['one sends', 'one rests', 'two sends']);
  });

  test('told to end, it gives the Lease back, and nobody waits for it to lapse', async () => {
    const { sender, standby } = await twoReplicas();
    await sender.election.stop();
    expect(await holder()).not.toBe('one');
    await until('the other sends', () => standby.election.isHolder, LASTING.durationMs / 2);
    const job = await createJob('later');
    await until('told', () => tellings(job).some(({ from }) => from === 'two'));
  });

  test('the one that rests sends again when its turn comes, from a new list', async () => {
    const { sender, standby } = await twoReplicas();
    await sender.election.stop();
    await until('the other sends', () => standby.election.isHolder);
    const job = await createJob('seen-by-both');
    await until('told', () => tellings(job).length > 0);
    await standby.election.stop();
    sender.relay.lead();
    await until('told again', () => tellings(job).some(({ from }) => from === 'one'));
    expect(tellings(job).at(-1)).toEqual({ from: 'one', deleted: false });
  });
});
