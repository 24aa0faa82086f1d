// Limits of SQS, checked before anything is sent: the embedded queue refuses just what the service would.
import { DEAD_LETTER_HEAD, type OutgoingMessage, type QueueName } from '../../ports/queue.ts';

export const MESSAGE_BYTES_MAX = 1024 * 1024;
export const BATCH_MESSAGES_MAX = 10;
const DELAY_SECONDS_MAX = 900;

/** Letters, digits, punctuation; at most 128: the sender hashes a longer name. */
const ID = /^[!-~]{1,128}$/;

/** Characters that XML cannot hold, so SQS does not either; half a surrogate pair among them. */
const UNSENDABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export const isQueueName = (name: string): name is QueueName =>
  name === 'events' || name === 'wakes' || name === 'timers' || name.startsWith('relay-');

export const isFifo = (queue: QueueName): boolean => queue === 'wakes';

/** @throws RangeError naming the queue, the message's place and what is wrong with it */
export function checkOutgoing(queue: QueueName, messages: readonly OutgoingMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const fault = faultOf(message, isFifo(queue));
    if (fault) throw new RangeError(`message ${index + 1} of ${messages.length} for the queue ${queue}: ${fault}`);
  }
}

function faultOf({ body, groupId, deduplicationId, delaySeconds }: OutgoingMessage, fifo: boolean): string | undefined {
  const bytes = Buffer.byteLength(body);
  if (bytes === 0) return 'the body is empty';
  if (bytes > MESSAGE_BYTES_MAX) return `the body takes ${bytes} bytes, at most ${MESSAGE_BYTES_MAX} are allowed`;
  if (UNSENDABLE.test(body)) return 'the body holds characters that SQS does not carry';
  if (groupId !== undefined && !ID.test(groupId)) return `the group ${shown(groupId)} is not 1 to 128 letters, digits and punctuation`;
  if (deduplicationId !== undefined && !ID.test(deduplicationId))
    return `the deduplication id ${shown(deduplicationId)} is not 1 to 128 letters, digits and punctuation`;
  if (fifo && (groupId === undefined || deduplicationId === undefined)) return 'a FIFO queue needs a group and a deduplication id';
  if (!fifo && deduplicationId !== undefined) return 'only a FIFO queue takes a deduplication id';
  if (delaySeconds === undefined) return undefined;
  if (fifo) return 'a FIFO queue takes no delay for a single message';
  return Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= DELAY_SECONDS_MAX
    ? undefined
    : `the delay ${delaySeconds} s is not a whole number from 0 to ${DELAY_SECONDS_MAX}`;
}

const shown = (id: string): string => JSON.stringify(id.length > 40 ? `${id.slice(0, 40)}…` : id);

/** @returns them in their order, at most ten messages and 1 MiB in each batch */
export function batchesOf<Message extends Pick<OutgoingMessage, 'body'>>(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = [];
  let batch: Message[] = [];
  let batchBytes = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.body);
    if (batch.length === 0 || batch.length === BATCH_MESSAGES_MAX || batchBytes + bytes > MESSAGE_BYTES_MAX) {
      batch = [];
      batchBytes = 0;
      batches.push(batch);
    }
    batch.push(message);
    batchBytes += bytes;
  }
  return batches;
}

/** The part of a dead letter's body that a look at it keeps. The head is copied: a slice of a text would keep all of it in memory. */
export const headOf = (body: string): { head: string; bytes: number } => ({
  head: Buffer.from(body.slice(0, DEAD_LETTER_HEAD)).toString(),
  bytes: Buffer.byteLength(body),
});
