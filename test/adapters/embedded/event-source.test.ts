// The event source of local mode: batches, failures, order and limits as Lambda has them.
import { describe, expect, test } from '@jest/globals';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import {
  startEventSource,
  type EventSource,
  type EventSourceOptions,
  type SqsHandler,
} from '../../../lib/adapters/embedded/event-source.ts';
import { EmbeddedQueue } from '../../../lib/adapters/embedded/queue.ts';
import { RecordingTelemetry } from '../../world/recording-telemetry.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { QueueName } from '../../../lib/ports/queue.ts';

interface Running {
  queue: EmbeddedQueue;
  clock: VirtualClock;
  telemetry: RecordingTelemetry;
  source: EventSource;
  /** Bodies of each batch, in the order the handler was called. */
  batches: string[][];
}

const VISIBILITY_SECONDS = 60;

/** A source on a queue in memory; the handler's answer per call comes from `answer`. */
function start(name: QueueName, answer: SqsHandler, options: Partial<EventSourceOptions> = {}): Running {
  const clock = new VirtualClock();
  const telemetry = new RecordingTelemetry();
  const queue = EmbeddedQueue.open({ clock, senderId: 'sender', maxReceiveCounts: { events: 3, wakes: 3 } });
  const batches: string[][] = [];
  const source = startEventSource({
    queue,
    name,
    functionName: 'farloop-test',
    handler: async (event, context) => {
      batches.push(event.Records.map(({ body }) => body));
      return answer(event, context);
    },
    batchSize: 10,
    maxConcurrency: 5,
    visibilitySeconds: VISIBILITY_SECONDS,
    timeoutSeconds: 20,
    clock,
    telemetry,
    ...options,
  });
  return { queue, clock, telemetry, source, batches };
}

async function end({ source, queue, clock }: Running): Promise<void> {
  const stopped = source.stop({ drainMs: 10 });
  await clock.advance(20);
  await stopped;
  queue.close();
}

const failing =
  (...bodies: string[]) =>
  async (event: SQSEvent): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> => ({
    batchItemFailures: event.Records.filter(({ body }) => bodies.includes(body)).map(({ messageId }) => ({ itemIdentifier: messageId })),
  });

const wakes = (group: string, ...bodies: string[]): { body: string; groupId: string; deduplicationId: string }[] =>
  bodies.map((body) => ({ body, groupId: group, deduplicationId: `${group}-${body}` }));

/** Ends what a test's handlers wait for. */
const gate = (): { opened: Promise<void>; open: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
};

