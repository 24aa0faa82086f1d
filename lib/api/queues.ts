// Queues in the API: their length, the messages of their dead-letter queues, and redriving those.
import { setImmediate } from 'node:timers/promises';
import type { WorkloadKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import type { PassRecord } from '../ports/recorder.ts';
import { UnfinishedRedriveError, type DeadLetter, type QueueName } from '../ports/queue.ts';
import { inParallel } from '../reconciler/invocation/parallel.ts';
import { isCommands } from '../wire/commands.ts';
import { isQuestions } from '../wire/questions.ts';
import type { DeadLetter as DeadLetterAnswer, Queue } from './answers/queues.ts';
import type { Told } from './answers/values.ts';
import { problemOf, workloadIn } from './dead-letter-problem.ts';
import { timeText } from '../objects/values/time-text.ts';

/** Bytes of a dead letter's body to show: enough to recognise it. */
const SHOWN_BODY = 2_000;

export type QueueSummary = Told<typeof Queue>;
export type DeadLetterSummary = Told<typeof DeadLetterAnswer>;

/** All queues of this installation: three of the loop, and one per cluster's relay. */
export async function queueNames({ clusters }: Pick<Ports, 'clusters'>): Promise<QueueName[]> {
  return ['events', 'wakes', 'timers', ...(await clusters.list()).map(({ name }): QueueName => `relay-${name}`)];
}

/** A queue that did not answer, for example that of a partly removed cluster. It must not hide the others (R13). */
export interface QueueFailure {
  queue: QueueName;
  reason: string;
}

/** The answers, in the order of the queues, and the queues without an answer. */
export interface FromQueues<Answer> {
  told: Answer[];
  failed: QueueFailure[];
}

/** A request mostly waits for the service. So many at once ask a thousand clusters' queues within the API's few seconds. */
const QUEUES_AT_ONCE = 32;

/** @throws the first queue's error, if no queue answers */
async function askQueues<Answer>(names: readonly QueueName[], ask: (name: QueueName) => Promise<Answer>): Promise<FromQueues<Answer>> {
  const answers: ({ told: Answer } | { error: unknown; queue: QueueName })[] = [];
  await inParallel(names, QUEUES_AT_ONCE, async (queue, at) => {
    try {
      answers[at] = { told: await ask(queue) };
    } catch (error) {
      answers[at] = { error, queue };
    }
  });
  const told = answers.flatMap((answer) => ('told' in answer ? [answer.told] : []));
  const failures = answers.flatMap((answer) => ('told' in answer ? [] : [answer]));
  if (failures[0] && told.length === 0) throw failures[0].error;
  return {
    told,
    failed: failures.map(({ error, queue }) => ({ queue, reason: error instanceof Error ? error.message : String(error) })),
  };
}

/** Number and age of the messages in each queue. Receives nothing. */
export async function listQueues(ports: Pick<Ports, 'clusters' | 'queue'>): Promise<FromQueues<QueueSummary>> {
  return await askQueues(await queueNames(ports), async (name) => {
    const { visible, inFlight, delayed, dead, oldestSentAtMs } = await ports.queue.depth(name);
    return { name, visible, inFlight, delayed, dead, ...(oldestSentAtMs !== undefined && { oldestSentTime: timeText(oldestSentAtMs) }) };
  });
}

/** Reads dead letters without changing them. @param limit 1 to 1,000, per queue */
export async function listDeadLetters(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  limit: number,
): Promise<FromQueues<DeadLetterSummary>> {
  const { told, failed } = await askQueues(names, async (name) => {
    const summaries: DeadLetterSummary[] = [];
    for (const letter of await queue.deadLetters(name, limit)) {
      summaries.push(summaryOf(name, letter));
      // Yield to the event loop between two letters: one may unpack to megabytes.
      await setImmediate();
    }
    return summaries;
  });
  return { told: told.flat(), failed };
}

const summaryOf = (queue: QueueName, { messageId, sentAtMs, body, bytes }: DeadLetter): DeadLetterSummary => ({
  queue,
  messageId,
  sentTime: timeText(sentAtMs),
  bytes,
  problem: problemOf(queue, { body, bytes }),
  body: isCommands(body) || isQuestions(body) ? '' : body.slice(0, SHOWN_BODY),
});

/** As `redrive`, of these letters alone. */
export async function drop(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  messageIds: readonly string[],
): Promise<FromQueues<number> & { unfinished: QueueFailure[] }> {
  return await movedFrom(names, async (name) => {
    if ((await queue.deadLetters(name, 1)).length === 0) return 0;
    return await queue.drop(name, messageIds);
  });
}

/**
 * Idempotent at any age: a message that is no longer there is not sent.
 * @returns how many messages each queue got back, and the queues that ran out of time with some left. Those have answered, too
 */
export async function redrive(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  messageIds: readonly string[] | undefined,
): Promise<FromQueues<number> & { unfinished: QueueFailure[] }> {
  return await movedFrom(names, async (name) => {
    // There is a queue per cluster, and nearly all are empty. A look is faster than a move task and its wait.
    if (!messageIds && name.startsWith('relay-') && (await queue.deadLetters(name, 1)).length === 0) return 0;
    return await queue.redrive(name, messageIds);
  });
}

/**
 * Notes on the timeline of each workload that a letter is about who moved it. Where the recorder is a log of passes, which readers never look for in the log
 * of the API, nothing is read or written: that log names the person itself.
 */
export async function notedOnTimelines<Moved>(
  ports: Pick<Ports, 'queue' | 'recorder' | 'clock' | 'telemetry'>,
  { names, messageIds, verb, by }: Moving,
  move: () => Promise<Moved>,
): Promise<Moved> {
  if (ports.recorder.isInLog) return await move();
  const meant = messageIds && new Set(messageIds);
  const before = (await lettersAboutWorkloads(ports, names)).filter(({ letter }) => meant?.has(letter.messageId) ?? true);
  const moved = await move();
  const left = new Set(before.length === 0 ? [] : (await lettersAboutWorkloads(ports, names)).map(({ letter }) => letter.messageId));
  for (const { queue, key, letter } of before.filter((each) => !left.has(each.letter.messageId)))
    await append(ports, {
      key,
      passId: `person-${ports.clock.randomId()}`,
      by,
      startedAtMs: ports.clock.nowMs(),
      durationMs: 0,
      outcome: 'acted',
      why: [verb === 'drop' ? `${by} dropped a message about it` : `${by} sent a message about it back to be handled again`],
      saw: {},
      actions: [
        {
          verb,
          target: letter.messageId,
          why: `from the dead letters of ${queue}, sent ${timeText(letter.sentAtMs)}: ${problemOf(queue, letter)}`,
          result: 'done',
        },
      ],
    });
  return moved;
}

/** It is done: a note that fails must not make it look undone. */
async function append({ recorder, telemetry }: Pick<Ports, 'recorder' | 'telemetry'>, record: PassRecord): Promise<void> {
  await recorder
    .append(record)
    .catch((error: unknown) => telemetry.error('who moved a dead letter is not noted', { by: record.by, error }));
}

interface Moving {
  names: readonly QueueName[];
  /** Absent: all. */
  messageIds: readonly string[] | undefined;
  verb: 'redrive' | 'drop';
  by: string;
}

/** As many as an answer shows. */
const MOST_NOTED = 1_000;

async function lettersAboutWorkloads(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
): Promise<{ queue: QueueName; letter: DeadLetter; key: WorkloadKey }[]> {
  const { told } = await askQueues(
    names.filter((name) => name === 'wakes' || name === 'timers'),
    async (name) =>
      (await queue.deadLetters(name, MOST_NOTED)).flatMap((letter) => {
        const key = workloadIn(name, letter.body);
        return key ? [{ queue: name, letter, key }] : [];
      }),
  );
  return told.flat();
}

async function movedFrom(
  names: readonly QueueName[],
  move: (name: QueueName) => Promise<number>,
): Promise<FromQueues<number> & { unfinished: QueueFailure[] }> {
  const unfinished: QueueFailure[] = [];
  const answers = await askQueues(names, async (name) => {
    try {
      return await move(name);
    } catch (error) {
      if (!(error instanceof UnfinishedRedriveError)) throw error;
      unfinished.push({ queue: name, reason: error.message });
      return error.moved;
    }
  });
  return { ...answers, unfinished };
}
