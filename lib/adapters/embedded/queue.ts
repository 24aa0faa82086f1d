// SQS in this process, on a file that outlives it: standard and FIFO queues, visibility, receive counts, dead letters, delays.
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { DeadLetter, OutgoingMessage, Queue, QueueDepth, QueueName, ReceivedMessage } from '../../ports/queue.ts';
import { checkOutgoing, isFifo, isQueueName } from '../sqs/queue-limits.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { SeenMessages } from './queue-deduplication.ts';
import { QueueFile } from './queue-file.ts';
import { FifoLine, StandardLine, type Entry, type Line } from './queue-line.ts';
import { RequestMeter } from './request-meter.ts';
import { seededRandom } from './seeded-chance.ts';

/** Deliveries after which a message is a dead letter. Wakes also come back when a pass was overtaken, so they get more. */
const MAX_RECEIVE_COUNTS = { events: 5, wakes: 10, timers: 10, relay: 5 };

/** When messages that could not be handed out are visible again. */
const RETRY_MS = 1_000;

/** Given to those who wait: an error made anew for each of them would cost more than all the rest of sending. */
const NEWS = 'news';

export interface EmbeddedQueueOptions {
  /** The state folder; in memory when absent. */
  folder?: string;
  clock?: Clock;
  /** The sender that messages of this process carry (R15). */
  senderId?: string;
  maxReceiveCounts?: Partial<typeof MAX_RECEIVE_COUNTS>;
  /**
   * Faults on purpose: each message comes 1 to `duplicates` times; on standard queues each copy up to `maxDelayMs` late and so out
   * of order, on FIFO queues, which keep their order, again after it was deleted.
   */
  chaos?: { seed: number; duplicates: number; maxDelayMs: number };
}

/** One queue: its order, and who waits for it. */
interface Channel {
  name: QueueName;
  line: Line;
  maxReceiveCount: number;
  waiters: Set<AbortController>;
}

/** Only one process may have the file open; another instance is kept out by the state folder's lock. */
export class EmbeddedQueue implements Queue {
  /** Counts requests as SQS would. */
  readonly meter = new RequestMeter();
  readonly #file: QueueFile;
  readonly #seen: SeenMessages;
  readonly #clock: Clock;
  readonly #senderId: string;
  readonly #maxReceiveCounts: typeof MAX_RECEIVE_COUNTS;
  readonly #chaos: EmbeddedQueueOptions['chaos'];
  readonly #chance: () => number;
  readonly #channels = new Map<QueueName, Channel>();
  readonly #byReceipt = new Map<string, { channel: Channel; entry: Entry }>();
  #sequence: number;

  private constructor(options: EmbeddedQueueOptions, file: QueueFile) {
    this.#file = file;
    this.#seen = new SeenMessages(file);
    this.#clock = options.clock ?? new SystemClock();
    this.#senderId = options.senderId ?? 'local';
    this.#maxReceiveCounts = { ...MAX_RECEIVE_COUNTS, ...options.maxReceiveCounts };
    this.#chaos = options.chaos;
    this.#chance = seededRandom(options.chaos?.seed ?? 1);
    this.#sequence = file.lastSequence();
    this.#load();
  }

  /** @throws one sentence for a file of a newer version or one that cannot be opened; FullDiskError */
  static open(options: EmbeddedQueueOptions = {}): EmbeddedQueue {
    return new EmbeddedQueue(options, new QueueFile(options.folder));
  }

  /** Ends all waiting receives with what they have. */
  close(): void {
    for (const channel of this.#channels.values()) this.#wake(channel);
    this.#file.close();
  }

  get database(): DatabaseSync {
    return this.#file.database;
  }

  /** Why the file began anew although there was one; undefined when it did not. */
  get rebuilt(): 'older version' | 'damaged' | undefined {
    return this.#file.rebuilt;
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    checkOutgoing(queue, messages);
    const channel = this.#channel(queue);
    this.meter.sent(queue, messages);
    const nowMs = this.#clock.nowMs();
    const accepted = this.#seen.fresh(queue, messages, nowMs);
    const entries = accepted.flatMap((message) => this.#entriesOf(message, nowMs, isFifo(queue)));
    this.#file.transaction(() => {
      for (const { entry, body } of entries) this.#file.insert(queue, entry, body);
      this.#seen.write(queue, accepted, nowMs);
    });
    this.#seen.keep(queue, accepted, nowMs);
    for (const { entry } of entries) channel.line.add(entry, nowMs);
    this.#wake(channel);
  }

