// Queues on SQS.
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  StartMessageMoveTaskCommand,
  type BatchResultErrorEntry,
  type Message,
  type QueueAttributeName,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../ports/clock.ts';
import {
  UnfinishedRedriveError,
  type DeadLetter,
  type OutgoingMessage,
  type Queue,
  type QueueName,
  type ReceivedMessage,
} from '../../ports/queue.ts';
import { nameOf, translated } from '../aws/aws-errors.ts';
import { BATCH_MESSAGES_MAX, batchesOf, checkOutgoing, isFifo, headOf } from './queue-limits.ts';
import { SENT_BY, roleOf, senderOf } from './sqs-records.ts';
import { SystemClock } from '../clock/system-clock.ts';

export interface QueueUrls {
  url: string;
  deadLetterUrl: string;
}

export interface SqsQueueOptions {
  client: SQSClient;
  /** By name: `events`, `wakes`, `timers`, `relay-<cluster>`; each with the queue of its dead letters. */
  urls: Partial<Record<QueueName, QueueUrls>>;
  /** Of the relays' queues that are not among them, with `{cluster}` in the place of its name. */
  relayUrls?: QueueUrls;
  /**
   * Unique id of the role under which dead letters are sent again. Where it is given, events keep the sender that ingest knows them by:
   * they go back one by one, with its name (R15).
   */
  redriver?: string;
  clock?: Clock;
}

interface Sent extends OutgoingMessage {
  /** Who had sent it first, of a dead letter that goes back. */
  sentBy?: string;
}

/** Dead letters that are only looked at are given back at once; this is for who dies while looking, or has no time left. */
const LOOK_SECONDS = 10;
/** SQS may answer nothing although there is something; so many empty answers mean that there is nothing. */
const EMPTY_ANSWERS = 3;
/** Of one redrive: who asks for it over the API waits 29 s. */
const REDRIVE_MS = 20_000;
const MOVE_POLL_MS = 500;

/** How SQS refuses a second move task; its error's name says only that a parameter is wrong. */
const IS_UNDER_WAY = /already a task running/i;

/** A handle that no longer stands for anything: the message was deleted, or is somebody else's now. */
const OUTDATED_HANDLE = new Set([
  'ReceiptHandleIsInvalid',
  'InvalidParameterValue',
  'InvalidParameterValueException',
  'MessageNotInflight',
]);
/** Error codes of services that only resemble SQS, for an action they lack. */
const NO_SUCH_ACTION = new Set(['InvalidAction', 'UnsupportedOperation', 'UnknownOperationException', 'InvalidAddress']);

/** @throws ThrottledError, NotDoneError, UnknownOutcomeError as in aws-errors.ts; sending again does no harm */
export class SqsQueue implements Queue {
  readonly #client: SQSClient;
  readonly #urls: SqsQueueOptions['urls'];
  readonly #relayUrls: QueueUrls | undefined;
  readonly #redriver: string | undefined;
  readonly #clock: Clock;
  readonly #arns = new Map<string, string>();

  constructor({ client, urls, relayUrls, redriver, clock = new SystemClock() }: SqsQueueOptions) {
    this.#client = client;
    this.#urls = urls;
    this.#relayUrls = relayUrls;
    this.#redriver = redriver;
    this.#clock = clock;
  }

  async send(queue: QueueName, messages: readonly OutgoingMessage[]): Promise<void> {
    checkOutgoing(queue, messages);
    const { url } = this.#urlsOf(queue);
    for (const batch of batchesOf(messages)) await this.#sendBatch(queue, url, batch);
  }

