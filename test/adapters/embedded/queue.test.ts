// The embedded queue: the contract, in memory and on a file, and what a file adds: restarts, versions, closing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../../lib/adapters/embedded/queue.ts';
import { QUEUE_FILE } from '../../../lib/adapters/embedded/queue-file.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import type { QueueName, ReceivedMessage } from '../../../lib/ports/queue.ts';
import { FullDiskError } from '../../../lib/adapters/embedded/sqlite-file.ts';
import { failureOf } from '../../claims.ts';
import { queueContract } from '../../contracts/queue.ts';
import { transactionsIn } from './transactions.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-queue-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

for (const onFile of [false, true])
  queueContract(onFile ? 'embedded, on a file' : 'embedded, in memory', async () => {
    const clock = new VirtualClock();
    const queue = EmbeddedQueue.open({
      clock,
      senderId: 'me',
      maxReceiveCounts: { events: 3, wakes: 3 },
      ...(onFile ? { folder } : {}),
    });
    return {
      queue,
      nowMs: () => clock.nowMs(),
      pass: (ms) => clock.advance(ms),
      maxReceiveCount: 3,
      senderId: 'me',
      close: async () => queue.close(),
    };
  });

const now = { waitSeconds: 0, visibilitySeconds: 30 };

const bodiesOf = (messages: readonly ReceivedMessage[]): string[] => messages.map(({ body }) => body);

const wakes = (group: string, ...bodies: string[]): { body: string; groupId: string; deduplicationId: string }[] =>
  bodies.map((body) => ({ body, groupId: group, deduplicationId: `${group}-${body}` }));

describe('embedded queue: a restart', () => {
  test('loses nothing: messages, order, receive counts, visibility, delays, deduplication, dead letters', async () => {
    const clock = new VirtualClock();
    const first = EmbeddedQueue.open({ folder, clock, maxReceiveCounts: { events: 1 } });
    await first.send('wakes', wakes('g', '1', '2'));
    const [head] = await first.receive('wakes', { ...now, max: 1 });
    await first.send('timers', [{ body: 'delayed', delaySeconds: 60 }]);
    await first.send('events', [{ body: 'dead' }]);
    await first.receive('events', { max: 1, waitSeconds: 0, visibilitySeconds: 0 });
    expect(await first.receive('events', { ...now, max: 1 })).toEqual([]);
    first.close();

    const second = EmbeddedQueue.open({ folder, clock });
    expect(await second.receive('wakes', { ...now, max: 10 })).toEqual([]);
    await second.send('wakes', wakes('g', '1'));
    expect(await second.depth('wakes')).toMatchObject({ visible: 1, inFlight: 1 });
    expect(await second.depth('timers')).toMatchObject({ delayed: 1 });
    expect(await second.deadLetters('events', 10)).toMatchObject([{ body: 'dead' }]);
    await clock.advance(60_000);
    expect(await second.receive('wakes', { ...now, max: 10 })).toMatchObject([
      { body: '1', receiveCount: 2, messageId: head?.messageId },
      { body: '2', receiveCount: 1 },
    ]);
    expect(bodiesOf(await second.receive('timers', { ...now, max: 10 }))).toEqual(['delayed']);
    second.close();
  });

  test('a handle from before it still deletes', async () => {
    const clock = new VirtualClock();
    const first = EmbeddedQueue.open({ folder, clock });
    await first.send('events', [{ body: 'one' }]);
    const [message] = await first.receive('events', { ...now, max: 1 });
    first.close();
    const second = EmbeddedQueue.open({ folder, clock });
    await second.delete('events', [message?.receiptHandle ?? '']);
    expect(await second.depth('events')).toEqual({ visible: 0, inFlight: 0, delayed: 0, dead: 0, waitingSinceMs: null });
    second.close();
  });

  test('R17: all messages become visible when their passes died with the process; counts and delays stay', async () => {
    const clock = new VirtualClock();
    const first = EmbeddedQueue.open({ folder, clock });
    await first.send('wakes', wakes('g', '1', '2'));
    await first.send('timers', [{ body: 'delayed', delaySeconds: 60 }]);
    await first.receive('wakes', { ...now, max: 1 });
    first.close();
    const second = EmbeddedQueue.open({ folder, clock });
    second.makeAllVisible();
    expect(await second.receive('wakes', { ...now, max: 10 })).toMatchObject([
      { body: '1', receiveCount: 2 },
      { body: '2', receiveCount: 1 },
    ]);
    expect(await second.depth('timers')).toMatchObject({ visible: 0, delayed: 1 });
    second.close();
  });

  test('a file of a newer version is refused in one sentence', () => {
    const database = new DatabaseSync(join(folder, QUEUE_FILE));
    database.exec('pragma user_version = 9');
    database.close();
    expect(() => EmbeddedQueue.open({ folder })).toThrow(/queue\.db was written by a newer Farloop/);
  });

  test('closing ends waiting receives', async () => {
    const queue = EmbeddedQueue.open();
    const waiting = queue.receive('events', { max: 1, waitSeconds: 20, visibilitySeconds: 1 });
    queue.close();
    expect(await waiting).toEqual([]);
  });

  test('wiping leaves nothing', async () => {
    const queue = EmbeddedQueue.open();
    await queue.send('wakes', wakes('g', '1', '2'));
    await queue.receive('wakes', { ...now, max: 1 });
    queue.wipe();
    expect(await queue.depth('wakes')).toEqual({ visible: 0, inFlight: 0, delayed: 0, dead: 0, waitingSinceMs: null });
    await queue.send('wakes', wakes('g', '1'));
    expect(bodiesOf(await queue.receive('wakes', { ...now, max: 10 }))).toEqual(['1']);
    queue.close();
  });
});

