// Messages: what is carried, what is refused, for how long they are out of sight, how many there are.
import { expect, test } from '@jest/globals';
import type { OutgoingMessage, QueueName, ReceivedMessage } from '../../../lib/ports/queue.ts';
import { failureOf } from '../../claims.ts';
import { on } from '../own-adapter.ts';
import type { QueueDifferences, QueueUnderTest } from './receiving.ts';
import { aWake, bodiesOf, firstOf, handlesOf, receiveNow, receiveSome, unique, VISIBILITY_SECONDS } from './receiving.ts';

const QUEUES: readonly QueueName[] = ['events', 'wakes', 'timers', 'relay-a'];

/** What comes when VISIBILITY_SECONDS are over, and not before. Real time goes by on its own between two looks; virtual time is known. */
async function comeInTime(under: QueueUnderTest, name: QueueName, { realTime }: QueueDifferences): Promise<ReceivedMessage[]> {
  const lastLookMs = VISIBILITY_SECONDS * 1000 - (realTime ? 3_000 : 1);
  const beganMs = performance.now();
  await under.pass(1_000);
  expect(await receiveNow(under.queue, name)).toEqual([]);
  await under.pass(lastLookMs - 1_000);
  const looked = await receiveNow(under.queue, name);
  // A machine that stood still meanwhile looked too late to tell.
  const isEarly = performance.now() - beganMs < lastLookMs + 1_000;
  if (!isEarly && looked.length > 0) return looked;
  expect(looked).toEqual([]);
  await under.pass(VISIBILITY_SECONDS * 1000 - lastLookMs);
  return realTime ? await receiveSome(under, name, 1) : await receiveNow(under.queue, name);
}

