// Questions of a relay about the tasks behind its cluster's virtual nodes: what comes back, to whom, and about what nothing is said.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import { ingestBatch } from '../../../lib/reconciler/ingest.ts';
import { decodeAnswer, isAnswer, openOutcomes, type Outcome } from '../../../lib/wire/command-answers.ts';
import { decodeWake } from '../../../lib/wire/messages.ts';
import { encodeRelayQuestions, type RelayQuestions } from '../../../lib/wire/questions.ts';
import { NodesWorld } from '../../world/virtual-node.ts';
import { CLUSTER } from '../../world/world.ts';

const SECRET = 's'.repeat(22);
const PRINTED = 'what only its reader may see\n';

let world: NodesWorld;
let toRelay: string[] = [];
let toWakes: string[] = [];
let pod: WorkloadKey;
/** Of a task that the provider runs for another cluster. */
let foreignUid: string | undefined;
beforeEach(async () => {
  toRelay = [];
  toWakes = [];
  foreignUid = undefined;
  world = await NodesWorld.open({ options: { [NODE_OPTIONS.node]: 'edge=simulated far=simulated' }, between: withForeignTask });
  const send = world.ports.queue.send.bind(world.ports.queue);
  world.ports.queue.send = async (name, messages) => {
    const bodies = messages.map(({ body }) => body);
    if (name === `relay-${CLUSTER}`) toRelay.push(...bodies.filter(isAnswer));
    if (name === 'wakes') toWakes.push(...bodies.filter((body) => body.includes('"questions"')));
    return await send(name, messages);
  };
  pod = await world.bind('a', { node: 'edge', script: { 'run-seconds': '1000000', log: PRINTED } });
  await world.waitUntil(async () => (await world.podNamed('a'))?.status?.phase === 'Running');
});
afterEach(() => world.close());

function withForeignTask(provider: Provider): Provider {
  return {
    ...provider,
    list: async (page, deadline) => {
      const { tasks, ...rest } = await provider.list(page, deadline);
      const [first] = tasks;
      return { ...rest, tasks: first && foreignUid !== undefined ? [...tasks, { ...first, uid: foreignUid }] : tasks };
    },
    figures: async (deadline) => {
      const figures = (await provider.figures?.(deadline)) ?? [];
      const [first] = figures;
      return first && foreignUid !== undefined ? [...figures, { ...first, uid: foreignUid }] : figures;
    },
  };
}

type Question = RelayQuestions['questions'][number];
const questionsOf = (...questions: Question[]): RelayQuestions => ({
  look: 'questions',
  cluster: CLUSTER,
  id: 'i'.repeat(22),
  secret: SECRET,
  untilMs: world.clock.nowMs() + 20_000,
  questions,
  kubeSystemUid: world.record.kubeSystemUid ?? 'none',
});
const log = (about: Partial<Extract<Question, { about: 'taskLog' }>> = {}): Question => ({
  about: 'taskLog',
  node: 'edge',
  namespace: 'default',
  pod: 'a',
  uid: pod.uid,
  wanted: { container: 'main', limitBytes: 1_000 },
  ...about,
});

/** As `reconcile` answers them. */
async function answersTo(...questions: Question[]): Promise<Outcome[]> {
  const { kubeSystemUid: _uid, ...asked } = questionsOf(...questions);
  await world.reconciler.answer({ ...asked, answerTo: 'relay' });
  const parts = toRelay.splice(0).map((body) => decodeAnswer(body));
  return openOutcomes(
    parts.map(({ bytes }) => bytes),
    SECRET,
  ).outcomes;
}

describe('answers', () => {
  test('a log, what runs, and figures, sealed for the asker alone', async () => {
    const outcomes = await answersTo(log(), { about: 'runningTasks', node: 'edge' }, { about: 'figures', node: 'edge' });
    expect(outcomes).toMatchObject([
      { at: 0, object: { log: PRINTED, isCut: false } },
      { at: 1, object: { running: [pod.uid] } },
      { at: 2, object: { figures: [{ uid: pod.uid, containers: [{ name: 'main', cpuCores: 0.01 }] }] } },
    ]);
    await world.reconciler.answer({ ...questionsOf(log()), answerTo: 'relay' });
    expect(toRelay.join()).not.toMatch(/what only/);
    expect(() => openOutcomes([decodeAnswer(toRelay[0] ?? '').bytes], 'x'.repeat(22))).toThrow(/not sealed with the secret/);
  });

  test('a log that is longer than was asked for is cut, and says so', async () => {
    expect(await answersTo(log({ wanted: { container: 'main', limitBytes: 4 } }))).toMatchObject([
      { object: { log: 'what', isCut: true } },
    ]);
  });

  test('R15: nothing of another cluster, of a node that is none of its own, of a pod that it has not', async () => {
    const outcomes = await answersTo(
      log({ node: 'none' }),
      log({ pod: 'b' }),
      log({ uid: 'another-uid' }),
      log({ node: 'far' }),
      { about: 'runningTasks', node: 'none' },
      { about: 'figures', node: 'none' },
    );
    expect(outcomes.map((outcome) => ('failure' in outcome ? outcome.failure.message : outcome))).toEqual([
      `none is none of the virtual nodes of ${CLUSTER}`,
      `no pod default/b of ${CLUSTER} is known to run there`,
      `no pod default/a of ${CLUSTER} is known to run there`,
      'pod not found',
      `none is none of the virtual nodes of ${CLUSTER}`,
      `none is none of the virtual nodes of ${CLUSTER}`,
    ]);
  });

  test('R15: of tasks that the provider runs for other clusters nothing is told', async () => {
    foreignUid = '11111111-2222-4333-8444-555555555555';
    expect(await answersTo({ about: 'runningTasks', node: 'edge' }, { about: 'figures', node: 'edge' })).toMatchObject([
      { object: { running: [pod.uid] } },
      { object: { figures: [{ uid: pod.uid }] } },
    ]);
  });

  test('a question for whose answer nobody waits any more is not answered', async () => {
    await world.reconciler.answer({ ...questionsOf(log()), untilMs: world.clock.nowMs() - 1, answerTo: 'relay' });
    expect(toRelay).toEqual([]);
  });
});

describe('on their way through ingest', () => {
  const deliver = async (questions: RelayQuestions, senderId = world.record.senders[0] ?? ''): Promise<string[]> =>
    await ingestBatch(
      [
        {
          messageId: 'm',
          body: encodeRelayQuestions(questions),
          senderId,
          receiveCount: 1,
          sentAtMs: world.clock.nowMs(),
          receiptHandle: 'r',
        },
      ],
      world.ports,
    );

  test('they go on to reconcile, marked as a relay asks', async () => {
    expect(await deliver(questionsOf(log()))).toEqual([]);
    expect(toWakes.map((body) => decodeWake(body))).toEqual([
      {
        look: 'questions',
        cluster: CLUSTER,
        id: 'i'.repeat(22),
        secret: SECRET,
        untilMs: expect.any(Number),
        questions: [log()],
        answerTo: 'relay',
      },
    ]);
  });

  test('R15: those of a sender that is not registered for that cluster go nowhere', async () => {
    expect(await deliver(questionsOf(log()), 'somebody-else')).toEqual([]);
    expect(await deliver({ ...questionsOf(log()), cluster: 'another' })).toEqual([]);
    expect(await deliver({ ...questionsOf(log()), kubeSystemUid: 'another-cluster' })).toEqual([]);
    expect(toWakes).toEqual([]);
  });
});
