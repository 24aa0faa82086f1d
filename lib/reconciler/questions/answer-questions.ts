// Answers what those ask who may not reach clusters or providers themselves. The answer goes into the table, or to the relay that asks, sealed for the
// asker alone.
import { deadlineIn, type Deadline } from '../../ports/clock.ts';
import { isInScope, type ClusterRecord } from '../../ports/clusters.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { encodeAnswer, sealOutcomes, type Outcome } from '../../wire/command-answers.ts';
import { isAboutWorkload, type Question, type QuestionsMessage } from '../../wire/questions.ts';
import { answerAboutWorkload } from './answer-about-workload.ts';
import { answerOfProvider, logOnVirtualNode } from './answer-of-provider.ts';
import { failureOf } from './failure.ts';

/** As long as a call lives. */
const CALL_MS = 10_000;
/** Those about a workload take several calls. */
const CALLS_MS = 16_000;

type Answer = { dateMs: number; object: object };

/** @throws errors of store and clusters */
export async function answerQuestions(ports: Ports, message: QuestionsMessage): Promise<void> {
  const { clock, clusters, queue, store } = ports;
  const { cluster: name, id, secret, untilMs, questions } = message;
  // Nobody waits for the answer any more.
  if (clock.nowMs() >= untilMs) return;
  const record = await clusters.get(name);
  const leftMs = untilMs - clock.nowMs();
  const outcomes = await Promise.all(
    questions.map(async (question, at): Promise<Outcome> => {
      try {
        if (!record) throw new NotFoundError(`there is no cluster ${name}`);
        const deadline = deadlineIn(clock, Math.min(leftMs, isAboutWorkload(question) ? CALLS_MS : CALL_MS));
        return { at, ...(await answerTo(ports, { record, question, deadline })) };
      } catch (error) {
        return { at, failure: failureOf(error) };
      }
    }),
  );
  const parts = sealOutcomes({ relayMs: clock.nowMs(), outcomes }, secret, clock.randomId());
  if (message.answerTo === 'relay') {
    const head = { cluster: name, kubeSystemUid: record?.kubeSystemUid ?? name, id };
    const messages = parts.map((bytes, part) => ({ body: encodeAnswer({ ...head, part, bytes }) }));
    await queue.send(`relay-${name}`, messages);
    return;
  }
  for (const [part, bytes] of parts.entries()) await store.putAnswer(name, id, part, bytes);
}

interface Asked {
  record: ClusterRecord;
  question: Question;
  deadline: Deadline;
}

async function answerTo(ports: Ports, { record, question, deadline }: Asked): Promise<Answer> {
  switch (question.about) {
    case 'log': {
      const { namespace, pod, wanted } = question;
      if (!isInScope(record, namespace)) throw new TerminalError(`${record.name} is not registered for the namespace ${namespace}`);
      const cluster = ports.connect(record);
      const ofProvider = await logOnVirtualNode(ports, { record, cluster, deadline }, question);
      if (ofProvider) return { dateMs: ports.clock.nowMs(), object: { metadata: {}, ...ofProvider } };
      const { text, isCut } = await cluster.log({ namespace, name: pod }, wanted, deadline);
      return { dateMs: ports.clock.nowMs(), object: { metadata: {}, log: text, isCut } };
    }
    case 'events':
    case 'manifest':
    case 'action':
      return {
        dateMs: ports.clock.nowMs(),
        object: { metadata: {}, ...(await answerAboutWorkload(ports, { record, question, deadline })) },
      };
    case 'taskLog':
    case 'runningTasks':
    case 'figures':
      return { dateMs: ports.clock.nowMs(), object: { metadata: {}, ...(await answerOfProvider(ports, { record, question, deadline })) } };
  }
}