export function messagesContract(open: () => Promise<QueueUnderTest>, differences: QueueDifferences): void {
  test(
    'what was sent is received with all that came along',
    on(open, async (under) => {
      const sentMs = under.nowMs();
      const group = unique('group');
      const wake = aWake(group, '{"ä":"😀\\n"}');
      await under.queue.send('events', [{ body: 'one', groupId: group }]);
      await under.queue.send('wakes', [wake]);
      const event = firstOf(await receiveSome(under, 'events', 1));
      const received = firstOf(await receiveSome(under, 'wakes', 1));
      expect(event).toMatchObject({ body: 'one', receiveCount: 1, groupId: group, senderId: under.senderId });
      expect(received).toMatchObject({ body: wake.body, receiveCount: 1, groupId: group, deduplicationId: wake.deduplicationId });
      expect(Math.abs(event.sentAtMs - sentMs)).toBeLessThan(60_000);
      // Where the queue tells.
      const { receivedAtMs = event.sentAtMs } = event;
      expect(receivedAtMs).toBeGreaterThanOrEqual(event.sentAtMs);
      expect(receivedAtMs - event.sentAtMs).toBeLessThan(60_000);
      expect(event.messageId).not.toBe(received.messageId);
    }),
  );

  test(
    'more than a batch is sent in batches, and comes whole',
    on(open, async (under) => {
      const bodies = Array.from({ length: 37 }, (_, index) => unique(`m${index}`));
      await under.queue.send(
        'events',
        bodies.map((body) => ({ body })),
      );
      const received = await receiveSome(under, 'events', 37);
      expect(received).toHaveLength(37);
      expect(new Set(bodiesOf(received))).toEqual(new Set(bodies));
      await under.queue.delete('events', handlesOf(received));
      expect(await under.queue.depth('events')).toMatchObject({ visible: 0, inFlight: 0 });
    }),
  );

  test(
    '1 MiB is carried, in one message and in a batch of several large ones',
    on(open, async (under) => {
      const large = 'x'.repeat(1024 * 1024);
      await under.queue.send('events', [{ body: large }]);
      expect(firstOf(await receiveSome(under, 'events', 1)).body.length).toBe(large.length);
      const halves = Array.from({ length: 5 }, (_, index) => String(index).repeat(400 * 1024));
      await under.queue.send(
        'timers',
        halves.map((body) => ({ body })),
      );
      expect(new Set(bodiesOf(await receiveSome(under, 'timers', 5)))).toEqual(new Set(halves));
    }),
  );

  test(
    'what no queue takes is refused before any of it is sent, in words that name it',
    on(open, async ({ queue }) => {
      const refused: [QueueName, OutgoingMessage, RegExp][] = [
        ['events', { body: '' }, /message 2 of 2 for the queue events: the body is empty/],
        ['events', { body: 'x'.repeat(1024 * 1024 + 1) }, /1048577 bytes, at most 1048576/],
        ['events', { body: '😀'.repeat(262_145) }, /1048580 bytes/],
        ['events', { body: 'a\u0000b' }, /characters that SQS does not carry/],
        ['events', { body: 'a\ud800b' }, /characters/],
        ['events', { body: 'a', deduplicationId: 'd' }, /only a FIFO queue/],
        ['events', { body: 'a', groupId: 'a b' }, /the group "a b" is not 1 to 128/],
        ['timers', { body: 'a', delaySeconds: 901 }, /the delay 901 s is not a whole number from 0 to 900/],
        ['timers', { body: 'a', delaySeconds: 1.5 }, /the delay 1.5 s/],
        ['wakes', { body: 'a', groupId: 'g' }, /needs a group and a deduplication id/],
        ['wakes', { body: 'a', groupId: 'g'.repeat(129), deduplicationId: 'd' }, /the group/],
        ['wakes', { body: 'a', groupId: 'g', deduplicationId: 'd', delaySeconds: 3 }, /no delay for a single message/],
      ];
      for (const [queueName, message, words] of refused) {
        const fine = queueName === 'wakes' ? aWake(unique('fine'), 'fine') : { body: 'fine' };
        const error = await failureOf(queue.send(queueName, [fine, message]));
        expect(error).toBeInstanceOf(RangeError);
        expect(String(error)).toMatch(words);
      }
      for (const queueName of QUEUES) expect(await receiveNow(queue, queueName)).toEqual([]);
      await expect(queue.receive('events', { max: 11, waitSeconds: 0, visibilitySeconds: 1 })).rejects.toThrow(RangeError);
    }),
  );

  test(
    'a received message is out of sight until its time-out, then it comes again and counts',
    on(open, async (under) => {
      await under.queue.send('events', [{ body: 'one' }]);
      const first = firstOf(await receiveSome(under, 'events', 1, VISIBILITY_SECONDS));
      expect(await receiveNow(under.queue, 'events')).toEqual([]);
      const second = firstOf(await comeInTime(under, 'events', differences));
      expect(second).toMatchObject({ messageId: first.messageId, receiveCount: 2, sentAtMs: first.sentAtMs });
      expect(second.receiptHandle).not.toBe(first.receiptHandle);
      await under.queue.delete('events', [second.receiptHandle]);
      await under.queue.delete('events', [second.receiptHandle]);
      await under.pass(100);
      expect(await receiveNow(under.queue, 'events')).toEqual([]);
    }),
  );

  test(
    'visibility can be given up at once, or held longer',
    on(open, async (under) => {
      await under.queue.send('events', [{ body: 'one' }]);
      const first = firstOf(await receiveSome(under, 'events', 1));
      await under.queue.changeVisibility('events', first.receiptHandle, 0);
      const second = firstOf(await receiveSome(under, 'events', 1, VISIBILITY_SECONDS));
      expect(second.receiveCount).toBe(2);
      await under.queue.changeVisibility('events', second.receiptHandle, 60);
      await under.pass(VISIBILITY_SECONDS * 1000 + 100);
      expect(await receiveNow(under.queue, 'events')).toEqual([]);
    }),
  );

  test(
    'a delayed message comes when its delay is over',
    on(open, async (under) => {
      await under.queue.send('timers', [{ body: 'later', delaySeconds: VISIBILITY_SECONDS }, { body: 'now' }]);
      expect(bodiesOf(await receiveSome(under, 'timers', 1))).toEqual(['now']);
      expect(await under.queue.depth('timers')).toMatchObject({ delayed: 1 });
      const received = await comeInTime(under, 'timers', differences);
      expect(bodiesOf(received)).toEqual(['later']);
    }),
  );

  test(
    'a send ends a waiting receive at once',
    on(open, async (under) => {
      const waiting = under.queue.receive('events', { max: 10, waitSeconds: 5, visibilitySeconds: 30 });
      await under.queue.send('events', [{ body: 'one' }]);
      expect(bodiesOf(await waiting)).toEqual(['one']);
    }),
  );

  test(
    'a waiting receive gives up when its time is over, or its signal fires',
    on(open, async (under) => {
      const startMs = under.nowMs();
      const controller = new AbortController();
      const aborted = under.queue.receive('events', { max: 1, waitSeconds: 20, visibilitySeconds: 1, signal: controller.signal });
      const timedOut = under.queue.receive('timers', { max: 1, waitSeconds: 1, visibilitySeconds: 1 });
      controller.abort();
      expect(await aborted).toEqual([]);
      await under.pass(1_000);
      expect(await timedOut).toEqual([]);
      expect(under.nowMs() - startMs).toBeGreaterThanOrEqual(900);
      expect(under.nowMs() - startMs).toBeLessThan(20_000);
    }),
  );

  test(
    'depth tells what is visible, in flight, delayed',
    on(open, async (under) => {
      await under.queue.send('timers', [{ body: 'a' }, { body: 'b' }, { body: 'c' }, { body: 'd', delaySeconds: 300 }]);
      await receiveSome(under, 'timers', 1);
      expect(await under.queue.depth('timers')).toMatchObject({ visible: 2, inFlight: 1, delayed: 1, dead: 0 });
      expect(await under.queue.depth('relay-a')).toMatchObject({ visible: 0, inFlight: 0, delayed: 0, dead: 0 });
    }),
  );
}