  async receive(
    queue: QueueName,
    { max, waitSeconds, visibilitySeconds, signal }: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]> {
    if (max < 1 || max > 10) throw new RangeError(`1 to 10 messages are received at once, asked for ${max}`);
    const channel = this.#channel(queue);
    const untilMs = this.#clock.monotonicMs() + waitSeconds * 1000;
    for (;;) {
      const messages = signal?.aborted ? [] : this.#take(channel, max, visibilitySeconds);
      const leftMs = untilMs - this.#clock.monotonicMs();
      if (messages.length > 0 || leftMs <= 0 || signal?.aborted) {
        this.meter.received(queue, messages);
        return messages;
      }
      await this.#news(channel, leftMs, signal);
      if (!this.#file.isOpen) return [];
    }
  }

  async delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void> {
    const channel = this.#channel(queue);
    const nowMs = this.#clock.nowMs();
    channel.line.promote(nowMs);
    const entries = receiptHandles.map((handle) => this.#held(channel, handle)).filter((entry) => entry !== undefined);
    if (entries.length === 0) return;
    this.meter.deleted(queue, entries.length);
    this.#file.transaction(() => {
      for (const entry of entries) {
        if (entry.extraDeliveries === 0) this.#file.remove(entry.sequence);
        // Delivered once more on purpose: that is no failure, so it does not count as a receive.
        else this.#file.update(againOf(entry, nowMs));
      }
    });
    for (const entry of entries) {
      this.#dropReceipt(entry);
      if (entry.extraDeliveries === 0) channel.line.remove(entry);
      else {
        Object.assign(entry, againOf(entry, nowMs));
        channel.line.hide(entry, nowMs);
      }
    }
    this.#wake(channel);
  }

  async changeVisibility(queue: QueueName, receiptHandle: string, seconds: number): Promise<void> {
    const channel = this.#channel(queue);
    const nowMs = this.#clock.nowMs();
    channel.line.promote(nowMs);
    const entry = this.#held(channel, receiptHandle);
    if (!entry || entry.state !== 'inFlight') return;
    const visibleAtMs = nowMs + seconds * 1000;
    this.#file.transaction(() => this.#file.update({ ...entry, visibleAtMs }));
    channel.line.hide(entry, visibleAtMs);
    this.#wake(channel);
  }

  async deadLetters(queue: QueueName, limit: number): Promise<DeadLetter[]> {
    return this.#file.deadLetterHeads(queue, limit);
  }

