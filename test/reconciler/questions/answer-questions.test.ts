// Questions of those who may not reach clusters, through the wakes queue and the table: answered by what may, sealed for the asker, and in time.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readLogs } from '../../../lib/api/logs/log-access.ts';
import { listQueues, listDeadLetters } from '../../../lib/api/queues.ts';
import type { Cluster } from '../../../lib/ports/cluster.ts';
import type { ReceivedMessage } from '../../../lib/ports/queue.ts';
import { reconcileBatch } from '../../../lib/reconciler/batch.ts';
import { Reconciler } from '../../../lib/reconciler/reconcile.ts';
import { encodeQuestions } from '../../../lib/wire/messages.ts';
import { togetherInMessages, type Question } from '../../../lib/wire/questions.ts';
import { embeddedPorts, giveUp, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { PlayedLogs } from '../../api/logs/played-logs.ts';

const T = Date.parse('2026-05-01T10:00:00Z');
const SAID = 'the password is hunter2';

let ports: EmbeddedPorts;
let logs: PlayedLogs;
let stored: Buffer[];
let sent: string[];
const ending = { signal: new AbortController() };

beforeEach(async () => {
  const embedded = await embeddedPorts('local');
  logs = new PlayedLogs();
  [stored, sent] = [[], []];
  const { store, queue } = embedded;
  const putAnswer = store.putAnswer.bind(store);
  store.putAnswer = async (cluster, id, part, bytes) => {
    stored.push(Buffer.from(bytes));
    await putAnswer(cluster, id, part, bytes);
  };
  const send = queue.send.bind(queue);
  queue.send = async (name, messages) => {
    sent.push(...messages.map(({ body }) => body));
    await send(name, messages);
  };
  ports = { ...embedded, connect: () => logs as unknown as Cluster };
  ending.signal = new AbortController();
});
afterEach(() => {
  ending.signal.abort();
  ports.close();
});

/** The function behind the wakes queue, while a test runs. */
async function reconcileMeanwhile(): Promise<void> {
  const reconciler = new Reconciler(ports);
  const { signal } = ending.signal;
  while (!signal.aborted) {
    const messages: ReceivedMessage[] = await ports.queue
      .receive('wakes', { max: 10, waitSeconds: 1, visibilitySeconds: 30, signal })
      .catch(() => []);
    if (messages.length === 0) continue;
    await reconcileBatch(messages, { reconciler, ports, hasTime: () => true });
    await ports.queue
      .delete(
        'wakes',
        messages.map(({ receiptHandle }) => receiptHandle),
      )
      .catch(() => {});
  }
}

const record = async (): Promise<NonNullable<Awaited<ReturnType<EmbeddedPorts['clusters']['get']>>>> => {
  const known = await ports.clusters.get('local');
  if (!known) throw new Error('it is not registered');
  return known;
};

const wanted = (pod: string) => ({
  namespace: 'default',
  pod,
  wanted: { container: 'main', limitBytes: 100_000, timestamps: true as const },
});

test('logs of many pods come, each at its place, and neither queue nor table shows them', async () => {
  void reconcileMeanwhile();
  const names = Array.from({ length: 60 }, (_, at) => `a-pod-with-quite-a-long-name-so-that-one-message-holds-few-of-them-${at}`);
  for (const name of names.slice(1)) logs.write(name, [T, `${SAID} of ${name}\n`]);
  const outcomes = await readLogs(ports, await record(), names.map(wanted));
  expect(outcomes?.map((outcome) => ('text' in outcome ? outcome.text : outcome.failure.kind))).toEqual([
    'NotFound',
    ...names.slice(1).map((name) => `2026-05-01T10:00:00.000Z ${SAID} of ${name}\n`),
  ]);
  expect(sent.length).toBeGreaterThan(1);
  // What a function of the build before takes for a wake that is too long would be a dead letter.
  expect(sent.filter((body) => body.length > 4_096)).toEqual([]);
  expect([sent.join('\n'), ...stored.map((bytes) => bytes.toString('latin1'))].filter((text) => text.includes('hunter2'))).toEqual([]);
}, 30_000);

test('nobody waits for an answer for ever', async () => {
  expect(await readLogs({ ...ports, clock: hasty() }, await record(), [wanted('a')])).toBeUndefined();
});

/** Time that passes as soon as somebody waits. */
function hasty(): EmbeddedPorts['clock'] {
  const { clock } = ports;
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    monotonicMs: () => clock.monotonicMs() + aheadMs,
    wait: async (ms) => void (aheadMs += ms),
    randomId: () => clock.randomId(),
    random: () => clock.random(),
  };
}

test('a question that came too late, or about a namespace that is not registered, reads nothing', async () => {
  const { queue } = ports;
  void reconcileMeanwhile();
  const [late, elsewhere] = ['late', 'elsewhere'].map((id) => `${id}-${'x'.repeat(20)}`);
  const question: Question = { about: 'log', ...wanted('a') };
  const message = { look: 'questions' as const, cluster: 'local', secret: 'y'.repeat(44), questions: [question] };
  const known = await record();
  await ports.clusters.put({ ...known, namespaces: ['work'] }, known.version);
  await queue.send('wakes', [
    { body: encodeQuestions({ ...message, id: late ?? '', untilMs: Date.now() - 1 }), groupId: 'late', deduplicationId: 'late' },
    { body: encodeQuestions({ ...message, id: elsewhere ?? '', untilMs: Date.now() + 60_000 }), groupId: 'else', deduplicationId: 'else' },
  ]);
  const outcomes = await readLogs(ports, known, [wanted('a')]);
  expect(outcomes).toMatchObject([
    { failure: { kind: 'Terminal', message: expect.stringContaining('is not registered for the namespace default') } },
  ]);
  expect(logs.asked).toEqual([]);
  expect(await ports.store.readAnswer('local', elsewhere ?? '', 0)).toBeDefined();
  expect(await ports.store.readAnswer('local', late ?? '', 0)).toBeUndefined();
}, 30_000);

test('the secret of a question that became a dead letter is shown to nobody', async () => {
  const question: Question = { about: 'log', ...wanted('a') };
  const secret = 'z'.repeat(44);
  const body = encodeQuestions({ look: 'questions', cluster: 'local', id: 'x'.repeat(22), secret, untilMs: 1, questions: [question] });
  await ports.queue.send('wakes', [{ body, groupId: 'g', deduplicationId: 'd' }]);
  await giveUp(ports, 'wakes');
  const { told } = await listDeadLetters(ports, ['wakes'], 10);
  expect(told).toMatchObject([{ body: '' }]);
  expect(JSON.stringify([told, await listQueues(ports)])).not.toContain('zzz');
});

test('questions go into as few messages as they fit into, in their order', () => {
  const questions = Array.from({ length: 100 }, (_, at): Question => ({ about: 'log', ...wanted(`pod-${at}`) }));
  const together = togetherInMessages(questions);
  expect(together.flat()).toEqual(questions);
  expect(together.length).toBeLessThan(8);
});
