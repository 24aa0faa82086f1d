// What is special to a cluster that passes reach through its relay: what is not answered, what comes too late or twice, what is refused,
// whom nobody believes.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../world/virtual-clock.ts';
import { JOB_FIELDS } from '../../lib/kinds/job/terms/owner-facts.ts';
import { POD_GROUPS, SCHEDULING_WORKLOADS } from '../../lib/objects/job-scheduling.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { POD_FIELDS } from '../../lib/objects/pods/pod-facts.ts';
import { EVENTS, NAMESPACES, NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import type { WantedFields } from '../../lib/objects/field-mask.ts';
import { deadlineIn, hasPassed, type Clock, type Deadline } from '../../lib/ports/clock.ts';
import type { Answer, Cluster } from '../../lib/ports/cluster.ts';
import { ConflictError, NotDoneError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import { lookAtCluster } from '../../lib/reconciler/cluster/cluster-look.ts';
import { putMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { Reachability, troubleOf } from '../../lib/reconciler/cluster/reachability.ts';
import { encodeAnswer, openOutcomes, sealOutcomes } from '../../lib/wire/command-answers.ts';
import { decodeCommands, encodeCommands } from '../../lib/wire/commands.ts';
import { failureOf } from '../claims.ts';
import { openRelayedWorld, type RelayedWorld, type RelayedWorldOptions } from './relayed-world.ts';
import { noLog } from '../world/no-log.ts';

/** A cluster of pods in memory; each call looks at its deadline last, as an adapter does. */
class Pods implements Cluster {
  readonly names: string[] = [];
  /** Names in creates, whatever became of them. */
  readonly sent: string[] = [];
  readonly clock: Clock;
  /** What comes of each create. */
  breaksWith: Error | undefined;
  /** Beside each pod in a list. */
  padding = (): string => '';

  constructor(clock: Clock) {
    this.clock = clock;
  }

  #answer<Item>(object: unknown): Answer<Item> {
    return { object: object as Item, dateMs: Math.floor(this.clock.nowMs() / 1000) * 1000 };
  }

  async #send(deadline: Deadline): Promise<void> {
    if (hasPassed(deadline, this.clock)) throw new NotDoneError('the deadline has passed');
  }

  async get<Item extends KubernetesObject>(_: Resource, { name }: { name: string }, deadline: Deadline): Promise<Answer<Item>> {
    await this.#send(deadline);
    if (!this.names.includes(name)) throw new NotFoundError(`no pod ${name}`);
    return this.#answer({ metadata: { name, uid: `uid-of-${name}` } });
  }

  log = noLog;

  list: Cluster['list'] = async (_, __, deadline) => {
    await this.#send(deadline);
    const items = this.names.map((name) => ({ metadata: { name, annotations: { padding: this.padding() } } }));
    return { items: items as never[], resourceVersion: '7', dateMs: 0 };
  };

  async create<Item extends KubernetesObject>(_: Resource, { metadata }: Item, deadline: Deadline): Promise<Answer<Item>> {
    await this.#send(deadline);
    const { name = '' } = metadata;
    this.sent.push(name);
    if (this.breaksWith) throw this.breaksWith;
    if (this.names.includes(name)) throw new ConflictError(`${name} is there`, { reason: 'alreadyExists' });
    this.names.push(name);
    return this.#answer({ metadata: { name, uid: `uid-of-${name}` } });
  }

  async delete<Item extends KubernetesObject>(
    _: Resource,
    { name }: { name: string },
    deadline: Deadline,
  ): Promise<Answer<Item | undefined>> {
    await this.#send(deadline);
    this.names.splice(this.names.indexOf(name), 1);
    return this.#answer(undefined);
  }

  async patch<Item extends KubernetesObject>(
    _: Resource,
    { name }: { name: string },
    __: object,
    deadline: Deadline,
  ): Promise<Answer<Item>> {
    await this.#send(deadline);
    return this.#answer({ metadata: { name } });
  }
}

const aPod = (name: string, env: { name: string; value: string }[] = []): Pod => ({
  metadata: { name, namespace: 'work' },
  spec: { containers: [{ name: 'main', image: 'none', env }], restartPolicy: 'Never' },
});

describe('through a relay', () => {
  let clock: VirtualClock;
  let pods: Pods;
  let world: RelayedWorld | undefined;
  const open = async (options: Partial<RelayedWorldOptions> = {}): Promise<RelayedWorld> => {
    world = await openRelayedWorld({ executor: pods, clock, ...options });
    return world;
  };
  const soon = (ms = 20_000): Deadline => deadlineIn(clock, ms);
  /** Lets time pass until the call has ended. */
  const ended = async <Value>(call: Promise<Value>, clocks: VirtualClock[] = [clock]): Promise<Value> => {
    const seen = { isOver: false };
    const over = (): void => void (seen.isOver = true);
    call.then(over, over);
    for (let passedMs = 0; !seen.isOver && passedMs < 25_000; passedMs += 20) for (const each of clocks) await each.advance(20);
    return await call;
  };

  beforeEach(() => {
    clock = new VirtualClock();
    pods = new Pods(clock);
  });
  afterEach(async () => {
    const closing = world?.close();
    await clock.advance(1_000);
    await closing;
    world = undefined;
  });

  test('R6: a write that nobody answers is an unknown outcome after ten seconds, a read is not done', async () => {
    const { cluster } = await open({ isDeaf: true });
    const [write, read] = [cluster.create(PODS, aPod('a'), soon()), cluster.get(PODS, { namespace: 'work', name: 'a' }, soon())];
    const failures = Promise.all([failureOf(write), failureOf(read)]);
    const beganAtMs = clock.monotonicMs();
    const [written, seen] = await ended(failures);
    expect(written).toBeInstanceOf(UnknownOutcomeError);
    expect(String(written)).toMatch(/create pods work\/a through the relay of far: no answer within 10 s/);
    expect(seen).toBeInstanceOf(NotDoneError);
    expect(clock.monotonicMs() - beganAtMs).toBeLessThan(11_000);
  });

  test.each([
    ['that its API server does not let in', { code: 401, reason: 'Unauthorized' }, {}, /Unauthorized/],
    ['that has no rights', { code: 403, reason: 'Forbidden' }, {}, /cannot get jobs/],
    ['that AWS does not let in', undefined, { isDeaf: true }, /no answer within 10 s/],
    ['whose events are not believed', undefined, { senders: ['somebody else'] }, /no answer within 10 s/],
    ['that is as it should be', undefined, {}, undefined],
  ])('R14: a relay %s is told of by one look, work or none', async (_, refusal, options, reason) => {
    pods.get = async () => {
      throw refusal ? new TerminalError(`${refusal.reason}: relay cannot get jobs`, refusal) : new NotFoundError('no such Job');
    };
    const { ports } = await open(options);
    const marker = { session: 's', era: 0, heardAtMs: clock.nowMs(), clockOffsetMs: 0, watches: [], suspects: {} };
    await putMarker(ports, 'far', marker, 0);
    const beganAtMs = clock.monotonicMs();
    const look = lookAtCluster({ ports, reachability: new Reachability(ports) }, 'far');
    await ended(look);
    expect(clock.monotonicMs() - beganAtMs).toBeLessThan(22_000);
    const trouble = await troubleOf(ports, 'far');
    if (reason) expect(trouble?.reason).toMatch(reason);
    else expect(trouble).toBeUndefined();
  });

  test('R6: what a relay did and could not tell is an unknown outcome, and found when it is looked for', async () => {
    const { cluster, ports } = await open();
    await ports.clusters.put({ ...(await recordOf(ports)), senders: ['somebody else'] }, 1);
    expect(await ended(failureOf(cluster.create(PODS, aPod('a'), soon())))).toBeInstanceOf(UnknownOutcomeError);
    expect(pods.names).toEqual(['a']);
    await ports.clusters.put({ ...(await recordOf(ports)), senders: ['local'] }, 2);
    const { object } = await ended(cluster.get(PODS, { namespace: 'work', name: 'a' }, soon()));
    expect(object.metadata.uid).toBe('uid-of-a');
  });

  test('R6: of an unknown outcome a relay tells what the API server said', async () => {
    const { cluster } = await open();
    pods.breaksWith = new UnknownOutcomeError('create pods work/a at https://far: failed calling webhook', {
      said: 'failed calling webhook',
    });
    const failure = await ended(failureOf(cluster.create(PODS, aPod('a'), soon())));
    expect(failure).toBeInstanceOf(UnknownOutcomeError);
    expect(failure).toMatchObject({ message: pods.breaksWith.message, said: 'failed calling webhook' });
  });

  test('R17: nothing is sent to a relay after the deadline', async () => {
    const { cluster, ports } = await open({ isDeaf: true });
    expect(await ended(failureOf(cluster.create(PODS, aPod('late'), soon(0))))).toBeInstanceOf(NotDoneError);
    expect((await ports.queue.depth('relay-far')).visible).toBe(0);
  });

  test.each([
    ['lay in the queue until its deadline', 3_000, 4_000],
    ['lay in the queue for longer than any command lives', 60_000, 9_000],
  ])('R17: a command that %s is not carried out', async (_, deadlineMs, lainMs) => {
    const { cluster, ports, startRelay } = await open({ isDeaf: true });
    const call = failureOf(cluster.create(PODS, aPod('late'), soon(deadlineMs)));
    await clock.advance(lainMs);
    startRelay();
    expect(await ended(call)).toBeInstanceOf(Error);
    expect(pods.names).toEqual([]);
    expect((await ports.queue.depth('relay-far')).inFlight).toBe(0);
  });

  test('R17: what lay in the queue is too late for a relay whose clock is behind, too', async () => {
    const relayClock = new VirtualClock({ startMs: clock.nowMs() - 100_000 });
    pods = new Pods(relayClock);
    const { cluster, startRelay } = await open({ relayClock, isDeaf: true });
    const call = failureOf(cluster.create(PODS, aPod('late'), soon(3_000)));
    await clock.advance(4_000);
    startRelay();
    expect(await ended(call, [clock, relayClock])).toBeInstanceOf(NotDoneError);
    expect(pods.sent).toEqual([]);
  });

  test('R17: a relay sends nothing when it is too late by its wall clock, however short a time has passed for it', async () => {
    const relayClock = new VirtualClock();
    pods = new Pods(relayClock);
    const { cluster } = await open({ relayClock });
    await ended(failureOf(cluster.get(PODS, { namespace: 'work', name: 'a' }, soon())), [clock, relayClock]);
    // As after it stood still between receiving and sending.
    relayClock.jumpWall(11_000);
    const failure = await ended(failureOf(cluster.create(PODS, aPod('late'), soon())), [clock, relayClock]);
    expect(failure).toBeInstanceOf(NotDoneError);
    expect(pods.names).toEqual([]);
  });

  test.each([120_000, -120_000])('a clock that is %d ms off is learnt from the first answer', async (aheadMs) => {
    const relayClock = new VirtualClock({ startMs: clock.nowMs() + aheadMs });
    pods = new Pods(relayClock);
    const { cluster } = await open({ relayClock });
    const read = async (): Promise<unknown> =>
      await ended(failureOf(cluster.get(PODS, { namespace: 'work', name: 'a' }, soon())), [clock, relayClock]);
    await read();
    expect(await read()).toBeInstanceOf(NotFoundError);
  });

  test('a message that is delivered three times, late and out of order is carried out once', async () => {
    const { cluster } = await open({ chaos: { seed: 3, duplicates: 3, maxDelayMs: 2_000 } });
    const names = Array.from({ length: 12 }, (_, at) => `pod-${at}`);
    for (const name of names) await ended(cluster.create(PODS, aPod(name), soon()));
    await clock.advance(10_000);
    expect(pods.sent).toEqual(names);
  });

  test('calls that are made together travel together, and each hears its own outcome', async () => {
    const { cluster, ports } = await open();
    pods.names.push('taken');
    const calls = ['a', 'taken', 'b'].map(async (name) => await cluster.create(PODS, aPod(name), soon()).catch((error: unknown) => error));
    const [a, taken, b] = await ended(Promise.all(calls));
    expect(a).toMatchObject({ object: { metadata: { uid: 'uid-of-a' } } });
    expect(taken).toMatchObject({ name: 'ConflictError', reason: 'alreadyExists' });
    expect(b).toMatchObject({ object: { metadata: { uid: 'uid-of-b' } } });
    expect(ports.store.meter.byOperation['putAnswer']?.requests).toBe(1);
  });

  test('groups of pods are looked for, made and changed through it, and not deleted', async () => {
    const { cluster } = await open();
    for (const resource of [SCHEDULING_WORKLOADS, POD_GROUPS]) {
      const [place, uid] = [{ namespace: 'work', name: resource.plural }, `uid-of-${resource.plural}`];
      await ended(cluster.create(resource, { metadata: place }, soon()));
      expect((await ended(cluster.list(resource, { namespace: 'work' }, soon()))).items).toHaveLength(pods.names.length);
      await ended(cluster.patch(resource, { ...place, uid }, { type: 'merge', body: { spec: {} } }, soon()));
      expect(await ended(failureOf(cluster.delete(resource, { ...place, uid }, soon())))).toMatchObject({ code: 403 });
    }
    expect(pods.names).toEqual(['workloads', 'podgroups']);
  });

  test('an answer larger than a message and an item comes in parts', async () => {
    // Of random bytes, so that packing makes nothing small of it.
    pods.padding = () => Array.from({ length: 2_000 }, () => clock.randomId()).join('');
    pods.names.push(...Array.from({ length: 40 }, (_, at) => `pod-${at}`));
    const { cluster, ports } = await open();
    const { items, resourceVersion } = await ended(cluster.list<Pod>(PODS, { namespace: 'work' }, soon()));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(pods.names);
    expect(resourceVersion).toBe('7');
    expect(ports.store.meter.byOperation['putAnswer']?.requests).toBeGreaterThan(4);
  });

  test('what is on its way, and what the table keeps of answers, tells no value', async () => {
    const { cluster, ports } = await open();
    const secret = 'hunter2-hunter2-hunter2';
    pods.padding = () => secret;
    pods.names.push('a');
    await ended(cluster.list(PODS, { namespace: 'work' }, soon()));
    const kept = ports.store.database.prepare('select bytes from answers').all();
    expect(kept.length).toBeGreaterThan(0);
    for (const { bytes } of kept) expect(Buffer.from(bytes as Uint8Array).includes(secret)).toBe(false);
  });

  const refusals: [string, Resource, string, (cluster: Cluster, deadline: Deadline) => Promise<unknown>][] = [
    ['nodes', NODES, 'get', (cluster, deadline) => cluster.get(NODES, { namespace: '', name: 'a' }, deadline)],
    ['namespaces', NAMESPACES, 'create', (cluster, deadline) => cluster.create(NAMESPACES, { metadata: { name: 'a' } }, deadline)],
    [
      'secrets',
      PODS,
      'list',
      (cluster, deadline) => cluster.list({ ...PODS, plural: 'secrets', kind: 'Secret' }, { namespace: 'work' }, deadline),
    ],
    [
      'an Event to delete',
      EVENTS,
      'delete',
      (cluster, deadline) => cluster.delete(EVENTS, { namespace: 'work', name: 'a', uid: 'uid-of-a' }, deadline),
    ],
    [
      'another namespace',
      PODS,
      'create',
      (cluster, deadline) => cluster.create(PODS, { ...aPod('a'), metadata: { name: 'a', namespace: 'kube-system' } }, deadline),
    ],
    ['all namespaces', PODS, 'list', (cluster, deadline) => cluster.list(PODS, {}, deadline)],
    ['another kind than it names', PODS, 'create', (cluster, deadline) => cluster.create(PODS, { ...aPod('a'), kind: 'Secret' }, deadline)],
  ];
  test.each(refusals)('R15: a relay refuses %s', async (_, __, ___, call) => {
    const { cluster, telemetry } = await open({ namespaces: ['work'] });
    const failure = await ended(failureOf(call(cluster, soon())));
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure).toMatchObject({ code: 403 });
    expect(pods.names).toEqual([]);
    expect(telemetry.counts.filter(({ metric }) => metric === 'RefusedCommands')).toHaveLength(1);
  });

  test('R15: a relay that was not told whose commands to take carries out none, and passes are told what to do', async () => {
    const { cluster, telemetry } = await open({ commander: '' });
    const failures = await ended(Promise.all(['a', 'b'].map(async (name) => await failureOf(cluster.create(PODS, aPod(name), soon())))));
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(NotDoneError);
      expect(String(failure)).toContain('it was not told whose commands to take (--commander): give farloop cluster add again');
    }
    expect(pods.names).toEqual([]);
    expect(telemetry.lines.filter(({ message }) => message.startsWith('commands refused'))).toHaveLength(1);
  });

  test('R15: a command of another sender is not carried out, nor answered', async () => {
    const { cluster, telemetry } = await open({ commander: 'AROARECONCILE' });
    expect(await ended(failureOf(cluster.create(PODS, aPod('a'), soon())))).toBeInstanceOf(UnknownOutcomeError);
    expect([pods.names, telemetry.sum('RefusedCommands')]).toEqual([[], 1]);
  });

  test('R15: names that would lead a path astray are no commands: the message is not carried out', async () => {
    const { cluster } = await open();
    const failure = await ended(failureOf(cluster.create(PODS, aPod('../../../secrets'), soon())));
    expect(failure).toBeInstanceOf(UnknownOutcomeError);
    expect(pods.names).toEqual([]);
  });

  const nested = (depth: number): WantedFields => (depth === 0 ? true : { field: nested(depth - 1) });
  const many = (count: number): WantedFields => Object.fromEntries(Array.from({ length: count }, (_, at) => [`field-${at}`, true]));
  const listBy = (body: unknown): string => {
    const command = {
      verb: 'list',
      apiVersion: 'v1',
      plural: 'pods',
      namespace: 'work',
      untilMs: 1,
      leftMs: 0,
      body: body as object,
    } as const;
    return encodeCommands({ cluster: 'far', id: 'i'.repeat(22), secret: 's'.repeat(22), commands: [command] });
  };

  test.each<[string, unknown]>([
    ['nested deeper than any object that is read', nested(9)],
    ['more than any reader wants', many(257)],
    ['more than any reader wants, on two levels', { metadata: many(128), status: many(128) }],
    ['with a name longer than that of an annotation', { ['a'.repeat(318)]: true }],
    ['with a name that is not of plain characters', { metadata: { ä: true } }],
    ['with a name that is no text', { metadata: { '': true } }],
    ['that are said to be wanted by a text', { metadata: 'true' }],
    ['that are wanted by nothing', { metadata: null }],
    ['that are in a list', [{ metadata: true }]],
    ['that are in a list of one field', { metadata: [{ name: true }] }],
  ])('R15: a list of fields %s is no command', (_, fields) => {
    expect(() => decodeCommands(listBy(fields))).toThrow(/unusable commands\.0\.body: fields to read objects by$/);
  });

  test.each<[string, WantedFields]>([
    ['of pods', POD_FIELDS],
    ['of Jobs', JOB_FIELDS],
    ['as deep as may be', nested(8)],
    ['as many as may be', many(256)],
  ])('what is read %s is a command', (_, fields) => {
    expect(decodeCommands(listBy(fields)).commands).toMatchObject([{ body: fields }]);
  });

  test('R15: an answer of a sender that is not registered for the cluster is refused and counted', async () => {
    const { cluster, ports, telemetry } = await open({ senders: ['somebody else'] });
    expect(await ended(failureOf(cluster.get(PODS, { namespace: 'work', name: 'a' }, soon())))).toBeInstanceOf(NotDoneError);
    expect(telemetry.counts).toContainEqual(expect.objectContaining({ metric: 'RefusedMessages' }));
    expect(ports.store.database.prepare('select * from answers').all()).toEqual([]);
  });

  test('R15: an answer that was made up without the secret of its commands is not believed', async () => {
    const { cluster, ports } = await open({ isDeaf: true });
    const call = failureOf(cluster.create(PODS, aPod('a'), soon()));
    await clock.advance(20);
    const [message] = await ports.queue.receive('relay-far', { max: 1, waitSeconds: 0, visibilitySeconds: 30 });
    const { id } = decodeCommands(message?.body ?? '');
    const forged = { relayMs: 0, outcomes: [{ at: 0, dateMs: 0, object: { metadata: { name: 'a', uid: 'forged' } } }] };
    const [bytes = new Uint8Array()] = sealOutcomes(forged, clock.randomId(), clock.randomId());
    await ports.queue.send('events', [{ body: encodeAnswer({ cluster: 'far', kubeSystemUid: 'uid-of-kube-system', id, part: 0, bytes }) }]);
    expect(await ended(call)).toBeInstanceOf(UnknownOutcomeError);
  });

  test('R15: commands for another cluster are refused', async () => {
    const { ports } = await open();
    const [id, secret, deadline] = [clock.randomId(), clock.randomId(), soon()];
    const command = { verb: 'create', apiVersion: 'v1', plural: 'pods', untilMs: deadline.wallMs, leftMs: 8_000 } as const;
    const commands = [{ ...command, namespace: 'work', name: 'a', body: aPod('a') }];
    await ports.queue.send('relay-far', [{ body: encodeCommands({ cluster: 'other', id, secret, commands }) }]);
    await clock.advance(1_000);
    const answer = await ports.store.readAnswer('far', id, 0);
    expect(openOutcomes(answer ? [answer] : [], secret).outcomes).toMatchObject([{ at: 0, failure: { kind: 'Terminal', code: 403 } }]);
    expect(pods.names).toEqual([]);
  });

  test('R13: commands that cannot be read become dead letters, and stop nothing', async () => {
    const { cluster, ports } = await open();
    await ports.queue.send('relay-far', [{ body: 'commands:AAAA' }]);
    await ended(cluster.create(PODS, aPod('a'), soon()));
    await clock.advance(2_000);
    expect(pods.names).toEqual(['a']);
    expect((await ports.queue.deadLetters('relay-far', 10)).map(({ body }) => body)).toEqual(['commands:AAAA']);
  });
});

const recordOf = async (ports: RelayedWorld['ports']): Promise<Parameters<RelayedWorld['ports']['clusters']['put']>[0]> => {
  const record = await ports.clusters.get('far');
  if (!record) throw new Error('the cluster is not registered');
  return record;
};
