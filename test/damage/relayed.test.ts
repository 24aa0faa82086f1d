// What travels to a relay and back came to harm: commands are carried out as they say or not at all, an answer is one or none, whoever
// waits hears it in the port's own words; what cannot be read is counted and ends as a dead letter. A failure prints the seed that shows it again.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { NotFoundError } from '../../lib/ports/errors.ts';
import { RelayedCluster } from '../../lib/adapters/sqs/relayed-cluster.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { POD_FIELDS } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import type { Answer, Cluster } from '../../lib/ports/cluster.ts';
import type { QueueName, ReceivedMessage } from '../../lib/ports/queue.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { Commands } from '../../lib/relay/commands/commands.ts';
import { decodeAnswer, isAnswer, openOutcomes, sealOutcomes } from '../../lib/wire/command-answers.ts';
import { decodeCommands, isCommands, type CommandMessage } from '../../lib/wire/commands.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { UndecodableMessageError } from '../../lib/wire/words/undecodable.ts';
import { openRelayedWorld, type RelayedWorld } from '../adapters/relayed-world.ts';
import { damages, misshapen, type Damage } from './damages.ts';
import { WORDS } from './words.ts';

jest.setTimeout(240_000);

const QUEUE = 'relay-far';
/** Other characters than these no queue takes. */
const IS_CARRIED = /^[\x20-\x7e]+$/;

const aPod = (name: string): Pod => ({
  metadata: { name, namespace: 'work', uid: `uid-of-${name}`, resourceVersion: '7' },
  spec: { containers: [{ name: 'main', image: 'none' }], restartPolicy: 'Never' },
});

/** Has what it is asked for, and tells of each call. */
function executorOf(called: (verb: string) => void): Cluster {
  const answer = <Item>(verb: string, name: string): Answer<Item> => {
    called(verb);
    if (name === 'absent') throw new NotFoundError(`no ${name}`);
    return { object: aPod(name) as unknown as Item, dateMs: 1_700_000_000_000 };
  };
  return {
    get: async <Item extends KubernetesObject>(_: unknown, { name }: { name: string }) => answer<Item>('get', name),
    list: async () => {
      called('list');
      return { items: [aPod('one'), aPod('two')] as never[], resourceVersion: '9', dateMs: 1_700_000_000_000 };
    },
    create: async <Item extends KubernetesObject>(_: unknown, { metadata: { name = '' } }: Item) => answer<Item>('create', name),
    delete: async <Item extends KubernetesObject>(_: unknown, { name }: { name: string }) => answer<Item>('delete', name),
    patch: async <Item extends KubernetesObject>(_: unknown, { name }: { name: string }) => answer<Item>('patch', name),
    log: async () => {
      called('log');
      return { text: '2026-05-01T10:00:00.000000001Z it works\n', isCut: false };
    },
  };
}

const STATUS = { status: { active: 1, uncountedTerminatedPods: { succeeded: ['u'] } } };
/** Of each verb one; and one that fails. */
const CALLS: readonly ((cluster: Cluster, deadline: Deadline) => Promise<unknown>)[] = [
  (cluster, deadline) => cluster.get(PODS, { namespace: 'work', name: 'one' }, deadline),
  (cluster, deadline) => cluster.get(PODS, { namespace: 'work', name: 'absent' }, deadline),
  (cluster, deadline) => cluster.list(PODS, { namespace: 'work', labelSelector: 'app=demo', fields: POD_FIELDS }, deadline),
  (cluster, deadline) => cluster.create(PODS, aPod('one'), deadline),
  (cluster, deadline) => cluster.delete(PODS, { namespace: 'work', name: 'one', uid: 'uid-of-one', resourceVersion: '7' }, deadline),
  (cluster, deadline) =>
    cluster.patch(JOBS, { namespace: 'work', name: 'demo', uid: 'u', subresource: 'status' }, { type: 'merge', body: STATUS }, deadline),
  (cluster, deadline) => cluster.log({ namespace: 'work', name: 'one' }, { container: 'main', limitBytes: 1_000, tailLines: 10 }, deadline),
];

let clock: VirtualClock;
let world: RelayedWorld;
const carriedOut: string[] = [];
const sent: { commands: string[]; answers: string[] } = { commands: [], answers: [] };

/** Lets time pass until the calls have ended. */
async function ended<Value>(calls: Promise<Value>[]): Promise<PromiseSettledResult<Value>[]> {
  const all = Promise.allSettled(calls);
  const seen = { isOver: false };
  void all.then(() => (seen.isOver = true));
  for (let passedMs = 0; !seen.isOver && passedMs < 25_000; passedMs += 20) await clock.advance(20);
  expect(seen.isOver).toBe(true);
  return await all;
}