  async receive(
    queue: QueueName,
    { max, waitSeconds, visibilitySeconds, signal }: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<ReceivedMessage[]> {
    if (max < 1 || max > 10) throw new RangeError(`1 to 10 messages are received at once, asked for ${max}`);
    const messages = await this.#receive(queue, this.#urlsOf(queue).url, {
      max,
      waitSeconds,
      visibilitySeconds,
      ...(signal ? { signal } : {}),
    });
    return messages.map((message) => ({ ...receivedOf(message), senderId: roleOf(message.Attributes?.SenderId ?? '') }));
  }

  async delete(queue: QueueName, receiptHandles: readonly string[]): Promise<void> {
    await this.#deleteFrom(queue, this.#urlsOf(queue).url, receiptHandles);
  }

  async changeVisibility(queue: QueueName, receiptHandle: string, seconds: number): Promise<void> {
    await this.#changeVisibility(queue, this.#urlsOf(queue).url, receiptHandle, seconds);
  }

  /** By receiving them for a moment: of one FIFO group no more than the first ten are seen. */
  async deadLetters(queue: QueueName, limit: number): Promise<DeadLetter[]> {
    const { deadLetterUrl } = this.#urlsOf(queue);
    const seen = new Map<string, Message & { bytes: number }>();
    try {
      await this.#eachPage(queue, deadLetterUrl, async (page) => {
        for (const message of page) {
          const { head, bytes } = headOf(message.Body ?? '');
          seen.set(message.MessageId ?? '', { ...message, Body: head, bytes });
        }
        return seen.size < limit;
      });
    } finally {
      await this.#giveBack(queue, deadLetterUrl, [...seen.values()], this.#clock.monotonicMs() + LOOK_SECONDS * 1000);
    }
    return [...seen.values()].slice(0, limit).map((message) => {
      const { messageId, body, groupId, sentAtMs } = receivedOf(message);
      return { messageId, body, bytes: message.bytes, sentAtMs, ...(groupId === undefined ? {} : { groupId }) };
    });
  }

  /**
   * All of them by a move task of SQS; named ones, what such a task leaves behind, and what is known by its sender, one by one.
   * @throws UnfinishedRedriveError after 20 s: the task goes on, the others are for another redrive
   */
  async redrive(queue: QueueName, messageIds?: readonly string[]): Promise<number> {
    const untilMs = this.#clock.monotonicMs() + REDRIVE_MS;
    if (messageIds) return await this.#redriveByHand(queue, { wanted: new Set(messageIds), untilMs, before: 0 });
    const before = this.#tellsSender(queue) ? 0 : await this.#moveAll(queue, untilMs);
    return await this.#redriveByHand(queue, { untilMs, before });
  }

  /** @throws UnfinishedRedriveError after 20 s: the others are for another drop */
  async drop(queue: QueueName, messageIds: readonly string[]): Promise<number> {
    const untilMs = this.#clock.monotonicMs() + REDRIVE_MS;
    return await this.#takeOut(queue, { wanted: new Set(messageIds), untilMs, before: 0, done: 'were dropped' }, async () => undefined);
  }

  async depth(queue: QueueName): Promise<{ visible: number; inFlight: number; delayed: number; dead: number }> {
    const { url, deadLetterUrl } = this.#urlsOf(queue);
    const [own, dead] = await Promise.all([this.#numbersOf(queue, url), this.#numbersOf(queue, deadLetterUrl)]);
    return { ...own, dead: dead.visible + dead.inFlight + dead.delayed };
  }

  #tellsSender(queue: QueueName): boolean {
    return queue === 'events' && this.#redriver !== undefined;
  }

  async #sendBatch(queue: QueueName, url: string, batch: readonly Sent[]): Promise<void> {
    const { Failed: failed = [] } = await this.#client
      .send(
        new SendMessageBatchCommand({
          QueueUrl: url,
          Entries: batch.map(({ body, groupId, deduplicationId, delaySeconds, sentBy }, index) => ({
            Id: String(index),
            MessageBody: body,
            ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
            ...(deduplicationId === undefined ? {} : { MessageDeduplicationId: deduplicationId }),
            ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
            ...(sentBy === undefined ? {} : { MessageAttributes: { [SENT_BY]: { DataType: 'String', StringValue: sentBy } } }),
          })),
        }),
      )
      .catch((error: unknown) => {
        throw translated(error, `sending to the queue ${queue}`, true);
      });
    if (failed.length > 0) throw partialFailure(`sending to the queue ${queue}`, batch.length, failed);
  }

  async #receive(
    queue: QueueName,
    url: string,
    { max, waitSeconds, visibilitySeconds, signal }: { max: number; waitSeconds: number; visibilitySeconds: number; signal?: AbortSignal },
  ): Promise<Message[]> {
    try {
      const { Messages: messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: url,
          MaxNumberOfMessages: max,
          WaitTimeSeconds: Math.min(20, waitSeconds),
          VisibilityTimeout: visibilitySeconds,
          MessageSystemAttributeNames: [
            'ApproximateFirstReceiveTimestamp',
            'ApproximateReceiveCount',
            'MessageDeduplicationId',
            'MessageGroupId',
            'SenderId',
            'SentTimestamp',
          ],
          MessageAttributeNames: [SENT_BY],
        }),
        signal ? { abortSignal: signal } : {},
      );
      return messages;
    } catch (error) {
      if (signal?.aborted) return [];
      throw translated(error, `receiving from the queue ${queue}`, false);
    }
  }

  async #deleteFrom(queue: QueueName, url: string, receiptHandles: readonly string[]): Promise<void> {
    for (let first = 0; first < receiptHandles.length; first += BATCH_MESSAGES_MAX) {
      const batch = receiptHandles.slice(first, first + BATCH_MESSAGES_MAX);
      const { Failed: failed = [] } = await this.#client
        .send(
          new DeleteMessageBatchCommand({
            QueueUrl: url,
            Entries: batch.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
          }),
        )
        .catch((error: unknown) => {
          throw translated(error, `deleting from the queue ${queue}`, true);
        });
      const kept = failed.filter(({ Code: code }) => !OUTDATED_HANDLE.has(code ?? ''));
      if (kept.length > 0) throw partialFailure(`deleting from the queue ${queue}`, batch.length, kept);
    }
  }

  async #changeVisibility(queue: QueueName, url: string, receiptHandle: string, seconds: number): Promise<void> {
    await this.#client
      .send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }))
      .catch((error: unknown) => {
        if (!OUTDATED_HANDLE.has(nameOf(error))) throw translated(error, `changing visibility in the queue ${queue}`, true);
      });
  }

  /** Calls the visitor with the dead letters, up to ten at a time, until it has enough or nothing more comes. */
  async #eachPage(queue: QueueName, deadLetterUrl: string, visit: (page: readonly Message[]) => Promise<boolean>): Promise<void> {
    const visited = new Set<string>();
    for (let empty = 0; empty < EMPTY_ANSWERS;) {
      const messages = await this.#receive(queue, deadLetterUrl, { max: 10, waitSeconds: 0, visibilitySeconds: LOOK_SECONDS });
      const fresh = messages.filter(({ MessageId: id }) => id !== undefined && !visited.has(id));
      empty = fresh.length === 0 ? empty + 1 : 0;
      for (const { MessageId: id = '' } of fresh) visited.add(id);
      if (fresh.length > 0 && !(await visit(fresh))) return;
    }
  }

  /** As long as there is time: the rest comes back by itself. */
  async #giveBack(queue: QueueName, url: string, messages: readonly Message[], untilMs: number): Promise<void> {
    for (const { ReceiptHandle: handle } of messages) {
      if (this.#clock.monotonicMs() >= untilMs) return;
      if (handle !== undefined) await this.#changeVisibility(queue, url, handle, 0);
    }
  }

  /** @param options.before how many a move task has moved. @returns how many went back with those */
  async #redriveByHand(queue: QueueName, options: { wanted?: Set<string>; untilMs: number; before: number }): Promise<number> {
    const { url } = this.#urlsOf(queue);
    return await this.#takeOut(queue, { ...options, done: 'went back' }, async (chosen) => {
      // Sent before they are deleted: twice does no harm.
      for (const batch of batchesOf(chosen.map((message) => this.#again(queue, message)))) await this.#sendBatch(queue, url, batch);
    });
  }

  /** Deletes dead letters, once `first` is done with them. @returns how many, with those from before */
  async #takeOut(
    queue: QueueName,
    { wanted, untilMs, before, done }: { wanted?: Set<string>; untilMs: number; before: number; done: string },
    first: (chosen: readonly Message[]) => Promise<void>,
  ): Promise<number> {
    const { deadLetterUrl } = this.#urlsOf(queue);
    const passedOver: Message[] = [];
    let moved = before;
    try {
      await this.#eachPage(queue, deadLetterUrl, async (page) => {
        const chosen = page.filter(({ MessageId: id = '' }) => !wanted || wanted.has(id));
        passedOver.push(...page.filter((message) => !chosen.includes(message)));
        await first(chosen);
        await this.#deleteFrom(
          queue,
          deadLetterUrl,
          chosen.map((message) => receivedOf(message).receiptHandle),
        );
        moved += chosen.length;
        if (moved === wanted?.size) return false;
        if (this.#clock.monotonicMs() >= untilMs)
          throw new UnfinishedRedriveError(`${moved} of its dead letters ${done}, and there may be more: give the command again`, moved);
        return true;
      });
    } finally {
      await this.#giveBack(queue, deadLetterUrl, passedOver, untilMs);
    }
    return moved;
  }

  #again(queue: QueueName, message: Message): Sent {
    const { messageId, body, groupId, senderId } = receivedOf(message);
    return {
      body,
      ...(groupId !== undefined && { groupId }),
      // New each time, or a second redrive within five minutes were lost.
      ...(isFifo(queue) && { deduplicationId: `redrive-${messageId}-${this.#clock.randomId()}` }),
      ...(this.#tellsSender(queue) && {
        sentBy: senderOf(senderId, message.MessageAttributes?.[SENT_BY]?.StringValue, this.#redriver),
      }),
    };
  }

  /** @returns how many were moved; 0 where the service knows no move tasks */
  async #moveAll(queue: QueueName, untilMs: number): Promise<number> {
    const what = `moving the dead letters of the queue ${queue}`;
    const sourceArn = await this.#arnOf(queue, this.#urlsOf(queue).deadLetterUrl);
    try {
      await this.#client.send(new StartMessageMoveTaskCommand({ SourceArn: sourceArn }));
    } catch (error) {
      if (NO_SUCH_ACTION.has(nameOf(error))) return 0;
      // There is one at a time: that of an earlier redrive moves these, too.
      if (!IS_UNDER_WAY.test(String(error))) throw translated(error, what, true);
    }
    let moved = 0;
    while (this.#clock.monotonicMs() < untilMs) {
      const { Results: tasks = [] } = await this.#client
        .send(new ListMessageMoveTasksCommand({ SourceArn: sourceArn, MaxResults: 10 }))
        .catch((error: unknown) => {
          throw translated(error, what, false);
        });
      const task = tasks.toSorted((one, other) => (other.StartedTimestamp ?? 0) - (one.StartedTimestamp ?? 0))[0];
      moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
      if (task?.Status === 'COMPLETED') return moved;
      if (task?.Status === 'FAILED') throw new Error(`${what}: ${task.FailureReason ?? 'SQS gave no reason'}`);
      await this.#clock.wait(MOVE_POLL_MS);
    }
    throw new UnfinishedRedriveError(
      `${moved} of its dead letters went back; SQS is still at it after ${REDRIVE_MS / 1000} s, and goes on`,
      moved,
    );
  }

  async #arnOf(queue: QueueName, url: string): Promise<string> {
    const known = this.#arns.get(url);
    if (known !== undefined) return known;
    const { QueueArn: arn } = await this.#attributesOf(queue, url, ['QueueArn']);
    if (arn === undefined) throw new Error(`SQS does not tell the ARN of the dead letters of the queue ${queue}`);
    this.#arns.set(url, arn);
    return arn;
  }

  async #numbersOf(queue: QueueName, url: string): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const attributes = await this.#attributesOf(queue, url, [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesDelayed',
    ]);
    return {
      visible: Number(attributes.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  }

  async #attributesOf(queue: QueueName, url: string, names: QueueAttributeName[]): Promise<Partial<Record<QueueAttributeName, string>>> {
    const { Attributes: attributes = {} } = await this.#client
      .send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: names }))
      .catch((error: unknown) => {
        throw translated(error, `asking about the queue ${queue}`, false);
      });
    return attributes;
  }

  #urlsOf(queue: QueueName): QueueUrls {
    const urls = this.#urls[queue] ?? this.#relayUrlsOf(queue);
    if (!urls) throw new Error(`the queue ${queue} has no URL: known are ${Object.keys(this.#urls).join(', ')}`);
    return urls;
  }

  #relayUrlsOf(queue: QueueName): QueueUrls | undefined {
    if (!this.#relayUrls || !queue.startsWith('relay-')) return undefined;
    const cluster = queue.slice('relay-'.length);
    const { url, deadLetterUrl } = this.#relayUrls;
    return { url: url.replace('{cluster}', cluster), deadLetterUrl: deadLetterUrl.replace('{cluster}', cluster) };
  }
}

const receivedOf = ({ MessageId, ReceiptHandle, Body, Attributes = {} }: Message): ReceivedMessage => ({
  messageId: MessageId ?? '',
  receiptHandle: ReceiptHandle ?? '',
  body: Body ?? '',
  receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  sentAtMs: Number(Attributes.SentTimestamp ?? 0),
  ...(Attributes.ApproximateFirstReceiveTimestamp && { receivedAtMs: Number(Attributes.ApproximateFirstReceiveTimestamp) }),
  ...(Attributes.MessageGroupId === undefined ? {} : { groupId: Attributes.MessageGroupId }),
  ...(Attributes.MessageDeduplicationId === undefined ? {} : { deduplicationId: Attributes.MessageDeduplicationId }),
  senderId: Attributes.SenderId ?? '',
});

const partialFailure = (what: string, of: number, failed: readonly BatchResultErrorEntry[]): Error =>
  new Error(
    `${what}: ${failed.length} of ${of} messages failed: ${failed
      .map(
        ({ Id, Code, Message: message }) =>
          `message ${Number(Id) + 1} (${Code ?? 'no code'}${message === undefined ? '' : `: ${message}`})`,
      )
      .join(', ')}`,
  );