  async redrive(queue: QueueName, messageIds?: readonly string[]): Promise<number> {
    const channel = this.#channel(queue);
    const wanted = messageIds && new Set(messageIds);
    const nowMs = this.#clock.nowMs();
    const letters = this.#file.deadLetters(queue, Number.MAX_SAFE_INTEGER).filter(({ messageId }) => !wanted || wanted.has(messageId));
    // A new message, as SQS makes one: counted from the start, and not held against what was sent before.
    const entries = letters.map((letter) => ({
      letter,
      entry: { ...this.#newEntry(nowMs), groupId: letter.groupId, deduplicationId: letter.deduplicationId },
    }));
    this.#file.transaction(() => {
      for (const { letter, entry } of entries) {
        this.#file.insert(queue, entry, letter.body);
        this.#file.removeDead(letter.sequence);
      }
    });
    for (const { entry } of entries) channel.line.add(entry, nowMs);
    this.#wake(channel);
    return entries.length;
  }

  async drop(queue: QueueName, messageIds: readonly string[]): Promise<number> {
    const wanted = new Set(messageIds);
    const letters = this.#file.deadLetters(queue, Number.MAX_SAFE_INTEGER).filter(({ messageId }) => wanted.has(messageId));
    this.#file.transaction(() => {
      for (const { sequence } of letters) this.#file.removeDead(sequence);
    });
    return letters.length;
  }

  async depth(queue: QueueName): Promise<QueueDepth> {
    const { line } = this.#channel(queue);
    line.promote(this.#clock.nowMs());
    const depth = { visible: 0, inFlight: 0, delayed: 0, dead: this.#file.deadCount(queue) };
    let oldestSentAtMs = Infinity;
    let waitingSinceMs = Infinity;
    // Of a group in which one came back, or is being worked on, the others wait for that one alone.
    const keptBack = new Set<string | undefined>();
    if (isFifo(queue)) for (const { groupId, receiveCount } of line.entries.values()) if (receiveCount > 0) keptBack.add(groupId);
    for (const entry of line.entries.values()) {
      if (entry.state !== 'gone') depth[entry.state]++;
      oldestSentAtMs = Math.min(oldestSentAtMs, entry.sentAtMs);
      if (entry.state === 'visible' && entry.receiveCount === 0 && !keptBack.has(entry.groupId))
        waitingSinceMs = Math.min(waitingSinceMs, entry.visibleAtMs);
    }
    return {
      ...depth,
      ...(oldestSentAtMs !== Infinity && { oldestSentAtMs }),
      waitingSinceMs: waitingSinceMs === Infinity ? null : waitingSinceMs,
    };
  }

  /** After a restart: the receivers of all messages died with the process that is gone (R17). Delays stay. */
  makeAllVisible(): void {
    const nowMs = this.#clock.nowMs();
    for (const channel of this.#channels.values()) {
      const inFlight = [...channel.line.entries.values()].filter(({ state }) => state === 'inFlight');
      this.#file.transaction(() => {
        for (const entry of inFlight) this.#file.update({ ...entry, visibleAtMs: nowMs, receipt: undefined });
      });
      for (const entry of inFlight) {
        this.#dropReceipt(entry);
        channel.line.hide(entry, nowMs);
      }
      channel.line.promote(nowMs);
      this.#wake(channel);
    }
  }

  /** Drops every message, dead letters too. */
  wipe(): void {
    this.#file.wipe();
    this.#seen.forgetAll();
    for (const { line } of this.#channels.values()) for (const entry of line.entries.values()) line.remove(entry);
    this.#byReceipt.clear();
  }

  #take(channel: Channel, max: number, visibilitySeconds: number): ReceivedMessage[] {
    const nowMs = this.#clock.nowMs();
    channel.line.promote(nowMs);
    const dead: Entry[] = [];
    const taken = channel.line.take(max, (entry) => {
      if (entry.receiveCount < channel.maxReceiveCount) return false;
      dead.push(entry);
      channel.line.remove(entry);
      return true;
    });
    if (taken.length === 0 && dead.length === 0) return [];
    const visibleAtMs = nowMs + visibilitySeconds * 1000;
    const received = taken.map((entry) => ({
      ...entry,
      receiveCount: entry.receiveCount + 1,
      receipt: `${entry.sequence}.${this.#clock.randomId()}`,
      visibleAtMs,
    }));
    try {
      const messages = this.#file.transaction(() => {
        for (const { sequence } of dead) this.#file.afterOwner(sequence);
        for (const entry of received) this.#file.update(entry);
        return received.map((entry) => this.#messageOf(entry, entry.receipt));
      });
      for (const entry of dead) this.#dropReceipt(entry);
      for (const [index, entry] of taken.entries()) {
        this.#dropReceipt(entry);
        Object.assign(entry, received[index]);
        channel.line.hide(entry, visibleAtMs);
        if (entry.receipt !== undefined) this.#byReceipt.set(entry.receipt, { channel, entry });
      }
      return messages;
    } catch (error) {
      // A full disk: nothing was handed out, and all of it stays in line.
      for (const entry of dead) channel.line.add(entry, nowMs);
      for (const entry of taken) channel.line.hide(entry, nowMs + RETRY_MS);
      throw error;
    }
  }

  #messageOf(entry: Entry, receiptHandle: string): ReceivedMessage {
    return {
      messageId: entry.messageId,
      receiptHandle,
      body: this.#file.body(entry.sequence),
      receiveCount: entry.receiveCount,
      sentAtMs: entry.sentAtMs,
      ...(entry.receiveCount === 1 && { receivedAtMs: this.#clock.nowMs() }),
      ...(entry.groupId === undefined ? {} : { groupId: entry.groupId }),
      ...(entry.deduplicationId === undefined ? {} : { deduplicationId: entry.deduplicationId }),
      senderId: this.#senderId,
    };
  }

  /** The entry that a handle of its latest receive stands for. On FIFO queues a handle ends with its time-out. */
  #held(channel: Channel, receiptHandle: string): Entry | undefined {
    const held = this.#byReceipt.get(receiptHandle);
    if (!held || held.channel !== channel || held.entry.receipt !== receiptHandle || held.entry.state === 'gone') return undefined;
    return isFifo(channel.name) && held.entry.state !== 'inFlight' ? undefined : held.entry;
  }

  #dropReceipt(entry: Entry): void {
    if (entry.receipt === undefined) return;
    this.#byReceipt.delete(entry.receipt);
    entry.receipt = undefined;
  }

  #entriesOf(message: OutgoingMessage, nowMs: number, fifo: boolean): { entry: Entry; body: string }[] {
    const copies = this.#chaos ? 1 + Math.floor(this.#chance() * this.#chaos.duplicates) : 1;
    const first: Entry = { ...this.#newEntry(nowMs), groupId: message.groupId, deduplicationId: message.deduplicationId };
    if (fifo) return [{ entry: { ...first, extraDeliveries: copies - 1 }, body: message.body }];
    const visibleAtMs = nowMs + (message.delaySeconds ?? 0) * 1000;
    return Array.from({ length: copies }, (_, copy) => ({
      entry: {
        ...first,
        sequence: copy === 0 ? first.sequence : ++this.#sequence,
        visibleAtMs: visibleAtMs + Math.floor(this.#chance() * (this.#chaos?.maxDelayMs ?? 0)),
      },
      body: message.body,
    }));
  }

  #newEntry(nowMs: number): Entry {
    return {
      sequence: ++this.#sequence,
      messageId: randomUUID(),
      groupId: undefined,
      deduplicationId: undefined,
      sentAtMs: nowMs,
      receiveCount: 0,
      visibleAtMs: nowMs,
      receipt: undefined,
      extraDeliveries: 0,
      state: 'visible',
    };
  }

  /** Until something was sent or given back, something becomes visible by itself, the time is up or the signal fires. */
  async #news(channel: Channel, leftMs: number, signal: AbortSignal | undefined): Promise<void> {
    const waiter = new AbortController();
    const end = (): void => waiter.abort(NEWS);
    channel.waiters.add(waiter);
    signal?.addEventListener('abort', end, { once: true });
    const visibleInMs = (channel.line.nextVisibleAtMs() ?? Infinity) - this.#clock.nowMs();
    await this.#clock.wait(Math.max(1, Math.min(leftMs, visibleInMs)), waiter.signal);
    signal?.removeEventListener('abort', end);
    channel.waiters.delete(waiter);
  }

  #wake({ waiters }: Channel): void {
    for (const waiter of waiters) waiter.abort(NEWS);
  }

  #channel(name: QueueName): Channel {
    const known = this.#channels.get(name);
    if (known) return known;
    const channel: Channel = {
      name,
      line: isFifo(name) ? new FifoLine() : new StandardLine(),
      maxReceiveCount: this.#maxReceiveCounts[name === 'events' || name === 'wakes' || name === 'timers' ? name : 'relay'],
      waiters: new Set(),
    };
    this.#channels.set(name, channel);
    return channel;
  }

  #load(): void {
    const nowMs = this.#clock.nowMs();
    for (const { queue, entry } of this.#file.entries()) {
      if (!isQueueName(queue)) continue;
      const channel = this.#channel(queue);
      channel.line.add(entry, nowMs);
      if (entry.receipt !== undefined) this.#byReceipt.set(entry.receipt, { channel, entry });
    }
  }
}

const againOf = (entry: Entry, nowMs: number): Entry => ({
  ...entry,
  receiveCount: entry.receiveCount - 1,
  extraDeliveries: entry.extraDeliveries - 1,
  visibleAtMs: nowMs,
  receipt: undefined,
});
