// Requests as SQS bills them: ten messages go in one, each 64 KB begun of what they carry counts as one more, empty answers count too.
import type { OutgoingMessage, QueueName, ReceivedMessage } from '../../ports/queue.ts';
import { BATCH_MESSAGES_MAX, isFifo } from '../sqs/queue-limits.ts';

const CHUNK_BYTES = 64 * 1024;

export class RequestMeter {
  /** Of standard queues whose messages carry a group. */
  fairRequests = 0;
  standardRequests = 0;
  fifoRequests = 0;
  /** Told of each request, and of the messages that it is about as far as they are known; `isBatch`: a function gets them. */
  listener?: (queue: QueueName, requests: number, messages: readonly { body: string; groupId?: string }[], isBatch: boolean) => void;
  /** Batches handed out, by queue. */
  readonly batches: Record<string, number> = {};

  sent(queue: QueueName, messages: readonly OutgoingMessage[]): void {
    for (let at = 0; at < messages.length; at += BATCH_MESSAGES_MAX)
      this.#add(queue, chunksOf(messages.slice(at, at + BATCH_MESSAGES_MAX)), messages.slice(at, at + BATCH_MESSAGES_MAX));
  }

  received(queue: QueueName, messages: readonly ReceivedMessage[]): void {
    this.#add(queue, chunksOf(messages), messages, messages.length > 0);
    if (messages.length > 0) this.batches[queue] = (this.batches[queue] ?? 0) + 1;
  }

  deleted(queue: QueueName, messages: number): void {
    this.#add(queue, Math.ceil(messages / BATCH_MESSAGES_MAX), []);
  }

  #add(queue: QueueName, requests: number, messages: readonly { body: string; groupId?: string }[], isBatch = false): void {
    this.listener?.(queue, requests, messages, isBatch);
    if (isFifo(queue)) this.fifoRequests += requests;
    else if (queue === 'events' || queue === 'timers') this.fairRequests += requests;
    else this.standardRequests += requests;
  }
}

const chunksOf = (messages: readonly { body: string }[]): number =>
  Math.max(1, Math.ceil(messages.reduce((bytes, { body }) => bytes + body.length, 0) / CHUNK_BYTES));
