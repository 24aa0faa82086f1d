// Messages that several tasks of one invocation send at about the same time share requests: a batch of ten costs as much as one message.
import type { Clock } from '../../ports/clock.ts';
import type { OutgoingMessage, Queue, QueueName } from '../../ports/queue.ts';

/** Messages in one request. */
const BATCH = 10;
/** A message waits at most this long for others. */
const SOON_MS = 20;

interface Sending {
  queueName: QueueName;
  messages: readonly OutgoingMessage[];
  settle: (sent: Promise<void>) => void;
}

/**
 * A task's messages wait until a batch is full, or until every other task waits too or has ended. No message counts as sent before the
 * queue has accepted it.
 */
export class SendsTogether implements Pick<Queue, 'send'> {
  readonly #queue: Pick<Queue, 'send'>;
  readonly #clock: Pick<Clock, 'wait'>;
  #waiting: Sending[] = [];
  #tasks = 0;
  #bound: AbortController | undefined;

  constructor(queue: Pick<Queue, 'send'>, clock: Pick<Clock, 'wait'>) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Runs one of the tasks. Each task sends one message after the other. */
  async task<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#tasks += 1;
    try {
      return await work();
    } finally {
      this.#tasks -= 1;
      this.#sendWhatIsReady();
    }
  }

  async send(queueName: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
    // A promise of a promise: it settles with the request that carried the messages.
    await new Promise<void>((resolve) => {
      this.#waiting.push({ queueName, messages, settle: resolve });
      // Let other senders of this very turn come first.
      queueMicrotask(() => this.#sendWhatIsReady());
    });
  }

  #sendWhatIsReady(): void {
    if (this.#waiting.length === 0) return;
    if (this.#waiting.length >= this.#tasks) return this.#flush();
    const counts = new Map<QueueName, number>();
    for (const { queueName, messages } of this.#waiting) counts.set(queueName, (counts.get(queueName) ?? 0) + messages.length);
    for (const [queueName, count] of counts) if (count >= BATCH) this.#flush(queueName);
    if (this.#waiting.length > 0 && !this.#bound) void this.#flushInTime();
  }

  async #flushInTime(): Promise<void> {
    const bound = new AbortController();
    this.#bound = bound;
    await this.#clock.wait(SOON_MS, bound.signal);
    if (!bound.signal.aborted) this.#flush();
  }

  /** @param only flush this queue alone */
  #flush(only?: QueueName): void {
    const ready = this.#waiting.filter(({ queueName }) => only === undefined || queueName === only);
    this.#waiting = this.#waiting.filter((sending) => !ready.includes(sending));
    if (this.#waiting.length === 0) {
      this.#bound?.abort();
      this.#bound = undefined;
    }
    for (const queueName of new Set(ready.map((sending) => sending.queueName))) {
      const same = ready.filter((sending) => sending.queueName === queueName);
      for (let at = 0; at < same.length; at += BATCH) this.#sendAll(queueName, same.slice(at, at + BATCH));
    }
  }

  #sendAll(queueName: QueueName, sendings: readonly Sending[]): void {
    const all = this.#queue.send(
      queueName,
      sendings.flatMap(({ messages }) => messages),
    );
    for (const { messages, settle } of sendings) {
      // One message may have made the whole request fail, so each sender tries once more alone (R13). A repeated message does no harm.
      const sent = sendings.length === 1 ? all : all.catch(async () => await this.#queue.send(queueName, messages));
      // Hand the result over at once. Each sender handles its own failure.
      settle(sent);
    }
  }
}
