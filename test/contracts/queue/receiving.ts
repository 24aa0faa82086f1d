// A queue that a contract is run on, and what its tests send and receive.
import type { OutgoingMessage, Queue, QueueName, ReceivedMessage } from '../../../lib/ports/queue.ts';

export interface QueueUnderTest {
  queue: Queue;
  nowMs: () => number;
  /** Lets so much time go by. */
  pass: (ms: number) => Promise<void>;
  /** Receives after which a message is a dead letter. */
  maxReceiveCount: number;
  senderId: string;
  close: () => Promise<void>;
}

/** What a peer does otherwise; what is asserted instead stands at each. Printed with the suite. */
export interface QueueDifferences {
  /** One deduplication id counts for all groups: asserted instead that the second message is dropped. */
  deduplicationAcrossGroups?: string;
  /** Knows no move task: asserted instead that all dead letters go back one by one. */
  noMoveTask?: string;
  /** A move task leaves dead letters of FIFO queues where they are: asserted that they go back all the same, one by one. */
  noFifoMoveTask?: string;
  /** A move task brings back dead letters that were deleted before: asserted where none was deleted. */
  movesDeletedLetters?: string;
  /** Time moves on its own: what takes minutes is asserted on the embedded queue only. */
  realTime?: string;
}

/** Where time is real, a machine that stands still for a moment must not make it pass before something was looked at. */
export const VISIBILITY_SECONDS = 6;

let ids = 0;
/** Not used by any other test, nor by another run on the same queues. */
export const unique = (prefix: string): string => `${prefix}-${Date.now().toString(36)}-${process.pid}-${ids++}`;

export const aWake = (groupId: string, body: string): OutgoingMessage => ({ body, groupId, deduplicationId: unique('id') });

export const receiveNow = (queue: Queue, name: QueueName, max = 10, visibilitySeconds = VISIBILITY_SECONDS): Promise<ReceivedMessage[]> =>
  queue.receive(name, { max, waitSeconds: 0, visibilitySeconds });

/** Receives until so many have come; a queue may give fewer than it has. Bounded by 20 s of waiting. */
export async function receiveSome(
  { queue, pass }: QueueUnderTest,
  name: QueueName,
  count: number,
  visibilitySeconds = 30,
): Promise<ReceivedMessage[]> {
  const received: ReceivedMessage[] = [];
  for (let round = 0; round < 200 && received.length < count; round++) {
    const messages = await receiveNow(queue, name, Math.min(10, count - received.length), visibilitySeconds);
    received.push(...messages);
    if (messages.length === 0) await pass(100);
  }
  return received;
}

export const bodiesOf = (messages: readonly { body: string }[]): string[] => messages.map(({ body }) => body);
export const handlesOf = (messages: readonly ReceivedMessage[]): string[] => messages.map(({ receiptHandle }) => receiptHandle);

export const firstOf = (messages: readonly ReceivedMessage[]): ReceivedMessage => {
  const [first] = messages;
  if (!first) throw new Error('nothing was received');
  return first;
};
