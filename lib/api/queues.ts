// Queues as the API tells them: how full they are, what lies in their dead-letter queues, and the way back.
import { setImmediate } from 'node:timers/promises';
import type { Ports } from '../ports/ports.ts';
import { UnfinishedRedriveError, type DeadLetter, type QueueName } from '../ports/queue.ts';
import { inParallel } from '../reconciler/parallel.ts';
import { isCommands } from '../wire/commands.ts';
import { problemOf } from './dead-letter-problem.ts';
import { timeText } from './time-text.ts';

/** Bytes of a dead letter's body that are shown: enough to see what it was. */
const SHOWN_BODY = 2_000;

export interface QueueSummary {
  name: QueueName;
  visible: number;
  inFlight: number;
  delayed: number;
  dead: number;
  oldestSentTime?: string;
}

export interface DeadLetterSummary {
  queue: QueueName;
  messageId: string;
  sentTime: string;
  bytes: number;
  /** What is wrong with it. */
  problem: string;
  /** The first 2,000 characters; of commands nothing, for they hold templates. */
  body: string;
}

/** All queues of this installation: the three of the loop and one per cluster's relay. */
export async function queueNames({ clusters }: Pick<Ports, 'clusters'>): Promise<QueueName[]> {
  return ['events', 'wakes', 'timers', ...(await clusters.list()).map(({ name }): QueueName => `relay-${name}`)];
}

/** One that did not answer, as that of a cluster that is half removed, which is no trouble of the others (R13). */
export interface QueueFailure {
  queue: QueueName;
  reason: string;
}

/** What the queues that answered told, in their order, and which did not. */
export interface FromQueues<Told> {
  told: Told[];
  failed: QueueFailure[];
}

/** They wait for the service most of the time: a thousand clusters are asked within the seconds that the API has. */
const QUEUES_AT_ONCE = 32;

/** @throws what the first one throws, where no queue answers */
async function askQueues<Told>(names: readonly QueueName[], ask: (name: QueueName) => Promise<Told>): Promise<FromQueues<Told>> {
  const answers: ({ told: Told } | { error: unknown; queue: QueueName })[] = [];
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

/** How much waits in each queue, and the oldest of it; nothing is received. */
export async function listQueues(ports: Pick<Ports, 'clusters' | 'queue'>): Promise<FromQueues<QueueSummary>> {
  return await askQueues(await queueNames(ports), async (name) => {
    const { visible, inFlight, delayed, dead, oldestSentAtMs } = await ports.queue.depth(name);
    return { name, visible, inFlight, delayed, dead, ...(oldestSentAtMs !== undefined && { oldestSentTime: timeText(oldestSentAtMs) }) };
  });
}

/** Looking at them changes nothing. @param limit 1 to 1,000, per queue */
export async function listDeadLetters(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  limit: number,
): Promise<FromQueues<DeadLetterSummary>> {
  const { told, failed } = await askQueues(names, async (name) => {
    const summaries: DeadLetterSummary[] = [];
    for (const letter of await queue.deadLetters(name, limit)) {
      summaries.push(summaryOf(name, letter));
      // One may unpack to megabytes: the loop of this process goes on in between.
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
  body: isCommands(body) ? '' : body.slice(0, SHOWN_BODY),
});

/**
 * Idempotent at any age: what is there no more is not sent.
 * @returns how many went back of each queue, and those of which some are left because the time was over: they have answered, too
 */
export async function redrive(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  messageIds: readonly string[] | undefined,
): Promise<FromQueues<number> & { unfinished: QueueFailure[] }> {
  const unfinished: QueueFailure[] = [];
  const answers = await askQueues(names, async (name) => {
    // There is one for each cluster and nearly all are empty, which a look tells sooner than a move task that is waited for.
    if (!messageIds && name.startsWith('relay-') && (await queue.deadLetters(name, 1)).length === 0) return 0;
    try {
      return await queue.redrive(name, messageIds);
    } catch (error) {
      if (!(error instanceof UnfinishedRedriveError)) throw error;
      unfinished.push({ queue: name, reason: error.message });
      return error.moved;
    }
  });
  return { ...answers, unfinished };
}
