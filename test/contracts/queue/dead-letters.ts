// R13: what comes back too often is a dead letter, and is brought back when somebody asks for it.
import { expect, test } from '@jest/globals';
import { DEAD_LETTER_HEAD, type OutgoingMessage, type Queue, type QueueName } from '../../../lib/ports/queue.ts';
import { on } from '../own-adapter.ts';
import type { QueueUnderTest } from './receiving.ts';
import { aWake, bodiesOf, handlesOf, receiveNow, receiveSome, unique } from './receiving.ts';

export function deadLettersContract(open: () => Promise<QueueUnderTest>): void {
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
      `R13: ${queueName}: dropped by their ids, dead letters are gone, and the others stay; dropping again does no harm`,
      on(open, async (under) => {
        const { queue } = under;
        await queue.send(queueName, [poisonOf(unique('one')), poisonOf(unique('other'))]);
        const letters = await dieOf(under, queueName, 2);
        const [one, other] = letters.map(({ messageId }) => messageId);
        expect(await queue.drop(queueName, [one ?? '', 'no-such-id'])).toBe(1);
        expect(await queue.drop(queueName, [one ?? ''])).toBe(0);
        expect((await lettersOf(under, queueName, 1)).map(({ messageId }) => messageId)).toEqual([other]);
        expect(await queue.drop(queueName, [other ?? ''])).toBe(1);
        expect(await queue.depth(queueName)).toMatchObject({ visible: 0, inFlight: 0, dead: 0 });
      }),
    );

    test(
      `R13: ${queueName}: of a long dead letter a look keeps the head, and all of it is brought back`,
      on(open, async (under) => {
        const body = 'long'.repeat(20_000);
        await under.queue.send(queueName, [{ ...poisonOf(unique('group')), body }]);
        expect(await dieOf(under, queueName)).toMatchObject([{ body: body.slice(0, DEAD_LETTER_HEAD), bytes: body.length }]);
        expect(await under.queue.redrive(queueName)).toBe(1);
        const again = await receiveSome(under, queueName, 1);
        expect(bodiesOf(again)).toEqual([body]);
        await under.queue.delete(queueName, handlesOf(again));
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
}

/** Receives what is there until it no longer comes. @returns the dead letters */
async function dieOf(under: QueueUnderTest, name: QueueName, count = 1): ReturnType<Queue['deadLetters']> {
  for (let receive = 0; receive < count * under.maxReceiveCount; receive++) await receiveNow(under.queue, name, 10, 0);
  return lettersOf(under, name, count);
}

/** Dead letters, once so many lie there; bounded by 20 s of waiting. */
async function lettersOf(under: QueueUnderTest, name: QueueName, count: number): ReturnType<Queue['deadLetters']> {
  for (let round = 0; round < 200; round++) {
    const letters = await under.queue.deadLetters(name, 100);
    if (letters.length >= count) return letters;
    await receiveNow(under.queue, name, 10, 0);
    await under.pass(100);
  }
  return under.queue.deadLetters(name, 100);
}
