// What every Queue promises: SQS semantics, as far as Farloop leans on them.
import { describe, expect, test } from '@jest/globals';
import type { OutgoingMessage, Queue, QueueName, ReceivedMessage } from '../../lib/ports/queue.ts';
import { failureOf } from './store.ts';

export interface QueueUnderTest {
  queue: Queue;
  nowMs: () => number;
  /** Lets so much time go by. */
  pass: (ms: number) => Promise<void>;
  /** Receives after which a message is a dead letter. */
  maxReceiveCount: number;
  senderId: string;
  close: () => Promise<void>;
}

/** What a peer does otherwise; what is asserted instead stands at each. Printed with the suite. */
export interface QueueDifferences {
  /** One deduplication id counts for all groups: asserted instead that the second message is dropped. */
  deduplicationAcrossGroups?: string;
  /** Knows no move task: asserted instead that all dead letters go back one by one. */
  noMoveTask?: string;
  /** A move task leaves dead letters of FIFO queues where they are: asserted that they go back all the same, one by one. */
  noFifoMoveTask?: string;
  /** A move task brings back dead letters that were deleted before: asserted where none was deleted. */
  movesDeletedLetters?: string;
  /** Time moves on its own: what takes minutes is asserted on the embedded queue only. */
  realTime?: string;
}

const VISIBILITY_SECONDS = 2;
const QUEUES: readonly QueueName[] = ['events', 'wakes', 'timers', 'relay-a'];

let ids = 0;
/** Not used by any other test, nor by another run on the same queues. */
const unique = (prefix: string): string => `${prefix}-${Date.now().toString(36)}-${process.pid}-${ids++}`;

const aWake = (groupId: string, body: string): OutgoingMessage => ({ body, groupId, deduplicationId: unique('id') });

/** A queue of its own for one test. */
const on =
  (open: () => Promise<QueueUnderTest>, run: (under: QueueUnderTest) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const under = await open();
    try {
      await run(under);
    } finally {
      await under.close();
    }
  };

const receiveNow = (queue: Queue, name: QueueName, max = 10, visibilitySeconds = VISIBILITY_SECONDS): Promise<ReceivedMessage[]> =>
  queue.receive(name, { max, waitSeconds: 0, visibilitySeconds });

/** Receives until so many have come; a queue may give fewer than it has. Bounded by 10 s. */
async function receiveSome(
  { queue, pass }: QueueUnderTest,
  name: QueueName,
  count: number,
  visibilitySeconds = 30,
): Promise<ReceivedMessage[]> {
  const received: ReceivedMessage[] = [];
  for (let round = 0; round < 100 && received.length < count; round++) {
    const messages = await receiveNow(queue, name, Math.min(10, count - received.length), visibilitySeconds);
    received.push(...messages);
    if (messages.length === 0) await pass(100);
  }
  return received;
}

const bodiesOf = (messages: readonly { body: string }[]): string[] => messages.map(({ body }) => body);
const handlesOf = (messages: readonly ReceivedMessage[]): string[] => messages.map(({ receiptHandle }) => receiptHandle);

const firstOf = (messages: readonly ReceivedMessage[]): ReceivedMessage => {
  const [first] = messages;
  if (!first) throw new Error('nothing was received');
  return first;
};

