// Queues as the API tells them: how full they are, what lies in their dead-letter queues, and the way back.
import { setImmediate } from 'node:timers/promises';
import type { DeadLetter, QueueName } from '../ports/queue.ts';
import type { Ports } from '../ports/ports.ts';
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

/** How much waits in each queue, and the oldest of it; nothing is received. */
export async function listQueues(ports: Pick<Ports, 'clusters' | 'queue'>): Promise<QueueSummary[]> {
  return await Promise.all(
    (await queueNames(ports)).map(async (name) => {
      const { visible, inFlight, delayed, dead, oldestSentAtMs } = await ports.queue.depth(name);
      return { name, visible, inFlight, delayed, dead, ...(oldestSentAtMs !== undefined && { oldestSentTime: timeText(oldestSentAtMs) }) };
    }),
  );
}

/** Looking at them changes nothing. @param limit 1 to 1,000, per queue */
export async function listDeadLetters(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  limit: number,
): Promise<DeadLetterSummary[]> {
  const summaries: DeadLetterSummary[] = [];
  for (const name of names)
    for (const letter of await queue.deadLetters(name, limit)) {
      summaries.push(summaryOf(name, letter));
      // One may unpack to megabytes: the loop of this process goes on in between.
      await setImmediate();
    }
  return summaries;
}

const summaryOf = (queue: QueueName, { messageId, sentAtMs, body }: DeadLetter): DeadLetterSummary => ({
  queue,
  messageId,
  sentTime: timeText(sentAtMs),
  bytes: Buffer.byteLength(body),
  problem: problemOf(queue, body),
  body: isCommands(body) ? '' : body.slice(0, SHOWN_BODY),
});

/** Idempotent at any age: what is there no more is not sent. @returns how many went back */
export async function redrive(
  { queue }: Pick<Ports, 'queue'>,
  names: readonly QueueName[],
  messageIds: readonly string[] | undefined,
): Promise<number> {
  let count = 0;
  for (const name of names) count += messageIds ? await queue.redrive(name, messageIds) : await queue.redrive(name);
  return count;
}
