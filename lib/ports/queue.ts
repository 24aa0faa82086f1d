// Queues with the semantics of SQS. The embedded queue has the same.

/**
 * events: standard, relay → ingest, group = cluster (fair). wakes: FIFO, group = workload. timers: standard with delays.
 * `relay-<cluster>`: asks and commands to that cluster's relay. Each has a dead-letter queue, which `deadLetters`, `redrive` and `drop` use.
 */
export type QueueName = 'events' | 'wakes' | 'timers' | `relay-${string}`;

export interface OutgoingMessage {
  /** At most 1 MiB (1,048,576 bytes) of UTF-8. */
  body: string;
  groupId?: string;
  /** FIFO queues only. For 5 minutes the queue accepts, and drops, a second message with this id in this group. */
  deduplicationId?: string;
  /** 0 to 900; standard queues only. */
  delaySeconds?: number;
}

export interface ReceivedMessage {
  messageId: string;
  receiptHandle: string;
  body: string;
  /** 1 at the first receive. */
  receiveCount: number;
  /** Unix milliseconds. */
  sentAtMs: number;
  /** Of the first receive, by the queue's own clock, Unix milliseconds. Absent where the queue does not say. */
  receivedAtMs?: number;
  groupId?: string;
  deduplicationId?: string;
  /** The sender as the queue itself identifies it (R15): a user or a role, without the name of a session. Empty where the queue does not say. */
  senderId: string;
}

/** Characters kept of a dead letter's body. A thousand of them may be in memory at once, and a body may have 1 MiB. */
export const DEAD_LETTER_HEAD = 65_536;

export interface DeadLetter {
  messageId: string;
  /** At most the first 65,536 characters. */
  body: string;
  /** Of the whole body. */
  bytes: number;
  groupId?: string;
  sentAtMs: number;
}

/** Approximate numbers of messages. */
export interface QueueDepth {
  visible: number;
  inFlight: number;
  delayed: number;
  dead: number;
  /** Of the oldest message, visible or not. Absent where the queue does not say. */
  oldestSentAtMs?: number;
  /**
   * Since when the oldest message waits that could be received and never was: no delay and no earlier message of its group holds it back.
   * Null: no such message. Undefined: this queue cannot say.
   */
  waitingSinceMs?: number | null;
}

/** A redrive, or a drop, ran out of its time. The message says whether it goes on by itself or must be repeated. */
export class UnfinishedRedriveError extends Error {
  /** Messages that went back, or were dropped, until then. */
  readonly moved: number;
  constructor(message: string, moved: number) {
    super(message);
    this.name = 'UnfinishedRedriveError';
    this.moved = moved;
  }
}

export interface Queue {
  /**
   * Any number of messages, in batches of at most 10 and 1 MiB inside.
   * @throws if the queue refused any of them. It may have accepted the others, so sending all again must do no harm
   */
  send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void>;
  /** A FIFO group with messages in flight gives no more. @param options.max 1 to 10 */
  receive(
    queue: QueueName,
    options: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]>;
  delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void>;
  /** 0 makes the message visible at once. */
  changeVisibility(queue: QueueName, receiptHandle: string, seconds: number): Promise<void>;
  /** Messages that came back too often. Reading them changes nothing. @param limit 1 to 1,000 */
  deadLetters(queue: QueueName, limit: number): Promise<DeadLetter[]>;
  /**
   * Moves dead letters back, all or those named; safe to repeat at any age.
   * @returns how many went back
   * @throws UnfinishedRedriveError
   */
  redrive(queue: QueueName, messageIds?: readonly string[]): Promise<number>;
  /**
   * Deletes the dead letters of these ids; safe to repeat at any age.
   * @returns how many there were
   * @throws UnfinishedRedriveError
   */
  drop(queue: QueueName, messageIds: readonly string[]): Promise<number>;
  depth(queue: QueueName): Promise<QueueDepth>;
}
