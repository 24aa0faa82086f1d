// Queues with the semantics of SQS, which the embedded one keeps too.

/**
 * events: standard, relay → ingest, group = cluster (fair). wakes: FIFO, group = workload. timers: standard with delays.
 * `relay-<cluster>`: asks and commands to that cluster's relay. Each has a dead-letter queue; `dead` calls speak of it.
 */
export type QueueName = 'events' | 'wakes' | 'timers' | `relay-${string}`;

export interface OutgoingMessage {
  /** At most 1 MiB (1,048,576 bytes) of UTF-8. */
  body: string;
  groupId?: string;
  /** FIFO queues only: within 5 minutes a second message with the same id in the same group is accepted and dropped. */
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
  /** When it was received for the first time, by the queue's own clock, Unix milliseconds; where the queue tells. */
  receivedAtMs?: number;
  groupId?: string;
  deduplicationId?: string;
  /** Who sent it, as the queue itself knows it (R15): a user or a role, without the name of a session; empty where the queue does not tell. */
  senderId: string;
}

/** Characters of a dead letter's body that a look keeps: a thousand may lie in memory at once, and a queue takes bodies of 1 MiB. */
export const DEAD_LETTER_HEAD = 65_536;

export interface DeadLetter {
  messageId: string;
  /** Its first 65,536 characters, which is all of most. */
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
  /** Of the oldest message, in whatever state; where the queue tells. */
  oldestSentAtMs?: number;
  /**
   * Since when the message waits that was never received, and that nothing keeps back (a delay, an earlier one of its group); null where
   * none does. Undefined: this queue cannot tell.
   */
  waitingSinceMs?: number | null;
}

/** The time that a redrive has is over; what is left is for another one, or goes on by itself, as the message says. */
export class UnfinishedRedriveError extends Error {
  /** How many went back until then. */
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
   * @throws when any of them was not accepted (the others may have been: sending again must do no harm)
   */
  send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void>;
  /** @param options.max 1 to 10. FIFO: a group with messages in flight gives none. */
  receive(
    queue: QueueName,
    options: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]>;
  delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void>;
  /** 0 makes the message visible at once. */
  changeVisibility(queue: QueueName, receiptHandle: string, seconds: number): Promise<void>;
  /** Messages that came back too often. Looking at them changes nothing. @param limit 1 to 1,000 */
  deadLetters(queue: QueueName, limit: number): Promise<DeadLetter[]>;
  /**
   * Moves dead letters back, all or those named; safe to repeat at any age.
   * @returns how many went back
   * @throws UnfinishedRedriveError
   */
  redrive(queue: QueueName, messageIds?: readonly string[]): Promise<number>;
  depth(queue: QueueName): Promise<QueueDepth>;
}
