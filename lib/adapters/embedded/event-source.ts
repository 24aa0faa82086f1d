// The event-source mapping, as Lambda does it: receives batches, hands them to a function's handler as real events,
// deletes what the handler did not report as failed. Works on every Queue, so on SQS too.
import { createHash, randomUUID } from 'node:crypto';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Clock } from '../../ports/clock.ts';
import type { Queue, QueueName, ReceivedMessage } from '../../ports/queue.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { isFifo } from '../sqs/queue-limits.ts';

export type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse | void>;

export interface EventSourceOptions {
  queue: Queue;
  name: QueueName;
  /** The function's name, as its context and the log lines have it. */
  functionName: string;
  handler: SqsHandler;
  /** 1 to 10, or on standard queues with a window up to 10,000. */
  batchSize: number;
  /** Batches at once; on FIFO queues never two with messages of one group. */
  maxConcurrency: number;
  visibilitySeconds: number;
  /** The handler's time: what getRemainingTimeInMillis counts down from. A batch that takes longer has failed. */
  timeoutSeconds: number;
  /** Standard queues: gathers messages for so long, or until the batch is full. */
  batchWindowMs?: number;
  clock: Clock;
  telemetry: Telemetry;
  region?: string;
  accountId?: string;
}

export interface EventSource {
  /** Receives no more, gives running batches so long to end; what has not ended comes back after its visibility time-out. */
  stop(options?: { drainMs?: number }): Promise<void>;
  /** Batches that are with the handler now. */
  readonly running: number;
}

const RECEIVE_MAX = 10;
const LONG_POLL_SECONDS = 20;
const LONGEST_PAUSE_MS = 10_000;