describe('embedded queue: a full disk', () => {
  test('is one clear sentence; what was there stays, in its order, and goes on when there is room', async () => {
    const clock = new VirtualClock();
    const queue = EmbeddedQueue.open({ folder, clock, maxReceiveCounts: { wakes: 1 } });
    const large = 'x'.repeat(60_000);
    await queue.send('wakes', [{ body: large, groupId: 'g', deduplicationId: 'g-1' }, ...wakes('h', '1', '2')]);
    await queue.receive('wakes', { max: 10, waitSeconds: 0, visibilitySeconds: 0 });
    // No free page is left, and no new one allowed.
    queue.database.exec('vacuum');
    queue.database.exec('pragma max_page_count = 1');
    expect(await failureOf(queue.send('events', [{ body: large }]))).toBeInstanceOf(FullDiskError);
    expect(await queue.depth('events')).toMatchObject({ visible: 0 });
    // All three have been received once, so they are to be buried; there is no room for a copy.
    const error = await failureOf(queue.receive('wakes', { ...now, max: 10 }));
    expect(String(error)).toMatch(/^FullDiskError: no space left where .*queue\.db lies: free some space there/);
    expect(await queue.depth('wakes')).toMatchObject({ visible: 3, dead: 0 });
    queue.database.exec('pragma max_page_count = 1000000');
    await clock.advance(1_000);
    expect(await queue.receive('wakes', { ...now, max: 10 })).toEqual([]);
    expect((await queue.deadLetters('wakes', 10)).map(({ body }) => body.length)).toEqual([60_000, 1, 1]);
    await queue.send('wakes', wakes('h', '3'));
    expect(bodiesOf(await queue.receive('wakes', { ...now, max: 10 }))).toEqual(['3']);
    queue.close();
  });
});

/** Receives and deletes until nothing has come for a while. */
async function drain(queue: EmbeddedQueue, clock: VirtualClock, name: QueueName): Promise<ReceivedMessage[]> {
  const received: ReceivedMessage[] = [];
  for (let quiet = 0; quiet < 30;) {
    const messages = await queue.receive(name, { ...now, max: 3 });
    received.push(...messages);
    await queue.delete(
      name,
      messages.map(({ receiptHandle }) => receiptHandle),
    );
    quiet = messages.length > 0 ? 0 : quiet + 1;
    if (messages.length === 0) await clock.advance(1_000);
  }
  return received;
}

describe('embedded queue: faults on purpose', () => {
  const bodies = Array.from({ length: 200 }, (_, index) => String(index));

  test('standard: each message one to three times, out of order, none lost; a seed repeats it', async () => {
    const run = async (seed: number): Promise<string[]> => {
      const clock = new VirtualClock();
      const queue = EmbeddedQueue.open({ clock, chaos: { seed, duplicates: 3, maxDelayMs: 10_000 } });
      await queue.send(
        'events',
        bodies.map((body) => ({ body })),
      );
      const received = bodiesOf(await drain(queue, clock, 'events'));
      queue.close();
      return received;
    };
    const received = await run(3);
    const counts = bodies.map((body) => received.filter((other) => other === body).length);
    expect(new Set(counts)).toEqual(new Set([1, 2, 3]));
    expect(received.slice(0, 50)).not.toEqual(received.slice(0, 50).toSorted((one, other) => Number(one) - Number(other)));
    expect(await run(3)).toEqual(received);
    expect(await run(4)).not.toEqual(received);
  });

  test('FIFO: again after it was deleted, in order all the same, and not counted as a failure', async () => {
    const clock = new VirtualClock();
    const queue = EmbeddedQueue.open({ clock, maxReceiveCounts: { wakes: 1 }, chaos: { seed: 1, duplicates: 3, maxDelayMs: 10_000 } });
    await queue.send('wakes', wakes('g', ...bodies));
    const received = await drain(queue, clock, 'wakes');
    const order = [...new Set(bodiesOf(received))];
    expect(order).toEqual(bodies);
    expect(received.length).toBeGreaterThan(300);
    expect(received.length).toBeLessThanOrEqual(600);
    expect(new Set(received.map(({ receiveCount }) => receiveCount))).toEqual(new Set([1]));
    expect((await queue.depth('wakes')).dead).toBe(0);
    queue.close();
  });
});

describe('embedded queue: speed', () => {
  test.each([
    ['standard', 'events'],
    ['FIFO', 'wakes'],
  ] as const)('%s: 5,000 messages through a file within 2 s', async (_kind, name) => {
    const queue = EmbeddedQueue.open({ folder });
    const [before, transactionsBefore] = [process.cpuUsage(), transactionsIn(folder, QUEUE_FILE)];
    for (let batch = 0; batch < 500; batch++)
      await queue.send(
        name,
        Array.from({ length: 10 }, (_, index) => {
          const body = `${batch}-${index} ${'x'.repeat(400)}`;
          return name === 'wakes' ? { body, groupId: `g${(batch * 10 + index) % 700}`, deduplicationId: `${batch}-${index}` } : { body };
        }),
      );
    let received = 0;
    while (received < 5_000) {
      const messages = await queue.receive(name, { ...now, max: 10 });
      if (messages.length === 0) break;
      received += messages.length;
      await queue.delete(
        name,
        messages.map(({ receiptHandle }) => receiptHandle),
      );
    }
    expect(received).toBe(5_000);
    // Far slower than it is (about 0.3 s); of a processor's time, for a machine may do other things as well.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
    // By no clock: one for each batch that is sent, received, deleted.
    expect(transactionsIn(folder, QUEUE_FILE) - transactionsBefore).toBeLessThanOrEqual(1_500);
    queue.close();
  });
});