beforeAll(async () => {
  clock = new VirtualClock();
  world = await openRelayedWorld({ executor: executorOf((verb) => void carriedOut.push(verb)), clock });
  const { queue } = world.ports;
  const send = queue.send.bind(queue);
  queue.send = async (name, messages) => {
    const bodies = messages.map(({ body }) => body);
    if (name === QUEUE) sent.commands.push(...bodies.filter(isCommands));
    if (name === 'events') sent.answers.push(...bodies.filter(isAnswer));
    await send(name, messages);
  };
  for (const call of CALLS) await ended([call(world.cluster, deadlineIn(clock, 20_000))]);
  await ended(CALLS.map(async (call) => await call(world.cluster, deadlineIn(clock, 20_000))));
  queue.send = send;
});

afterAll(async () => {
  const closing = world.close();
  await clock.advance(1_000);
  await closing;
});

/** Of the text as it travels, or of the bytes within, which stand in it as base64 behind this. */
const bodies = (of: () => readonly string[], before: RegExp): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(), damages, fc.boolean()).map(([at, damage, isInside]) => {
    const body = of()[at % of().length] ?? '';
    const head = before.exec(body)?.[0] ?? '';
    const inside = /^[A-Za-z0-9+/=]*/.exec(body.slice(head.length))?.[0] ?? '';
    if (!isInside) return Buffer.from(damage(Buffer.from(body))).toString();
    return head + Buffer.from(damage(Buffer.from(inside, 'base64'))).toString('base64') + body.slice(head.length + inside.length);
  });

const commandBodies = bodies(() => sent.commands, /^commands:/);
const answerBodies = bodies(() => sent.answers, /^answer:.*"bytes":"/);

/** @returns undefined where it is refused by name */
function read<Read>(decode: () => Read): Read | undefined {
  try {
    return decode();
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableMessageError);
    expect((error as Error).message).not.toBe('');
    return undefined;
  }
}

const received = (body: string): ReceivedMessage => ({
  messageId: 'm',
  receiptHandle: 'none',
  body,
  receiveCount: 1,
  sentAtMs: clock.nowMs(),
  senderId: 'local',
});

const unreadable = (): number => world.telemetry.sum('UnreadableMessages');