/** Starts polling at once. */
export function startEventSource(options: EventSourceOptions): EventSource {
  const { clock, telemetry, name, functionName, maxConcurrency } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let changed: (() => void) | undefined;

  const poll = async (): Promise<void> => {
    let pauseMs = 100;
    while (!stopping.signal.aborted) {
      if (running.size >= maxConcurrency) {
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
        continue;
      }
      try {
        const messages = await gather(options, stopping.signal);
        if (stopping.signal.aborted) return await giveBack(options, messages);
        pauseMs = 100;
        if (messages.length === 0) continue;
        const batch: Promise<void> = deliver(options, messages).finally(() => {
          running.delete(batch);
          changed?.();
        });
        running.add(batch);
      } catch (error) {
        telemetry.warn('the queue could not be received from', { queue: name, function: functionName, pauseMs, error });
        await clock.wait(pauseMs * (0.5 + clock.random() / 2), stopping.signal);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  };
  const polling = poll();

  return {
    async stop({ drainMs = 5_000 } = {}) {
      stopping.abort();
      changed?.();
      const bound = new AbortController();
      const ended = polling.then(() => Promise.all(running)).finally(() => bound.abort());
      await Promise.race([ended, clock.wait(drainMs, bound.signal)]);
    },
    get running() {
      return running.size;
    },
  };
}

async function gather(options: EventSourceOptions, signal: AbortSignal): Promise<ReceivedMessage[]> {
  const { queue, name, batchSize, batchWindowMs = 0, visibilitySeconds, clock } = options;
  const receive = (max: number, waitSeconds: number): Promise<ReceivedMessage[]> =>
    queue.receive(name, { max: Math.min(max, RECEIVE_MAX), waitSeconds, visibilitySeconds, signal });
  const messages = await receive(batchSize, LONG_POLL_SECONDS);
  if (messages.length === 0 || isFifo(name)) return messages;
  const untilMs = clock.monotonicMs() + batchWindowMs;
  while (messages.length < batchSize && !signal.aborted) {
    const leftMs = untilMs - clock.monotonicMs();
    const more = await receive(batchSize - messages.length, 0);
    messages.push(...more);
    if (leftMs <= 0 && more.length === 0) break;
    // Looks again when the window ends, at the latest: a full batch is found on the way.
    if (more.length === 0) await clock.wait(Math.min(leftMs, Math.max(1, batchWindowMs / 4)), signal);
  }
  return messages;
}

async function giveBack({ queue, name }: EventSourceOptions, messages: readonly ReceivedMessage[]): Promise<void> {
  for (const { receiptHandle } of messages) await queue.changeVisibility(name, receiptHandle, 0);
}

/** One invocation. Never throws: what fails comes back by itself. */
async function deliver(options: EventSourceOptions, messages: readonly ReceivedMessage[]): Promise<void> {
  const { queue, name, telemetry, functionName } = options;
  try {
    const failed = await invoke(options, messages);
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    if (done.length > 0)
      await queue.delete(
        name,
        done.map(({ receiptHandle }) => receiptHandle),
      );
  } catch (error) {
    telemetry.error('messages could not be deleted and will come again', { queue: name, function: functionName, error });
  }
}

/** @returns ids of the messages that must come back */
async function invoke(options: EventSourceOptions, messages: readonly ReceivedMessage[]): Promise<Set<string>> {
  const { clock, functionName, handler, name, telemetry, timeoutSeconds } = options;
  const all = new Set(messages.map(({ messageId }) => messageId));
  const context = contextOf(options);
  const over = new AbortController();
  try {
    const answer = await Promise.race([
      handler({ Records: messages.map((message) => recordOf(options, message)) }, context),
      clock.wait(timeoutSeconds * 1000, over.signal).then(() => {
        if (over.signal.aborted) return undefined;
        throw new Error(`timed out after ${timeoutSeconds} s`);
      }),
    ]);
    const failures = answer?.batchItemFailures ?? [];
    if (failures.some(({ itemIdentifier }) => !all.has(itemIdentifier))) {
      telemetry.error('the handler reported a message that it was not given: the whole batch comes again', { queue: name, functionName });
      return all;
    }
    return withLaterOnes(new Set(failures.map(({ itemIdentifier }) => itemIdentifier)), messages, isFifo(name));
  } catch (error) {
    telemetry.error('the handler failed, its batch comes again', {
      queue: name,
      function: functionName,
      messages: messages.length,
      requestId: context.awsRequestId,
      error,
    });
    return all;
  } finally {
    over.abort();
  }
}

/** FIFO: what follows a failed message in its group waits for it. */
function withLaterOnes(failed: Set<string>, messages: readonly ReceivedMessage[], fifo: boolean): Set<string> {
  if (!fifo) return failed;
  const blocked = new Set<string | undefined>();
  for (const { messageId, groupId } of messages) {
    if (failed.has(messageId)) blocked.add(groupId);
    else if (blocked.has(groupId)) failed.add(messageId);
  }
  return failed;
}

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_ACCOUNT = '000000000000';

function recordOf(
  { clock, name, region = DEFAULT_REGION, accountId = DEFAULT_ACCOUNT }: EventSourceOptions,
  message: ReceivedMessage,
): SQSRecord {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAtMs),
      SenderId: message.senderId,
      // The port does not say; for a first receive this is right.
      ApproximateFirstReceiveTimestamp: String(clock.nowMs()),
      ...(message.groupId === undefined ? {} : { MessageGroupId: message.groupId }),
      ...(message.deduplicationId === undefined ? {} : { MessageDeduplicationId: message.deduplicationId }),
    },
    messageAttributes: {},
    md5OfBody: createHash('md5').update(message.body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${region}:${accountId}:${name}${isFifo(name) ? '.fifo' : ''}`,
    awsRegion: region,
  };
}

/** Handlers answer by their promise; these are left from older runtimes. */
const ignored = (): void => {};

function contextOf({
  clock,
  functionName,
  timeoutSeconds,
  region = DEFAULT_REGION,
  accountId = DEFAULT_ACCOUNT,
}: EventSourceOptions): Context {
  const startedAtMs = clock.monotonicMs();
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${region}:${accountId}:function:${functionName}`,
    memoryLimitInMB: '256',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, timeoutSeconds * 1000 - (clock.monotonicMs() - startedAtMs)),
    done: ignored,
    fail: ignored,
    succeed: ignored,
  };
}