export function queueContract(name: string, open: () => Promise<QueueUnderTest>, differences: QueueDifferences = {}): void {
  describe(`queue contract: ${name}`, () => {
    for (const [difference, why] of Object.entries(differences)) test(`differs: ${difference}: ${why}`, () => expect(why).not.toBe(''));

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
        expect(Math.abs(event.sentAtMs - sentMs)).toBeLessThan(5_000);
        // Where the queue tells.
        const { receivedAtMs = event.sentAtMs } = event;
        expect(receivedAtMs).toBeGreaterThanOrEqual(event.sentAtMs);
        expect(receivedAtMs - event.sentAtMs).toBeLessThan(30_000);
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
        await under.pass(VISIBILITY_SECONDS * 1000 + 100);
        const second = firstOf(await receiveSome(under, 'events', 1));
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
        await under.queue.send('timers', [{ body: 'later', delaySeconds: 2 }, { body: 'now' }]);
        expect(bodiesOf(await receiveSome(under, 'timers', 1))).toEqual(['now']);
        expect(await under.queue.depth('timers')).toMatchObject({ delayed: 1 });
        await under.pass(1_000);
        expect(await receiveNow(under.queue, 'timers')).toEqual([]);
        await under.pass(1_100);
        expect(bodiesOf(await receiveSome(under, 'timers', 1))).toEqual(['later']);
      }),
    );

    test(
      'R9: FIFO: a second message with the same id in a group is accepted and dropped, also after the first is gone',
      on(open, async (under) => {
        const group = unique('group');
        const deduplicationId = unique('id');
        await under.queue.send('wakes', [
          { body: 'first', groupId: group, deduplicationId },
          { body: 'twin', groupId: group, deduplicationId },
        ]);
        await under.queue.send('wakes', [{ body: 'again', groupId: group, deduplicationId }]);
        const first = await receiveSome(under, 'wakes', 1);
        expect(bodiesOf(first)).toEqual(['first']);
        await under.queue.delete('wakes', handlesOf(first));
        await under.queue.send('wakes', [{ body: 'after', groupId: group, deduplicationId }, aWake(group, 'other id')]);
        expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['other id']);
      }),
    );

    test(
      'FIFO: deduplication is per group',
      on(open, async (under) => {
        const deduplicationId = unique('id');
        for (const group of ['a', 'b']) await under.queue.send('wakes', [{ body: group, groupId: unique(group), deduplicationId }]);
        const received = await receiveSome(under, 'wakes', differences.deduplicationAcrossGroups ? 1 : 2);
        expect(new Set(bodiesOf(received))).toEqual(new Set(differences.deduplicationAcrossGroups ? ['a'] : ['a', 'b']));
        expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
      }),
    );

    if (!differences.realTime)
      test(
        'FIFO: an id counts for five minutes and no longer',
        on(open, async (under) => {
          const message = { body: 'one', groupId: 'g', deduplicationId: 'd' };
          await under.queue.send('wakes', [message]);
          await under.pass(4 * 60_000 + 59_000);
          await under.queue.send('wakes', [message]);
          expect(await under.queue.depth('wakes')).toMatchObject({ visible: 1 });
          await under.pass(1_000);
          await under.queue.send('wakes', [message]);
          expect(await under.queue.depth('wakes')).toMatchObject({ visible: 2 });
        }),
      );

    test(
      'R8: FIFO: order within a group, and none of it while one is in flight; other groups go on',
      on(open, async (under) => {
        const [a, b] = [unique('a'), unique('b')];
        await under.queue.send('wakes', [aWake(a, 'a1'), aWake(a, 'a2'), aWake(b, 'b1')]);
        // One at a time; which group comes first is nobody's promise.
        const heads = [...(await receiveSome(under, 'wakes', 1)), ...(await receiveSome(under, 'wakes', 1))];
        expect(new Set(bodiesOf(heads))).toEqual(new Set(['a1', 'b1']));
        expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
        await under.queue.delete('wakes', handlesOf(heads.filter(({ body }) => body === 'a1')));
        expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['a2']);
      }),
    );

    test(
      'FIFO: one batch may hold several of a group, in order; the group waits for all of them',
      on(open, async (under) => {
        const group = unique('group');
        for (const body of ['1', '2', '3', '4']) await under.queue.send('wakes', [aWake(group, body)]);
        const batch = await receiveNow(under.queue, 'wakes', 3, VISIBILITY_SECONDS);
        expect(bodiesOf(batch)).toEqual(['1', '2', '3']);
        await under.queue.delete('wakes', handlesOf(batch.slice(0, 2)));
        expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
        await under.pass(VISIBILITY_SECONDS * 1000 + 200);
        expect(bodiesOf(await receiveSome(under, 'wakes', 2))).toEqual(['3', '4']);
      }),
    );

    test(
      'R9: FIFO: a failed head of a group blocks it until its visibility ends, and comes first again',
      on(open, async (under) => {
        const group = unique('group');
        await under.queue.send('wakes', [aWake(group, 'head')]);
        const first = await receiveNowUntil(under, 1);
        await under.queue.send('wakes', [aWake(group, 'next')]);
        expect(await receiveNow(under.queue, 'wakes')).toEqual([]);
        await under.pass(VISIBILITY_SECONDS * 1000 + 200);
        const again = await receiveSome(under, 'wakes', 1);
        expect(again[0]).toMatchObject({ body: 'head', receiveCount: 2, messageId: firstOf(first).messageId });
        await under.queue.delete('wakes', handlesOf(again));
        expect(bodiesOf(await receiveSome(under, 'wakes', 1))).toEqual(['next']);
      }),
    );

    test(
      'FIFO: a handle whose time-out has passed deletes nothing that was received since',
      on(open, async (under) => {
        await under.queue.send('wakes', [aWake(unique('group'), 'one')]);
        const old = firstOf(await receiveSome(under, 'wakes', 1, 1));
        await under.pass(1_100);
        const current = firstOf(await receiveSome(under, 'wakes', 1, VISIBILITY_SECONDS));
        await under.queue.delete('wakes', [old.receiptHandle]);
        await under.pass(VISIBILITY_SECONDS * 1000 + 100);
        expect(firstOf(await receiveSome(under, 'wakes', 1))).toMatchObject({ messageId: current.messageId, receiveCount: 3 });
      }),
    );

    for (const queueName of ['events', 'wakes'] as const) {
      const poisonOf = (group: string): OutgoingMessage =>
        queueName === 'wakes' ? aWake(group, 'poison') : { body: 'poison', groupId: group };

      test(
        `R13: ${queueName}: a message that comes back too often is a dead letter, and blocks nothing; named, it is brought back`,
        on(open, async (under) => {
          const { queue } = under;
          const group = unique('group');
          await queue.send(queueName, [poisonOf(group)]);
          const letters = await dieOf(under, queueName);
          expect(letters).toMatchObject([{ body: 'poison', groupId: group }]);
          // Looking changes nothing.
          expect(await lettersOf(under, queueName, 1)).toEqual(letters);
          expect((await queue.depth(queueName)).dead).toBe(1);
          // The group goes on without it.
          await queue.send(queueName, [{ ...poisonOf(group), body: 'healthy' }]);
          const healthy = await receiveSome(under, queueName, 1);
          expect(bodiesOf(healthy)).toEqual(['healthy']);
          await queue.delete(queueName, handlesOf(healthy));
          expect(await queue.redrive(queueName, ['no-such-id'])).toBe(0);
          expect(
            await queue.redrive(
              queueName,
              letters.map(({ messageId }) => messageId),
            ),
          ).toBe(1);
          expect((await queue.depth(queueName)).dead).toBe(0);
          const again = await receiveSome(under, queueName, 1, 0);
          expect(again).toMatchObject([{ body: 'poison', groupId: group, receiveCount: 1 }]);
          // Again and again, also within five minutes.
          const secondLetters = await dieOf(under, queueName);
          expect(
            await queue.redrive(
              queueName,
              secondLetters.map(({ messageId }) => messageId),
            ),
          ).toBe(1);
          expect(await receiveSome(under, queueName, 1)).toMatchObject([{ body: 'poison', groupId: group, receiveCount: 1 }]);
        }),
      );

      test(
        `R13: ${queueName}: all dead letters are brought back at once; where there are none, none`,
        on(open, async (under) => {
          const { queue } = under;
          expect(await queue.redrive(queueName)).toBe(0);
          await queue.send(queueName, [poisonOf(unique('one')), poisonOf(unique('other'))]);
          await dieOf(under, queueName, 2);
          expect(await queue.redrive(queueName)).toBe(2);
          const again = await receiveSome(under, queueName, 2);
          expect(bodiesOf(again)).toEqual(['poison', 'poison']);
          await queue.delete(queueName, handlesOf(again));
          expect(await queue.depth(queueName)).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
          expect(await queue.deadLetters(queueName, 10)).toEqual([]);
        }),
      );
    }

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
        expect(under.nowMs() - startMs).toBeLessThan(10_000);
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
  });
}

const receiveNowUntil = (under: QueueUnderTest, max: number): Promise<ReceivedMessage[]> =>
  receiveSome(under, 'wakes', max, VISIBILITY_SECONDS);

/** Receives what is there until it no longer comes. @returns the dead letters */
async function dieOf(under: QueueUnderTest, name: QueueName, count = 1): ReturnType<Queue['deadLetters']> {
  for (let receive = 0; receive < count * under.maxReceiveCount; receive++) await receiveNow(under.queue, name, 10, 0);
  return lettersOf(under, name, count);
}

/** Dead letters, once so many lie there; bounded by 5 s. */
async function lettersOf(under: QueueUnderTest, name: QueueName, count: number): ReturnType<Queue['deadLetters']> {
  for (let round = 0; round < 50; round++) {
    const letters = await under.queue.deadLetters(name, 100);
    if (letters.length >= count) return letters;
    await receiveNow(under.queue, name, 10, 0);
    await under.pass(100);
  }
  return under.queue.deadLetters(name, 100);
}