describe('R13: damaged commands', () => {
  test('R13: are refused by name and nothing of them is carried out, or are read and answered', async () => {
    expect(sent.commands.length).toBeGreaterThan(CALLS.length);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(commandBodies, async (body) => {
        const [calls, answers]: [string[], unknown[]] = [[], []];
        const commands = new Commands({
          executor: executorOf((verb) => void calls.push(verb)),
          commander: 'local',
          queue: { send: async (_: QueueName, messages) => void answers.push(...messages) },
          clock,
          telemetry: new RecordingTelemetry(),
          cluster: 'far',
          namespaces: [],
          kubeSystemUid: () => 'uid-of-kube-system',
        });
        const message = read(() => decodeCommands(body));
        if (message === undefined) {
          refused += 1;
          expect(() => commands.take(received(body), { monotonicMs: clock.monotonicMs() })).toThrow(UndecodableMessageError);
          expect({ calls, answers }).toEqual({ calls: [], answers: [] });
          return;
        }
        const [outcome] = await ended([commands.take(received(body), { monotonicMs: clock.monotonicMs() })]);
        expect(outcome?.status).toBe('fulfilled');
        expect(answers.length).toBeGreaterThan(0);
        expect(calls.length).toBeLessThanOrEqual(message.commands.length);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test('R13: on the queue of the relay are counted, end as dead letters, and stop nothing', async () => {
    const { queue } = world.ports;
    const harmed = fc.sample(commandBodies, 60).filter((body) => IS_CARRIED.test(body) && read(() => decodeCommands(body)) === undefined);
    const before = { dead: (await queue.depth(QUEUE)).dead, unreadable: unreadable() };
    expect(harmed.length).toBeGreaterThan(10);
    carriedOut.length = 0;
    for (const body of harmed) await queue.send(QUEUE, [{ body }]);
    const [sound] = await ended([world.cluster.create(PODS, aPod('sound'), deadlineIn(clock, 20_000))]);
    expect(sound?.status).toBe('fulfilled');
    for (let second = 0; second < 60 && (await queue.depth(QUEUE)).dead < before.dead + harmed.length; second++) await clock.advance(1_000);
    expect({ dead: (await queue.depth(QUEUE)).dead, unreadable: unreadable() }).toEqual({
      dead: before.dead + harmed.length,
      unreadable: before.unreadable + harmed.length,
    });
    expect(carriedOut).toEqual(['create']);
  });
});

describe('R13: a damaged answer', () => {
  test('R13: on the queue of events is refused by name and not kept, or is read', async () => {
    const kept = (): unknown => world.ports.store.database.prepare('select * from answers order by id, part').all();
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(answerBodies, async (body) => {
        const isReadable = read(() => (isAnswer(body) ? decodeAnswer(body) : decodeEvents(body))) !== undefined;
        const before = { kept: kept(), unreadable: unreadable() };
        const undone = await ingestBatch([received(body)], world.ports);
        if (isReadable) return;
        refused += 1;
        expect(undone).toEqual(['m']);
        expect({ kept: kept(), unreadable: unreadable() }).toEqual({ ...before, unreadable: before.unreadable + 1 });
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test('R6: is heard by whoever waits as an answer of the right shape or in one of the known words', async () => {
    const sound = sent.answers.map((body) => decodeAnswer(body));
    const secrets = new Map(sent.commands.map((body) => decodeCommands(body)).map(({ id, secret }) => [id, secret]));
    const answered = sound.map(({ id, bytes }) => openOutcomes([bytes], secrets.get(id) ?? ''));
    // Each call was answered by itself first.
    const harmed = fc.constantFrom(...CALLS.map((call, at) => ({ call, answer: answered[at] }))).chain(({ call, answer }) =>
      fc.record({
        call: fc.constant(call),
        answer: fc.constant(answer),
        value: misshapen(answer),
        damage: fc.option(damages, { freq: 3 }),
      }),
    );
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(harmed, async ({ call, answer: fitting, value, damage }) => {
        const cluster = answeringWith(({ secret }) =>
          damage ? sealedAs(fitting, secret).map((part) => damage(part)) : sealedAs(value, secret),
        );
        const [outcome] = await ended([call(cluster, deadlineIn(clock, 20_000))]);
        if (outcome?.status === 'rejected') {
          failed += 1;
          expect(WORDS.some((word) => outcome.reason instanceof word)).toBe(true);
          return;
        }
        const answer = outcome?.value as { object?: { metadata: unknown }; items?: { metadata: unknown }[] };
        for (const object of [...(answer.object ? [answer.object] : []), ...(answer.items ?? [])])
          expect(typeof object.metadata).toBe('object');
      }),
      { numRuns: 300 },
    );
    expect(failed).toBeGreaterThan(50);
  });
});

/** JSON of any shape, as `sealOutcomes` would seal it. */
const sealedAs = (value: unknown, secret: string): Uint8Array[] =>
  sealOutcomes(value as Parameters<typeof sealOutcomes>[0], secret, clock.randomId());

/** A cluster whose relay answers each message of commands with these parts. */
function answeringWith(partsFor: (message: CommandMessage) => readonly Uint8Array[]): RelayedCluster {
  let parts: readonly Uint8Array[] = [];
  return new RelayedCluster({
    cluster: 'far',
    clock,
    queue: {
      send: async (_: QueueName, [message]) => {
        if (message) parts = partsFor(decodeCommands(message.body));
      },
    },
    store: { readAnswer: async (_cluster: string, _id: string, part: number) => parts[part] },
  });
}

describe('the readers', () => {
  test('take garbage of any kind for what it is', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.base64String());
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('', 'commands:', 'answer:'),
        fc.array(fc.uint8Array({ maxLength: 80 })),
        (garbage, before, parts) => {
          read(() => decodeCommands(before + garbage));
          read(() => decodeAnswer(before + garbage));
          read(() => openOutcomes(parts, garbage));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('open an answer that was sealed as it should be and says nothing that a relay says', () => {
    const sound: unknown = {
      relayMs: 5,
      outcomes: [
        { at: 0, failure: { kind: 'Conflict', message: 'no', conflict: 'precondition', causes: [{ reason: 'r' }] } },
        { at: 1, dateMs: 5, object: aPod('one') },
        { at: 2, dateMs: 5, items: [aPod('one')], resourceVersion: '7' },
      ],
    };
    let refused = 0;
    fc.assert(
      fc.property(misshapen(sound), damages, fc.boolean(), (value, damage: Damage, isCut) => {
        const parts = sealedAs(value, 'secret');
        if (read(() => openOutcomes(isCut ? parts.map(damage) : parts, 'secret')) === undefined) refused += 1;
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});