describe('event source', () => {
  test('the handler is given real records and a context, and what it took is deleted', async () => {
    const records: SQSRecord[] = [];
    let remainingMs: number[] = [];
    const clocks: VirtualClock[] = [];
    const running = start('wakes', async (event, context) => {
      records.push(...event.Records);
      remainingMs = [context.getRemainingTimeInMillis()];
      await clocks[0]?.wait(4_000);
      remainingMs.push(context.getRemainingTimeInMillis());
      expect(context).toMatchObject({ functionName: 'farloop-test', awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    });
    clocks.push(running.clock);
    await running.queue.send('wakes', wakes('g', 'one'));
    await running.clock.advance(5_000);
    expect(records).toMatchObject([
      {
        body: 'one',
        messageId: expect.any(String),
        receiptHandle: expect.any(String),
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: String(Date.UTC(2026, 0, 1)),
          SenderId: 'sender',
          MessageGroupId: 'g',
          MessageDeduplicationId: 'g-one',
        },
        md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:wakes.fifo',
        awsRegion: 'us-east-1',
      },
    ]);
    expect(remainingMs).toEqual([20_000, 16_000]);
    expect(await running.queue.depth('wakes')).toMatchObject({ visible: 0, inFlight: 0 });
    await end(running);
  });

  test('a message that failed comes back after its visibility, the others do not', async () => {
    let broken = ['b'];
    const running = start('events', (event) => failing(...broken)(event));
    await running.queue.send(
      'events',
      ['a', 'b', 'c'].map((body) => ({ body })),
    );
    await running.clock.advance(1_000);
    broken = [];
    expect(running.batches).toEqual([['a', 'b', 'c']]);
    await running.clock.advance(VISIBILITY_SECONDS * 1000);
    expect(running.batches).toEqual([['a', 'b', 'c'], ['b']]);
    expect(await running.queue.depth('events')).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
    await end(running);
  });

  test('R13: FIFO: the rest of the failing group comes again, in order; other groups are done', async () => {
    let broken = ['a2'];
    const running = start('wakes', (event) => failing(...broken)(event));
    await running.queue.send('wakes', [...wakes('a', 'a1', 'a2', 'a3'), ...wakes('b', 'b1')]);
    await running.clock.advance(1_000);
    broken = [];
    await running.clock.advance(VISIBILITY_SECONDS * 1000);
    expect(running.batches).toEqual([
      ['a1', 'a2', 'a3', 'b1'],
      ['a2', 'a3'],
    ]);
    await end(running);
  });

  test('a handler that throws fails its whole batch; too often, and the messages are dead letters', async () => {
    const running = start('events', async () => {
      throw new Error('out of order');
    });
    await running.queue.send('events', [{ body: 'a' }, { body: 'b' }]);
    for (let round = 0; round < 5; round++) await running.clock.advance(VISIBILITY_SECONDS * 1000);
    expect(running.batches).toHaveLength(3);
    expect(await running.queue.deadLetters('events', 10)).toMatchObject([{ body: 'a' }, { body: 'b' }]);
    expect(running.telemetry.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'the handler failed, its batch comes again' }),
    );
    await end(running);
  });

  test('a failure report of a message that was not in the batch fails the whole batch, as on Lambda', async () => {
    const running = start('events', async () => ({ batchItemFailures: [{ itemIdentifier: 'nobody' }] }));
    await running.queue.send('events', [{ body: 'a' }]);
    await running.clock.advance(10);
    expect(await running.queue.depth('events')).toMatchObject({ inFlight: 1 });
    await end(running);
  });

  test('a handler that takes too long has failed, whatever it answers later', async () => {
    const { opened, open } = gate();
    const running = start('events', async () => opened);
    await running.queue.send('events', [{ body: 'a' }]);
    await running.clock.advance(20_001);
    expect(running.source.running).toBe(0);
    open();
    await running.clock.advance(1);
    expect(await running.queue.depth('events')).toMatchObject({ inFlight: 1 });
    await end(running);
  });

  test('R8: FIFO: groups run side by side up to the limit, a group never twice', async () => {
    let most = 0;
    const now = new Map<string, number>();
    let overlaps = 0;
    const clocks: VirtualClock[] = [];
    const running = start(
      'wakes',
      async (event) => {
        most = Math.max(most, running.source.running + 1);
        for (const { attributes } of event.Records) {
          const group = attributes.MessageGroupId ?? '';
          if ((now.get(group) ?? 0) > 0) overlaps++;
          now.set(group, (now.get(group) ?? 0) + 1);
        }
        await clocks[0]?.wait(100);
        for (const { attributes } of event.Records) now.set(attributes.MessageGroupId ?? '', 0);
      },
      { batchSize: 1, maxConcurrency: 4 },
    );
    clocks.push(running.clock);
    for (const body of ['1', '2', '3'])
      await running.queue.send('wakes', Array.from({ length: 10 }, (_, group) => wakes(`g${group}`, body)).flat());
    await running.clock.advance(5_000);
    expect(running.batches).toHaveLength(30);
    expect(overlaps).toBe(0);
    expect(most).toBe(4);
    await end(running);
  });

  test('a window gathers more than one receive gives', async () => {
    const running = start('events', async () => {}, { batchSize: 100, batchWindowMs: 1_000 });
    await running.queue.send(
      'events',
      Array.from({ length: 60 }, (_, index) => ({ body: String(index) })),
    );
    await running.clock.advance(600);
    await running.queue.send('events', [{ body: 'late' }]);
    await running.clock.advance(1_000);
    expect(running.batches.map(({ length }) => length)).toEqual([61]);
    await end(running);
  });

  test('stopping waits for running batches, takes no more, and ends within its bound', async () => {
    const { opened, open } = gate();
    const running = start('events', async () => opened);
    await running.queue.send('events', [{ body: 'a' }]);
    await running.clock.advance(1);
    let stopped = false;
    const stop = running.source.stop({ drainMs: 5_000 }).then(() => {
      stopped = true;
    });
    await running.queue.send('events', [{ body: 'b' }]);
    await running.clock.advance(1_000);
    expect(stopped).toBe(false);
    open();
    await running.clock.advance(1);
    await stop;
    expect(await running.queue.depth('events')).toMatchObject({ visible: 1, inFlight: 0 });
    expect(running.batches).toEqual([['a']]);
    running.queue.close();

    const stuck = start('events', () => new Promise(() => {}));
    await stuck.queue.send('events', [{ body: 'a' }]);
    await stuck.clock.advance(1);
    const bounded = stuck.source.stop({ drainMs: 2_000 });
    await stuck.clock.advance(2_000);
    await bounded;
    stuck.queue.close();
    expect(stuck.batches).toHaveLength(1);
  });

  test('a queue that cannot be reached is asked again, ever more slowly, and said', async () => {
    const clock = new VirtualClock();
    const telemetry = new RecordingTelemetry();
    const queue = EmbeddedQueue.open({ clock });
    let asked = 0;
    const broken = Object.assign(Object.create(queue), {
      receive: async () => {
        asked++;
        throw new Error('no way there');
      },
    });
    const source = startEventSource({
      queue: broken,
      name: 'events',
      functionName: 'f',
      handler: async () => {},
      batchSize: 1,
      maxConcurrency: 1,
      visibilitySeconds: 1,
      timeoutSeconds: 1,
      clock,
      telemetry,
    });
    await clock.advance(60_000);
    expect(asked).toBeGreaterThan(8);
    expect(asked).toBeLessThan(25);
    expect(telemetry.lines[0]).toMatchObject({ level: 'warn', message: 'the queue could not be received from' });
    await source.stop();
    queue.close();
  });

  test('from a send to the handler in this process: it is told, and looks for nothing', async () => {
    const clock = new SystemClock();
    const queue = EmbeddedQueue.open({ clock });
    const took: number[] = [];
    let handled = gate();
    const source = startEventSource({
      queue,
      name: 'wakes',
      functionName: 'f',
      handler: async (event) => {
        took.push(performance.now() - Number(event.Records[0]?.body));
        handled.open();
      },
      batchSize: 10,
      maxConcurrency: 10,
      visibilitySeconds: 30,
      timeoutSeconds: 20,
      clock,
      telemetry: new RecordingTelemetry(),
    });
    for (let index = 0; index < 100; index++) {
      handled = gate();
      await queue.send('wakes', [{ body: String(performance.now()), groupId: `g${index}`, deduplicationId: `${index}` }]);
      await handled.opened;
    }
    await source.stop();
    queue.close();
    // A millisecond where the processor is free; one that looked now and then would take half of its pause.
    expect(took.toSorted((one, other) => one - other)[50]).toBeLessThan(20);
  });
});
