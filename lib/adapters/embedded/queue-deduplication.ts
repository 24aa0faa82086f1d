// Deduplication ids that FIFO queues have seen: within five minutes a second message with the same id in the same group is dropped.
import type { OutgoingMessage, QueueName } from '../../ports/queue.ts';
import { isQueueName } from '../sqs/queue-limits.ts';
import type { QueueFile } from './queue-file.ts';

export const DEDUPLICATION_MS = 5 * 60_000;

/** Expired ids are looked for once in so many messages. */
const MESSAGES_BETWEEN_CLEANINGS = 4_096;

/** Kept in the queues' file, so that a restart forgets nothing, and in memory, where it is asked. */
export class SeenMessages {
  readonly #file: QueueFile;
  /** `group` and id → Unix milliseconds until which a second one is dropped. */
  readonly #expiries = new Map<QueueName, Map<string, number>>();
  #sinceCleaning = 0;

  constructor(file: QueueFile) {
    this.#file = file;
    for (const { queue, id, expiresAtMs } of file.deduplications()) if (isQueueName(queue)) this.#of(queue).set(id, expiresAtMs);
  }

  /** Those that were not heard yet, and of twins the first. */
  fresh(queue: QueueName, messages: readonly OutgoingMessage[], nowMs: number): OutgoingMessage[] {
    const heard = this.#of(queue);
    const seen = new Set<string>();
    return messages.filter((message) => {
      const id = idOf(message);
      if (id === undefined) return true;
      if (seen.has(id) || (heard.get(id) ?? 0) > nowMs) return false;
      seen.add(id);
      return true;
    });
  }

  /** Within the transaction that sends them. */
  write(queue: QueueName, messages: readonly OutgoingMessage[], nowMs: number): void {
    for (const message of messages) {
      const id = idOf(message);
      if (id !== undefined) this.#file.rememberDeduplication(queue, id, nowMs + DEDUPLICATION_MS);
    }
    this.#sinceCleaning += messages.length;
    if (this.#sinceCleaning < MESSAGES_BETWEEN_CLEANINGS) return;
    this.#sinceCleaning = 0;
    this.#file.forgetDeduplications(nowMs);
    for (const ids of this.#expiries.values()) for (const [id, expiresAtMs] of ids) if (expiresAtMs <= nowMs) ids.delete(id);
  }

  /** Once they are sent. */
  keep(queue: QueueName, messages: readonly OutgoingMessage[], nowMs: number): void {
    for (const message of messages) {
      const id = idOf(message);
      if (id !== undefined) this.#of(queue).set(id, nowMs + DEDUPLICATION_MS);
    }
  }

  forgetAll(): void {
    this.#expiries.clear();
  }

  #of(queue: QueueName): Map<string, number> {
    const known = this.#expiries.get(queue) ?? new Map<string, number>();
    this.#expiries.set(queue, known);
    return known;
  }
}

const idOf = ({ groupId, deduplicationId }: OutgoingMessage): string | undefined =>
  deduplicationId === undefined ? undefined : `${groupId} ${deduplicationId}`;
